import { describe, expect, it } from 'vitest';
import { previewChanges } from '../../src/cli/commands/sync.ts';
import { sealChange } from '../../src/core/plan/change.ts';
import type { PlannedChange } from '../../src/ports/store.ts';
import { draft } from '../core/cases.ts';

const planned = (identification: string, classes: PlannedChange['classes']): PlannedChange => ({
  ...sealChange(draft({ identification, classes })),
  state: 'planned',
  stateReason: undefined,
  batch: undefined,
  isApproved: false,
  isRejected: false,
  isLeftOut: false,
});
const plan = [
  ...Array.from({ length: 9 }, (_, i) => planned(`A${i}`, ['firstSight'])),
  planned('B', ['updates', 'emailChanges']),
  planned('C', ['disables']),
];
const page = async (_id: string, query: { limit: number; classes?: readonly string[] }) =>
  plan.filter(({ classes }) => classes.some((name) => query.classes?.includes(name))).slice(0, query.limit);
const app = { engine: { store: { plans: { page } } } };

describe('the changes that a plan shows', () => {
  it('are some of every class, the dangerous ones first', async () => {
    const shown = await previewChanges(app, 'plan', 4);
    expect(shown.map(({ identification }) => identification)).toEqual(['C', 'B', 'A0', 'A1']);
  });

  it('are never more than asked for, and none twice', async () => {
    expect(await previewChanges(app, 'plan', 1)).toHaveLength(1);
    expect(await previewChanges(app, 'plan', 0)).toEqual([]);
    expect(await previewChanges(app, 'plan', 100)).toHaveLength(plan.length);
  });
});

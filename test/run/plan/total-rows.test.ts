import { describe, expect, it } from 'vitest';
import { account, openPlanScene, row } from '../plan-scene.ts';

const blank = { first: '', last: '', status: '', hired: '', type: '' };
const people = [row('e1', { first: 'Ana', last: 'Ruiz' }), row('e2', { first: 'Bruno', last: 'Soto' })];
const missing = { missing: { afterReads: 1, minAgeMs: 0 } } as const;

/** Whether e2 is disabled by a read that lacks them and has this row, and what is told. */
async function readWith(over: Readonly<Record<string, unknown>>, broken?: readonly string[]) {
  const users = ['e1', 'e2'].map((id, i) =>
    account(id, { fields: { firstName: ['Ana', 'Bruno'][i] ?? '', lastName: ['Ruiz', 'Soto'][i] ?? '' } }),
  );
  const scene = await openPlanScene({ records: people, users, settings: missing, capabilities: { point: false } });
  await scene.plan();
  scene.clock.jumpTo(scene.clock.now() + 3_600_000);
  const [first] = people;
  scene.source.records = [
    ...(first === undefined ? [] : [first]),
    ...(broken === undefined ? [row('', { ...blank, ...over }, 'line 3')] : []),
  ];
  scene.source.broken = broken === undefined ? [] : [{ at: 'line 3', reason: 'too short', cells: broken }];
  scene.source.end = { complete: true, rows: 2, evidence: 'all', stamp: 's2' };
  const planned = await scene.plan();
  return [planned.kinds.e2 === 'disable', planned.plan.findings.map(({ code }) => code).join()];
}

const total = [true, 'source-note'];

describe('a row that is a total and no person', () => {
  it.each<[string, Readonly<Record<string, unknown>>, (readonly string[])?]>([
    ['a label in place of an identification', { id: 'TOTAL', area: '30' }],
    ['a label and a number in one cell', { id: 'Grand total: 30' }],
    ['a blank identification', { first: 'Total', area: 2 }],
    ['few cells', {}, ['Gesamt', '30']],
    ['a sentence', {}, ['30 rows exported']],
  ])('is counted, and the read stays complete: %s', async (_, over, broken) => {
    expect(await readWith(over, broken)).toEqual(total);
  });

  it.each<[string, Readonly<Record<string, unknown>>, (readonly string[])?]>([
    ['three other cells', { id: '', first: 'Total', area: '2', job: 'x', born: 'y' }],
    ['an e-mail', { email: 'ana@corp.test' }],
    ['the name of a person of this read', { first: 'Ana', last: 'Ruiz' }],
    ['the name of a person of the last read', { first: 'Soto, Bruno' }],
    ['an identification', { area: 'e2' }],
    ['an identification of a person in few cells', {}, ['e2', 'Bruno']],
    ['a number that begins few cells', {}, ['1002', 'Bruno']],
  ])('is none with %s: nobody is missing by that read', async (_, over, broken) => {
    const [isDisabled, codes] = await readWith(over, broken);
    expect(isDisabled).toBe(false);
    expect(codes).toContain('row-unreadable');
  });
});

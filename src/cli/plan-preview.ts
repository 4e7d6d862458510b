import type { App } from '../app/app.ts';
import type { ChangeClass } from '../core/plan/change.ts';
import type { PlannedChange } from '../ports/store.ts';

/** Rejected changes are counted, not shown. */
const states = ['planned', 'held'] as const;

/** The most dangerous class first. */
const classOrder: readonly ChangeClass[] = [
  'removes',
  'disables',
  'handOvers',
  'enables',
  'creates',
  'emailChanges',
  'updates',
  'firstSight',
];

/**
 * Returns some changes of every class, at most `limit` in total, the most dangerous classes first. In a plan of 500
 * similar changes, the operator must see the four that disable a user.
 */
export async function previewChanges(
  app: Pick<App, 'changes'>,
  planId: string,
  limit: number,
): Promise<PlannedChange[]> {
  if (limit === 0) return [];
  const pages = await Promise.all(classOrder.map((name) => app.changes(planId, { limit, classes: [name], states })));
  const shown = new Map<string, PlannedChange>();
  for (let round = 0; round < limit && shown.size < limit; round += 1) {
    for (const page of pages) {
      const change = page[round];
      if (change !== undefined && shown.size < limit) shown.set(change.identification, change);
    }
  }
  const rank = ({ classes }: PlannedChange): number => Math.min(...classes.map((name) => classOrder.indexOf(name)));
  return [...shown.values()].sort((a, b) => rank(a) - rank(b));
}

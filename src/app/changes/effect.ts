import type { ChangeKind } from '../../core/plan/change.ts';
import { noKinds } from '../../core/run/report.ts';
import { type BatchLoad, requestBudget } from '../../core/run/request-budget.ts';
import type { RunFacts } from '../../ports/store.ts';
import type { EngineIo, Sync } from '../../run/engine-io.ts';
import type { Effect } from '../../views/changes.ts';
import type { IndexedChange } from './change-index.ts';

/**
 * Estimates what a run takes that delivers these changes and nothing else. `facts`: of the plan that has them, for the
 * size of the directory.
 */
export function effectOf(
  rows: readonly IndexedChange[],
  { sync, facts }: { readonly sync: string; readonly facts: RunFacts },
  { syncs }: Pick<EngineIo, 'syncs'>,
): Effect {
  const kinds = { ...noKinds };
  for (const { kind } of rows) kinds[kind] += 1;
  const undeliverable = rows.filter(({ file }) => file === 'none').length;
  const configured = syncs.get(sync);
  const budget = configured && budgetOf(rows, facts, configured);
  return { changes: rows.length, kinds, budget, undeliverable };
}

const columns = {
  create: 'creates',
  update: 'updates',
  enable: 'switches',
  disable: 'switches',
  remove: 'removes',
} as const satisfies Record<ChangeKind, keyof BatchLoad>;

function budgetOf(rows: readonly IndexedChange[], facts: RunFacts, { settings, limits }: Sync) {
  const batches: BatchLoad[] = [];
  for (const [file, some] of Map.groupBy(rows, (row) => row.file)) {
    if (file === 'none') continue;
    const [kind] = file.split(' ') as [BatchLoad['kind']];
    for (let from = 0; from < some.length; from += settings.batchRows) {
      const load = { kind, isParking: false, creates: 0, updates: 0, switches: 0, removes: 0, waiting: 0 };
      for (const row of some.slice(from, from + settings.batchRows)) load[columns[row.kind]] += 1;
      batches.push(load);
    }
  }
  const { platformUsers: users = 0, pageSize } = facts;
  const directory = pageSize === undefined ? undefined : { users, pageSize };
  // The run reads the directory once before it sends anything.
  const planning = directory === undefined ? {} : { scan: Math.floor(users / directory.pageSize) + 2 };
  return requestBudget({ planning, batches, directory, settle: settings.settle, limits });
}

import { leftOutOf } from '../../core/guard/guard.ts';
import type { ChangeClass } from '../../core/plan/change.ts';
import type { Hold } from '../../core/run/run.ts';
import type { EngineIo } from '../engine-io.ts';
import type { PlanJob } from '../plan-job.ts';
import { changesOf } from '../seal/batches.ts';

/**
 * Holds the changes that an operator left out of an approval or rejection of the same run. Returns them by class.
 * Otherwise the remaining changes, being few, would pass the guard that held them.
 */
export async function holdLeftOut({ context, planId, sync }: PlanJob, io: EngineIo): Promise<readonly Hold[]> {
  const { name } = sync.settings;
  if ((await io.store.plans.holdLeftOut(context?.owned, planId, name)) === 0) return [];
  const counts = new Map<ChangeClass, number>();
  for await (const { classes } of changesOf(planId, io, { states: ['held'] })) {
    for (const one of classes) counts.set(one, (counts.get(one) ?? 0) + 1);
  }
  const before = new Map((await io.store.holds.listOpen(name)).map((hold) => [hold.class, hold.reason]));
  return [...counts].map(([one, count]) => ({ sync: name, class: one, reason: leftOutOf(before.get(one)), count }));
}

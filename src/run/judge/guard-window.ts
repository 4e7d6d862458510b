import type { ChangeClass } from '../../core/plan/change.ts';
import type { Applier } from '../../ports/store.ts';
import { spanOn } from '../clock-span.ts';
import type { EngineIo, Sync } from '../engine-io.ts';

/** Changes of this time before a run count in its guards. */
const guardWindowMs = 86_400_000;

/** Returns when the time began whose changes count in the guards now (epoch ms). */
export function guardWindowStart({ clock }: Pick<EngineIo, 'clock'>): number {
  return clock.now() - spanOn(clock, guardWindowMs);
}

/** Counts the changes that the guards of a sync count beside those of a new plan. */
export function appliedInWindow(sync: Sync, io: EngineIo): Promise<Readonly<Record<ChangeClass, number>>> {
  return io.store.plans.appliedSince(applierOf(sync, io), guardWindowStart(io));
}

/**
 * Returns whose changes of the last day are counted. A sync that is no longer configured is a former name of a
 * configured one.
 */
export function applierOf({ settings }: Sync, io: EngineIo): Applier {
  const { name, connection } = settings;
  const all = [...io.syncs.values()].map((sync) => sync.settings);
  const others = all.filter((one) => one.connection === connection && one.name !== name);
  return { sync: name, connection, others: others.map((one) => one.name) };
}

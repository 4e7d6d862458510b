import { randomInt } from 'node:crypto';
import { type Alerts, openAlerts } from '../alerts/open-alerts.ts';
import type { Config, SyncConfig } from '../config/config.ts';
import { openSchedule, type Schedule } from '../runtime/schedule.ts';
import type { Engine } from './open-engine.ts';

/** So many slots of a schedule may pass without a success. */
const missedSlots = 3;
const minuteMs = 60_000;
const lookMs = 5000;
/** What was missed while nothing ran, or while a sync was paused, is caught up first; only then is it too late. */
const catchUpMs = 300_000;

/** Alerts of a configuration over an opened engine. `freshFrom`: until then no success is missed, nor for a while after a pause. */
export function openConfigAlerts(config: Config, { io, connections }: Engine, freshFrom = 0): Alerts {
  const { store, clock, logger, newId } = io;
  return openAlerts({
    channels: config.alerts,
    syncs: Object.values(config.syncs).map((settings) => {
      const { name, connection } = settings;
      return { name, connection, staleBefore: oldestSuccess(settings), isExcused: untilCaughtUp(freshFrom) };
    }),
    connections: [...connections].map(([name, { custody }]) => ({ name, token: () => custody.status() })),
    store,
    clock,
    logger,
    newId,
    random: () => randomInt(2 ** 32) / 2 ** 32,
  });
}

/** Excuses a sync until `freshFrom`, while it is paused, and until it has had time to catch up. */
export function untilCaughtUp(freshFrom: number): (now: number, isPaused: boolean) => boolean {
  let from = freshFrom;
  return (now, isPaused) => {
    if (isPaused) from = Math.max(from, now + catchUpMs);
    return now < from;
  };
}

/**
 * How new the last success of a sync must be: by `freshness`, else as new as the fourth-newest slot of its schedule, so
 * that nights and weekends without slots count for nothing; else nothing is expected. To be asked with time going on.
 */
export function oldestSuccess({
  freshnessMs,
  schedule,
}: Pick<SyncConfig, 'freshnessMs' | 'schedule'>): (now: number) => number | undefined {
  if (freshnessMs !== undefined) return (now) => now - freshnessMs;
  if (schedule === undefined) return () => undefined;
  const at = openSchedule(schedule.cron, schedule.timezone);
  // The newest slot's own run may be under way: it is not missed yet.
  const wanted = missedSlots + 1;
  let newest: readonly number[] = [];
  let checkedAt = 0;
  return (now) => {
    if (newest.length === 0) newest = lastSlots(at, wanted, now);
    else {
      const slot = at.newestSlot(checkedAt, now);
      if (slot !== undefined) newest = [slot, ...newest].slice(0, wanted);
    }
    checkedAt = now;
    return newest[missedSlots];
  };
}

/** The last slots up to `now`, the newest first. */
function lastSlots(at: Schedule, count: number, now: number): readonly number[] {
  const found: number[] = [];
  for (let upTo = now; found.length < count; upTo = (found.at(-1) ?? 0) - minuteMs) {
    const slot = at.newestSlot(0, upTo);
    if (slot === undefined) break;
    found.push(slot);
  }
  return found;
}

/** The look that a deployment takes every few seconds; it waits for no channel. */
export interface AlertLooks {
  /** Begins a look, unless one is under way or was just taken. */
  begin(signal: AbortSignal): Promise<void>;
  /** Resolves when the look under way has ended. */
  ended(): Promise<void>;
}

export function openAlertLooks(config: Config, engine: Engine): AlertLooks {
  const { clock, logger } = engine.io;
  const alerts = openConfigAlerts(config, engine, clock.now() + catchUpMs);
  let looking: Promise<void> | undefined;
  let nextAt = 0;
  return {
    async begin(signal) {
      if (looking !== undefined || clock.now() < nextAt) return;
      nextAt = clock.now() + lookMs;
      looking = alerts
        .look(signal)
        .catch((error: unknown) => {
          if (!signal.aborted) logger.error({ error: textOf(error) }, 'alerts could not look around; they do so again');
        })
        .finally(() => {
          looking = undefined;
        });
    },
    ended: async () => looking,
  };
}

const oneLookMs = 30_000;

/** One look after a run that ended in this shell. What it cannot send is sent by the next process that looks. */
export async function lookOnce(alerts: Alerts, engine: Engine, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(oneLookMs)]);
  await alerts.look(limit).catch((error: unknown) => {
    engine.io.logger.error({ error: textOf(error) }, 'alerts could not look at the run: see "rollcall alerts list"');
  });
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown';
}

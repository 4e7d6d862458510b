import { describeError, isStoreAway } from '../../core/run/errors.ts';
import type { Clock, Logger } from '../../ports/runtime.ts';
import { outageToldMs } from './judge-work.ts';
import type { Alerts } from './open-alerts.ts';
import { ageOf } from './words.ts';

const checkEveryMs = 5000;
const oneCheckMs = 30_000;

/** Evaluates alerts every few seconds. Never waits for a channel to deliver. */
export interface AlertChecks {
  /** Begins an evaluation, unless one is under way or was just made. */
  begin(signal: AbortSignal): Promise<void>;
  /** Resolves when the evaluation under way has ended. */
  ended(): Promise<void>;
}

export function openAlertChecks(alerts: Alerts, { clock, logger }: { clock: Clock; logger: Logger }): AlertChecks {
  let checking: Promise<void> | undefined;
  let nextAt = 0;
  let awaySince: number | undefined;
  /** Evaluates, and passes on for how long the store was unavailable before. */
  const evaluate = async (signal: AbortSignal): Promise<void> => {
    const startedAt = clock.now();
    const outage = awaySince === undefined ? undefined : { from: awaySince, until: startedAt };
    try {
      await alerts.evaluate(signal, outage);
    } catch (error) {
      if (isStoreAway(error)) awaySince ??= startedAt;
      throw error;
    }
    awaySince = undefined;
    if (outage === undefined || outage.until - outage.from < outageToldMs) return;
    logger.warn(
      { awayMs: outage.until - outage.from },
      `the store is available again after ${ageOf(outage.until - outage.from)}`,
    );
  };
  return {
    async begin(signal) {
      if (checking !== undefined || clock.now() < nextAt) return;
      nextAt = clock.now() + checkEveryMs;
      checking = evaluate(signal)
        .catch((error: unknown) => {
          if (!signal.aborted)
            logger.error(
              { error: describeError(error) },
              'alerts could not be evaluated; Rollcall tries again in a few seconds',
            );
        })
        .finally(() => {
          checking = undefined;
        });
    },
    ended: async () => checking,
  };
}

/** Evaluates alerts once, after a run that ended in this process. A later process sends what this one cannot. Never rejects. */
export async function checkOnce(alerts: Alerts, logger: Logger, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(oneCheckMs)]);
  await alerts.evaluate(limit).catch((error: unknown) => {
    logger.error(
      { error: describeError(error) },
      'alerts could not be evaluated after the run: see "rollcall alerts list"',
    );
  });
}

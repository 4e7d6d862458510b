import { describeError, isStoreAway } from '../../core/run/errors.ts';
import { ageOf } from '../../core/run/formats.ts';
import { given } from '../../core/run/given.ts';
import type { Lasting, Observation, Outage, RefusedReload } from '../../ports/alerts.ts';
import { alertsLease, type Lease, runLeaseMs } from '../../ports/leases.ts';
import type { Clock, Logger } from '../../ports/runtime.ts';
import { olderCopy, type Store } from '../../ports/store.ts';
import { lastsMs, outageToldMs } from './judge-service.ts';
import type { Alerts } from './open-alerts.ts';

const checkEveryMs = 5000;
/** Three checks. Another process judges when the judge has made none for so long. */
const judgeMs = 15_000;
/** An observation is written again in time for one that fails. */
const seenForMs = 45_000;
const renewMs = 15_000;
/** A slower write may be too late for the lease of a run, which is renewed so often. */
const slowMs = runLeaseMs / 3;
/** A time service corrects less alone. */
const clockOffMs = 5000;

/**
 * What a process sees while it opens its work again. Only its own observation is made of it: what it means for the
 * deployment is decided from the observations of all processes.
 */
export interface Sight {
  /** Since when the store takes no write, and why. */
  away: Pick<Outage, 'from' | 'fault'> | undefined;
  outage: Outage | undefined;
  refusedReload: RefusedReload | undefined;
}

export function openSight(): Sight {
  return { away: undefined, outage: undefined, refusedReload: undefined };
}

/**
 * The checks of one process, every few seconds: it writes what it sees, and evaluates the alerts if it is the judge of the
 * deployment. No check waits for a channel to deliver.
 */
export interface AlertChecks {
  /** Begins a check, unless one is under way or was just made. */
  begin(signal: AbortSignal): Promise<void>;
  /** Resolves when the check under way, and what it sends, has ended. */
  ended(): Promise<void>;
  /** The same, and then another process judges. */
  close(): Promise<void>;
}

interface AlertChecksIo {
  readonly store: Pick<Store, 'fault' | 'leases' | 'alerts'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The name of this process: see `Observation`. */
  readonly process: string;
  readonly sight?: Sight;
  /** See `Observation`. */
  readonly configuration?: string;
  /** Reads the queue; resolves to undefined when Redis does not answer. Undefined: without Redis. */
  readonly queue: (() => Promise<Exclude<Observation['queue'], 'away'>>) | undefined;
}

export function openAlertChecks(alerts: Alerts, io: AlertChecksIo): AlertChecks {
  const { store, clock, logger, process, configuration, sight = openSight(), queue } = io;
  const startedAt = clock.now();
  const sending = new Set<Promise<void>>();
  const slowOf = openLasting(slowMs);
  const clockOffOf = openLasting(clockOffMs);
  let written: Observation | undefined;
  let held: Lease | undefined;
  let checking: Promise<void> | undefined;
  let nextAt = 0;
  const observe = async (now: number, probeMs: number): Promise<void> => {
    if (written === undefined) {
      // Another process of this name may have ended before its outage was sent.
      const before = (await store.alerts.observations(now)).find((one) => one.process === process);
      sight.outage ??= before?.outage;
    }
    const { outage, refusedReload } = sight;
    const depth: Observation['queue'] = queue && ((await queue()) ?? 'away');
    const seen: Observation = {
      ...{ process, startedAt, until: now + seenForMs },
      ...given({ configuration, refusedReload, outage, queue: depth }),
      ...given({ slow: slowOf(now, probeMs), clockOff: clockOffOf(now, clock.skewMs?.() ?? 0) }),
    };
    const isSame = JSON.stringify({ ...seen, until: 0 }) === JSON.stringify({ ...written, until: 0 });
    if (written !== undefined && isSame && now < written.until - seenForMs + renewMs) return;
    await store.alerts.observe(seen);
    written = seen;
  };
  const isJudge = async (now: number): Promise<boolean> => {
    if (held !== undefined && (await store.leases.renew(held, judgeMs, now))) return true;
    held = await store.leases.take(alertsLease, process, judgeMs, now);
    return held !== undefined;
  };
  const check = async (signal: AbortSignal): Promise<void> => {
    const now = clock.now();
    const fault = await store.fault(now);
    const probeMs = clock.now() - now;
    if (fault !== undefined) {
      storeFails(now, fault);
      return fault === olderCopy ? alerts.refuseStore(now) : undefined;
    }
    const { away } = sight;
    const isLong = away !== undefined && now - away.from >= outageToldMs;
    if (isLong) sight.outage = { ...away, until: now };
    try {
      await observe(now, probeMs);
      if (await isJudge(now)) await alerts.evaluate(signal);
    } catch (error) {
      if (!isStoreAway(error)) throw error;
      return storeFails(now, 'it does not answer');
    }
    sight.away = undefined;
    if (isLong)
      logger.warn({ awayMs: now - away.from }, `the store is available again after ${ageOf(now - away.from)}`);
  };
  const storeFails = (from: number, fault: string): void => {
    if (sight.away?.fault !== fault)
      logger.error({ fault }, `the store takes no write, because ${fault}: no alert can be stored until that is over`);
    sight.away = { from: sight.away?.from ?? from, fault };
  };
  const ended = async (): Promise<void> => {
    await checking;
    await Promise.all(sending);
  };
  return {
    async begin(signal) {
      const now = clock.now();
      // A clock that is put back does not delay a check.
      if (checking !== undefined || (now < nextAt && now >= nextAt - checkEveryMs)) return;
      nextAt = now + checkEveryMs;
      checking = check(signal)
        .catch((error: unknown) => {
          if (!signal.aborted)
            logger.error(
              { error: describeError(error) },
              'alerts could not be evaluated; Rollcall tries again in a few seconds',
            );
        })
        .finally(() => {
          checking = undefined;
          if (held === undefined && sight.away === undefined) return;
          const sent = alerts.send(signal).finally(() => sending.delete(sent));
          sending.add(sent);
        });
    },
    ended,
    async close() {
      await ended();
      try {
        if (written !== undefined) await store.alerts.observe({ ...written, isStopped: true });
        if (held !== undefined) await store.leases.release(held);
      } catch (error) {
        // The observation and the lease expire.
        if (!isStoreAway(error)) throw error;
      }
    },
  };
}

/** Returns what a check stores of something that it measures. Above `limitMs`, it is seen. */
function openLasting(limitMs: number): (now: number, ms: number) => Lasting | undefined {
  let seen: (Lasting & { readonly at: number }) | undefined;
  return (now, ms) => {
    if (Math.abs(ms) > limitMs)
      seen = { from: Math.min(seen?.from ?? now, now), ms: Math.round(ms / 1000) * 1000, at: now };
    else if (seen !== undefined && Math.abs(now - seen.at) >= lastsMs) seen = undefined;
    return seen && { from: seen.from, ms: seen.ms };
  };
}

/** Makes the checks until the signal aborts. */
export async function watchUntil(checks: AlertChecks, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await checks.begin(signal);
    await clock.sleep(checkEveryMs, signal).catch(() => {});
  }
  await checks.close();
}

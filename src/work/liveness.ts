import type { Clock, Logger, Progress, Uptime } from '../ports/runtime.ts';
import type { Store } from '../ports/store.ts';
import type { DriveIo } from './drive-run.ts';

/** How often the clock, the worker and a store that takes no write are looked at. */
const lookMs = 5000;
/** Below it, the two times differ only by the resolution of the coarse one (ms). */
const sleepMs = 1000;

/**
 * Checks the clock of the store every few seconds. Returns a function that ends this. A store that is not available is
 * reported by the work that needs it; the clock then continues by the uptime.
 */
export function followClock(check: () => Promise<void>, { sleep }: Clock): () => Promise<void> {
  const over = new AbortController();
  const follow = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await sleep(lookMs, over.signal).catch(() => {});
      if (!over.signal.aborted) await check().catch(() => {});
    }
  };
  const following = follow();
  return () => {
    over.abort();
    return following;
  };
}

/**
 * Makes one uptime of two (ms): the system's own, which is coarse, and the process's timer, which stops while the
 * machine sleeps.
 */
export function uptimeOf(coarse: () => number, fine: () => number): Uptime['now'] {
  const aheadMs = coarse() - fine();
  return () => {
    const [rough, exact] = [coarse(), fine() + aheadMs];
    return Math.abs(rough - exact) < sleepMs ? exact : rough;
  };
}

/** Reports whether a process makes progress, independently of its work. Instants are epoch ms. */
export interface Heartbeat {
  /** Returns the older of the scheduler's last tick and the worker's last progress or idle moment. */
  workedAt(): number | undefined;
  /** Records a tick of the scheduler. */
  ticked(): void;
  /** Wraps a worker's IO, so that its jobs and their progress count. */
  follow(drive: DriveIo): DriveIo;
  /** Counts an idle worker as healthy until the signal aborts; a worker that leaves waiting jobs untouched is not. */
  watchWorker(waiting: () => Promise<number | undefined>, signal: AbortSignal): Promise<void>;
}

export function openHeartbeat(clock: Clock): Heartbeat {
  let tickedAt: number | undefined;
  let workedAt: number | undefined;
  let active = 0;
  const worked = (): void => {
    if (workedAt !== undefined) workedAt = clock.now();
  };
  return {
    workedAt: () => {
      const beats = [tickedAt, workedAt].filter((at) => at !== undefined);
      return beats.length === 0 ? undefined : Math.min(...beats);
    },
    ticked: () => {
      tickedAt = clock.now();
    },
    follow: (drive) => {
      const progress: Progress = (event) => {
        worked();
        drive.engine.progress(event);
      };
      return {
        ...drive,
        engine: { ...drive.engine, progress },
        async runJob(...job) {
          active += 1;
          worked();
          try {
            return await drive.runJob(...job);
          } finally {
            active -= 1;
            worked();
          }
        },
      };
    },
    async watchWorker(waiting, signal) {
      workedAt = clock.now();
      while (!signal.aborted) {
        const left = await waiting();
        // Without Redis no worker gets jobs, and a restart would not help.
        if (left === undefined || (left === 0 && active === 0)) worked();
        await clock.sleep(lookMs, signal).catch(() => {});
      }
    },
  };
}

const logAgainMs = 60_000;

/** What was opened over a store. */
interface Opened {
  readonly io: { readonly store: Pick<Store, 'fault'>; readonly clock: Pick<Clock, 'now'> };
  close(): Promise<void>;
}

interface WaitIo<Engine extends Opened> {
  readonly open: () => Promise<Engine>;
  /** Returns in a few words what a wait can end; undefined for an error that no wait repairs. */
  readonly passingFault: (error: unknown) => string | undefined;
  /** Answers, while the process waits, that it is well and not ready. Returns what ends that. */
  readonly serve: (fault: () => string | undefined) => Promise<() => Promise<void>>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Called when a wait is over: since when the store was seen to take no write (epoch ms), and why. */
  readonly onWaited: (away: { readonly from: number; readonly fault: string }) => void;
}

/**
 * Opens the engine when its store takes writes. Until then the process waits and says why, in the log and in its
 * health. Throws what no wait repairs, and when the signal aborts.
 */
export async function openWhenWritable<Engine extends Opened>(io: WaitIo<Engine>): Promise<Engine> {
  const { clock, logger } = io;
  let fault: string | undefined;
  let loggedAt: number | undefined;
  let away: { readonly from: number; readonly fault: string } | undefined;
  let stopServing: (() => Promise<void>) | undefined;
  const look = async (): Promise<Engine | undefined> => {
    const engine = await io.open().catch((error: unknown) => {
      fault = io.passingFault(error);
      if (fault === undefined) throw error;
      return undefined;
    });
    if (engine === undefined) return undefined;
    fault = await engine.io.store.fault(engine.io.clock.now());
    if (fault === undefined) return engine;
    await engine.close();
    return undefined;
  };
  try {
    for (;;) {
      const engine = await look();
      if (engine !== undefined) {
        if (away !== undefined) {
          logger.info({}, 'the store is writable: this process starts');
          io.onWaited(away);
        }
        return engine;
      }
      away = { from: away?.from ?? clock.now(), fault: fault ?? 'it does not answer' };
      if (loggedAt === undefined || clock.now() >= loggedAt + logAgainMs) {
        loggedAt = clock.now();
        logger.warn(
          { fault },
          `the store is not writable, because ${fault}: this process waits, and tries again every 5 s`,
        );
      }
      stopServing ??= await io.serve(() => fault);
      await clock.sleep(lookMs, io.signal);
    }
  } finally {
    await stopServing?.();
  }
}

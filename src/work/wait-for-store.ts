import type { Clock, Logger } from '../ports/runtime.ts';
import type { Store } from '../ports/store.ts';

const lookAgainMs = 5000;
const logAgainMs = 60_000;

/** What was opened over a store. */
interface Opened {
  readonly io: { readonly store: Pick<Store, 'fault'>; readonly clock: Pick<Clock, 'now'> };
  close(): Promise<void>;
}

export interface WaitIo<Engine extends Opened> {
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
          logger.info({}, 'the store takes writes: this process starts');
          io.onWaited(away);
        }
        return engine;
      }
      away = { from: away?.from ?? clock.now(), fault: fault ?? 'it does not answer' };
      if (loggedAt === undefined || clock.now() >= loggedAt + logAgainMs) {
        loggedAt = clock.now();
        logger.warn({ fault }, `the store takes no write, because ${fault}: this process waits, and looks every 5 s`);
      }
      stopServing ??= await io.serve(() => fault);
      await clock.sleep(lookAgainMs, io.signal);
    }
  } finally {
    await stopServing?.();
  }
}

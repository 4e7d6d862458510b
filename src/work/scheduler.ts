import type { Clock } from '../ports/runtime.ts';
import type { SchedulerContext, Work } from '../run/work.ts';

/** Passes due work to a worker, in this process or through a queue. */
export interface Dispatch extends Pick<SchedulerContext, 'start' | 'resume' | 'enqueue'> {
  /** Resolves when all work of this process has reached a safe place. */
  close(): Promise<void>;
}

export interface SchedulerIo {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called after each tick: proves that the scheduler works. */
  readonly onTick: () => void;
  readonly onError: (error: unknown, task: string) => void;
}

const tickMs = 1000;

/**
 * Runs the work that is due, in order, once a second, until the signal aborts. Work that fails is reported and is due
 * again at the next tick. It does not stop other work.
 */
export async function runScheduler<Context>(
  works: readonly Work<Context>[],
  context: Context,
  { clock, signal, onTick, onError }: SchedulerIo,
): Promise<void> {
  const dueAt = new Map<Work<Context>, number>();
  while (!signal.aborted) {
    for (const work of works) {
      if (signal.aborted) return;
      const now = clock.now();
      // Timers are slightly inaccurate, so work may start half a tick early instead of a whole tick late.
      if (now + tickMs / 2 < (dueAt.get(work) ?? 0)) continue;
      try {
        await work.run(context, undefined);
        dueAt.set(work, now + (work.everyMs ?? 0));
      } catch (error) {
        onError(error, work.name);
      }
    }
    onTick();
    await clock.sleep(tickMs, signal).catch(() => {});
  }
}

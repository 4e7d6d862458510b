import { describeError, isStoreAway } from '../core/run/errors.ts';
import type { Clock } from '../ports/runtime.ts';
import type { Run } from '../ports/store.ts';
import type { JobOutcome, RunlessJob, SchedulerContext, Work } from '../run/work.ts';
import { type DriveIo, driveRun } from './drive-run.ts';

/** Passes due work to a worker, in this process or through a queue. */
export interface Dispatch extends Pick<SchedulerContext, 'start' | 'resume' | 'enqueue'> {
  /** Resolves when all work of this process has reached a safe place. */
  close(): Promise<void>;
}

interface SchedulerIo {
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

/** Wait (ms) before a run continues after an unexpected error. */
const afterErrorMs = 60_000;
/** Number of runs that make their plans at the same time. A plan needs memory, and its requests delay deliveries. */
const plansAtATime = 4;

/**
 * Opens a dispatch that runs all work in this process, in the background. `runHousekeeping` runs a job that belongs to
 * no run. A few runs make their plans at the same time; the others wait, and runs that have a plan never do.
 */
export function openLocalDispatch(
  drive: DriveIo,
  runHousekeeping: (job: RunlessJob, payload: unknown) => Promise<JobOutcome>,
): Dispatch {
  const { clock, logger } = drive.engine;
  const inProgress = new Map<string, Promise<void>>();
  const blockedUntil = new Map<string, number>();
  const inBackground = (key: string, work: () => Promise<unknown>, onError: (error: unknown) => void): void => {
    if (inProgress.has(key)) return;
    const ended = work()
      .then(() => {}, onError)
      .finally(() => inProgress.delete(key));
    inProgress.set(key, ended);
  };
  const plans = openPlanSlots(plansAtATime, drive.signal);
  const start = (run: Run): void => {
    const { id } = run;
    if (run.isCancelRequested) plans.skip(id);
    if ((blockedUntil.get(id) ?? 0) > clock.now()) return;
    blockedUntil.delete(id);
    const isPlanned = run.isCancelRequested || (run.phase !== 'reading' && run.phase !== 'planning');
    inBackground(
      id,
      () =>
        isPlanned
          ? driveRun(id, drive)
          : // The first step makes the plan, or fails and is tried again after a wait.
            plans.during(id, (planned) =>
              driveRun(id, { ...drive, runJob: (...job) => drive.runJob(...job).finally(planned) }),
            ),
      (error) => {
        if (isStoreAway(error)) {
          logger.warn(
            { run: id, error: describeError(error) },
            'the store is unavailable; the run continues when the store is available again',
          );
          return;
        }
        blockedUntil.set(id, clock.now() + afterErrorMs);
        logger.error({ run: id, error: describeError(error) }, 'run stopped; it continues in a minute');
      },
    );
  };
  return {
    start: async (run) => start(run),
    async resume(idle) {
      for (const run of idle) start(run);
    },
    async enqueue(job, payload) {
      inBackground(
        `${job} ${Object.values(payload).join()}`,
        () => unlessStopped(runHousekeeping(job, payload), drive.signal),
        (error) => logger.error({ step: job, error: describeError(error) }, 'job failed'),
      );
    },
    close: async () => void (await Promise.all(inProgress.values())),
  };
}

/**
 * Waits for the work, but returns early when the process is asked to stop. Does not wait for a token exchange in
 * progress.
 */
function unlessStopped(work: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined);
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** Lets a few runs make their plans at the same time, in the order in which they came. */
interface PlanSlots {
  /** Waits for a free slot, then runs the work. The slot is free again when the work calls `planned`, or ends. */
  during<T>(run: string, work: (planned: () => void) => Promise<T>): Promise<T>;
  /** Ends the wait of a run that no longer makes a plan. */
  skip(run: string): void;
}

function openPlanSlots(slots: number, signal: AbortSignal): PlanSlots {
  const waiting = new Map<string, () => void>();
  let taken = 0;
  const letIn = (): void => {
    for (const [run, enter] of waiting) {
      if (taken >= slots && !signal.aborted) return;
      waiting.delete(run);
      enter();
    }
  };
  // Runs that wait end at once: they find out themselves that the process stops.
  signal.addEventListener('abort', letIn, { once: true });
  return {
    async during(run, work) {
      let holds = false;
      await new Promise<void>((resolve) => {
        const enter = (): void => {
          holds = true;
          taken += 1;
          resolve();
        };
        waiting.set(run, enter);
        letIn();
      });
      const planned = (): void => {
        if (!holds) return;
        holds = false;
        taken -= 1;
        letIn();
      };
      try {
        return await work(planned);
      } finally {
        planned();
      }
    },
    skip(run) {
      const enter = waiting.get(run);
      waiting.delete(run);
      enter?.();
    },
  };
}

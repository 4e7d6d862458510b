import type { Clock } from '../ports/runtime.ts';
import type { Run } from '../ports/store.ts';

/** Worker jobs that belong to no run. */
export type RunlessJob = 'keep-token' | 'make-preview' | 'prune';

/** Passes due work to a worker, in this process or through a queue. */
export interface Dispatch {
  /** Starts a run. Does nothing when it is in progress here or has a job in the queue. */
  start(run: Run): Promise<void>;
  /** Continues those of the given runs that have no job in the queue. No process drives any of them at the moment. */
  resume(idle: readonly Run[]): Promise<void>;
  /** Runs a job that belongs to no run, unless the same job is waiting or in progress. */
  enqueue(job: RunlessJob, payload: Readonly<Record<string, string>>): Promise<void>;
  /** Resolves when all work of this process has reached a safe place. */
  close(): Promise<void>;
}

/** Work that a scheduler repeats. */
export interface Task {
  readonly name: string;
  /** Minimum time between two starts (ms). The scheduler ticks once a second. */
  readonly everyMs: number;
  run(): Promise<unknown>;
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
 * Runs the tasks that are due, in order, once a second, until the signal aborts. A task that fails is reported and is
 * due again at the next tick. It does not stop other tasks.
 */
export async function runScheduler(tasks: readonly Task[], io: SchedulerIo): Promise<void> {
  const { clock, signal, onTick, onError } = io;
  const dueAt = new Map<Task, number>();
  while (!signal.aborted) {
    for (const task of tasks) {
      if (signal.aborted) return;
      const now = clock.now();
      // Timers are slightly inaccurate, so a task may run half a tick early instead of a whole tick late.
      if (now + tickMs / 2 < (dueAt.get(task) ?? 0)) continue;
      try {
        await task.run();
        dueAt.set(task, now + task.everyMs);
      } catch (error) {
        onError(error, task.name);
      }
    }
    onTick();
    await clock.sleep(tickMs, signal).catch(() => {});
  }
}

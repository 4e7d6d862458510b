import type { Clock } from '../ports/runtime.ts';
import type { Run } from '../ports/store.ts';

/** Worker jobs that belong to no run. */
export type RunlessJob = 'keep-token' | 'prune';

/** How due work reaches a worker: in this process, or through a queue. */
export interface Dispatch {
  /** Starts a run. Does nothing when it is in progress here or has a job waiting. */
  start(run: Run): Promise<void>;
  /** Continues those of these runs, driven by no process at the moment, that have no job waiting. */
  resume(idle: readonly Run[]): Promise<void>;
  /** Runs a job that belongs to no run, unless the same one is waiting or in progress. */
  enqueue(job: RunlessJob, payload: Readonly<Record<string, string>>): Promise<void>;
  /** Resolves when everything that was started in this process is at a safe place. */
  close(): Promise<void>;
}

/** Work that a scheduler does again and again. */
export interface Task {
  readonly name: string;
  /** At least so long between two starts; the scheduler ticks once a second. */
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
 * Runs the tasks that are due, in order, once a second, until the signal aborts. A task that fails is reported, is due
 * again at the next tick, and stops no other.
 */
export async function runScheduler(tasks: readonly Task[], io: SchedulerIo): Promise<void> {
  const { clock, signal, onTick, onError } = io;
  const dueAt = new Map<Task, number>();
  while (!signal.aborted) {
    for (const task of tasks) {
      if (signal.aborted) return;
      const now = clock.now();
      // Half a tick early rather than a whole one late: timers fire a little off.
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

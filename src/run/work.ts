import type { z } from 'zod';
import type { Run } from '../ports/store.ts';
import type { EngineIo, RunContext } from './engine-io.ts';

/**
 * Something that Rollcall does repeatedly, or on request; `jobs/` has all of them. Work with a payload goes to
 * the workers, in this process or through a queue. Work without one is cheap, and the scheduler runs it itself.
 */
export interface Work<Context, Payload = undefined, Result = unknown> {
  readonly name: string;
  /** Minimum time between two starts (ms). The scheduler ticks once a second. Absent: it runs on request. */
  readonly everyMs?: number;
  /** References (ids), never personal data. Checked before the work runs: a queue may hold jobs of another version. */
  readonly payload?: z.ZodType<Payload>;
  run(context: Context, payload: Payload): Promise<Result>;
}

/** What follows a job of a worker. The runtime decides how to schedule it. */
export type JobOutcome =
  /** `run`: as the step ended it. */
  | { readonly kind: 'done'; readonly run?: Run }
  /** Run the same job again after a wait, because this piece of work is not finished. */
  | { readonly kind: 'again'; readonly afterMs: number }
  /**
   * Run the same job again for its next piece of work (the next batch). Other jobs may run first. `run`: as it was just
   * stored, for a caller that continues at once.
   */
  | { readonly kind: 'next'; readonly run?: Run };

/** The services that a runtime gives to jobs of a worker. */
export interface JobContext {
  readonly engine: EngineIo;
  /** Works on a run under its lease. Returns undefined when the run has ended or another process holds it. */
  withRun<T>(runId: string, work: (context: RunContext) => Promise<T>): Promise<T | undefined>;
  /** Works under a lease that is renewed. Returns undefined, and does nothing, when another process holds it. */
  withLease<T>(name: string, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined>;
  /** Refreshes a connection's token if it is due. */
  keepToken(connection: string): Promise<void>;
}

/** Jobs of a worker that belong to no run. */
export type RunlessJob = 'keep-token' | 'make-preview' | 'prune' | 'send-report';

/** The services that a runtime gives to the scheduler's own work. */
export interface SchedulerContext {
  readonly engine: EngineIo;
  readonly calendars: readonly Calendar[];
  readonly reports: readonly DueReport[];
  /** Names of the configured connections. */
  readonly connections: readonly string[];
  /** Starts a run. Does nothing when it is in progress here or has a job in the queue. */
  start(run: Run): Promise<void>;
  /** Continues those of the given runs that have no job in the queue. No process drives any of them at the moment. */
  resume(idle: readonly Run[]): Promise<void>;
  /** Runs a job that belongs to no run, unless the same job is waiting or in progress. */
  enqueue(job: RunlessJob, payload: Readonly<Record<string, string>>): Promise<void>;
  /** Takes a run that no process drives and whose sync this configuration does not have. */
  closeOrphan(run: Run): Promise<void>;
}

/** The slots of one schedule. Instants are epoch ms. */
export interface DueSlots {
  /** Returns the newest slot up to `now` that was not requested. */
  dueSlot(now: number): Promise<number | undefined>;
  /** Records that all slots up to `now` were requested. */
  requested(now: number): void;
}

/** The schedule of one sync. */
export interface Calendar extends DueSlots {
  readonly sync: string;
  /** Returns whether the schedule waits because the HR system refused the credentials. */
  isWaiting(now: number): Promise<boolean>;
}

/** A report that is sent by e-mail, and the slots of its schedule. */
export interface DueReport {
  readonly name: string;
  readonly slots: DueSlots;
}

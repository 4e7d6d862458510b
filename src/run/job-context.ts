import type { EngineIo, RunContext } from './engine-io.ts';

/** The services that a runtime gives to queue jobs. */
export interface JobContext {
  readonly engine: EngineIo;
  /** Works on a run under its lease. Returns undefined when the run has ended or another process holds it. */
  withRun<T>(runId: string, work: (context: RunContext) => Promise<T>): Promise<T | undefined>;
  /** Works under a lease that is renewed. Returns undefined, and does nothing, when another process holds it. */
  withLease<T>(name: string, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined>;
  /** Refreshes a connection's token if it is due. */
  keepToken(connection: string): Promise<void>;
}

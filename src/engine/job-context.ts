import type { Run } from '../ports/store.ts';
import type { EngineIo, RunContext } from './engine-io.ts';

/** What every job is given by the runtime. */
export interface JobContext {
  readonly engine: EngineIo;
  readonly signal: AbortSignal;
  /** Does something with a run under its lease. Undefined when the run has ended or somebody else holds it. */
  withRun<T>(runId: string, work: (context: RunContext) => Promise<T>): Promise<T | undefined>;
  /** Renews a connection's token if it is due. */
  keepToken(connection: string): Promise<void>;
  /** Hands a run that nobody drives to whoever does. */
  adopt(runId: string): void;
  /** Told of a run that nobody drives and whose sync is not configured here. */
  orphaned(run: Run): Promise<void>;
}

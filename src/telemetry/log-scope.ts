import { AsyncLocalStorage } from 'node:async_hooks';
import type { LogFields } from '../ports/runtime.ts';

/** What every line says that is written while a piece of work goes on, whoever writes it and however deep inside. */
export interface LogScope {
  fields(): LogFields;
  during<Result>(fields: LogFields, work: () => Promise<Result>): Promise<Result>;
}

/**
 * A client of the platform serves many runs, so no logger that it is given could name the run of a call: the run is told by
 * the chain of calls instead. What several runs wait for together names the one that began it.
 */
export function openLogScope(): LogScope {
  const storage = new AsyncLocalStorage<LogFields>();
  return {
    fields: () => storage.getStore() ?? {},
    during: (fields, work) => storage.run({ ...storage.getStore(), ...fields }, work),
  };
}

import { AsyncLocalStorage } from 'node:async_hooks';
import type { LogFields } from '../../ports/runtime.ts';

/** Fields for every line that is written during a piece of work, however deep in the call chain. */
export interface LogScope {
  fields(): LogFields;
  during<Result>(fields: LogFields, work: () => Promise<Result>): Promise<Result>;
}

/**
 * Opens a scope. A platform client serves many runs, so its logger cannot name the run of a call; the async call chain
 * names it. Work that several runs share is logged with the run that started it.
 */
export function openLogScope(): LogScope {
  const storage = new AsyncLocalStorage<LogFields>();
  return {
    fields: () => storage.getStore() ?? {},
    during: (fields, work) => storage.run({ ...storage.getStore(), ...fields }, work),
  };
}

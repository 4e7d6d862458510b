import type { Run, RunScope, Trigger, TriggerKind } from '../ports/store.ts';
import type { EngineIo } from './engine-io.ts';

export interface RunRequest {
  /** Name of a configured sync. */
  readonly sync: string;
  readonly kind: TriggerKind;
  readonly scope: RunScope;
  /** Unique. A request with a known key is the same request. Generated when absent. */
  readonly key?: string;
}

/**
 * Stores a request for a run, for the process that drives runs of this sync. `isNew` is false when the key is already
 * stored.
 */
export async function requestRun(
  { sync, kind, scope, key }: RunRequest,
  io: EngineIo,
): Promise<{ readonly trigger: Trigger; readonly isNew: boolean }> {
  const id = io.newId('trigger');
  const trigger = { id, sync, kind, scope, key: key ?? id, requestedAt: io.clock.now() };
  const isNew = await io.store.triggers.add(trigger);
  io.checkpoint('trigger-stored');
  return { trigger, isNew };
}

/** Opens the run that waits, or returns the one in progress. Returns undefined when there is nothing to do. */
export async function openRun(sync: string, io: EngineIo): Promise<{ run: Run; isNew: boolean } | undefined> {
  const settings = io.syncs.get(sync)?.settings;
  if (settings === undefined) return undefined;
  const opened = await io.store.runs.open(sync, {
    id: io.newId('run'),
    connection: settings.connection,
    now: io.clock.now(),
  });
  if (opened?.isNew === true) io.checkpoint('run-opened');
  return opened;
}

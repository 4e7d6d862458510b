import { RollcallError } from '../core/errors.ts';
import type { Run, RunScope, Trigger, TriggerKind } from '../ports/store.ts';
import type { EngineIo } from './engine-io.ts';

export interface RunRequest {
  readonly sync: string;
  readonly kind: TriggerKind;
  readonly scope: RunScope;
  /** Unique; a request with a key that was seen before is the same request. Made up when absent. */
  readonly key?: string;
}

/** Stores the trigger of a run. Whoever drives runs of this sync will take it. Throws NOT_FOUND for an unknown sync. */
export async function requestRun(request: RunRequest, io: EngineIo): Promise<Trigger> {
  if (!io.syncs.has(request.sync)) {
    const known = [...io.syncs.keys()].join(', ');
    throw new RollcallError(`no sync is called ${request.sync}; the configuration has: ${known}`, { code: 'USAGE' });
  }
  const id = io.newId('trigger');
  const { sync, kind, scope } = request;
  const trigger = { id, sync, kind, scope, key: request.key ?? id, requestedAt: io.clock.now() };
  await io.store.triggers.add(trigger);
  io.checkpoint('trigger-stored');
  return trigger;
}

/** The same people, and none of them left out because nothing has changed in the source. */
export function inFull(scope: RunScope): RunScope {
  return scope.kind === 'all' ? { kind: 'all', isFull: true } : scope;
}

/** Whether people have paused the sync: a deployment begins no run of it. */
export async function isPaused(sync: string, io: EngineIo): Promise<boolean> {
  return (await io.store.pauses.get(sync)) !== undefined;
}

/** Opens the run that waits, or finds the one that is under way. Undefined when there is nothing to do. */
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

/**
 * Asks for another run that tries again what failed in this one: a run of the same scope. One about everybody reads
 * everybody: what failed may be nothing that has changed in the source.
 */
export async function retryRun(runId: string, io: EngineIo): Promise<Trigger> {
  const run = await io.store.runs.get(runId);
  if (run === undefined)
    throw new RollcallError(`there is no run ${runId}: see "rollcall runs"`, { code: 'NOT_FOUND' });
  if (run.phase !== 'done') throw new RollcallError(`run ${runId} has not ended yet`, { code: 'CONFLICT' });
  return requestRun({ sync: run.sync, kind: 'retry', scope: inFull(run.scope) }, io);
}

/** Asks whoever drives the run to stop at the next safe place. */
export async function cancelRun(runId: string, io: EngineIo): Promise<void> {
  const run = await io.store.runs.get(runId);
  if (run === undefined)
    throw new RollcallError(`there is no run ${runId}: see "rollcall runs"`, { code: 'NOT_FOUND' });
  if (!(await io.store.runs.requestCancel(runId))) {
    throw new RollcallError(`run ${runId} has ended already (${run.outcome}): nothing to cancel`, { code: 'CONFLICT' });
  }
}

import { RollcallError } from '../core/run/errors.ts';
import type { Run, RunScope, Trigger } from '../ports/store.ts';
import { type RunRequest, requestRun } from '../run/request-run.ts';
import type { RunReport } from '../views/runs.ts';
import type { RequestReport, RequestState } from '../views/syncs.ts';
import type { ResyncReport, RunOrder, WatchOptions } from './app.ts';
import type { AppIo } from './app-io.ts';
import { type Caller, note, type SignedCaller, signature } from './audit.ts';
import { findRun, findSync } from './find-named.ts';
import { followRun } from './follow-run.ts';
import { runReport } from './reports.ts';
import { hasOthers, requestResult } from './request-result.ts';
import { runHere } from './run-here.ts';
import { refusePaused } from './sync-states.ts';

export interface AuditedRequest extends RunRequest, SignedCaller {
  /** The run whose failed changes are tried again. */
  readonly retryOf?: string;
}

interface StoredRequest {
  readonly trigger: Trigger;
  readonly isNew: boolean;
}

/** Stores a request for a run, and the caller in the audit. Throws `USAGE` for an unknown sync. */
export async function storeRequest(order: AuditedRequest, { engine }: AppIo): Promise<StoredRequest> {
  const { by, retryOf, reason: _reason, via: _via, ...request } = order;
  const { sync, kind, scope } = request;
  findSync(sync, engine.syncs);
  const stored = await requestRun(request, engine);
  const action = kind === 'webhook' || kind === 'retry' ? kind : 'request-run';
  const detail = retryOf === undefined ? { detail: describeScope(scope) } : { run: retryOf };
  if (stored.isNew) await note({ action, by, sync, ...detail, ...signature(order) }, engine);
  return stored;
}

/**
 * Requests the run from a running deployment; without one, runs it in this process. With `isWaiting`, waits for the end of
 * the run, except while its sync is paused. A known key is the same request: its run is waited for again, or reported when
 * it has ended. Throws `USAGE`, and stores nothing, when no deployment runs and the sync is paused.
 */
export async function queueOrRun(
  request: AuditedRequest,
  options: WatchOptions & { readonly isWaiting?: boolean },
  io: AppIo,
): Promise<ResyncReport> {
  const isDeployed = await io.isDeployed();
  if (!isDeployed) await refusePaused(request.sync, io);
  const trigger = await storedTrigger(await storeRequest(request, io), io);
  if (!isDeployed) return ran(trigger, await runHere(trigger, options, io), io);
  const { state, run } = await requestState(trigger.id, io);
  if (state === 'ended' && run !== undefined) return ran(trigger, await runReport(run, io.engine), io);
  const pause = await io.engine.store.pauses.get(trigger.sync);
  if (options.isWaiting !== true || pause !== undefined) {
    return { kind: 'queued', trigger: trigger.id, pause, deploymentSeenAt: await io.deploymentSeenAt() };
  }
  return ran(trigger, await followRun(trigger, options, io), io);
}

/** The run may be about the people of other requests too. Then the request has a result of its own. */
async function ran({ scope }: Trigger, report: RunReport, { engine }: AppIo): Promise<ResyncReport> {
  const { run } = report;
  if (scope.kind === 'all' || run.scope.kind === 'all' || !hasOthers(scope, run.scope)) return { kind: 'ran', report };
  const result = await requestResult(scope, run, engine);
  return { kind: 'ran', report, ...(result === undefined ? {} : { result }) };
}

/** Returns the trigger as it was first stored under its key. Throws `CONFLICT` for a key that was used otherwise. */
async function storedTrigger({ trigger, isNew }: StoredRequest, { engine }: AppIo): Promise<Trigger> {
  if (isNew) return trigger;
  const first = (await engine.store.triggers.find(trigger.key))?.trigger;
  if (first === undefined) throw prunedKey();
  const isSame = first.sync === trigger.sync && JSON.stringify(first.scope) === JSON.stringify(trigger.scope);
  if (isSame) return first;
  const message = `the key ${trigger.key} is already used by another request (sync ${first.sync}, ${describeScope(first.scope)}): use a new key`;
  throw new RollcallError(message, { code: 'CONFLICT' });
}

function prunedKey(): RollcallError {
  const message = 'a request with this key was stored before and has been pruned: use a new key';
  return new RollcallError(message, { code: 'CONFLICT' });
}

/** Stores a request for a running deployment. The same key again is the same request. */
export async function queue(sync: string, order: RunOrder, io: AppIo): Promise<RequestReport> {
  return reportOf(await storeRequest({ sync, ...order }, io), io);
}

/** Returns what became of a request. Throws `NOT_FOUND` for an id that is not stored, or was pruned with its run. */
export async function requestState(id: string, { engine }: AppIo): Promise<RequestState> {
  const { store } = engine;
  const found = await store.triggers.get(id);
  if (found === undefined) throw new RollcallError(`there is no request ${id}`, { code: 'NOT_FOUND' });
  const { trigger, state } = found;
  const run = state.kind === 'taken' ? await store.runs.get(state.run) : undefined;
  const result = run?.phase === 'done' ? await requestResult(trigger.scope, run, engine) : undefined;
  if (state.kind === 'cancelled') return { trigger, state: 'canceled', run, result };
  if (state.kind === 'waiting') return { trigger, state: 'waiting', run, result };
  return { trigger, state: run !== undefined && run.phase !== 'done' ? 'running' : 'ended', run, result };
}

/** Requests another run of the same scope. See `queueOrRun`. */
export async function retry(id: string, options: WatchOptions & Caller, io: AppIo): Promise<ResyncReport> {
  return queueOrRun(retryOf(await findEndedRun(id, io), options), options, io);
}

/** Requests another run of the same scope. See `queue`. Throws `NOT_FOUND` when its sync is no longer configured. */
export async function queueRetry(id: string, caller: Caller, io: AppIo): Promise<RequestReport> {
  const run = await findEndedRun(id, io);
  findSync(run.sync, io.engine.syncs, 'NOT_FOUND');
  return reportOf(await storeRequest(retryOf(run, caller), io), io);
}

/** Asks the process that drives the run to stop at the next safe place. Throws `CONFLICT` when the run has ended. */
export async function cancel(id: string, signed: SignedCaller, { engine }: AppIo): Promise<Run> {
  const run = await findRun(id, engine.store);
  if (!(await engine.store.runs.requestCancel(run.id))) {
    const message = `run ${run.id} has already ended (${run.outcome}), so there is nothing to cancel`;
    throw new RollcallError(message, { code: 'CONFLICT' });
  }
  await note({ action: 'cancel', sync: run.sync, run: run.id, ...signed }, engine);
  return run;
}

/** Returns the scope for a run that reads all its employees, including those that a delta shows as unchanged. */
export function inFull(scope: RunScope): RunScope {
  return scope.kind === 'all' ? { kind: 'all', isFull: true } : scope;
}

function retryOf({ id, sync, scope }: Run, { by }: Caller): AuditedRequest {
  // A delta read does not show changes that failed for a reason outside the source.
  return { sync, kind: 'retry', scope: inFull(scope), by, retryOf: id };
}

async function findEndedRun(id: string, { engine }: AppIo): Promise<Run> {
  const run = await findRun(id, engine.store);
  if (run.phase === 'done') return run;
  throw new RollcallError(`run ${run.id} has not ended yet`, { code: 'CONFLICT' });
}

async function reportOf({ trigger, isNew }: StoredRequest, { engine }: AppIo): Promise<RequestReport> {
  const seen = isNew ? { trigger, state: undefined } : await engine.store.triggers.find(trigger.key);
  if (seen === undefined) throw prunedKey();
  const { id, sync, scope } = seen.trigger;
  return { trigger: id, sync, scope, isNew, run: seen.state?.kind === 'taken' ? seen.state.run : undefined };
}

/** Describes a scope without names, because the audit holds no person. */
function describeScope(scope: RunScope): string {
  return scope.kind === 'all' ? 'all employees' : `${scope.identifications.length} named people`;
}

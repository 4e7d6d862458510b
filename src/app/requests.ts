import { conflict, RollcallError } from '../core/run/errors.ts';
import { countOf } from '../core/run/formats.ts';
import { given } from '../core/run/given.ts';
import type { Clock } from '../ports/runtime.ts';
import type { Pause, Run, RunScope, Trigger } from '../ports/store.ts';
import { type RunRequest, requestRun } from '../run/request-run.ts';
import type { RunReport } from '../views/runs.ts';
import type { RequestReport, RequestResult } from '../views/syncs.ts';
import type { AppIo, WatchOptions } from './app-io.ts';
import { approveDigest } from './approve.ts';
import { auditEntry, note, requireProven, type SignedCaller } from './audit.ts';
import { findRun, findSync } from './find-named.ts';
import { followRun, hasOthers, readRequest, requestResult, runHere } from './request-ends.ts';
import { runReport } from './runs.ts';
import { refusePaused } from './syncs.ts';

export interface ResyncOrder {
  readonly scope: RunScope;
  /** The same key again is the same request. Generated when absent. */
  readonly key?: string;
  /** Waits for the end of a run that a deployment drives. */
  readonly isWaiting?: boolean;
  /** Ends the wait after this time (ms). The request stays. */
  readonly timeoutMs?: number;
}

/** A request that a deployment takes up. */
export interface QueuedRun {
  readonly kind: 'queued';
  readonly trigger: string;
  /** The pause that the request waits for, if the sync is paused. */
  readonly pause: Pause | undefined;
  /** When the deployment was last seen (epoch ms). */
  readonly deploymentSeenAt: number | undefined;
  /** The wait for the end ended before the run did. */
  readonly isLate?: true;
}

export type ResyncReport =
  | QueuedRun
  | {
      readonly kind: 'ran';
      readonly report: RunReport;
      /** How the run ended for the people of the request. Absent when the run was about no others. */
      readonly result?: RequestResult;
    };

export interface AuditedRequest extends RunRequest, SignedCaller {
  /** The run that is tried again, or undone. */
  readonly aboutRun?: string;
}

interface StoredRequest {
  readonly trigger: Trigger;
  readonly isNew: boolean;
}

/** Runs the sync once in this process: first an interrupted run, if there is one, then a new one. */
export async function runSync(
  io: AppIo,
  sync: string,
  order: WatchOptions & SignedCaller & { readonly approve?: string; readonly scope?: RunScope },
): Promise<RunReport> {
  const { approve, by, scope = { kind: 'all' } } = order;
  const { engine } = io;
  findSync(sync, engine.syncs);
  if (approve !== undefined) {
    await refusePaused(sync, io);
    requireProven(engine, order, 'an approval');
    const { changes, rejected, pending } = await approveDigest(sync, approve, order, engine);
    const kept = rejected === 0 ? '' : `, ${rejected} left out: rejected or ended since`;
    const waits = pending === 0 ? '' : `, ${pending} more wait for another approval`;
    const detail = `${countOf(changes, 'change')} of a plan that was shown${kept}${waits}`;
    await note({ ...order, action: 'approve', sync, detail }, engine);
  }
  const request = { sync, kind: 'manual', scope: inFull(scope), by, unlessPaused: true } as const;
  for (;;) {
    const { trigger, isNew } = await storeRequest(request, io);
    if (isNew) return runHere(trigger, order, io, isNew);
    await refusePaused(sync, io);
  }
}

/** Requests a run from a running deployment (`start`); without one, runs in this process as `runSync` does. */
export function requestOrRun(
  io: AppIo,
  sync: string,
  { signal, progress, isWaiting = false, timeoutMs, ...order }: WatchOptions & SignedCaller & ResyncOrder,
): Promise<ResyncReport> {
  const wait = { signal, progress, isWaiting, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
  return queueOrRun({ sync, kind: 'resync', ...order }, wait, io);
}

/** Stores a request for a run, and the caller in the audit. Throws `USAGE` for an unknown sync. */
export async function storeRequest(order: AuditedRequest, { engine }: AppIo): Promise<StoredRequest> {
  const { aboutRun, sync, kind, scope, key, notBefore, unlessPaused } = order;
  const request = { sync, kind, scope, ...given({ key, notBefore, unlessPaused }) };
  findSync(sync, engine.syncs);
  const action = kind === 'webhook' || kind === 'retry' || kind === 'undo' ? kind : 'request-run';
  const people = { detail: describeScope(scope) };
  const detail = aboutRun === undefined ? people : { run: aboutRun, ...(kind === 'undo' ? people : {}) };
  return requestRun(request, engine, auditEntry({ ...order, action, ...detail }, engine));
}

/**
 * Requests the run from a running deployment; without one, runs it in this process. With `isWaiting`, waits for the end of
 * the run, except while its sync is paused. A known key is the same request: its run is waited for again, or reported when
 * it has ended. Throws `USAGE`, and stores nothing, when no deployment runs and the sync is paused.
 */
export async function queueOrRun(
  request: AuditedRequest,
  options: WatchOptions & Pick<ResyncOrder, 'isWaiting' | 'timeoutMs'>,
  io: AppIo,
): Promise<ResyncReport> {
  const isDeployed = await io.isDeployed();
  if (!isDeployed) await refusePaused(request.sync, io);
  const trigger = await storedTrigger(await storeRequest(request, io), io);
  const queued = async (): Promise<QueuedRun> => {
    const pause = await io.engine.store.pauses.get(trigger.sync, io.engine.clock.now());
    return { kind: 'queued', trigger: trigger.id, pause, deploymentSeenAt: await io.deploymentSeenAt() };
  };
  if (isDeployed) {
    const { state, run } = await readRequest(io, trigger.id);
    if (state === 'ended' && run !== undefined) return ran(trigger, await runReport(run, io.engine), io);
    if (options.isWaiting !== true) return queued();
  }
  const limit = openTimeLimit(options, io.engine.clock);
  try {
    const within = { ...options, signal: limit.signal };
    const report = isDeployed ? await followRun(trigger, within, io) : await runHere(trigger, within, io);
    return report === undefined ? await queued() : await ran(trigger, report, io);
  } catch (error) {
    if (!limit.hasPassed() || options.signal.aborted) throw error;
    return { ...(await queued()), isLate: true };
  } finally {
    limit.end();
  }
}

/** Aborts its signal after the time, or with the outer signal. Must be ended. */
function openTimeLimit(
  { signal, timeoutMs }: Pick<WatchOptions, 'signal'> & Pick<ResyncOrder, 'timeoutMs'>,
  clock: Clock,
) {
  const limit = new AbortController();
  const timer = new AbortController();
  let hasPassed = false;
  if (timeoutMs !== undefined) {
    clock.sleep(timeoutMs, timer.signal).then(
      () => {
        hasPassed = true;
        limit.abort(new RollcallError('the time to wait is over', { code: 'CANCELLED' }));
      },
      () => {},
    );
  }
  return { signal: AbortSignal.any([signal, limit.signal]), hasPassed: () => hasPassed, end: () => timer.abort() };
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
  throw conflict(message);
}

function prunedKey(): RollcallError {
  const message = 'a request with this key was stored before and has been pruned: use a new key';
  return conflict(message);
}

/** Requests a run from a deployment; never runs in this process. The same key again is the same request. */
export async function queueRun(
  io: AppIo,
  sync: string,
  order: SignedCaller & Pick<ResyncOrder, 'scope' | 'key'>,
): Promise<RequestReport> {
  return reportOf(await storeRequest({ sync, kind: 'manual', ...order }, io), io);
}

/** Requests another run of the same scope, as `requestOrRun` does. Throws `CONFLICT` before the run has ended. */
export async function repeatRun(io: AppIo, id: string, options: WatchOptions & SignedCaller): Promise<ResyncReport> {
  requireProven(io.engine, options, 'a retry');
  return queueOrRun(retryOf(await findEndedRun(id, io), options), options, io);
}

/** Requests another run of the same scope from a deployment; never runs in this process. Throws `NOT_FOUND` when its sync is no longer configured. */
export async function queueRetry(io: AppIo, id: string, caller: SignedCaller): Promise<RequestReport> {
  requireProven(io.engine, caller, 'a retry');
  const run = await findEndedRun(id, io);
  findSync(run.sync, io.engine.syncs, 'NOT_FOUND');
  return reportOf(await storeRequest(retryOf(run, caller), io), io);
}

/** Asks the process that drives the run to stop at the next safe place. Throws `CONFLICT` when the run has ended. */
export async function stopRun({ engine }: AppIo, id: string, caller: SignedCaller): Promise<Run> {
  const run = await findRun(id, engine.store);
  if (!(await engine.store.runs.requestCancel(run.id))) {
    const message = `run ${run.id} has already ended (${run.outcome}), so there is nothing to cancel`;
    throw conflict(message);
  }
  await note({ ...caller, action: 'cancel', sync: run.sync, run: run.id }, engine);
  return run;
}

/** Returns the scope for a run that reads all its employees, including those that a delta shows as unchanged. */
export function inFull(scope: RunScope): RunScope {
  return scope.kind === 'all' ? { kind: 'all', isFull: true } : scope;
}

function retryOf({ id, sync, scope }: Run, { by, label, proven, reason, as }: SignedCaller): AuditedRequest {
  // A delta read does not show changes that failed for a reason outside the source.
  return { sync, kind: 'retry', scope: inFull(scope), aboutRun: id, by, ...given({ label, proven, reason, as }) };
}

async function findEndedRun(id: string, { engine }: AppIo): Promise<Run> {
  const run = await findRun(id, engine.store);
  if (run.phase === 'done') return run;
  throw conflict(`run ${run.id} has not ended yet`);
}

export async function reportOf({ trigger, isNew }: StoredRequest, { engine }: AppIo): Promise<RequestReport> {
  const seen = isNew ? { trigger, state: undefined } : await engine.store.triggers.find(trigger.key);
  if (seen === undefined) throw prunedKey();
  const { id, sync, scope } = seen.trigger;
  return { trigger: id, sync, scope, isNew, run: seen.state?.kind === 'taken' ? seen.state.run : undefined };
}

/** Describes a scope without names, because the audit holds no person. */
function describeScope(scope: RunScope): string {
  return scope.kind === 'all' ? 'all employees' : `${scope.identifications.length} named people`;
}

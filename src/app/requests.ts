import { RollcallError } from '../core/errors.ts';
import { requestRun } from '../engine/request-run.ts';
import type { Run, RunScope, Trigger, TriggerKind } from '../ports/store.ts';
import type { RequestReport, ResyncReport, RunOrder, WatchOptions } from './app.ts';
import type { AppIo } from './app-io.ts';
import { note } from './audit.ts';
import { findRun, findSync } from './find-named.ts';
import { runHere } from './run-here.ts';

export interface RunWish {
  readonly sync: string;
  readonly kind: TriggerKind;
  readonly scope: RunScope;
  readonly by: string;
  readonly key?: string;
  /** The run whose failed changes are tried again. */
  readonly retryOf?: string;
}

/** Stores the trigger of a run and writes who asked for it into the audit. Throws `USAGE` for an unknown sync. */
export async function askForRun(
  { by, retryOf, ...wish }: RunWish,
  { engine }: AppIo,
): Promise<{ readonly trigger: Trigger; readonly isNew: boolean }> {
  const { sync, kind, scope } = wish;
  findSync(sync, engine.syncs);
  const asked = await requestRun(wish, engine);
  const action = kind === 'webhook' || kind === 'retry' ? kind : 'request-run';
  const detail = retryOf === undefined ? { detail: describeScope(scope) } : { run: retryOf };
  if (asked.isNew) await note({ action, by, sync, ...detail }, engine);
  return asked;
}

/** Stores a request for a running deployment. The same key again is the same request. */
export async function request(sync: string, order: RunOrder, io: AppIo): Promise<RequestReport> {
  return reportOf(await askForRun({ sync, ...order }, io), io);
}

/** As `retry`, for a running deployment. */
export async function requestRetry(id: string, by: string, io: AppIo): Promise<RequestReport> {
  const run = await findEndedRun(id, io);
  findSync(run.sync, io.engine.syncs, 'NOT_FOUND');
  return reportOf(await askForRun(retryOf(run, by), io), io);
}

/** Asks for another run of the same scope, by a running deployment or here. */
export async function retry(id: string, by: string, options: WatchOptions, io: AppIo): Promise<ResyncReport> {
  return queueOrRun(retryOf(await findEndedRun(id, io), by), options, io);
}

/** Leaves the run to a running deployment; without one it happens here. */
export async function queueOrRun(wish: RunWish, options: WatchOptions, io: AppIo): Promise<ResyncReport> {
  const { trigger } = await askForRun(wish, io);
  if (!(await io.isDeployed())) return { kind: 'ran', report: await runHere(trigger, options, io) };
  return { kind: 'queued', trigger: trigger.id, pause: await io.engine.store.pauses.get(trigger.sync) };
}

/** Asks the process that drives the run to stop at the next safe place. Throws CONFLICT when the run has ended. */
export async function cancel(id: string, by: string, { engine }: AppIo): Promise<Run> {
  const run = await findRun(id, engine.store);
  if (!(await engine.store.runs.requestCancel(run.id))) {
    const message = `run ${run.id} has ended already (${run.outcome}): nothing to cancel`;
    throw new RollcallError(message, { code: 'CONFLICT' });
  }
  await note({ action: 'cancel', by, sync: run.sync, run: run.id }, engine);
  return run;
}

/** The same people, without leaving out those whom the source shows unchanged. */
export function inFull(scope: RunScope): RunScope {
  return scope.kind === 'all' ? { kind: 'all', isFull: true } : scope;
}

function retryOf({ id, sync, scope }: Run, by: string): RunWish {
  // What failed may be nothing that has changed in the source.
  return { sync, kind: 'retry', scope: inFull(scope), by, retryOf: id };
}

async function findEndedRun(id: string, { engine }: AppIo): Promise<Run> {
  const run = await findRun(id, engine.store);
  if (run.phase === 'done') return run;
  throw new RollcallError(`run ${run.id} has not ended yet`, { code: 'CONFLICT' });
}

async function reportOf(
  { trigger, isNew }: { readonly trigger: Trigger; readonly isNew: boolean },
  { engine }: AppIo,
): Promise<RequestReport> {
  const seen = isNew ? { trigger, state: undefined } : await engine.store.triggers.find(trigger.key);
  if (seen === undefined) {
    const message = 'the request was taken before and is forgotten by now: give it a new key';
    throw new RollcallError(message, { code: 'CONFLICT' });
  }
  const { id, sync, scope } = seen.trigger;
  return { trigger: id, sync, scope, isNew, run: seen.state?.kind === 'taken' ? seen.state.run : undefined };
}

/** Names no person: the audit holds none. */
function describeScope(scope: RunScope): string {
  return scope.kind === 'all' ? 'everybody' : `${scope.identifications.length} named people`;
}

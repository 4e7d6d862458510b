import { normalText } from '../core/person/text.ts';
import type { ChangeClass } from '../core/plan/change.ts';
import type { UndoOrder } from '../core/plan/undo.ts';
import { conflict, usageError } from '../core/run/errors.ts';
import { given } from '../core/run/given.ts';
import type { Run, RunScope } from '../ports/store.ts';
import type { EngineIo } from '../run/engine-io.ts';
import { changesOf } from '../run/plan-changes.ts';
import type { RequestReport } from '../views/syncs.ts';
import type { AppIo, WatchOptions } from './app-io.ts';
import { requireProven, type SignedCaller } from './audit.ts';
import { asStored, findRun, findSync } from './find-named.ts';
import { type AuditedRequest, queueOrRun, type ResyncReport, reportOf, storeRequest } from './requests.ts';

/** What of a run is undone. An absent field selects everything. */
export interface UndoSelection {
  readonly only?: readonly ChangeClass[];
  /** Identifications of people. */
  readonly users?: readonly string[];
}

type OrderOfUndo = UndoSelection & SignedCaller;

/**
 * Returns the scope of a run that undoes what a run applied, and the run. Throws `NOT_FOUND` for an unknown run, `CONFLICT`
 * for a run with nothing that can be undone, and `USAGE` for people whom the run did not change.
 */
export async function undoScope(
  { engine }: Pick<AppIo, 'engine'>,
  id: string,
  { only, users, by, reason }: OrderOfUndo,
): Promise<{ readonly run: Run; readonly scope: RunScope }> {
  const preview = await engine.store.previews.get(id);
  if (preview !== undefined) throw conflict(`${id} is a preview, which changed nothing, so there is nothing to undo`);
  const run = await findRun(id, engine.store);
  if (run.phase !== 'done') {
    throw conflict(`run ${run.id} has not ended: wait for its end, or stop it with "rollcall cancel ${run.id}"`);
  }
  const sync = findSync(run.sync, engine.syncs, 'CONFLICT');
  if (sync.settings.connection !== run.connection) {
    throw conflict(`run ${run.id} changed users of connection ${run.connection}, and ${run.sync} has another one now`);
  }
  const identifications = await appliedPeople(run, given({ only, users }), engine);
  const undoes: UndoOrder = { run: run.id, by, ...given({ why: reason, only }) };
  return { run, scope: { kind: 'users', identifications, undoes } };
}

/** Returns the scope of an undo of this sync. Throws `USAGE` for a run of another sync, and as `undoScope` does. */
export async function scopeOfUndo(
  io: Pick<AppIo, 'engine'>,
  sync: string,
  id: string,
  order: OrderOfUndo,
): Promise<RunScope> {
  const stored = asStored(io.engine, sync);
  const { run, scope } = await undoScope(stored, id, order);
  if (run.sync === stored.sync.settings.name) return scope;
  throw usageError(`run ${run.id} is a run of sync ${run.sync}, not of ${sync}`);
}

/** Requests the undo from a running deployment; without one, runs it in this process. Throws as `undoScope` does. */
export async function undoRun(
  io: AppIo,
  id: string,
  { signal, progress, isWaiting = false, ...order }: OrderOfUndo & WatchOptions & { readonly isWaiting?: boolean },
): Promise<ResyncReport> {
  return queueOrRun(await requestOf(io, id, order), { signal, progress, isWaiting }, io);
}

/** Requests the undo from a deployment; never runs in this process. Throws as `undoScope` does. */
export async function queueUndo(io: AppIo, id: string, order: OrderOfUndo): Promise<RequestReport> {
  return reportOf(await storeRequest(await requestOf(io, id, order), io), io);
}

async function requestOf(io: AppIo, id: string, order: OrderOfUndo): Promise<AuditedRequest> {
  requireProven(io.engine, order, 'an undo');
  const { run, scope } = await undoScope(io, id, order);
  const { only: _only, users: _users, ...caller } = order;
  return { sync: run.sync, kind: 'undo', scope, ...caller, aboutRun: run.id };
}

async function appliedPeople(run: Run, { only, users }: UndoSelection, io: EngineIo): Promise<readonly string[]> {
  const wanted = users && new Set(users.map(normalText));
  const unseen = new Set(wanted);
  const names = new Set<string>();
  let [applied, exported, all] = [0, 0, 0];
  for await (const change of changesOf(run.id, io, {})) {
    all += 1;
    if (change.state === 'exported') exported += 1;
    if (change.appliedAt === undefined && change.state !== 'unverified') continue;
    applied += 1;
    const { identification, classes } = change;
    unseen.delete(identification);
    if (wanted?.has(identification) === false) continue;
    if (only === undefined || classes.some((name) => only.includes(name))) names.add(identification);
  }
  if (exported > 0) {
    throw conflict(`another system delivered the files of run ${run.id}, so Rollcall does not know what was applied`);
  }
  if (all === 0 && run.counts.applied + run.counts.unverified > 0) {
    throw conflict(`the details of run ${run.id} were deleted (retention.runs), so it cannot be undone`);
  }
  if (applied === 0) throw conflict(`run ${run.id} changed no user, so there is nothing to undo`);
  if (unseen.size > 0) {
    const message = `run ${run.id} did not change ${[...unseen].slice(0, namedPeople).join(', ')}. "rollcall show ${run.id} --changes" lists the users that it changed`;
    throw usageError(message);
  }
  if (names.size === 0)
    throw conflict(`run ${run.id} applied no change of this selection, so there is nothing to undo`);
  return [...names];
}

/** Maximum number of people in a message. */
const namedPeople = 5;

import { fieldsApproved } from '../core/plan/decision.ts';
import { isUndoRule } from '../core/plan/undo.ts';

import { RollcallError } from '../core/run/errors.ts';
import { countOf, shellWord } from '../core/run/formats.ts';
import { undoneBy } from '../ports/runs.ts';
import type { DecidedChange, PlannedChange, Run, RunScope } from '../ports/store.ts';
import type { EngineIo } from '../run/engine-io.ts';
import { requestRun } from '../run/request-run.ts';
import { changesOf } from '../run/seal/batches.ts';
import type { VerdictReport } from '../views/holds.ts';
import type { AppIo } from './app-io.ts';
import { note, type SignedCaller, signature } from './audit.ts';
import { readChanges } from './changes/search-changes.ts';
import { findRun, findSync } from './find-named.ts';
import {
  type ChangeSelection,
  decidedChange,
  type HeldName,
  isReadWaiting,
  type SelectedChanges,
  selectHeld,
} from './holds.ts';

/**
 * How long an approval is valid, and how long a shown or held change may be approved (ms). Later its reason may differ.
 */
const approvalMs = 24 * 3_600_000;

export interface VerdictOrder extends ChangeSelection {
  readonly reason?: string;
  /** Approves changes that an operator rejected, when the selection has no open ones. */
  readonly reopens?: boolean;
}

export interface Verdicts {
  readonly changes: number;
  /** Number of approved changes that an operator had rejected before. */
  readonly reopened: number;
  /** Whether the approval also accepted the doubted read of the run. */
  readonly acceptsRead: boolean;
}

export interface VerdictPreview {
  readonly held: readonly HeldName[];
  /** The first changes of `held`. */
  readonly first: readonly PlannedChange[];
  /** Whether the approval also accepts the doubted read of the run. */
  readonly acceptsRead: boolean;
}

/**
 * Approves or rejects the open changes of a run, or a part of them, and audits it. See `approveRun` and `rejectRun`, which
 * say what they throw.
 */
export async function decideRun(
  io: AppIo,
  action: 'approve' | 'reject',
  id: string,
  { by, ...order }: SignedCaller & VerdictOrder,
): Promise<VerdictReport> {
  const { engine } = io;
  const run = await findRun(id, engine.store);
  const decide = action === 'approve' ? approveRun : rejectRun;
  const { changes, reopened, acceptsRead } = await decide(run, by, engine, order);
  const read = acceptsRead ? ', and the read' : '';
  const detail = `${countOf(changes, 'change')}${reopened === 0 ? '' : `, ${reopened} of them rejected before`}${read}`;
  await note({ action, by, sync: run.sync, run: run.id, detail, ...signature(order) }, engine);
  return { run: run.id, sync: run.sync, changes, isDeploymentRunning: await io.isDeployed() };
}

/**
 * Returns the changes that an approval or rejection would decide now; `limit`: how many as they were planned. Throws as
 * `approveRun` and `rejectRun` do.
 */
export async function previewVerdict(
  { engine: io }: Pick<AppIo, 'engine'>,
  action: 'approve' | 'reject',
  id: string,
  order: VerdictOrder & { readonly limit: number },
): Promise<VerdictPreview> {
  const run = await findRun(id, io.store);
  const selected = await selectHeld(run, order, io);
  const isApproval = action === 'approve';
  const held = isApproval ? await toApprove(run, selected, order, io) : toReject(run, selected);
  const acceptsRead = isApproval && selected.isWhole && (await isReadWaiting(run, io.store));
  return { held, acceptsRead, first: await readChanges(run.id, held.slice(0, order.limit), io) };
}

/**
 * Approves the open changes that guards held in a run, or the selected part of them. Requests a run that delivers the
 * changes that are then unchanged. Without a selection, the run's read becomes the baseline for the guards on reads.
 * Throws `CONFLICT` when no change is open: the holds have expired or were approved before, their reasons have ended,
 * or an operator rejected them and the order does not reopen them. Changes outside the selection stay held until they
 * are decided. Throws `USAGE` for a sync that is no longer configured, and for a selection that names other people.
 */
export async function approveRun(run: Run, by: string, io: EngineIo, order: VerdictOrder = {}): Promise<Verdicts> {
  const { id, sync } = run;
  findSync(sync, io.syncs);
  const held = await selectHeld(run, order, io);
  const chosen = await toApprove(run, held, order, io);
  const acceptsRead = held.isWhole && (await isReadWaiting(run, io.store));
  const reopened = chosen.filter(isRejected).length;
  const at = io.clock.now();
  const verdict = { state: 'approved', by, why: order.reason, at, expiresAt: at + approvalMs } as const;
  const approved = chosen.map((name) => ({ ...name, fields: name.approves }));
  const changes = await io.store.decisions.decide(sync, approved, { ...verdict, reopens: reopened > 0 });
  await io.store.decisions.leaveOut(sync, held.leftOut, by);
  if (acceptsRead) await io.store.reads.accept(id);
  // Only a run of the same undo proposes these changes again.
  const isUndo = chosen.some(({ rule }) => isUndoRule(rule));
  const scope: RunScope = isUndo ? run.scope : { kind: 'all', isFull: true };
  await requestRun({ sync, kind: 'approval', scope }, io);
  return { changes, reopened, acceptsRead };
}

/**
 * Rejects the changes that guards held in a run. While their reason lasts, no run delivers these changes or asks about
 * them again.
 */
export async function rejectRun(run: Run, by: string, io: EngineIo, order: VerdictOrder = {}): Promise<Verdicts> {
  const held = await selectHeld(run, order, io);
  const chosen = toReject(run, held);
  const verdict = { state: 'rejected', by, why: order.reason, at: io.clock.now() } as const;
  const changes = await io.store.decisions.decide(run.sync, chosen, verdict);
  await io.store.decisions.leaveOut(run.sync, held.leftOut, by);
  return { changes, reopened: 0, acceptsRead: false };
}

export interface DigestApproval {
  readonly changes: number;
  /** Changes of the plan that stay rejected. */
  readonly rejected: number;
}

/**
 * Approves the changes that the newest plan with this digest showed as open. Changes that an operator rejected since
 * stay rejected. Changes that an accepted read has ended since are not approved. Throws `NOT_FOUND` when no such plan
 * is known. Throws `CONFLICT` when the plan is older than 24 h.
 */
export async function approveDigest(
  sync: string,
  digest: string,
  { by, reason }: { readonly by: string; readonly reason?: string },
  io: EngineIo,
): Promise<DigestApproval> {
  const { store } = io;
  const plan = await store.plans.findByDigest(sync, digest);
  if (plan === undefined) {
    const message = `no plan of ${sync} has the digest ${digest}. Make a plan with "rollcall plan ${sync}", and review it before you approve it`;
    throw new RollcallError(message, { code: 'NOT_FOUND' });
  }
  const at = io.clock.now();
  if (plan.madeAt + approvalMs <= at) {
    throw conflict(`the plan ${digest} of ${sync} is older than 24 h: make a new one with "rollcall plan ${sync}"`);
  }
  // Changes that a run did not hold are already delivered, or the next run plans them again.
  const states = plan.run === undefined ? (['planned', 'held'] as const) : (['held'] as const);
  const open: DecidedChange[] = [];
  for await (const change of changesOf(plan.id, io, { states })) {
    if (change.isApproved) continue;
    open.push({ ...decidedChange(change, undefined), fields: fieldsApproved(change) });
  }
  const verdict = { state: 'approved', by, why: reason, at, expiresAt: at + approvalMs } as const;
  const changes = await store.decisions.decide(sync, open, verdict);
  if (plan.run !== undefined) await store.reads.accept(plan.run);
  return { changes, rejected: open.length - changes };
}

async function toApprove(
  run: Run,
  { byState, isWhole }: SelectedChanges,
  { reopens }: VerdictOrder,
  io: EngineIo,
): Promise<readonly HeldName[]> {
  const free = byState.open.filter((name) => reopens === true || !isRejected(name));
  if (free.length > 0) return free;
  const rejected = [...byState.rejected, ...byState.open];
  const isRecent = run.startedAt + approvalMs > io.clock.now();
  if (isWhole && isRecent && (await isReadWaiting(run, io.store))) return [];
  // What was undone can be released at any time.
  if (!isRecent && undoneBy(run.scope) === undefined) throw expired(run);
  if (rejected.length === 0) throw nothingWaits(run, { byState, isWhole });
  if (reopens === true) return rejected;
  const command = `rollcall approve ${run.id}${isWhole ? '' : selectionOf(rejected)} --reopen`;
  throw conflict(
    `${rejectedWords(rejected, run)}. To approve them anyway, run "${command}", or send the same request to the API with "reopen": true`,
  );
}

/** Returns whether an operator rejected the change, or a value that it carries. */
function isRejected({ decision }: HeldName): boolean {
  return decision?.state === 'rejected';
}

/** Returns the changes that a rejection decides. Includes approvals that no run has used. */
function toReject(run: Run, { byState, isWhole }: SelectedChanges): readonly HeldName[] {
  const unused = byState.approved.filter(({ decision }) => decision?.run === undefined);
  const chosen = [...byState.open, ...unused];
  if (chosen.length > 0) return chosen;
  if (byState.rejected.length === 0) throw nothingWaits(run, { byState, isWhole });
  throw conflict(`${rejectedWords(byState.rejected, run)}, so there is nothing to reject`);
}

function nothingWaits(run: Run, { byState, isWhole }: Omit<SelectedChanges, 'leftOut'>): RollcallError {
  const { id, sync, facts } = run;
  const { approved, past } = byState;
  if (approved.length > 0 && past.length > 0) {
    const some = countOf(approved.length, 'change is', 'changes are');
    return conflict(
      `${some} already approved in run ${id}, and an approval counts once. ${countOf(past.length, 'change no longer waits', 'changes no longer wait')}: ${lapsed}. To list the changes that wait now, run "rollcall holds --sync ${sync}"`,
    );
  }
  const isReadOnly = facts.isReadDoubted === true && past.length === 0;
  if (approved.length > 0 || isReadOnly) {
    return conflict(
      `the held changes of run ${id} are already approved, and an approval counts once. If a later run of ${sync} holds changes, approve that run (rollcall runs ${sync})`,
    );
  }
  if (past.length > 0) return expired(run);
  const [gap] = facts.sourceGaps ?? [];
  if (isWhole && gap !== undefined) {
    return conflict(
      `run ${id} holds no changes, and its read is not complete, so it cannot be approved: ${gap}. Correct the source, then run "rollcall apply ${sync}"`,
    );
  }
  const none = isWhole ? 'no changes' : 'none of the selected changes';
  return conflict(`run ${id} holds ${none}, so there is nothing to approve or reject`);
}

const lapsed = 'their holds expired after 24 h, their reasons ended, or a later run delivers them';

function expired({ id, sync }: Run): RollcallError {
  return conflict(
    `the changes that run ${id} held no longer wait: ${lapsed}. To list the changes that wait now, run "rollcall holds --sync ${sync}"`,
  );
}

/** Maximum number of people in a suggested command. */
const namedPeople = 20;

/** Returns the options that select these changes, so that a suggested command decides nothing else. */
function selectionOf(chosen: readonly HeldName[]): string {
  if (chosen.length > namedPeople) return ' --ids FILE_OF_THEIR_IDENTIFICATIONS';
  return ` --user ${chosen.map(({ identification }) => shellWord(identification)).join(' ')}`;
}

/** Returns, for example, `ana rejected 3 changes that run run_x held (not leavers)`. */
function rejectedWords(rejected: readonly HeldName[], { id }: Run): string {
  const by = [...new Set(rejected.map(({ decision }) => decision?.by ?? 'a person'))].join(', ');
  const why = [...new Set(rejected.flatMap(({ decision }) => decision?.why ?? []))].slice(0, 3).join('; ');
  return `${by} rejected ${countOf(rejected.length, 'change')} that run ${id} held${why === '' ? '' : ` (${why})`}`;
}

function conflict(message: string): RollcallError {
  return new RollcallError(message, { code: 'CONFLICT' });
}

import { objectionTo, ruledAmong, rulesFor, strictest } from '../core/guard/approvals.ts';
import { type Change, isFreezable } from '../core/plan/change.ts';
import { fieldsApproved, isUndoRule } from '../core/plan/decision.ts';
import { conflict, notFound, type RollcallError } from '../core/run/errors.ts';
import { countOf, shellWord } from '../core/run/formats.ts';
import { given } from '../core/run/given.ts';
import { undoneBy } from '../ports/runs.ts';
import type { DecidedChange, PlannedChange, Run, RunScope } from '../ports/store.ts';
import type { EngineIo, Sync } from '../run/engine-io.ts';
import { changesOf } from '../run/plan-changes.ts';
import { requestRun } from '../run/request-run.ts';
import type { VerdictReport } from '../views/holds.ts';
import { keepApproved } from './accounts/identities.ts';
import type { AppIo } from './app-io.ts';
import { note, requireProven, type SignedCaller } from './audit.ts';
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
 * How long an approval is valid, and how long a shown or held change may be approved (ms). Later its reason may differ. See
 * `approvedUntil`.
 */
export const approvalMs = 24 * 3_600_000;

export interface VerdictOrder extends ChangeSelection {
  readonly reason?: string;
  /** Approves changes that an operator rejected, when the selection has no open ones. */
  readonly reopens?: boolean;
}

export interface Verdicts {
  readonly changes: number;
  /** Number of chosen changes that need the approval of another identity. */
  readonly pending: number;
  /** Number of approved changes that an operator had rejected before. */
  readonly reopened: number;
  /** Number of rejected changes of which other fields remain: the requested run plans them without the rejected ones. */
  readonly reduced: number;
  /** Whether the approval also accepted the doubted read of the run. */
  readonly acceptsRead: boolean;
  /** Until when the approval is valid (epoch ms). Undefined for a rejection. */
  readonly expiresAt: number | undefined;
  /** When the freeze ends that approved changes wait for (epoch ms). */
  readonly frozenUntil: number | undefined;
}

export interface VerdictPreview {
  readonly held: readonly HeldName[];
  /** The first changes of `held`. */
  readonly first: readonly PlannedChange[];
  /** Whether the approval also accepts the doubted read of the run. */
  readonly acceptsRead: boolean;
}

/** Approves or rejects the open changes of a run, or a part of them, and audits it. Throws as `giveVerdict` does. */
export async function decideRun(
  io: AppIo,
  action: 'approve' | 'reject',
  id: string,
  order: SignedCaller & VerdictOrder,
): Promise<VerdictReport> {
  const { engine } = io;
  const run = await findRun(id, engine.store);
  if (action === 'approve') requireProven(engine, order, 'an approval');
  const { acceptsRead, reopened, ...rest } = await giveVerdict(run, { action, ...order }, engine);
  const { changes, pending } = rest;
  const read = acceptsRead ? ', and the read' : '';
  const waits = pending === 0 ? '' : `, ${pending} more wait for another approval`;
  const detail = `${countOf(changes, 'change')}${reopened === 0 ? '' : `, ${reopened} of them rejected before`}${read}${waits}`;
  await note({ ...order, action, sync: run.sync, run: run.id, detail }, engine);
  return { run: run.id, sync: run.sync, ...rest, isDeploymentRunning: await io.isDeployed() };
}

/**
 * Returns the changes that an approval or rejection would decide now; `limit`: how many as they were planned. Throws as
 * `giveVerdict` does.
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
 * Approves or rejects the open changes that guards held in a run, or the selected part of them. Changes outside the
 * selection stay held until they are decided.
 *
 * An approval requests a run that delivers the changes that are then unchanged. Without a selection, the run's read
 * becomes the baseline for the guards on reads. While the reason of a rejection lasts, no run delivers the changes or
 * asks about them again; where only some fields were rejected, a run is requested that plans the rest.
 *
 * Throws `CONFLICT` when no change is open: the holds have expired or were approved before, their reasons have ended,
 * or an operator rejected them and the order does not reopen them. Throws `USAGE` for an approval of a sync that is no
 * longer configured, and for a selection that names other people.
 */
export async function giveVerdict(
  run: Run,
  { action, by, label, ...order }: VerdictOrder & SignedCaller & { readonly action: 'approve' | 'reject' },
  io: EngineIo,
): Promise<Verdicts> {
  const { id, sync } = run;
  const isApproval = action === 'approve';
  if (isApproval) findSync(sync, io.syncs);
  const held = await selectHeld(run, order, io);
  const chosen = isApproval ? await toApprove(run, held, order, io) : toReject(run, held);
  const at = io.clock.now();
  const signed = { by, at, ...given({ label, why: order.reason, proven: order.proven }) };
  const enough = isApproval ? await withOthers(chosen, { run, ...signed }, io) : chosen;
  const pending = chosen.length - enough.length;
  const acceptsRead = isApproval && pending === 0 && held.isWhole && (await isReadWaiting(run, io.store));
  const reopened = isApproval ? enough.filter(isRejected).length : 0;
  const reduced = isApproval ? 0 : chosen.filter(leavesRest).length;
  const { frozenUntil, expiresAt } = isApproval ? approvedUntil(enough, io.syncs.get(sync), at) : notApproved;
  const shared = { by, why: order.reason, at };
  const changes =
    expiresAt === undefined
      ? await io.store.decisions.decide(sync, chosen, { state: 'rejected', ...shared })
      : await io.store.decisions.decide(
          sync,
          enough.map((name) => ({ ...name, fields: name.approves })),
          { state: 'approved', ...shared, expiresAt, reopens: reopened > 0 },
        );
  if (isApproval) await keepApproved(id, enough, { by, sync, ...given({ label }), ...order }, io);
  await io.store.decisions.leaveOut(sync, held.leftOut, { by, at });
  if (acceptsRead) await io.store.reads.accept(id);
  if ((isApproval && pending < chosen.length + (acceptsRead ? 1 : 0)) || reduced > 0) {
    // Only a run of the same undo proposes its changes again.
    const isUndo = chosen.some(({ rule }) => isUndoRule(rule));
    const scope: RunScope = isUndo ? run.scope : { kind: 'all', isFull: true };
    if (io.syncs.has(sync)) await requestRun({ sync, kind: 'approval', scope }, io);
  }
  return { changes, pending, reopened, reduced, acceptsRead, expiresAt, frozenUntil };
}

/** Returns whether the rejection leaves fields of the change for a later plan. */
function leavesRest({ kind, fields, approves }: HeldName): boolean {
  if (fields.isWhole || (kind !== 'update' && kind !== 'enable')) return false;
  // An enable is a part of its own.
  const parts = Object.keys(approves.digests).length + (kind === 'enable' ? 1 : 0);
  return Object.keys(fields.digests).length < parts;
}

const notApproved = { frozenUntil: undefined, expiresAt: undefined };

/**
 * Returns until when an approval is valid, and the freeze that it waits for. A freeze drops what it approves, so the
 * freeze in which the approval is given, or would end, does not count.
 */
function approvedUntil(chosen: readonly Pick<Change, 'kind'>[], sync: Sync | undefined, at: number) {
  const freezeAt = (now: number): number | undefined =>
    chosen.some(({ kind }) => isFreezable(kind)) ? sync?.frozenUntil?.(now) : undefined;
  const frozenUntil = freezeAt(at);
  const end = (frozenUntil ?? at) + approvalMs;
  return { frozenUntil, expiresAt: (freezeAt(end) ?? end - approvalMs) + approvalMs };
}

interface Approving extends Pick<SignedCaller, 'by' | 'label' | 'proven'> {
  readonly at: number;
  readonly why?: string;
  /** The run that held the changes. Absent: they are of a plan that was only shown. */
  readonly run?: Run;
  readonly sync?: string;
}

/**
 * Returns the changes that are approved now: those that need one approval, and those that another identity approved before.
 * Stores the approval of the others. Throws `CONFLICT`, and stores nothing, when the identity may not approve them.
 */
async function withOthers<Chosen extends DecidedChange & Pick<Change, 'classes'>>(
  chosen: readonly Chosen[],
  { by, label, at, why, run, proven, sync = run?.sync ?? '' }: Approving,
  { approvals, store }: EngineIo,
): Promise<readonly Chosen[]> {
  if (approvals === undefined) return chosen;
  const ruled = [...(run?.plan?.ruled ?? []), ...ruledAmong(chosen, approvals)];
  const requesters = run === undefined ? [] : await store.triggers.requesters(run.id);
  const approver = { by, groups: proven?.groups ?? [], requesters };
  const needs = new Map(chosen.map((one) => [one, rulesFor(one.classes, ruled, approvals)] as const));
  for (const rules of needs.values()) {
    const objection = objectionTo(approver, rules);
    if (objection !== undefined) throw conflict(`nothing was approved: ${objection}`);
  }
  const complete = new Set<string>();
  const byNeed = Map.groupBy(chosen, (one) => JSON.stringify(strictest(needs.get(one) ?? [])));
  for (const [need, some] of byNeed) {
    const most = need === undefined ? undefined : (JSON.parse(need) as ReturnType<typeof strictest>);
    const approval = { by, at, ...given({ label, why }), expiresAt: at + approvalMs };
    const enough =
      most === undefined
        ? some.map(({ hash }) => hash)
        : await store.decisions.give(sync, some, { ...most, ...approval });
    for (const hash of enough) complete.add(hash);
  }
  return chosen.filter(({ hash }) => complete.has(hash));
}

/**
 * Approves the changes that the newest plan with this digest showed as open. Changes that an operator rejected since
 * stay rejected. Changes that an accepted read has ended since are not approved. Returns how many were approved, stay
 * rejected, and need the approval of another identity. Throws `NOT_FOUND` when no such plan
 * is known. Throws `CONFLICT` when the plan is older than 24 h.
 */
export async function approveDigest(
  sync: string,
  digest: string,
  { by, label, reason, proven }: SignedCaller,
  io: EngineIo,
): Promise<Readonly<Record<'changes' | 'rejected' | 'pending', number>>> {
  const { store } = io;
  const plan = await store.plans.findByDigest(sync, digest);
  if (plan === undefined) {
    const message = `no plan of ${sync} has the digest ${digest}. Make a plan with "rollcall plan ${sync}", and review it before you approve it`;
    throw notFound(message);
  }
  const at = io.clock.now();
  if (plan.madeAt + approvalMs <= at) {
    throw conflict(`the plan ${digest} of ${sync} is older than 24 h: make a new one with "rollcall plan ${sync}"`);
  }
  // Changes that a run did not hold are already delivered, or the next run plans them again.
  const states = plan.run === undefined ? (['planned', 'held'] as const) : (['held'] as const);
  const open: (DecidedChange & Pick<Change, 'kind' | 'classes'>)[] = [];
  for await (const change of changesOf(plan.id, io, { states })) {
    if (change.isApproved) continue;
    const { kind, classes } = change;
    open.push({ ...decidedChange(change, undefined), kind, classes, fields: fieldsApproved(change) });
  }
  const run = plan.run === undefined ? undefined : await store.runs.get(plan.run);
  const enough = await withOthers(open, { by, at, sync, ...given({ label, why: reason, proven, run }) }, io);
  const { expiresAt } = approvedUntil(enough, io.syncs.get(sync), at);
  const verdict = { state: 'approved', by, why: reason, at, expiresAt } as const;
  const changes = await store.decisions.decide(sync, enough, verdict);
  await keepApproved(plan.id, enough, { by, sync, ...given({ label, reason, proven }) }, io);
  const pending = open.length - enough.length;
  if (plan.run !== undefined && pending === 0) await store.reads.accept(plan.run);
  return { changes, rejected: enough.length - changes, pending };
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
  // Options that select these changes, so that the suggested command decides nothing else.
  const names = rejected.map(({ identification }) => shellWord(identification)).join(' ');
  const some = rejected.length > namedPeople ? ' --ids FILE_OF_THEIR_IDENTIFICATIONS' : ` --user ${names}`;
  const command = `rollcall approve ${run.id}${isWhole ? '' : some} --reopen`;
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
  const { id, sync, plan } = run;
  const { approved, past } = byState;
  if (approved.length > 0 && past.length > 0) {
    const some = countOf(approved.length, 'change is', 'changes are');
    return conflict(
      `${some} already approved in run ${id}, and an approval counts once. ${countOf(past.length, 'change no longer waits', 'changes no longer wait')}: ${lapsed}. To list the changes that wait now, run "rollcall holds --sync ${sync}"`,
    );
  }
  const isReadOnly = plan?.isReadDoubted === true && past.length === 0;
  if (approved.length > 0 || isReadOnly) {
    return conflict(
      `the held changes of run ${id} are already approved, and an approval counts once. If a later run of ${sync} holds changes, approve that run (rollcall runs ${sync})`,
    );
  }
  if (past.length > 0) return expired(run);
  const [gap] = plan?.sourceGaps ?? [];
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

/** Returns, for example, `ana rejected 3 changes that run run_x held (not leavers)`. */
function rejectedWords(rejected: readonly HeldName[], { id }: Run): string {
  const by = [...new Set(rejected.map(({ decision }) => decision?.by ?? 'a person'))].join(', ');
  const why = [...new Set(rejected.flatMap(({ decision }) => decision?.why ?? []))].slice(0, 3).join('; ');
  return `${by} rejected ${countOf(rejected.length, 'change')} that run ${id} held${why === '' ? '' : ` (${why})`}`;
}

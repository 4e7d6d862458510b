import type { User } from '../../core/person/fields.ts';
import { type Change, type ChangeKind, isFreezable } from '../../core/plan/change.ts';
import { judgeChange } from '../../core/plan/judge.ts';
import type { LedgerEntry } from '../../core/plan/ledger.ts';
import { entryOf } from '../../core/plan/ledger-steps.ts';
import { autoDirectLimit, isSmallRun } from '../../core/run/batch.ts';
import type { Finding } from '../../core/run/finding.ts';
import { frozenReason } from '../../core/run/formats.ts';
import type { Lookup } from '../../ports/platform.ts';
import type { Batch, ChangeMark, PlannedBatch, PlannedChange } from '../../ports/store.ts';
import { handOversExpected, isConfiguredOn } from '../compare/neighbors.ts';
import type { EngineIo, RunContext } from '../engine-io.ts';
import { changesInBatch } from '../plan-changes.ts';
import { openLookups } from '../read-back/lookups.ts';
import { certainOf, type ReadBack } from '../read-back/read-back.ts';
import { leaveOutUncertain } from './plan-age.ts';

export interface BatchToCheck {
  readonly batch: PlannedBatch;
  /** The lookup of all planned users is young enough, and its objections are stored. */
  readonly isLookedUp: boolean;
}

/**
 * Returns the changes of a batch that are still sent, and stores why the others are not:
 *
 * - disables and removes, if a freeze has begun since the plan was made;
 * - users that are another sync's by now (see `findOtherOwners`);
 * - a create of a user who is on the platform by now, or is in only one of read and search;
 * - an update by file of a user who was disabled since: a row with U would enable the account again;
 * - a remove of a user who was enabled since;
 * - a change whose new e-mail is still on another account;
 * - in a part of a failed file, changes that have become visible since: they are applied;
 * - changes that an old plan must not make (see `plan-age`).
 */
export async function checkBeforeSending(
  context: RunContext,
  { batch, isLookedUp }: BatchToCheck,
  io: EngineIo,
): Promise<PlannedChange[]> {
  const { owned, sync } = context;
  const planned = (await changesInBatch(batch, io)).filter(({ state }) => state === 'planned');
  if (batch.kind === 'outbox') return planned;
  const marks: ChangeMark[] = [];
  const findings: Finding[] = [];
  const applied: ReadBack[] = [];
  const frozenUntil = sync.frozenUntil?.(io.clock.now());
  const leaveOut = ({ identification }: PlannedChange, { code, reason }: Trouble, message: string): void => {
    marks.push({ identification, state: 'failed', reason });
    findings.push({ code, identification, message });
  };

  const names = planned.map(({ identification }) => identification);
  const known = await io.store.ledger.getMany(sync.settings.connection, names);
  const others = await findOtherOwners(planned, known, context, io);
  const ours = planned.filter((change) => {
    if (frozenUntil !== undefined && isFreezable(change.kind)) {
      const { identification, kind } = change;
      const reason = frozenReason(frozenUntil);
      marks.push({ identification, state: 'dropped', reason });
      findings.push({ code: 'frozen', identification, message: `${kind} not sent: ${reason}` });
      return false;
    }
    const trouble = others.get(change.identification);
    if (trouble !== undefined) leaveOut(change, trouble, trouble.message);
    return trouble === undefined;
  });

  const isPiece = isPieceOf(batch);
  const lookups = await lookUp(ours, { batch, isLookedUp }, context, io);
  const taken = await findTakenEmails(ours, context, io);
  const now = io.clock.now();
  const meant = ours.filter((change) => {
    const whose = taken.get(change.identification);
    if (whose !== undefined) {
      leaveOut(change, { code: 'email-conflict', reason: whose }, `${change.kind} not sent: ${whose}`);
      return false;
    }
    const lookup = lookups.get(change.identification);
    if (lookup === undefined) return true;
    const back = isPiece ? readBackIfApplied(change, lookup, known.get(change.identification)) : undefined;
    if (back !== undefined) {
      applied.push(back);
      return false;
    }
    const trouble = objectionTo(change, batch)?.(lookup);
    if (trouble !== undefined) leaveOut(change, trouble, `${change.kind} not sent: ${trouble.reason}`);
    return trouble === undefined;
  });
  // The lookups may have taken long, so the age of the plan is judged after them.
  const left = leaveOutUncertain(meant, batch, owned.run, io.clock);
  const certain = certainOf(applied, sync, now);
  certain.marks.push(...marks, ...left.marks);
  certain.findings.push(...findings, ...left.findings);
  if (certain.marks.length > 0) await io.store.batches.update(owned, batch.id, {}, certain);
  return [...left.kept];
}

/** A part of a file that the platform received. Nothing of one that was refused can have been applied. */
function isPieceOf({ parent, isOfUnreceived }: PlannedBatch): boolean {
  return parent !== undefined && isOfUnreceived !== true;
}

/**
 * Looks users up just before their changes are sent. Removes, and the changes of a small run, are always read, and searched
 * for where the read fails. Parts of a failed file are always looked up, by a scan where that is cheaper. Others are looked up only
 * when no lookup is young enough.
 */
async function lookUp(
  changes: readonly PlannedChange[],
  { batch, isLookedUp }: BatchToCheck,
  context: RunContext,
  io: EngineIo,
): Promise<ReadonlyMap<string, Lookup>> {
  const isPart = batch.parent !== undefined;
  // A file can have many parts, so each is looked up the cheaper way.
  const areFew = !isPart && changes.length <= autoDirectLimit && (await isRunSmall(batch, io));
  const isRead = (change: PlannedChange): boolean =>
    change.kind === 'remove' || (areFew && objectionTo(change, batch) !== undefined);
  const read = changes.filter(isRead);
  const others = changes.filter((change) => {
    return !isRead(change) && (isPieceOf(batch) || (!isLookedUp && objectionTo(change, batch) !== undefined));
  });
  const total = read.length + others.length;
  if (total > 0) io.progress({ step: 'looking-up', users: 0, total });
  // What was not found by a scan before is read one by one now.
  const mayScan = isPart;
  const byRead = await lookUpAll(read, { context, mayScan: false }, io);
  return new Map([...byRead, ...(await lookUpAll(others, { context, mayScan }, io))]);
}

async function isRunSmall(batch: PlannedBatch, { store }: EngineIo): Promise<boolean> {
  if (batch.ofAll === 1) return isSmallRun([batch]);
  const first = await store.batches.ofRun(batch.run, { limit: autoDirectLimit + 1 });
  return isSmallRun(first.filter(({ parent }) => parent === undefined));
}

async function lookUpAll(
  changes: readonly PlannedChange[],
  { context, mayScan }: { readonly context: RunContext; readonly mayScan: boolean },
  io: EngineIo,
): Promise<ReadonlyMap<string, Lookup>> {
  const names = changes.map(({ identification }) => identification);
  const question = {
    step: 'looking-up',
    count: mayScan ? names.length : 0,
    async *names() {
      yield* names;
    },
  } as const;
  const lookups = await openLookups(question, context, io);
  try {
    return await lookups.of(changes);
  } finally {
    lookups.close();
  }
}

type NotOurs = Pick<Finding, 'code' | 'message'> & { readonly reason: string };

/**
 * Returns, by identification, why the run must not touch a user:
 *
 * - another sync manages the user by now;
 * - another run of the connection has sent a change of the user, which is not proven yet;
 * - another sync is expected to take the user over.
 */
export async function findOtherOwners(
  changes: readonly PlannedChange[],
  known: ReadonlyMap<string, LedgerEntry>,
  context: RunContext,
  io: EngineIo,
): Promise<ReadonlyMap<string, NotOurs>> {
  const { name, connection } = context.sync.settings;
  const others = new Map<string, NotOurs>();
  const names = changes.map(({ identification }) => identification);
  const claimed = await io.store.batches.claimed(context.owned, names);
  for (const { identification, before } of changes) {
    const entry = entryOf(before?.userId, known.get(identification));
    const owner = entry === undefined || entry.removed !== undefined ? name : entry.owner;
    if (owner !== name && isConfiguredOn(connection, owner, io)) {
      const reason = `now belongs to sync ${owner}, so ${name} does not change it`;
      others.set(identification, { code: 'owned-by-other-sync', reason, message: reason });
    } else if (claimed.has(identification)) {
      const reason = 'another run sent a change of this user whose outcome is not known yet; the next run checks again';
      others.set(identification, { code: 'unresolved', reason, message: reason });
    }
  }
  const ours = changes.filter(({ identification }) => !others.has(identification));
  const expected = await handOversExpected(ours, known, context, io);
  for (const { identification, kind } of ours) {
    const by = expected.get(identification);
    if (by === undefined) continue;
    const reason = `the person is now active in sync ${by}, which is expected to take over the user`;
    others.set(identification, { code: 'hand-over-expected', reason, message: `${kind} not sent: ${reason}` });
  }
  return others;
}

/**
 * Looks up the users whose e-mails some changes take over. Returns, by identification, why a change cannot go: the
 * change that was to free the e-mail failed, was left out, or its outcome is not known.
 */
export async function findTakenEmails(
  changes: readonly PlannedChange[],
  context: RunContext,
  io: EngineIo,
): Promise<ReadonlyMap<string, string>> {
  const reasons = new Map<string, string>();
  const waiting = changes.filter(({ waitsFor }) => waitsFor !== undefined);
  if (waiting.length === 0) return reasons;
  const holders = waiting.map(({ waitsFor: identification = '' }) => ({ identification, before: undefined }));
  const question = {
    step: 'looking-up',
    count: holders.length,
    async *names() {
      for (const { identification } of holders) yield identification;
    },
  } as const;
  const lookups = await openLookups(question, context, io);
  try {
    const users = await lookups.of(holders);
    for (const { identification, waitsFor = '', after } of waiting) {
      const lookup = users.get(waitsFor);
      const email = after.email?.toLowerCase();
      const hasIt = (user: User): boolean => user.fields.email?.toLowerCase() === email;
      if (lookup?.found === 'unclear') reasons.set(identification, lookup.reason);
      else if (lookup?.found === true && hasIt(lookup.user)) {
        reasons.set(identification, `its e-mail is still on user ${waitsFor}`);
      }
    }
    return reasons;
  } finally {
    lookups.close();
  }
}

export type Trouble = Pick<Finding, 'code'> & { readonly reason: string };
export type Objection = (lookup: Lookup) => Trouble | undefined;

/** Returns the check of the user that can stop a change; undefined when the change goes whatever the account is now. */
export function objectionTo({ kind }: Change, batch: Batch): Objection | undefined {
  // A direct update does not enable an account, and direct delivery reads the user first.
  return kind === 'update' && batch.kind === 'direct' ? undefined : objections[kind];
}

function whyNotCreate(lookup: Lookup): Trouble | undefined {
  if (lookup.found === false) return undefined;
  const already = 'the user is on the platform now; the next run checks it again';
  return { code: 'lookup-disagrees', reason: lookup.found === 'unclear' ? lookup.reason : already };
}

/**
 * Returns why an update is not sent. A row with U enables the account (contract: no other way is shown), so it must not
 * undo a disable.
 */
function whyNotUpdate(lookup: Lookup): Trouble | undefined {
  if (lookup.found === 'unclear') return { code: 'lookup-disagrees', reason: lookup.reason };
  if (!lookup.found) return { code: 'lookup-disagrees', reason: 'the platform no longer has this user' };
  if (lookup.user.enabled) return undefined;
  return { code: 'foreign-disable', reason: 'the account was disabled after the plan was made' };
}

/** Returns why a removal is not sent. A removal cannot be undone, so a user who was enabled since is kept. */
function whyNotRemove(lookup: Lookup): Trouble | undefined {
  if (lookup.found === 'unclear') return { code: 'lookup-disagrees', reason: lookup.reason };
  if (!lookup.found || !lookup.user.enabled) return undefined;
  return { code: 'lookup-disagrees', reason: 'the account was enabled after the plan was made' };
}

const objections: Partial<Record<ChangeKind, Objection>> = {
  create: whyNotCreate,
  update: whyNotUpdate,
  remove: whyNotRemove,
};

/** Returns the change as the platform shows it, if all of it is applied. */
export function readBackIfApplied(
  change: Change,
  lookup: Lookup,
  known: LedgerEntry | undefined,
): ReadBack | undefined {
  if (lookup.found === 'unclear') return undefined;
  const user = lookup.found ? lookup.user : undefined;
  const own = entryOf(user?.id ?? change.before?.userId, known);
  const verdict = judgeChange(change, user, own);
  return verdict.kind === 'applied' ? { change, verdict, known: own, accountId: user?.id } : undefined;
}

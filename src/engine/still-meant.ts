import type { ChangeKind } from '../core/change.ts';
import { platformKey } from '../core/change.ts';
import { RollcallError } from '../core/errors.ts';
import type { Finding } from '../core/finding.ts';
import { judgeChange } from '../core/judge.ts';
import type { LedgerEntry } from '../core/ledger.ts';
import { entryOf } from '../core/ledger-steps.ts';
import type { User } from '../core/user.ts';
import type { Lookup } from '../ports/platform.ts';
import type { Batch, ChangeMark, PlannedChange } from '../ports/store.ts';
import type { EngineIo, RunContext } from './engine-io.ts';
import { handOversExpected, isConfiguredOn } from './neighbors.ts';
import { leaveOutUncertain } from './plan-age.ts';
import { entryAfter, findingsOf, markOf, type ReadBack } from './read-back.ts';
import { scanFor } from './scan-for.ts';
import { stillTaken } from './still-taken.ts';

/**
 * Returns the changes of a batch that are still sent, and stores why the others are not:
 *
 * - changes that an old plan must not make (see `plan-age`), and users that another sync manages by now, or that it
 *   is expected to take over;
 * - a create of a user who is on the platform by now, or is in only one of read and search;
 * - an update by file of a user who was disabled since: a row with U would enable the account again;
 * - a remove of a user who was enabled since;
 * - a change whose new e-mail is still on another account;
 * - in a part of a failed file, changes that have become visible since: they are applied.
 */
export async function stillMeant(
  context: RunContext,
  batch: Batch,
  changes: readonly PlannedChange[],
  io: EngineIo,
): Promise<PlannedChange[]> {
  const { owned, sync } = context;
  const planned = changes.filter(({ state }) => state === 'planned');
  if (batch.kind === 'outbox') return planned;
  const certain = leaveOutUncertain(planned, batch, owned.run, io.clock.now());
  const marks: ChangeMark[] = [...certain.marks];
  const findings: Finding[] = [...certain.findings];
  const ledger: LedgerEntry[] = [];
  const leaveOut = ({ identification }: PlannedChange, { code, reason }: Trouble, message: string): void => {
    marks.push({ identification, state: 'failed', reason });
    findings.push({ code, identification, message });
  };

  const { name, connection } = sync.settings;
  const known = await io.store.ledger.getMany(
    connection,
    certain.kept.map(({ identification }) => identification),
  );
  const ours = certain.kept.filter((change) => {
    const entry = entryOf(change.before?.userId, known.get(change.identification));
    if (entry === undefined || entry.removed !== undefined || entry.owner === name) return true;
    if (!isConfiguredOn(connection, entry.owner, io)) return true;
    const reason = `belongs to sync ${entry.owner} by now: not touched by ${name}`;
    leaveOut(change, { code: 'owned-by-other-sync', reason }, reason);
    return false;
  });

  const expected = await handOversExpected(ours, known, context, io);
  const still = ours.filter((change) => {
    const by = expected.get(change.identification);
    if (by === undefined) return true;
    const reason = `sync ${by} has the person as active by now and is expected to take the user over`;
    leaveOut(change, { code: 'hand-over-expected', reason }, `${change.kind} not sent: ${reason}`);
    return false;
  });

  const isPiece = batch.parent !== undefined;
  // A direct update does not enable an account, and direct delivery reads the user first.
  const objection = ({ kind }: PlannedChange) =>
    kind === 'update' && batch.kind === 'direct' ? undefined : objections[kind];
  const lookups = await lookUp(
    still.filter((change) => isPiece || objection(change) !== undefined),
    context,
    io,
  );
  const taken = await stillTaken(batch.isParking === true ? [] : still, context);
  const now = io.clock.now();
  const kept = still.filter((change) => {
    const whose = taken.get(change.identification);
    if (whose !== undefined) {
      leaveOut(change, { code: 'email-conflict', reason: whose }, `${change.kind} not sent: ${whose}`);
      return false;
    }
    const lookup = lookups.get(change.identification);
    if (lookup === undefined) return true;
    const back = isPiece ? landedBack(change, lookup, known.get(change.identification)) : undefined;
    if (back !== undefined) {
      const entry = entryAfter(back, sync, now);
      if (entry !== undefined) ledger.push(entry);
      marks.push(markOf(back, now));
      findings.push(...findingsOf(back));
      return false;
    }
    const trouble = objection(change)?.(lookup);
    if (trouble !== undefined) leaveOut(change, trouble, `${change.kind} not sent: ${trouble.reason}`);
    return trouble === undefined;
  });
  if (marks.length > 0) {
    await io.store.batches.update(owned, batch.id, {}, { marks, ledger });
    await io.store.runs.addFindings(owned, findings);
  }
  return kept;
}

/** Returns the change as the platform shows it, if all of it is applied. */
function landedBack(change: PlannedChange, lookup: Lookup, known: LedgerEntry | undefined): ReadBack | undefined {
  if (lookup.found === 'unclear') return undefined;
  const user = lookup.found ? lookup.user : undefined;
  const own = entryOf(user?.id ?? change.before?.userId, known);
  const verdict = judgeChange(change, user, own);
  return verdict.kind === 'applied' ? { change, verdict, known: own, accountId: user?.id } : undefined;
}

/**
 * Looks each user up: by one scan if that needs fewer requests than one read per user. Creates and removes are always
 * read, and searched for where the read fails.
 */
async function lookUp(
  changes: readonly PlannedChange[],
  context: RunContext,
  io: EngineIo,
): Promise<ReadonlyMap<string, Lookup>> {
  const { sync, signal } = context;
  const lookups = new Map<string, Lookup>();
  if (changes.length === 0) return lookups;
  const total = changes.length;
  io.progress({ step: 'looking-up', users: 0, total });
  const scanned = await scan(changes, context);
  const userCounts =
    scanned && new Map(changes.map(({ identification: name }) => [name, scanned.get(name)?.length ?? 0]));
  const look = async (change: PlannedChange): Promise<void> => {
    const { identification, kind } = change;
    const isRead = scanned === undefined || kind === 'create' || kind === 'remove';
    const lookup = isRead
      ? await sync.platform.find(platformKey(change), signal, userCounts)
      : lookupOf(scanned.get(identification));
    lookups.set(identification, lookup);
    if (isRead) io.progress({ step: 'looking-up', users: lookups.size, total });
  };
  await Promise.all(changes.map(look));
  return lookups;
}

function lookupOf(claimants: readonly User[] = []): Lookup {
  const [user, ...others] = claimants;
  if (user === undefined) return { found: false };
  if (others.length === 0) return { found: true, user };
  return { found: 'unclear', reason: `${claimants.length} users claim the identification` };
}

/** Returns undefined when one read per user needs fewer requests, or when the directory changes too fast for a scan. */
async function scan(
  changes: readonly PlannedChange[],
  { sync, signal }: RunContext,
): Promise<ReadonlyMap<string, readonly User[]> | undefined> {
  try {
    return await scanFor(
      changes.map(({ identification }) => identification),
      sync.platform,
      signal,
    );
  } catch (error) {
    if (error instanceof RollcallError && error.code === 'SCAN_INCOMPLETE') return undefined;
    throw error;
  }
}

type Trouble = Pick<Finding, 'code'> & { readonly reason: string };

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
  if (!lookup.found) return { code: 'lookup-disagrees', reason: 'the platform has no such user any more' };
  if (lookup.user.enabled) return undefined;
  return { code: 'foreign-disable', reason: 'the account was disabled after the plan was made' };
}

/** Returns why a removal is not sent. A removal cannot be undone, so a user who was enabled since is kept. */
function whyNotRemove(lookup: Lookup): Trouble | undefined {
  if (lookup.found === 'unclear') return { code: 'lookup-disagrees', reason: lookup.reason };
  if (!lookup.found || !lookup.user.enabled) return undefined;
  return { code: 'lookup-disagrees', reason: 'somebody enabled the account since the plan was made' };
}

/** Checks of a final lookup that can stop a change, by kind of change. */
const objections: Partial<Record<ChangeKind, (lookup: Lookup) => Trouble | undefined>> = {
  create: whyNotCreate,
  update: whyNotUpdate,
  remove: whyNotRemove,
};

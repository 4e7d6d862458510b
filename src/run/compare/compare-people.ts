import type { LedgerEntry } from '../../core/plan/ledger.ts';
import type { Standing } from '../../core/plan/standing.ts';
import { chunk } from '../../core/run/batch.ts';
import { type Finding, isAboutIdentity } from '../../core/run/finding.ts';
import type { SyncSettings } from '../../core/run/settings.ts';
import { leaversOf } from '../../ports/runs.ts';
import type { OwnedUsers } from '../../ports/store.ts';
import type { EngineIo, Sync } from '../engine-io.ts';
import type { PlanWork } from '../plan-job.ts';
import type { Reading } from '../read/choose-read.ts';
import { named, peopleOf, type SomePeople } from '../read/choose-read.ts';
import { mark } from '../read/marks.ts';
import type { PeopleIndex } from '../read/people-index.ts';
import type { PlanRead } from '../read/read-people.ts';
import { fileAccounts, findAlike, leaveAsDecided, openLikeness, readStanding } from './alike.ts';
import { type Compared, comparePlatform } from './compare-platform.ts';
import { type AskedAbsent, askAbsent, confirmGone } from './doubtful-people.ts';
import { claimFormerEmails, type FormerEmails } from './former-emails.ts';
import { isConfiguredOn, leftOwners, orphaned } from './neighbors.ts';
import { findMoved, type HandOverPeriod } from './report-hand-overs.ts';
import { claimedElsewhere, type Unresolved, type Wait } from './unresolved.ts';

/** The result of the second step: the people who need a decision. */
export interface PlanCompared extends Omit<Compared, 'enabled'> {
  /** Users with a change whose outcome is not known. Includes those whose change another run has yet to prove. */
  readonly unresolved: Unresolved;
  /** What the users wait for whom earlier runs left unresolved: those of this sync, or in this read. */
  readonly waits: readonly Wait[];
  /** Enabled users in no record of a full read, by the sync that owns them and is not configured. */
  readonly orphans: Readonly<Record<string, number>>;
  /** Number of users that this sync manages. */
  readonly managed: number;
  /** Number of managed users that are enabled. After a partial read: number of users that we have not disabled. */
  readonly enabled: number;
  /** Who has the e-mails by now that an undo puts back. */
  readonly former: FormerEmails;
  /** Number of people whom a delta reports as gone and a second lookup does not. */
  readonly unconfirmed: number;
  /** What lookups by id say of people who are missing from a full read, by slot. */
  readonly asked: AskedAbsent['said'];
  /** What people decided about standing: see `core/plan/standing.ts`. */
  readonly standing: Standing;
  /** Number of people whom the plan looked up by id in the source. */
  readonly lookups: number;
}

/** Settles what earlier runs left unresolved, recalls the ledger, and compares the index with the platform. */
export async function comparePeople(
  work: PlanWork,
  { reading, focus, last, snapshot }: PlanRead,
  io: EngineIo,
): Promise<PlanCompared> {
  const { sync, index, spool, signal, recorder } = work;
  const { find } = work.findings;
  const standing = await readStanding(sync.settings, io);
  const isFocused = focus !== undefined;
  leaveAsDecided({ index, reading, standing, find });
  fileAccounts({ index, reading, standing, isFocused });
  await recallConflicts({ sync, reading, index, standing, find }, io);
  const { unresolved: ended, unproven } = await io.store.batches.unknown([sync.settings.connection]);
  const left = await recorder.unresolved(ended);
  const claimed = await claimedElsewhere(unproven, recorder.planId, io);
  const unresolved = { ...left, blocked: new Map([...claimed, ...left.blocked]) };
  io.checkpoint('unresolved-seen');
  const only = peopleOf(reading, index);
  const recalled = focus === undefined ? only : named([...focus]);
  const period = {
    leftSince: reading.kind === 'full' ? (last?.at ?? 0) : Number.POSITIVE_INFINITY,
    cameSince: recorder.attemptedSince,
  };
  const { managed, enabled, orphans } = await recall({ sync, index, only: recalled, period, find }, io);
  await recallRoster(work, recalled);
  const onOther = work.others.add;
  const former = await claimFormerEmails(work, io);
  const likeness = openLikeness(index, sync, only === undefined && !isFocused);
  const isSingly = leaversOf(work.scope) !== undefined;
  const job = {
    sync,
    only,
    isFocused,
    isSingly,
    index,
    spool,
    signal,
    find,
    onOther,
    former,
    standing,
    likeness,
    managed,
  };
  const compared = await comparePlatform(job, io);
  await recallClaims({ sync, reading, index, standing, find }, io);
  const { candidates } = compared;
  const ask = { sync, index, spool, candidates, standing, signal, find };
  await findAlike({ ...ask, reading, isFocused }, likeness, io);
  const unconfirmed = reading.kind === 'delta' ? await confirmGone(ask, io) : 0;
  const { said: asked, asked: lookups } = await askAbsent(ask, { snapshot, blocked: unresolved.blocked }, io);
  return {
    ...compared,
    former,
    enabled: (isFocused ? undefined : compared.enabled) ?? enabled,
    unresolved,
    waits: [...left.blocked].flatMap(([name, wait]) => (wait.isOwn || isInSource(index, name) ? [wait] : [])),
    managed,
    orphans,
    unconfirmed,
    asked,
    standing,
    lookups,
  };
}

function isInSource(index: PlanWork['index'], identification: string): boolean {
  const { slot, isExact } = index.find(identification);
  return isExact && index.has(slot, mark.inSource);
}

interface RecallJob {
  readonly sync: Sync;
  readonly index: PeopleIndex;
  /** The people whom the run is about. Undefined: all people; those that only the ledger has get a slot too. */
  readonly only: SomePeople | undefined;
  readonly period: Omit<HandOverPeriod, 'sync'>;
  readonly find: (finding: Finding) => void;
}

/** Above this number, a sequential read of the whole ledger is faster. */
const lookedUpEntries = 1000;

/**
 * Marks each person whose entry is `plain` (ours, and everything write-only is as wanted), so that most people need no
 * second look: by one sequential read of the ledger, or by a look-up of a few. People that only the ledger knows may be
 * missing. Returns how many users are ours; those whom a renamed or deleted sync has left behind count where the source
 * names them.
 */
async function recall(
  { sync, index, only, find, ...job }: RecallJob,
  io: EngineIo,
): Promise<OwnedUsers & Pick<PlanCompared, 'orphans'>> {
  const { name, connection } = sync.settings;
  const isFull = only === undefined;
  const count = { managed: 0, enabled: 0 };
  const period = { ...job.period, sync: name };
  const orphans = new Map<string, number>();
  const recallEach = (entries: Iterable<LedgerEntry>): void => {
    for (const entry of entries) {
      const moved = findMoved(entry, period);
      if (moved !== undefined && (isFull || index.find(entry.identification).isExact)) find(moved);
      const claim = claimOf(entry, sync.settings, io);
      const isNamed = index.find(entry.identification).slot !== -1;
      if (claim === 'left behind' && entry.disabledAt === undefined && !isNamed) {
        orphans.set(entry.owner, (orphans.get(entry.owner) ?? 0) + 1);
      }
      if (!recallOne(entry, index, claim, isFull)) continue;
      // A few people are looked up here, and all that are ours by name are counted below.
      if (!isFull && only.count <= lookedUpEntries && claim === 'ours') continue;
      count.managed += 1;
      if (entry.disabledAt === undefined) count.enabled += 1;
    }
  };
  if (only !== undefined && only.count <= lookedUpEntries) {
    const known = await io.store.ledger.getMany(connection, only.names());
    recallEach(known.values());
    const owned = await io.store.ledger.countOwned(connection, name);
    return { managed: count.managed + owned.managed, enabled: count.enabled + owned.enabled, orphans: {} };
  }
  for await (const entries of io.store.ledger.all(connection)) recallEach(entries);
  const left = orphans.size === 0 ? new Set() : await leftOwners(connection, io);
  const found = [...(isFull ? orphans : [])].filter(([owner]) => !left.has(owner));
  for (const [owner, users] of found) find(orphaned(name, owner, users));
  return { ...count, orphans: Object.fromEntries(found) };
}

/**
 * Recalls which accounts an earlier accepted read saw enabled, so that a disable by others is no first sight, and about
 * whom it could not decide.
 */
async function recallRoster({ index, roster }: PlanWork, only: SomePeople | undefined): Promise<void> {
  const isFew = only !== undefined && only.count <= lookedUpEntries;
  for await (const entries of roster?.entries(isFew ? only.names() : 'all') ?? []) index.recall(entries);
}

type Claim = 'ours' | 'left behind' | 'none';

function claimOf({ owner, removed }: LedgerEntry, { name: sync, connection }: SyncSettings, io: EngineIo): Claim {
  if (removed !== undefined) return 'none';
  if (owner === sync) return 'ours';
  return isConfiguredOn(connection, owner, io) ? 'none' : 'left behind';
}

/** Returns whether the user counts as ours. */
function recallOne(entry: LedgerEntry, index: PeopleIndex, claim: Claim, isFull: boolean): boolean {
  const isOurs = claim === 'ours';
  const found = index.find(entry.identification);
  if (found.slot === -1) {
    if (isOurs && isFull) fileAbsent(index, entry.identification);
  } else if (found.isExact) {
    index.set(found.slot, mark.inLedger);
    const { accountId } = entry;
    const mayBePlain = isOurs && accountId !== undefined && isPlain(entry);
    if (mayBePlain && index.isWrittenAsWanted(found.slot, entry)) index.setPlain(found.slot, accountId);
    const counts = isOurs || (claim === 'left behind' && index.has(found.slot, mark.inSource));
    if (counts) index.set(found.slot, mark.ours);
    return counts;
  }
  return isOurs;
}

/** Quirks are not checked: they matter only where the platform does not show what is wanted. */
function isPlain({ unverified, disabledAt, goneSince, misses }: LedgerEntry): boolean {
  return unverified === 0 && disabledAt === undefined && goneSince === undefined && misses === undefined;
}

function fileAbsent(index: PeopleIndex, identification: string): void {
  const slot = index.add(identification);
  index.name(slot, identification);
  index.set(slot, mark.inLedger | mark.ours);
}

interface RecallConflictsJob {
  readonly sync: Sync;
  readonly reading: Reading;
  readonly index: PeopleIndex;
  readonly standing: Standing;
  readonly find: (finding: Finding) => void;
}

/**
 * Recalls identity conflicts of the last full read. A read of a few people may show only one of two records that claim
 * the same person. For example, it may show an old closed record while the account belongs to another number by now. A
 * delta does not change people with such a conflict. A lookup by name is newer: it skips only those whom it reports as
 * gone.
 */
export async function recallConflicts(job: RecallConflictsJob, io: EngineIo): Promise<void> {
  const { sync, reading, index, standing, find } = job;
  if (reading.kind === 'full') return;
  const run = reading.kind === 'delta' ? reading.from.fullRun : (await io.store.reads.last(sync.settings.name))?.run;
  if (run === undefined) return;
  for (const finding of await io.store.runs.findings(run)) {
    const { code, identification, message } = finding;
    if (identification === undefined || !isAboutIdentity(finding)) continue;
    const isAboutTwoPeople = code === 'conversion' || code === 'rename-conflict' || code === 'left-as-decided';
    if (isAboutTwoPeople && standing.about(identification).length > 0) continue;
    const { slot } = index.find(identification);
    if (slot === -1 || index.has(slot, mark.conflict)) continue;
    if (reading.kind === 'point' && !index.has(slot, mark.leaver) && !index.has(slot, mark.outOfScope)) continue;
    index.set(slot, mark.conflict);
    const recalled = code === 'left-as-decided' ? 'the time has passed, and a full read decides' : message;
    find({ code, identification, message: `found by the last full read: ${recalled}` });
  }
}

/**
 * Finds people of this read whose e-mail, or whose identification in other case or other look-alike characters, belonged
 * to another person in the roster.
 */
export async function recallClaims({ sync, reading, index, find }: RecallConflictsJob, io: EngineIo): Promise<void> {
  if (reading.kind === 'full' || (reading.kind === 'point' && reading.readsAll)) return;
  const roster = await io.store.rosters.open(sync.settings.name);
  if (roster === undefined || roster.fingerprint !== sync.fingerprint) return;
  const slots = Array.from({ length: index.size }, (_, slot) => slot).filter((slot) => index.has(slot, mark.inSource));
  for (const some of chunk(slots, claimsAtOnce)) {
    const people = some.map((slot) => ({ slot, person: index.person(slot) }));
    const claimants = people.flatMap(({ slot, person }) => {
      const { email = '' } = person.kind === 'person' ? person.fields : {};
      return email !== '' && index.findEmail(email) === slot ? [{ slot, person, email }] : [];
    });
    const claims = await roster.claims(claimants.map(({ email }) => email));
    for (const { slot, person, email } of claimants) {
      const { identification } = person;
      const others = (claims.get(email) ?? []).filter((key) => key !== roster.keyOf(identification));
      // A claimant who is also in this read has the e-mail that this read shows.
      if (others.every((key) => index.hasKey(key)) || index.has(slot, mark.conflict)) continue;
      index.set(slot, mark.conflict);
      const message = `in the last full read, another employee had the e-mail of ${identification}: neither is changed`;
      find({ code: 'email-conflict', identification, message });
    }
    const listed = await roster.people(people.map(({ person }) => person.identification));
    for (const { slot, person } of people) {
      const { identification } = person;
      const isTwin = (listed.get(identification) ?? []).some(({ isExact }) => !isExact);
      if (!isTwin || index.has(slot, mark.conflict)) continue;
      index.set(slot, mark.conflict);
      const message = `the last full read had an identification that looks like ${identification} (other case or characters): nothing is changed`;
      find({ code: 'case-conflict', identification, message });
    }
  }
}

const claimsAtOnce = 1000;

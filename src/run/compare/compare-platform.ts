import { isRewritten, rewritten } from '../../core/guard/damage.ts';
import { openSegmentCounts, type SegmentCounts } from '../../core/guard/segments.ts';
import type { UnreadUser, User } from '../../core/person/fields.ts';
import { likeness, lookAlikeKey } from '../../core/person/identification.ts';
import { isAsLastSeen, lastSeenOf } from '../../core/person/same-person.ts';
import type { PairWay, Standing } from '../../core/plan/standing.ts';
import { chunk } from '../../core/run/batch.ts';
import type { Finding, FindingCode } from '../../core/run/finding.ts';
import { countOf } from '../../core/run/formats.ts';
import { given } from '../../core/run/given.ts';
import { canReadSingly, isScanCheaper } from '../../core/run/requests.ts';
import type { ScanPage } from '../../ports/platform.ts';
import type { Spool } from '../../ports/runtime.ts';
import type { EngineIo, Sync } from '../engine-io.ts';
import type { SomePeople } from '../read/choose-read.ts';
import { mark } from '../read/marks.ts';
import { countQuiet, noQuiet, type PeopleIndex, type QuietCounts } from '../read/people-index.ts';
import { pagesOf } from '../read-back/lookups.ts';
import { adoptOf, type LikenessWatch } from './alike.ts';
import type { FormerEmails } from './former-emails.ts';
import { type Candidates, isEqualUser, readKept } from './kept-users.ts';
import { findLost } from './lost-accounts.ts';

/** Result of comparing the platform's users with the index. */
export interface Compared {
  /** When the platform's users began to be read (epoch ms), and how long that took. */
  readonly lookedAt: number;
  readonly lookTookMs: number;
  readonly users: number;
  /** Users per page of the scan; undefined where users were looked up one by one. */
  readonly pageSize: number | undefined;
  /** Enabled users that are ours; undefined where not all users were read. */
  readonly enabled: number | undefined;
  /** The same by value of the fields of `guards.segments`. */
  readonly segments: SegmentCounts | undefined;
  /** People of the source who need no decision: equal and already ours, or leavers whose disabled account is not ours. */
  readonly quiet: Readonly<QuietCounts>;
  /** On the platform, in no record of this source and not ours; undefined where not all users were read. */
  readonly unmanaged: number | undefined;
  /** Users skipped in this run for a temporary reason. */
  readonly postponed: number;
  /** Slots that need a decision, each with its user's place in the spool: see `KeptUser`. */
  readonly candidates: Candidates;
  /** People who must get an e-mail that another employee's account has. */
  readonly claims: EmailClaims;
  /** The claimants of `claims`, by the slot of the holder. */
  readonly holders: ReadonlyMap<number, number>;
}

/** By the claimant's slot: the holder's slot, and the holder's user in the spool. A holder has one claimant. */
export type EmailClaims = Map<number, { readonly holder: number; readonly place: number }>;

export interface CompareJob {
  readonly sync: Sync;
  /** The people whom the run is about. Undefined: all people. */
  readonly only: SomePeople | undefined;
  /** Some slots are bystanders; every other slot needs a decision, even if it is equal. */
  readonly isFocused: boolean;
  /** The search cannot be used, so each account is read singly. */
  readonly isSingly?: boolean;
  readonly index: PeopleIndex;
  readonly spool: Spool;
  readonly signal: AbortSignal;
  readonly find: (finding: Finding) => void;
  /** Called for every user whom no record of the source names, where all people are compared. */
  readonly onOther: (user: User) => void;
  readonly former: FormerEmails;
  readonly standing: Standing;
  readonly likeness: LikenessWatch;
  /** Number of users that this sync manages. */
  readonly managed: number;
}

interface Count {
  users: number;
  enabled: number;
  readonly quiet: QuietCounts;
  unmanaged: number;
  postponed: number;
  /** Users were looked up one by one, so no other user's e-mail was read. */
  isLookedUp: boolean;
  /** Number of e-mails that users must get and do not have yet; counted where users were looked up. */
  newEmails: number;
  readonly segments: ReturnType<typeof openSegmentCounts>;
  readonly claims: EmailClaims;
  readonly holders: Map<number, number>;
}

/** Reads the platform's users (all of them, or a few) and keeps only those that need a decision. */
export async function comparePlatform(job: CompareJob, io: EngineIo): Promise<Compared> {
  const lookedAt = io.clock.now();
  const candidates: Candidates = { slots: [], places: [] };
  const count: Count = {
    users: 0,
    enabled: 0,
    quiet: { ...noQuiet },
    unmanaged: 0,
    postponed: 0,
    isLookedUp: false,
    newEmails: 0,
    segments: openSegmentCounts(job.sync.settings.guards.segments ?? []),
    claims: new Map(),
    holders: new Map(),
  };
  let pages = 0;
  let rows = 0;
  io.progress({ step: 'scanning', users: 0, total: undefined });
  const unread: UnreadUser[] = [];
  for await (const { users, unread: others, total } of readUsers(job, count)) {
    for (const user of users) compareUser(user, job, candidates, count);
    unread.push(...others);
    pages += 1;
    rows = Math.max(rows, users.length);
    count.users += users.length + others.length;
    io.progress({ step: 'scanning', users: count.users, total });
  }
  if (!count.isLookedUp) for (const user of await findLost(job, io)) compareUser(user, job, candidates, count);
  if (mayClash(job, count)) unread.push(...(await seekClashes(job, count)));
  await compareUnread(unread, job, candidates, count);
  const lookTookMs = io.clock.now() - lookedAt;
  const { users, quiet, postponed, claims, holders } = count;
  // A single page may hold fewer users than fit.
  const scanned = pages > 1 ? rows : Math.max(rows, job.sync.dialect.search.pageSize);
  const whole = job.only === undefined ? count : { enabled: undefined, unmanaged: undefined };
  const isWhole = job.only === undefined && !job.isFocused;
  return {
    lookedAt,
    lookTookMs,
    users,
    pageSize: count.isLookedUp ? undefined : scanned,
    enabled: whole.enabled,
    segments: isWhole ? count.segments.counts : undefined,
    quiet,
    unmanaged: whole.unmanaged,
    postponed,
    candidates,
    claims,
    holders,
  };
}

/**
 * Returns whether looking up only the named people can miss a clash. One of them may want an e-mail that another user
 * has, perhaps the same person under another identification. A new identification with look-alike characters is not
 * found by a lookup by name either. In both cases all users must be read.
 */
function mayClash(job: CompareJob, { isLookedUp, newEmails }: Count): boolean {
  if (!isLookedUp || job.isSingly) return false;
  const {
    index,
    only,
    former,
    likeness: { seeks },
  } = job;
  if (former.size > 0) return true;
  const isByEmail = comparesEmails(job);
  if (isByEmail && newEmails > 0) return true;
  const names = only?.names() ?? [];
  return names.some((identification) => {
    const { slot } = index.find(identification);
    const isNew = slot !== -1 && index.has(slot, mark.active) && !index.has(slot, mark.seen);
    if (!isNew) return false;
    return isByEmail || lookAlikeKey(identification) !== identification.toLowerCase() || seeks(slot);
  });
}

function comparesEmails({ sync, former }: CompareJob): boolean {
  return former.size > 0 || sync.settings.match.includes('email');
}

async function seekClashes(job: CompareJob, count: Count): Promise<readonly UnreadUser[]> {
  const nameless: UnreadUser[] = [];
  for await (const { users, unread } of job.sync.platform.scan(job.signal)) {
    nameless.push(...unread.filter(({ identification }) => identification === undefined));
    for (const user of users) {
      const { slot, isExact } = job.index.find(user.identification);
      if (slot !== -1 && !isExact && !job.index.has(slot, mark.bystander)) reportTwin(user, slot, job);
      if (comparesEmails(job)) checkEmail(user, slot, job, count);
      job.likeness.see(user, slot);
    }
  }
  return nameless;
}

function reportTwin(user: User, slot: number, { index, find }: CompareJob): void {
  index.set(slot, mark.conflict);
  const wanted = index.person(slot).identification;
  const how = likeness(wanted, user.identification);
  const message = `platform user ${user.identification} and ${wanted} ${how}: neither is changed. Correct one of them`;
  find({ code: 'case-conflict', identification: user.identification, message });
}

/** Reads all users by a scan, and named people by one call each, unless a scan takes fewer calls. */
async function* readUsers(job: CompareJob, count: Count): AsyncGenerator<ScanPage, void> {
  const { sync, only, isSingly, signal } = job;
  if (only !== undefined && (isSingly || !isScanCheaper(only.count, sync.platform.scanCost()))) {
    yield* lookUp(only.names(), job, count);
    return;
  }
  let isFirst = true;
  try {
    for await (const page of sync.platform.scan(signal)) {
      if (only !== undefined && isFirst && pagesOf(page) > only.count) {
        yield* lookUp(only.names(), job, count);
        return;
      }
      isFirst = false;
      yield page;
    }
  } catch (error) {
    if (only === undefined || !canReadSingly(only.count, error) || signal.aborted) throw error;
    const unseen = only.names().filter((name) => !job.index.has(job.index.find(name).slot, mark.seen));
    yield* lookUp(unseen, job, count);
  }
}

async function* lookUp(
  names: readonly string[],
  { sync, index, signal, find }: CompareJob,
  count: Count,
): AsyncGenerator<ScanPage, void> {
  count.isLookedUp = true;
  for (const some of chunk(names, lookedUpAtOnce)) {
    const lookups = await Promise.all(some.map((identification) => sync.platform.find(identification, signal)));
    for (const [at, lookup] of lookups.entries()) {
      const identification = some[at] ?? '';
      if (lookup.found === true) yield { users: [lookup.user], unread: [], total: names.length };
      if (lookup.found !== 'unclear') continue;
      const { slot } = index.find(identification);
      if (slot !== -1) index.set(slot, mark.conflict);
      count.postponed += 1;
      find({ code: 'lookup-disagrees', identification, message: `nothing is done: ${lookup.reason}` });
    }
  }
}

/** Further accounts that cannot be read are not read singly, and not told one by one. */
const mostReadSingly = 20;

/**
 * Treats accounts whose records the scan could not read. A person with such an account is read once by name, and is blocked
 * if that does not help. An account without an identification is no person's: it only keeps its e-mail.
 */
async function compareUnread(
  unread: readonly UnreadUser[],
  job: CompareJob,
  candidates: Candidates,
  count: Count,
): Promise<void> {
  const { index, sync, spool, signal, find } = job;
  for (const [at, { fault, ...shown }] of unread.entries()) {
    const { id, identification, fields } = shown;
    const isTold = at < mostReadSingly;
    const { slot, isExact } = identification === undefined ? unnamed : index.find(identification);
    if (identification !== undefined && slot !== -1 && isTold) {
      const lookup = await sync.platform.find(identification, signal);
      if (lookup.found === true) {
        compareUser(lookup.user, job, candidates, count);
        continue;
      }
    }
    const named = id === undefined ? '' : ` (id ${id})`;
    const account = `the account${named} ${fault} that can be read`;
    // Whether it is enabled is not known, so the person may have access.
    const user: User = {
      id: id ?? '',
      identification: identification ?? `(${id === undefined ? 'no id' : `id ${id}`})`,
      enabled: true,
      unreadable: [],
      ...shown,
    };
    if (isExact) {
      index.set(slot, mark.seen | mark.conflict);
      if (!index.has(slot, mark.bystander)) {
        candidates.slots.push(slot);
        candidates.places.push(spool.append(JSON.stringify(user)));
      }
    } else {
      count.unmanaged += 1;
      if (job.only === undefined) job.onOther(user);
    }
    if (identification === undefined) keepEmail(user, account, job, candidates);
    const domain = fields.email?.split('@')[1];
    const what =
      identification === undefined
        ? `: it is no person's${domain === undefined ? '' : `, with an e-mail at ${domain}`}`
        : ': the person is not changed';
    const message = `${account}${what}. Correct the account on the platform`;
    if (isTold) find({ code: 'account-unreadable', message, ...given({ identification }) });
  }
  const untold = unread.length - mostReadSingly;
  if (untold > 0)
    find({ code: 'account-unreadable', message: `${countOf(untold, 'more account')} cannot be read either` });
}

const unnamed = { slot: -1, isExact: false };

/** Blocks the person who needs the e-mail of an account that is no person's. */
function keepEmail(
  { fields }: User,
  account: string,
  { index, spool, find }: CompareJob,
  candidates: Candidates,
): void {
  const slot = fields.email === undefined ? -1 : index.findEmail(fields.email);
  if (slot === -1 || index.hasAny(slot, mark.conflict | mark.bystander)) return;
  if (index.has(slot, mark.seen)) {
    const place = candidates.places[candidates.slots.indexOf(slot)];
    const kept = place === undefined ? undefined : readKept(spool, place);
    if (kept === undefined || isEqualUser(kept) || !wantsNewEmail(kept, slot, index)) return;
  }
  index.set(slot, mark.conflict);
  const { identification } = index.person(slot);
  const message = `${identification} needs the e-mail of an account that belongs to no person: ${account}. Give it an identification or another e-mail on the platform`;
  find({ code: 'email-conflict', identification, message });
}

/** The connection limits how many of them run concurrently. */
const lookedUpAtOnce = 50;

function compareUser(user: User, job: CompareJob, candidates: Candidates, count: Count): void {
  const { index, spool } = job;
  const { slot, isExact } = index.find(user.identification);
  if (comparesEmails(job)) checkEmail(user, slot, job, count);
  job.likeness.see(user, slot);
  if (job.only === undefined && (slot === -1 || !isExact || !index.has(slot, mark.inSource))) job.onOther(user);
  if (slot === -1) {
    count.unmanaged += 1;
    return;
  }
  if (index.has(slot, mark.bystander)) {
    // No decision is made about them, but others may wait for their e-mail.
    index.set(slot, !isExact || index.has(slot, mark.seen) ? mark.conflict : mark.seen);
    return;
  }
  if (!isExact) {
    reportTwin(user, slot, job);
    return;
  }
  if (index.has(slot, mark.seen)) {
    index.set(slot, mark.conflict);
    const message = 'the platform shows two users with this identification: neither is changed';
    job.find({ code: 'duplicate-key', identification: user.identification, message });
    return;
  }
  index.set(slot, mark.seen);
  // A person decided that it is disabled, so it has a slot.
  if (!index.hasAny(slot, mark.inSource | mark.ours)) count.unmanaged += 1;
  if (user.enabled) index.seeEnabled(slot, user.id);
  if (user.enabled && index.has(slot, mark.ours)) {
    count.enabled += 1;
    count.segments.add(user.fields);
  }
  if (count.isLookedUp && wantsNewEmail(user, slot, index)) count.newEmails += 1;
  if (!job.isFocused && index.has(slot, mark.leaver) && !user.enabled && !index.has(slot, mark.inLedger)) {
    if (!index.has(slot, mark.conflict)) countQuiet(count.quiet, index, slot);
    return;
  }
  const isEqual =
    user.enabled &&
    user.unreadable.length === 0 &&
    index.has(slot, mark.active) &&
    !index.hasAny(slot, mark.outOfScope | mark.conflict) &&
    index.isShownAsWanted(slot, user);
  if (isEqual && !job.isFocused && index.isPlain(slot, user.id) && !index.has(slot, mark.undated)) {
    index.set(slot, mark.leadable);
    countQuiet(count.quiet, index, slot);
    return;
  }
  candidates.slots.push(slot);
  const { id, uid, rawIdentification, lastUpdate } = user;
  const kept = isEqual ? [id, { uid, rawIdentification, lastUpdate, fields: index.besideWanted(slot, user) }] : user;
  candidates.places.push(spool.append(JSON.stringify(kept)));
}

function wantsNewEmail(user: User, slot: number, index: PeopleIndex): boolean {
  const person = index.person(slot);
  if (person.kind !== 'person' || person.standing !== 'active') return false;
  const { email } = person.fields;
  return email !== undefined && email !== '' && email.toLowerCase() !== user.fields.email?.toLowerCase();
}

/**
 * An e-mail that one person (the claimant) wants and another user has. The user is
 *
 *   an active employee in scope    perhaps moves to another e-mail: see `orderClaims`
 *   a leaver in scope              leaves all the same; but one who looks like the claimant is held with them (conversion).
 *                                  With `parkEmail`, the account gets its parking address: see `leaverParking`
 *   any other record               decided by their own record
 *   in no record                   perhaps the claimant under another identification (a rename): protected
 */
function checkEmail(
  user: User,
  slot: number,
  { index, spool, sync, former, standing, ...job }: CompareJob,
  { claims, holders }: Count,
): void {
  const { email } = user.fields;
  if (email === undefined || email === '') return;
  const holder = index.findEmail(email);
  if (holder === -1 || holder === slot) return;
  const isFormer = former.has(holder);
  const way =
    standing.ofTwo.length === 0 ? undefined : standing.way(index.person(holder).identification, user.identification);
  if (way === 'leave') return;
  const mayGive = (): boolean => {
    return isFormer ? former.has(slot) : mayGiveEmail(user, slot, holder, { index, sync, way });
  };
  const isHeld = slot !== -1 && mayGive();
  const known = claims.get(holder);
  const isAside = index.has(holder, mark.bystander) && (slot === -1 || index.has(slot, mark.bystander));
  const find = isAside ? () => {} : job.find;
  if (isHeld && known?.holder === slot) return;
  // A holder with two users, which is a conflict, may have two claimants.
  if (isHeld && known === undefined && !holders.has(slot)) {
    holders.set(slot, holder);
    claims.set(holder, { holder: slot, place: spool.append(JSON.stringify(user)) });
    return;
  }
  if (isFormer) {
    former.set(holder, user.identification);
    return;
  }
  // A person who gets the account of another is sent, whatever the platform says of the e-mail.
  if (way === 'replace' && !isHeld) return;
  const claimant = index.person(holder);
  const wanted = claimant.identification;
  const at = 'at' in claimant ? claimant.at : 'no record';
  index.set(holder, mark.conflict);
  const { identification } = user;
  const report = (code: FindingCode, message: string, isAboutBoth: boolean): void => {
    const account = code === 'email-conflict' ? {} : { account: user };
    find({ code, identification: wanted, message, other: identification, ...account });
    // A later read that shows only this one of the two finds the conflict by it.
    if (isAboutBoth && !index.has(slot, mark.conflict)) find({ code, identification, message });
  };
  if (slot !== -1 && index.has(slot, mark.inSource)) {
    const isInScope = !index.has(slot, mark.outOfScope);
    const isLeaver = index.has(slot, mark.leaver) && isInScope;
    if (way === undefined && isLeaver && isConversion(claimant, slot, user, index)) {
      report(
        'conversion',
        `${wanted} (${at}) has the e-mail of ${identification}, a leaver who looks like the same person. Neither is changed. Decide with ${adoptOf(sync, wanted)}`,
        true,
      );
      index.set(slot, mark.conflict);
      return;
    }
    report(
      'email-conflict',
      `${wanted} (${at}) needs the e-mail of user ${identification}, who keeps it. Give one of them another e-mail, or remove the user`,
      false,
    );
    return;
  }
  if (way === 'apart') {
    const message = `${wanted} (${at}) needs the e-mail of user ${identification}, who is another person. Give one of them another e-mail`;
    report('email-conflict', message, false);
    return;
  }
  const how = isRewritten(wanted, identification) ? ` (${rewritten})` : '';
  report(
    'rename-conflict',
    `${wanted} (${at}) has the e-mail of user ${identification}, which may be a rename${how}. Neither is changed. Correct one identification, or run ${adoptOf(sync, wanted)}`,
    slot !== -1,
  );
  if (slot !== -1) index.set(slot, mark.conflict);
}

/** Returns whether the account of a person in the source may leave its e-mail to the claimant in this or a later plan. */
function mayGiveEmail(
  user: User,
  slot: number,
  claimant: number,
  { index, sync, way }: { readonly index: PeopleIndex; readonly sync: Sync; readonly way: PairWay | undefined },
): boolean {
  const parks = sync.settings.parkEmail !== undefined;
  if (!index.has(slot, mark.inSource)) return parks && way === 'replace' && index.has(slot, mark.ours);
  if (index.has(slot, mark.outOfScope)) return false;
  if (index.has(slot, mark.active)) return true;
  const isParked = parks && index.has(slot, mark.leaver);
  return isParked && (way !== undefined || !isConversion(index.person(claimant), slot, user, index));
}

/** Returns whether a leaver and the claimant of the e-mail look like one person. */
function isConversion(
  claimant: ReturnType<PeopleIndex['person']>,
  slot: number,
  user: User,
  index: PeopleIndex,
): boolean {
  const leaver = index.person(slot);
  if (claimant.kind !== 'person' || leaver.kind !== 'person') return false;
  return isAsLastSeen(claimant.fields, lastSeenOf({ ...user.fields, ...leaver.fields })) !== undefined;
}

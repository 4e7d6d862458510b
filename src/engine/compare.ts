import type { Finding } from '../core/finding.ts';
import type { User } from '../core/user.ts';
import type { Spool } from '../ports/spool.ts';
import type { RunScope } from '../ports/store.ts';
import type { EngineIo, Sync } from './engine-io.ts';
import { mark, type PeopleIndex } from './people-index.ts';

/** What comparing the platform's users with the index came to. */
export interface Compared {
  readonly users: number;
  /** Equal and ours already: nothing to do, not even in the ledger. */
  readonly unchanged: number;
  /** On the platform, in no record of this source and not ours. */
  readonly unmanaged: number;
  /** Slots that need a decision, each with its user's place in the spool; `equalUser` where none was kept. */
  readonly candidates: Candidates;
}

export interface Candidates {
  readonly slots: number[];
  readonly places: number[];
}

/** Stands for a user that shows every readable field as wanted and is new to the ledger: no need to keep it. */
export const equalUser = -1;

export interface CompareJob {
  readonly sync: Sync;
  readonly scope: RunScope;
  readonly index: PeopleIndex;
  readonly spool: Spool;
  readonly signal: AbortSignal;
  readonly find: (finding: Finding) => void;
}

/** Reads the platform's users (all of them, or the named ones) and keeps only those that need a decision. */
export async function comparePlatform(job: CompareJob, io: EngineIo): Promise<Compared> {
  const candidates: Candidates = { slots: [], places: [] };
  const count = { users: 0, unchanged: 0, unmanaged: 0 };
  for await (const { users, total } of readUsers(job)) {
    for (const user of users) compareUser(user, job, candidates, count);
    count.users += users.length;
    io.progress({ step: 'scanning', users: count.users, total });
  }
  if (job.scope.kind === 'users' && mayBeRenamed(job)) await seekRenames(job);
  return { ...count, candidates };
}

/** Named people who are on the platform under another identification, perhaps: then a look at everybody's e-mail decides. */
function mayBeRenamed({ index, sync, scope }: CompareJob): boolean {
  if (scope.kind !== 'users' || !sync.settings.match.includes('email')) return false;
  return scope.identifications.some((identification) => {
    const { slot } = index.find(identification);
    return slot !== -1 && index.has(slot, mark.active) && !index.has(slot, mark.seen);
  });
}

async function seekRenames(job: CompareJob): Promise<void> {
  for await (const { users } of job.sync.platform.scan(job.signal)) {
    for (const user of users) {
      const { slot, isExact } = job.index.find(user.identification);
      if (slot !== -1 && !isExact) reportTwin(user, slot, job);
      checkEmail(user, slot, job);
    }
  }
}

function reportTwin(user: User, slot: number, { index, find }: CompareJob): void {
  index.set(slot, mark.conflict);
  const wanted = index.person(slot).identification;
  const message = `platform user ${user.identification} differs from ${wanted} only by case: nothing is done to either`;
  find({ code: 'case-conflict', identification: user.identification, message });
}

async function* readUsers(
  job: CompareJob,
): AsyncGenerator<{ users: readonly User[]; total: number | undefined }, void> {
  const { platform } = job.sync;
  if (job.scope.kind === 'all') {
    yield* platform.scan(job.signal);
    return;
  }
  for (const identification of job.scope.identifications) {
    const lookup = await platform.find(identification, job.signal);
    if (lookup.found === true) yield { users: [lookup.user], total: job.scope.identifications.length };
    if (lookup.found === 'unclear') {
      const { slot } = job.index.find(identification);
      if (slot !== -1) job.index.set(slot, mark.conflict);
      job.find({ code: 'lookup-disagrees', identification, message: `nothing is done: ${lookup.reason}` });
    }
  }
}

function compareUser(
  user: User,
  job: CompareJob,
  candidates: Candidates,
  count: { unchanged: number; unmanaged: number },
): void {
  const { index, spool, sync } = job;
  const { slot, isExact } = index.find(user.identification);
  if (sync.settings.match.includes('email')) checkEmail(user, slot, job);
  if (slot === -1) {
    count.unmanaged += 1;
    return;
  }
  if (!isExact) {
    reportTwin(user, slot, job);
    return;
  }
  if (index.has(slot, mark.seen)) {
    index.set(slot, mark.conflict);
    const message = 'the platform shows two users of this identification: nothing is done to either';
    job.find({ code: 'duplicate-key', identification: user.identification, message });
    return;
  }
  index.set(slot, mark.seen);
  if (index.has(slot, mark.leaver) && !user.enabled && !index.has(slot, mark.inLedger)) return;
  const isEqual =
    user.enabled &&
    user.unreadable.length === 0 &&
    index.has(slot, mark.usable | mark.active) &&
    !index.has(slot, mark.outOfScope) &&
    index.isShownAsWanted(slot, user);
  if (isEqual && index.has(slot, mark.plain)) {
    count.unchanged += 1;
    return;
  }
  const needsNoUser =
    isEqual && !index.has(slot, mark.inLedger) && (sync.settings.firstSight === 'assume' || !index.hasHidden(slot));
  candidates.slots.push(slot);
  candidates.places.push(needsNoUser ? equalUser : spool.append(JSON.stringify(user)));
}

/** An e-mail that one person wants and another user has: a rename, or two people with one address. Both are protected. */
function checkEmail(user: User, slot: number, { index, find }: CompareJob): void {
  const { email } = user.fields;
  if (email === undefined || email === '') return;
  const holder = index.findEmail(email);
  if (holder === -1 || holder === slot) return;
  const person = index.person(holder);
  const wanted = person.identification;
  const at = 'at' in person ? person.at : 'no record';
  index.set(holder, mark.conflict);
  const isEmployee = slot !== -1 && index.has(slot, mark.inSource | mark.active);
  if (slot !== -1 && !isEmployee) index.set(slot, mark.conflict);
  const message = isEmployee
    ? `the e-mail of ${wanted} (${at}) is still on user ${user.identification}: ${wanted} waits until it is free`
    : `${wanted} (${at}) has the e-mail of platform user ${user.identification}: a rename? Nothing is done to either; correct the identification on one side`;
  find({ code: isEmployee ? 'email-conflict' : 'rename-conflict', identification: wanted, message });
}

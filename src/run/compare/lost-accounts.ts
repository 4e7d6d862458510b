import type { User } from '../../core/person/fields.ts';
import type { LedgerEntry } from '../../core/plan/ledger.ts';
import { chunk } from '../../core/run/batch.ts';
import { RollcallError } from '../../core/run/errors.ts';
import type { Finding } from '../../core/run/finding.ts';
import { countOf } from '../../core/run/formats.ts';
import type { EngineIo, Sync } from '../engine-io.ts';
import { mark } from '../read/marks.ts';
import type { PeopleIndex } from '../read/people-index.ts';

interface LostJob {
  readonly sync: Sync;
  readonly index: PeopleIndex;
  readonly signal: AbortSignal;
  /** Number of users that this sync manages. */
  readonly managed: number;
  readonly find: (finding: Finding) => void;
}

/** So many accounts that are gone at once are more than a person deletes by hand in a day. */
const fewLost = 3;
const lostPercent = 2;
/** A broken search lacks accounts without a pattern, so a few of them show it. */
const sampleSize = 5;
const askedAtOnce = 50;

/**
 * Believes a scan against the ledger: reads accounts singly that we own, that we did not remove, whose people work here, and
 * that the scan lacks. Returns the users that the platform shows after all. If they are more than 3 or 2 % of the managed users,
 * it reads a sample: one that the platform shows proves that the scan is not complete, so it throws `SCAN_INCOMPLETE`. Where
 * the whole sample is gone, each create of them is of the class `recreate`.
 */
export async function findLost(job: LostJob, io: EngineIo): Promise<readonly User[]> {
  const { index, managed } = job;
  const lost = await lostSlots(job, io);
  if (lost.length <= Math.max(fewLost, Math.floor((managed * lostPercent) / 100))) return askEach(lost, job);
  const every = Math.ceil(lost.length / sampleSize);
  const sample = lost.filter((_, i) => i % every === 0);
  const lookups = await lookUp(sample, job);
  const shown = lookups.filter(({ lookup }) => lookup.found !== false);
  if (shown.length === 0) for (const slot of lost) index.set(slot, mark.lost);
  else throw scanLacks(lost.length, managed, sample.length, shown.length);
  return [];
}

/** Returns the people with an account of ours that the scan lacks. */
async function lostSlots({ sync, index }: LostJob, { store }: EngineIo): Promise<readonly number[]> {
  const open: number[] = [];
  for (let slot = 0; slot < index.size; slot += 1) {
    const isOurs = index.has(slot, mark.active | mark.inLedger | mark.ours);
    if (isOurs && !index.hasAny(slot, mark.seen | mark.bystander | mark.conflict)) open.push(slot);
  }
  const lost: number[] = [];
  for (const slots of chunk(open, 500)) {
    const names = slots.map((slot) => index.person(slot).identification);
    const ledger = await store.ledger.getMany(sync.settings.connection, names);
    lost.push(...slots.filter((_, i) => hadAccount(ledger.get(names[i] ?? ''))));
  }
  return lost;
}

/** Returns whether a read showed the account. A create without effect made none. */
function hadAccount(entry: LedgerEntry | undefined): boolean {
  return entry?.accountId !== undefined && entry.removed === undefined;
}

async function lookUp(slots: readonly number[], { sync, index, signal }: LostJob) {
  const found = [];
  for (const some of chunk(slots, askedAtOnce)) {
    const asked = some.map(async (slot) => {
      const { identification } = index.person(slot);
      return { slot, identification, lookup: await sync.platform.find(identification, signal) };
    });
    found.push(...(await Promise.all(asked)));
  }
  return found;
}

async function askEach(slots: readonly number[], job: LostJob): Promise<readonly User[]> {
  const users: User[] = [];
  for (const { slot, identification, lookup } of await lookUp(slots, job)) {
    if (lookup.found === true) users.push(lookup.user);
    if (lookup.found !== 'unclear') continue;
    job.index.set(slot, mark.conflict);
    job.find({ code: 'lookup-disagrees', identification, message: `nothing is done: ${lookup.reason}` });
  }
  return users;
}

function scanLacks(lost: number, managed: number, asked: number, shown: number): RollcallError {
  const message = `the search lacks ${countOf(lost, 'managed account')} of ${managed}, but single reads show ${shown} of ${asked}: no plan was made. Check whether the token sees all users`;
  return new RollcallError(message, { code: 'SCAN_INCOMPLETE', retry: 'backoff' });
}

import type { User } from '../../core/person/user.ts';
import { type Change, platformKey } from '../../core/plan/change.ts';
import { singleReadLimit } from '../../core/run/requests.ts';
import type { Lookup, ScanPage } from '../../ports/platform.ts';
import type { EngineIo, RunContext } from '../engine-io.ts';
import { FoundUsers } from './found-users.ts';

type Person = Pick<Change, 'identification' | 'before'>;

/** The users of the platform at one time: from one scan, or read one by one. Close it after use. */
export interface Lookups {
  /** When the first request went out. Everything that the platform showed before is included. */
  readonly startedAt: number;
  /** When the scan ended; undefined when users are read one by one. A scan also shows the other names of the question. */
  readonly scannedAt: number | undefined;
  /** Returns each person's user. Reads them now unless a scan did. */
  of(people: readonly Person[]): Promise<ReadonlyMap<string, Lookup>>;
  close(): void;
}

export interface LookupQuestion {
  readonly step: 'looking-up' | 'reading-back';
  /** Number of users for which one call each may replace the scan. */
  readonly count: number;
  /** Yields the identifications that a scan looks for. */
  names(): AsyncIterable<string>;
}

/** Scans the directory if that needs fewer calls than one for each user; otherwise opens a lookup that reads each user. */
export async function openLookups(
  question: LookupQuestion,
  { sync, signal }: Pick<RunContext, 'sync' | 'signal'>,
  io: EngineIo,
): Promise<Lookups> {
  const startedAt = io.clock.now();
  const found = await scanFor(question, { sync, signal }, io);
  if (found === undefined) return { startedAt, scannedAt: undefined, of: readEach, close: () => {} };
  return {
    startedAt,
    scannedAt: io.clock.now(),
    async of(people) {
      return new Map(people.map(({ identification: name }) => [name, lookupOf(found.claimants(name))]));
    },
    close: () => found.close(),
  };

  async function readEach(people: readonly Person[]): Promise<ReadonlyMap<string, Lookup>> {
    const lookups = new Map<string, Lookup>();
    const { step } = question;
    const total = people.length;
    const read = async (person: Person): Promise<void> => {
      lookups.set(person.identification, await sync.platform.find(platformKey(person), signal));
      io.progress({ step, users: lookups.size, total });
    };
    await Promise.all(people.map(read));
    return lookups;
  }
}

/** Returns undefined when one call for each user needs fewer calls than the scan. The first page shows this. */
async function scanFor(
  { step, count, names }: LookupQuestion,
  { sync, signal }: Pick<RunContext, 'sync' | 'signal'>,
  io: EngineIo,
): Promise<FoundUsers | undefined> {
  if (count <= singleReadLimit) return undefined;
  let found: FoundUsers | undefined;
  try {
    for await (const page of sync.platform.scan(signal, step === 'reading-back' ? 'proof' : 'lookup')) {
      if (found === undefined) {
        if (pagesOf(page) > count) return undefined;
        found = new FoundUsers(io.openSpool);
        for await (const name of names()) found.want(name);
      }
      for (const user of page.users) found.see(user);
      io.progress({ step, users: Math.min(found.size, count), total: count });
    }
  } catch (error) {
    found?.close();
    throw error;
  }
  return found ?? new FoundUsers(io.openSpool);
}

function lookupOf(claimants: readonly User[]): Lookup {
  const [user, ...others] = claimants;
  if (user === undefined) return { found: false };
  if (others.length === 0) return { found: true, user };
  return { found: 'unclear', reason: `${claimants.length} users claim the identification` };
}

/** Returns the number of calls for the scan, calculated from any page. */
export function pagesOf({ users, total = 0 }: ScanPage): number {
  return total / users.length;
}

import type { User } from '../../core/person/fields.ts';
import { TextHash } from '../../core/person/text.ts';
import { type Change, platformKey } from '../../core/plan/change.ts';
import { RollcallError } from '../../core/run/errors.ts';
import { canReadSingly, isScanCheaper } from '../../core/run/requests.ts';
import type { Lookup, ScanPage } from '../../ports/platform.ts';
import { leaversOf } from '../../ports/runs.ts';
import type { OpenSpool, Spool } from '../../ports/runtime.ts';
import type { EngineIo, RunContext } from '../engine-io.ts';
import { HashIndex } from '../read/hash-index.ts';

type Person = Pick<Change, 'identification' | 'before'>;

/** The users of the platform at one time: from one scan, or read one by one. Close it after use. */
export type Lookups = Awaited<ReturnType<typeof openLookups>>;

export interface LookupQuestion {
  readonly step: 'looking-up' | 'reading-back';
  /** Number of users for which one call each may replace the scan. */
  readonly count: number;
  /** Yields the identifications that a scan looks for. */
  names(): AsyncIterable<string>;
}

/**
 * Scans the directory if that needs fewer calls than one for each user; otherwise, and where the directory changes too
 * fast for a scan or the run cannot use the search, opens a lookup that reads each user.
 */
export async function openLookups(
  question: LookupQuestion,
  { owned, sync, signal }: Pick<RunContext, 'owned' | 'sync' | 'signal'>,
  io: EngineIo,
) {
  const startedAt = io.clock.now();
  const isSingly = leaversOf(owned.run.scope) !== undefined;
  const found = isSingly
    ? undefined
    : await scanFor(question, { sync, signal }, io).catch((error: unknown) => {
        const isUnsure = error instanceof RollcallError && error.code === 'SCAN_INCOMPLETE';
        const isNamed = owned.run.scope.kind === 'users';
        if (isUnsure || (isNamed && canReadSingly(question.count, error))) return undefined;
        throw error;
      });
  if (found === undefined) return { startedAt, scannedAt: undefined, of: readEach, close: () => {} };
  return {
    /** When the first request went out. Everything that the platform showed before is included. */
    startedAt,
    /** When the scan ended; undefined when users are read one by one. A scan also shows the other names of the question. */
    scannedAt: io.clock.now(),
    /** Returns each person's user. Reads them now unless a scan did. */
    async of(people: readonly Person[]) {
      const shown = new Map(people.map(({ identification: name }) => [name, lookupOf(found.claimants(name))] as const));
      // A record that the scan could not read proves nothing.
      const read = await readEach(people.filter(({ identification }) => found.unread.has(identification)));
      return new Map([...shown, ...read]);
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

/** Returns undefined when one call for each user needs fewer calls than the scan. The first page shows that too. */
async function scanFor(
  { step, count, names }: LookupQuestion,
  { sync, signal }: Pick<RunContext, 'sync' | 'signal'>,
  io: EngineIo,
): Promise<FoundUsers | undefined> {
  if (!isScanCheaper(count, sync.platform.scanCost())) return undefined;
  let found: FoundUsers | undefined;
  try {
    for await (const page of sync.platform.scan(signal, step === 'reading-back' ? 'proof' : 'lookup')) {
      if (found === undefined) {
        if (pagesOf(page) > count) return undefined;
        found = new FoundUsers(io.openSpool);
        for await (const name of names()) found.want(name);
      }
      for (const user of page.users) found.see(user);
      for (const { identification } of page.unread) if (identification !== undefined) found.unread.add(identification);
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
export function pagesOf({ users, unread, total = 0 }: ScanPage): number {
  return total / (users.length + unread.length);
}

/** Number of users that are kept in memory. Further ones go to a scratch file. */
const keptInMemory = 2000;

/**
 * Keeps the wanted users of a directory scan. Memory depends on the number of wanted identifications, not on the
 * records. Close it after use.
 */
export class FoundUsers {
  /** Number of users that are kept. */
  size = 0;
  /** Identifications of accounts whose record could not be read. */
  readonly unread = new Set<string>();
  readonly #openSpool: OpenSpool;
  readonly #slots = new HashIndex();
  readonly #hash = new TextHash();
  #wanted = 0;
  /** By slot: the place of the first user, plus one. 0: no user was seen. */
  #first = new Float64Array(1024);
  /** By slot: the places of further users with the same identification, or with the same hash. */
  readonly #others = new Map<number, number[]>();
  readonly #near: User[] = [];
  #far: Spool | undefined;

  constructor(openSpool: OpenSpool) {
    this.#openSpool = openSpool;
  }

  want(identification: string): void {
    const { hi, lo } = this.#hash.of(identification);
    if (this.#slots.get(hi, lo) !== -1) return;
    if (this.#wanted === this.#first.length) {
      const longer = new Float64Array(this.#first.length * 2);
      longer.set(this.#first);
      this.#first = longer;
    }
    this.#slots.add(hi, lo, this.#wanted);
    this.#wanted += 1;
  }

  /** Keeps the user if its identification is wanted. */
  see(user: User): void {
    const slot = this.#slotOf(user.identification);
    if (slot === -1) return;
    const place = this.#keep(user) + 1;
    this.size += 1;
    if (this.#first[slot] === 0) this.#first[slot] = place;
    else this.#others.set(slot, [...(this.#others.get(slot) ?? []), place]);
  }

  /** Returns the users with this identification, in order of the scan. */
  claimants(identification: string): User[] {
    const slot = this.#slotOf(identification);
    const first = this.#first[slot] ?? 0;
    if (first === 0) return [];
    const users = [first, ...(this.#others.get(slot) ?? [])].map((place) => this.#read(place - 1));
    return users.filter((user) => user.identification === identification);
  }

  close(): void {
    this.#far?.close();
  }

  #slotOf(identification: string): number {
    const { hi, lo } = this.#hash.of(identification);
    return this.#slots.get(hi, lo);
  }

  #keep(user: User): number {
    if (this.#near.length < keptInMemory) return this.#near.push(user) - 1;
    this.#far ??= this.#openSpool();
    return keptInMemory + this.#far.append(JSON.stringify(user));
  }

  #read(place: number): User {
    const near = this.#near[place];
    if (near !== undefined) return near;
    return JSON.parse(this.#far?.read(place - keptInMemory) ?? '') as User;
  }
}

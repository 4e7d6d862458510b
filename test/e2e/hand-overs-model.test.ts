import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Office, openOffice, plainMapping, type Row, usersOf } from '../support/office.ts';

/**
 * Who owns an account and who may use it, told a second time: an oracle that knows two HR files, what each complete
 * read showed and when, and no ledger, beside the whole product over several days.
 */

const hourMs = 3_600_000;
const movers = ['E1', 'E2', 'E3'] as const;
const syncs = ['people', 'second'] as const;
type SyncName = (typeof syncs)[number];
type Truth = 'active' | 'left' | 'guest' | 'absent';
type ReadKind = 'full' | 'named' | 'incomplete' | 'failed';

type Step =
  | { readonly do: 'tell'; readonly sync: SyncName; readonly truths: readonly Truth[] }
  | { readonly do: 'run'; readonly sync: SyncName; readonly read: ReadKind; readonly named: readonly string[] }
  | { readonly do: 'wait'; readonly hours: number }
  | { readonly do: 'adopt'; readonly sync: SyncName; readonly who: string };

const sync = fc.constantFrom(...syncs);
const truth = fc.constantFrom<Truth>('active', 'active', 'absent', 'absent', 'left', 'guest');
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('tell' as const),
      sync,
      truths: fc.tuple(truth, truth, truth),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant('run' as const),
      sync,
      read: fc.constantFrom<ReadKind>('full', 'full', 'full', 'full', 'named', 'incomplete', 'failed'),
      named: fc.subarray([...movers], { minLength: 1 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), hours: fc.constantFrom(7, 25) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('adopt' as const), sync, who: fc.constantFrom(...movers) }),
  },
);

interface Account {
  enabled: boolean;
  owner: SyncName | undefined;
  /** Number of the run from which on a hand-over was expected. */
  expectedSince: number | undefined;
}

/** What the last complete read of a sync showed, and when. */
interface Shown {
  readonly at: number;
  readonly truths: ReadonlyMap<string, Truth>;
}

class Oracle {
  readonly truth = new Map(syncs.map((name) => [name, new Map<string, Truth>(movers.map((who) => [who, 'absent']))]));
  readonly accounts = new Map<string, Account>();
  readonly #shown = new Map<SyncName, Shown>();
  /** Numbers of the runs with a complete read, per sync. */
  readonly #reads = new Map<SyncName, number[]>(syncs.map((name) => [name, []]));
  #run = 0;

  truthOf(name: SyncName, who: string): Truth {
    return this.truth.get(name)?.get(who) ?? 'absent';
  }

  /** What the other sync's last complete read shows, if it is of the last 24 hours. */
  #otherShows(other: SyncName, who: string, now: number): Truth | undefined {
    const shown = this.#shown.get(other);
    return shown === undefined || now - shown.at > 24 * hourMs ? undefined : shown.truths.get(who);
  }

  /** Plays a run, and returns whose disable is left to the other sync. */
  run(name: SyncName, read: ReadKind, named: readonly string[], now: number): string[] {
    this.#run += 1;
    if (read === 'failed') return [];
    const expected: string[] = [];
    for (const who of read === 'named' ? named : movers) if (this.#decide(name, who, read, now)) expected.push(who);
    if (read === 'full') {
      this.#shown.set(name, { at: now, truths: new Map(this.truth.get(name)) });
      this.#reads.get(name)?.push(this.#run);
    }
    return expected;
  }

  #decide(name: SyncName, who: string, read: ReadKind, now: number): boolean {
    const truth = this.truthOf(name, who);
    const other = name === 'people' ? 'second' : 'people';
    const account = this.accounts.get(who);
    if (account?.owner === other) {
      const there = this.#otherShows(other, who, now);
      if (truth !== 'active' || (there !== 'absent' && there !== 'guest')) return false;
      Object.assign(account, { owner: name, expectedSince: undefined });
    }
    if (truth === 'active') {
      this.accounts.set(who, { enabled: true, owner: name, expectedSince: undefined });
      return false;
    }
    if (account === undefined) return false;
    const isProven = read === 'full' || (read === 'named' && truth !== 'absent');
    if (!isProven) {
      // A record that names the person, though nothing may be concluded from it, starts the expectation anew.
      if (truth === 'guest' && account.owner === name) account.expectedSince = undefined;
      return false;
    }
    if (truth === 'left') {
      if (account.enabled) Object.assign(account, { enabled: false, owner: name });
      return false;
    }
    if (account.owner !== name) return false;
    if (!account.enabled || (truth === 'guest' && name === 'second')) {
      if (truth === 'guest') account.expectedSince = undefined;
      return false;
    }
    if (this.#otherShows(other, who, now) === 'active' && !this.#isOver(other, account)) {
      account.expectedSince ??= this.#run;
      return true;
    }
    account.enabled = false;
    return false;
  }

  #isOver(other: SyncName, { expectedSince }: Account): boolean {
    if (expectedSince === undefined) return false;
    return (this.#reads.get(other) ?? []).filter((run) => run > expectedSince).length >= 2;
  }

  adopt(name: SyncName, who: string): void {
    const account = this.accounts.get(who);
    if (account?.owner === undefined || account.owner === name) return;
    Object.assign(account, { owner: name, expectedSince: undefined });
  }
}

const fillers = (prefix: string): Row[] => Array.from({ length: 8 }, (_, i) => rowOf(`${prefix}${i}`, 'active'));

function rowOf(id: string, status: string): Row {
  return {
    id,
    first: status === 'guest' ? 'Guest' : 'Ana',
    last: id,
    mail: `${id.toLowerCase()}@example.com`,
    status: status === 'left' ? 'left' : 'active',
  };
}

function textOf(oracle: Oracle, name: SyncName, read: ReadKind): string {
  if (read === 'failed') return 'id,first,last,mail,status\nT,0,,,\n';
  const own = movers.flatMap((who) => {
    const truth = oracle.truthOf(name, who);
    return truth === 'absent' ? [] : [rowOf(who, truth)];
  });
  const rows = [...fillers(name === 'people' ? 'P' : 'S'), ...own];
  const lines = rows.map(({ id, first, last, mail, status }) => `${id},${first},${last},${mail},${status}\n`);
  const trailer = read === 'incomplete' ? '' : `T,${rows.length},,,\n`;
  return `id,first,last,mail,status\n${lines.join('')}${trailer}`;
}

const wide = { absolute: 1000, percent: 100, cap: 1000 };

async function openWorld(): Promise<Office> {
  const config = (path: string, outOfScope: string) => ({
    source: { kind: 'csv', path, complete: 'trailer', trailer: 'T' },
    policy: 'sync',
    mapping: plainMapping,
    scope: "first != 'Guest'",
    outOfScope,
    lifecycle: { status: 'status', active: ['active'], leaver: ['left'] },
    missing: { afterReads: 1, minAge: '0s' },
    settle: { every: '2s', visibleWithin: '20s' },
    guards: {
      disables: wide,
      enables: wide,
      creates: wide,
      handOvers: wide,
      rowsDownPercent: 100,
      fillRateDownPoints: 100,
    },
  });
  return openOffice({
    sandbox: { people: usersOf([...fillers('P'), ...fillers('S')]), processingMs: 0 },
    sync: config('./employees.csv', 'disable'),
    syncs: { second: { connection: 'acme', ...config('./second.csv', 'ignore') } },
  });
}

async function live(steps: readonly Step[]): Promise<void> {
  const office = await openWorld();
  const oracle = new Oracle();
  const { store } = office.engine.io;
  const play = async (name: SyncName, read: ReadKind, named: readonly string[]): Promise<void> => {
    office.clock.jump(60_000);
    await office.writeText(textOf(oracle, name, read), name === 'people' ? 'employees.csv' : 'second.csv');
    const told = new Map<string, string>();
    if (read === 'full') {
      for (const who of movers) {
        const { decision } = await office.app.why(name, who, AbortSignal.timeout(60_000));
        told.set(who, decision?.expected === undefined ? (decision?.change?.kind ?? 'none') : 'expected');
      }
    }
    const expected = oracle.run(name, read, named, office.clock.now());
    const report = await office.apply({ sync: name, ...(read === 'named' ? { users: named } : {}) });
    const at = `${name} ${read}: ${JSON.stringify(report.findings)}`;
    const found = report.findings.filter(({ code }) => code === 'hand-over-expected');
    expect(found.map(({ identification }) => identification).sort(), at).toEqual(expected);
    const changes = new Map(
      (await office.app.changes(report.run.id, { limit: 100 })).map((change) => [change.identification, change.kind]),
    );
    for (const who of movers) {
      const account = oracle.accounts.get(who);
      expect(office.sandbox.state.users.get(who)?.enabled, `${who} enabled, ${at}`).toBe(account?.enabled);
      expect((await store.ledger.get('acme', who))?.owner, `owner of ${who}, ${at}`).toBe(account?.owner);
      if (read !== 'full') continue;
      const planned = expected.includes(who) ? 'expected' : (changes.get(who) ?? 'none');
      expect(told.get(who), `why ${who}, ${at}`).toBe(planned);
    }
  };
  for (const one of steps) {
    switch (one.do) {
      case 'wait':
        office.clock.jump(one.hours * hourMs);
        break;
      case 'tell':
        movers.forEach((who, i) => {
          oracle.truth.get(one.sync)?.set(who, one.truths[i] ?? 'absent');
        });
        break;
      case 'adopt':
        if (!oracle.accounts.has(one.who)) break;
        oracle.adopt(one.sync, one.who);
        await office.app.adopt(one.sync, [one.who], { by: 'ana', signal: AbortSignal.timeout(60_000) });
        break;
      case 'run':
        await play(one.sync, one.read, one.named);
        break;
    }
  }
}

const worlds = Number(process.env.HAND_OVER_WORLDS ?? 12);

it('an account has one owner, follows its person, and is disabled when no sync has them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 24, size: 'max' }), async (steps) => live(steps)),
    { numRuns: worlds, endOnFailure: true },
  );
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { adoptPeople } from '../../src/app/accounts/adopt.ts';
import { tracePerson } from '../../src/app/people.ts';
import { requestOrRun } from '../../src/app/requests.ts';
import { findChanges } from '../../src/app/runs.ts';
import type { RunScope } from '../../src/ports/store.ts';
import { isLong } from '../support/drawn.ts';
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
type ReadKind = 'full' | 'delta' | 'named' | 'incomplete' | 'failed';

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
      read: fc.constantFrom<ReadKind>('full', 'full', 'full', 'delta', 'delta', 'named', 'incomplete', 'failed'),
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
    for (const who of read === 'named' || read === 'delta' ? named : movers)
      if (this.#decide(name, who, read, now)) expected.push(who);
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
    const isProven = read === 'full' || ((read === 'named' || read === 'delta') && truth !== 'absent');
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

/** Names of their own, so that a change of scope is no column whose values moved to other people. */
const names = ['Ana', 'Eva', 'Ida'] as const;

function rowOf(id: string, status: string): Row {
  return {
    id,
    first: status === 'guest' ? 'Guest' : (names[Number(id.slice(1)) % names.length] ?? ''),
    last: id,
    mail: `${id.toLowerCase()}@example.com`,
    status: status === 'left' ? 'left' : 'active',
  };
}

function rowsOf(oracle: Oracle, name: SyncName): Row[] {
  const own = movers.flatMap((who) => {
    const truth = oracle.truthOf(name, who);
    return truth === 'absent' ? [] : [rowOf(who, truth)];
  });
  return [...fillers(name === 'people' ? 'P' : 'S'), ...own];
}

function textOf(rows: readonly Row[], read: ReadKind): string {
  if (read === 'failed') return 'id,first,last,mail,status\nT,0,,,\n';
  const lines = rows.map(({ id, first, last, mail, status }) => `${id},${first},${last},${mail},${status}\n`);
  const trailer = read === 'incomplete' ? '' : `T,${rows.length},,,\n`;
  return `id,first,last,mail,status\n${lines.join('')}${trailer}`;
}

/** Two HR systems that can be asked who has changed. */
class Hr {
  readonly changedAt = new Map<string, number>();
  readonly rows = new Map<SyncName, readonly Row[]>();
  read: ReadKind = 'full';
  /** The movers that the last list of changes held. */
  lastChanged: readonly string[] = [];
  #url = '';

  async open(): Promise<string> {
    const server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
      const name = syncs.find((one) => pathname === `/${one}`) ?? expect.unreachable();
      response.setHeader('content-type', 'application/json').end(JSON.stringify(this.#answer(name, searchParams)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
    this.#url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return this.#url;
  }

  #answer(name: SyncName, query: URLSearchParams): object {
    const all = this.rows.get(name) ?? [];
    const since = query.get('since');
    const data =
      this.read === 'failed'
        ? []
        : since === null
          ? all
          : all.filter(({ id }) => (this.changedAt.get(`${name} ${id}`) ?? 0) >= Number(since));
    if (since !== null) this.lastChanged = movers.filter((who) => data.some(({ id }) => id === who));
    return { data, total: data.length + (this.read === 'incomplete' ? 1 : 0) };
  }
}

const wide = { absolute: 1000, percent: 100, cap: 1000 };

async function openWorld(url: string | undefined): Promise<Office> {
  const sourceOf = (name: SyncName, path: string): object =>
    url === undefined
      ? { source: { kind: 'csv', path, complete: 'trailer', trailer: 'T' } }
      : {
          source: {
            kind: 'rest',
            baseUrl: url,
            path: `/${name}`,
            auth: { kind: 'none' },
            limits: { requestsPerSecond: 1000 },
            items: 'data',
            total: 'total',
            key: 'id',
            paging: { style: 'none' },
            holds: { terminated: 'always', future: 'never' },
            delta: { query: { since: '{since}' }, format: 'epoch-ms' },
          },
          deltas: { fullEvery: '24h', overlap: '10m' },
        };
  const config = (name: SyncName, path: string, outOfScope: string) => ({
    ...sourceOf(name, path),
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
    sync: config('people', './employees.csv', 'disable'),
    syncs: { second: { connection: 'acme', ...config('second', './second.csv', 'ignore') } },
  });
}

async function live(steps: readonly Step[], hr?: Hr): Promise<void> {
  const office = await openWorld(await hr?.open());
  const oracle = new Oracle();
  const { store } = office.engine.io;
  const play = async (name: SyncName, read: ReadKind, named: readonly string[]): Promise<void> => {
    office.clock.jump(60_000);
    const rows = rowsOf(oracle, name);
    if (hr === undefined)
      await office.writeText(textOf(rows, read), name === 'people' ? 'employees.csv' : 'second.csv');
    else Object.assign(hr, { read, lastChanged: [] }).rows.set(name, rows);
    const told = new Map<string, string>();
    if (read === 'full') {
      for (const who of movers) {
        const { decision } = await tracePerson(office.app, name, who, AbortSignal.timeout(60_000));
        told.set(who, decision?.expected === undefined ? (decision?.change?.kind ?? 'none') : 'expected');
      }
    }
    const asked: RunScope =
      read === 'named'
        ? { kind: 'users', identifications: named }
        : { kind: 'all', ...(read === 'delta' ? {} : { isFull: true }) };
    const at0 = office.clock.now();
    const watch = { by: 'ana', progress: () => {}, signal: AbortSignal.timeout(60_000) };
    const end = await requestOrRun(office.app, name, { ...watch, scope: asked });
    const { report } = end.kind === 'ran' ? end : expect.fail('a deployment took the request');
    const isDelta = report.run.read?.kind === 'delta';
    if (isDelta) deltas += 1;
    const played = read !== 'delta' ? read : isDelta ? 'delta' : 'full';
    const expected = oracle.run(name, played, isDelta ? (hr?.lastChanged ?? []) : named, at0);
    const at = `${name} ${read}: ${JSON.stringify(report.findings)}`;
    const found = report.findings.filter(({ code }) => code === 'hand-over-expected');
    expect(found.map(({ identification }) => identification).sort(), at).toEqual(expected);
    const changes = new Map(
      (await findChanges(office.app, report.run.id, { limit: 100 })).map((change) => [
        change.identification,
        change.kind,
      ]),
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
  // With few managed users, a guard would hold changes, and this model has no guards.
  for (const name of ['people', 'second'] as const) await play(name, 'full', []);
  for (const one of steps) {
    switch (one.do) {
      case 'wait':
        office.clock.jump(one.hours * hourMs);
        break;
      case 'tell':
        movers.forEach((who, i) => {
          oracle.truth.get(one.sync)?.set(who, one.truths[i] ?? 'absent');
          hr?.changedAt.set(`${one.sync} ${who}`, office.clock.now());
        });
        break;
      case 'adopt':
        if (!oracle.accounts.has(one.who)) break;
        oracle.adopt(one.sync, one.who);
        await adoptPeople(office.app, one.sync, [one.who], { by: 'ana', signal: AbortSignal.timeout(60_000) });
        break;
      case 'run':
        await play(one.sync, one.read, one.named);
        break;
    }
  }
}

const worlds = isLong ? 32 : 4;
let deltas = 0;

it('an account has one owner, follows its person, and is disabled when no sync has them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 24, size: 'max' }), async (steps) => live(steps)),
    { numRuns: worlds, endOnFailure: true },
  );
});

it('the same holds for HR systems that are asked for changes between full reads', async () => {
  deltas = 0;
  const run = (sync: SyncName, read: ReadKind): Step => ({ do: 'run', sync, read, named: ['E1'] });
  const tell = (sync: SyncName, ...truths: Truth[]): Step => ({ do: 'tell', sync, truths });
  const told: Step[] = [
    tell('people', 'active', 'active', 'absent'),
    run('people', 'full'),
    run('second', 'full'),
    tell('second', 'active', 'absent', 'active'),
    run('second', 'delta'),
    tell('people', 'left', 'active', 'absent'),
    run('people', 'delta'),
    run('second', 'delta'),
  ];
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 24, size: 'max' }), async (steps) =>
      live(steps, new Hr()),
    ),
    { numRuns: worlds, endOnFailure: true, examples: [[told]] },
  );
  // The three deltas of the first world; how many the random worlds read is chance.
  expect(deltas).toBeGreaterThanOrEqual(3);
});

import { tmpdir } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { User } from '../../../src/core/person/fields.ts';
import type { Person } from '../../../src/core/person/person.ts';
import { openStanding, type PairWay } from '../../../src/core/plan/standing.ts';
import { chunk } from '../../../src/core/run/batch.ts';
import type { Finding } from '../../../src/core/run/finding.ts';
import { defaultDialect, type SyncSettings } from '../../../src/core/run/settings.ts';
import { openLikeness } from '../../../src/run/compare/alike.ts';
import { comparePlatform } from '../../../src/run/compare/compare-platform.ts';
import type { EngineIo, Sync } from '../../../src/run/engine-io.ts';
import { named } from '../../../src/run/read/choose-read.ts';
import { openRecordFiling } from '../../../src/run/read/file-records.ts';
import { mark } from '../../../src/run/read/marks.ts';
import { openFileSpool } from '../../../src/store/db/file-spool.ts';
import { person } from '../../core/cases.ts';
import { fixedClock, someInstant } from '../../support/fake-clock.ts';
import { openIndex } from '../open-index.ts';
import { plainSettings } from '../plain-settings.ts';
import { account } from '../plan-scene.ts';

const fields = { firstName: 'Ana', lastName: 'Li', area: 'Sales' } as const;
const of = (identification: string, over: Partial<Person> = {}): Person =>
  person({ identification, at: `line of ${identification}`, fields, ...over });
const mail = (email: string) => ({ fields: { ...fields, email } });
const left = { standing: 'leaver' } as const;
const off = { enabled: false } as const;
const crowd = (count: number) => Array.from({ length: count }, (_, i) => `p${1000 + i}`);

interface World {
  readonly records?: readonly Person[];
  readonly users?: readonly User[];
  /** The people whom the run is about; all when absent. */
  readonly only?: readonly string[];
  readonly settings?: Partial<SyncSettings>;
  /** People whom the ledger knows as ours. */
  readonly ours?: readonly string[];
  /** People of `ours` whose entry and account are as wanted. */
  readonly plain?: readonly string[];
  readonly marks?: Readonly<Record<string, number>>;
  readonly isFocused?: boolean;
  readonly pageSize?: number;
  /** Requests of a scan, where an earlier one has shown them. */
  readonly scanCost?: number;
  /** Names about which a read and a search of the platform disagree. */
  readonly unclear?: readonly string[];
  /** What a person decided about `ana` and the account of `eva`. */
  readonly way?: PairWay;
}

async function compare(world: World) {
  const { users = [], only, pageSize = 1000 } = world;
  const index = openIndex(['firstName', 'lastName', 'area', 'email', 'job']);
  const findings: Finding[] = [];
  const find = (finding: Finding) => void findings.push(finding);
  const calls = { scan: 0, find: 0 };
  const byName = new Map(users.map((user) => [user.identification, user]));
  const sync = {
    settings: { ...plainSettings, firstSight: 'assume', ...world.settings },
    dialect: defaultDialect,
    platform: {
      scanCost: () => world.scanCost,
      async *scan() {
        calls.scan += 1;
        for (const page of chunk(users, pageSize)) yield { users: page, unread: [], total: users.length };
      },
      async find(name: string) {
        calls.find += 1;
        const user = byName.get(name);
        if (world.unclear?.includes(name) === true) return { found: 'unclear', reason: 'read and search disagree' };
        return user === undefined ? { found: false } : { found: true, user };
      },
    },
  } as unknown as Sync;
  const filing = openRecordFiling({ index, sync, find: () => {}, blocked: undefined });
  for (const record of world.records ?? []) filing.file(record);
  filing.settle();
  const slotOf = (name: string): number => {
    const { slot } = index.find(name);
    if (slot !== -1) return slot;
    const added = index.add(name);
    index.name(added, name);
    return added;
  };
  for (const name of world.ours ?? []) index.set(slotOf(name), mark.inLedger | mark.ours);
  for (const name of world.plain ?? []) index.setPlain(slotOf(name), `9${name}`);
  for (const [name, bits] of Object.entries(world.marks ?? {})) index.set(slotOf(name), bits);
  const spool = openFileSpool(tmpdir());
  onTestFinished(() => spool.close());
  const others: string[] = [];
  const progress: unknown[] = [];
  const store = { ledger: { getMany: async () => new Map() } };
  const io = { clock: fixedClock(someInstant), progress: (event: unknown) => void progress.push(event), store };
  const job = {
    sync,
    only: only === undefined ? undefined : named(only),
    isFocused: world.isFocused === true,
    index,
    spool,
    signal: new AbortController().signal,
    find,
    former: new Map(),
    standing: openStanding(
      world.way === undefined ? [] : [{ way: world.way, identification: 'ana', other: 'eva', by: 'leo' }],
    ),
    likeness: openLikeness(index, sync, true),
    managed: 0,
    onOther: ({ identification }: User) => void others.push(identification),
  };
  const compared = await comparePlatform(job, io as unknown as EngineIo);
  const nameOf = (slot: number) => index.person(slot).identification;
  return {
    compared,
    calls,
    others,
    progress,
    findings,
    codes: findings.map(({ code, identification }) => `${code} ${identification}`),
    /** What the spool keeps of each user to decide about: `whole`, or an id. */
    kept: Object.fromEntries(
      compared.candidates.slots.map((slot, i) => {
        const user = JSON.parse(spool.read(compared.candidates.places[i] as number)) as User | string;
        return [nameOf(slot), typeof user === 'string' ? user : 'whole'];
      }),
    ),
    claims: Object.fromEntries([...compared.claims].map(([slot, { holder }]) => [nameOf(slot), nameOf(holder)])),
    has: (name: string, bits: number) => index.has(index.find(name).slot, bits),
  };
}

describe('the users whom a full scan shows', () => {
  it('are counted: all, the enabled ones of ours, and those that no record and no entry name', async () => {
    const { compared, others, progress } = await compare({
      records: [of('ana'), of('eva'), of('leo')],
      users: [account('ana'), account('eva', off), account('leo'), account('old'), account('other')],
      ours: ['ana', 'eva', 'old'],
    });
    expect(compared).toMatchObject({
      users: 5,
      enabled: 2,
      unmanaged: 1,
      quiet: { unchanged: 0 },
      postponed: 0,
      pageSize: 500,
    });
    expect(compared).toMatchObject({ lookedAt: someInstant, lookTookMs: 0 });
    expect(others).toEqual(['old', 'other']);
    expect(progress).toEqual([
      { step: 'scanning', users: 0, total: undefined },
      { step: 'scanning', users: 5, total: 5 },
    ]);
  });

  it('come in pages, whose size is that of the largest one', async () => {
    const users = ['ana', 'eva', 'leo'].map((name) => account(name));
    const { compared, progress } = await compare({ users, pageSize: 2 });
    expect(compared).toMatchObject({ users: 3, pageSize: 2 });
    expect(progress.slice(-2)).toEqual([2, 3].map((count) => ({ step: 'scanning', users: count, total: 3 })));
    expect((await compare({ users })).compared.pageSize).toBe(500);
  });

  it('two of one identification, or of one that differs by case, are not changed', async () => {
    const { codes, findings, has, others } = await compare({
      records: [of('ana'), of('eva')],
      users: [account('ana'), account('ana', { id: 'second' }), account('EVA')],
    });
    expect(codes).toEqual(['duplicate-key ana', 'case-conflict EVA']);
    expect(findings.map(({ message }) => message)).toEqual([
      'the platform shows two users with this identification: neither is changed',
      'platform user EVA and eva differ only by case: neither is changed. Correct one of them',
    ]);
    expect([has('ana', mark.conflict), has('eva', mark.conflict)]).toEqual([true, true]);
    expect([has('ana', mark.enabled), others]).toEqual([true, ['EVA']]);
  });
});

describe('bystanders', () => {
  const marks = { ana: mark.bystander };

  it('are seen, and not decided about', async () => {
    const { kept, has } = await compare({ records: [of('ana')], users: [account('ana', off)], marks });
    expect([kept, has('ana', mark.seen), has('ana', mark.conflict)]).toEqual([{}, true, false]);
  });

  it.each([[[account('ANA')]], [[account('ana'), account('ana', { id: 'second' })]]])(
    'have a conflict where the account is not clear',
    async (users) => {
      const { codes, has } = await compare({ records: [of('ana')], users, marks });
      expect([codes, has('ana', mark.conflict)]).toEqual([[], true]);
    },
  );
});

describe('the users of a few people', () => {
  const found = [account('ana'), account('other')];

  it('are looked up by name, and tell nothing of the others', async () => {
    const { compared, calls, others } = await compare({ records: [of('ana')], users: found, only: ['ana'] });
    expect(compared).toMatchObject({ users: 1, enabled: undefined, unmanaged: undefined, pageSize: undefined });
    expect([calls, others]).toEqual([{ find: 1, scan: 0 }, []]);
  });

  it.each([
    { count: 20, users: 2, pageSize: 1, calls: { find: 20, scan: 0 } },
    { count: 21, users: 21, pageSize: 1, calls: { find: 0, scan: 1 } },
    { count: 21, users: 22, pageSize: 1, calls: { find: 21, scan: 1 } },
    { count: 21, users: 22, pageSize: 2, calls: { find: 0, scan: 1 } },
    // The last page holds one user, which says nothing of the number of pages.
    { count: 21, users: 101, pageSize: 50, calls: { find: 0, scan: 1 } },
    { count: 3, users: 3, pageSize: 3, scanCost: 2, calls: { find: 0, scan: 1 } },
    { count: 3, users: 3, pageSize: 3, scanCost: 3, calls: { find: 3, scan: 0 } },
    { count: 300, users: 300, pageSize: 3, scanCost: 300, calls: { find: 300, scan: 0 } },
  ])('of $count people with $users accounts in pages of $pageSize take $calls', async (row) => {
    const { count, users, calls: expected, ...platform } = row;
    const world = {
      records: crowd(count).map((name) => of(name, left)),
      users: crowd(users).map((name) => account(name)),
    };
    const { calls, compared } = await compare({ ...world, only: crowd(count), ...platform });
    expect(calls).toEqual(expected);
    expect(compared.users).toBe(expected.find > 0 ? Math.min(count, users) : users);
  });

  it('are searched among all where one of several is new', async () => {
    const world = { records: [of('ana'), of('new')], users: [account('ana')], only: ['ana', 'new', 'nobody'] };
    expect((await compare(world)).calls).toEqual({ find: 3, scan: 1 });
  });

  it('about whom read and search disagree are left alone', async () => {
    const { compared, findings, has } = await compare({
      records: [of('ana', left)],
      only: ['ana', 'nobody'],
      unclear: ['ana', 'nobody'],
    });
    expect(compared.postponed).toBe(2);
    expect(findings).toEqual(
      ['ana', 'nobody'].map((identification) => {
        return { code: 'lookup-disagrees', identification, message: 'nothing is done: read and search disagree' };
      }),
    );
    expect(has('ana', mark.conflict)).toBe(true);
  });

  const byName = { settings: { match: ['identification'] } } as const;
  it.each<{ name: string; world: World; scans: number }>([
    { name: 'a new employee', world: { records: [of('new')] }, scans: 1 },
    { name: 'a new employee where e-mails do not tell', world: { records: [of('new')], ...byName }, scans: 0 },
    { name: 'a new name that looks like another', world: { records: [of('n\u0435w')], ...byName }, scans: 1 },
    { name: 'a new leaver', world: { records: [of('new', left)] }, scans: 0 },
    { name: 'no record', world: {}, scans: 0 },
    {
      name: 'an equal e-mail',
      world: { records: [of('ana', mail('A@x.com'))], users: [account('ana', mail('a@x.com'))] },
      scans: 0,
    },
    {
      name: 'a new e-mail',
      world: { records: [of('ana', mail('b@x.com'))], users: [account('ana', mail('a@x.com'))] },
      scans: 1,
    },
    { name: 'a first e-mail', world: { records: [of('ana', mail('b@x.com'))], users: [account('ana')] }, scans: 1 },
    {
      name: 'no e-mail',
      world: { records: [of('ana', mail(''))], users: [account('ana', mail('a@x.com'))] },
      scans: 0,
    },
    {
      name: 'a new e-mail where e-mails do not tell',
      world: { records: [of('ana', mail('b@x.com'))], users: [account('ana')], ...byName },
      scans: 0,
    },
    {
      name: 'a new e-mail of a leaver',
      world: { records: [of('ana', { ...mail('b@x.com'), ...left })], users: [account('ana')] },
      scans: 0,
    },
  ])('are searched among all where clashes are possible: $name', async ({ world, scans }) => {
    const only = (world.records ?? []).map(({ identification }) => identification);
    expect((await compare({ ...world, only: only.length === 0 ? ['x9'] : only })).calls.scan).toBe(scans);
  });

  it('clash with users of other names', async () => {
    const twins = await compare({ records: [of('n\u0435w')], users: [account('new')], only: ['n\u0435w'] });
    expect(twins.codes).toEqual(['case-conflict new']);
    const claimed = await compare({
      records: [of('new', mail('a@x.com'))],
      users: [account('old', mail('a@x.com'))],
      only: ['new'],
    });
    expect(claimed.codes).toEqual(['rename-conflict new']);
    const aside = { records: [of('n\u0435w'), of('eva')], users: [account('new')], only: ['eva'] };
    expect((await compare({ ...aside, marks: { 'n\u0435w': mark.bystander } })).codes).toEqual([]);
  });
});

describe('an e-mail that an employee needs and another account has', () => {
  const ana = of('ana', mail('x@x.com'));
  const holder = (over: Partial<User> = {}) => account('eva', { ...mail('x@x.com'), ...over });
  const eva = of('eva', mail('new@x.com'));
  const parks = { parkEmail: {} } as unknown as Partial<SyncSettings>;

  it('is claimed where the other employee may give it', async () => {
    const { claims, codes, compared } = await compare({ records: [ana, eva], users: [holder()] });
    expect([claims, codes]).toEqual([{ ana: 'eva' }, []]);
    expect(compared.holders.size).toBe(1);
  });

  it.each<{ name: string; world: World; codes: readonly string[] }>([
    { name: 'is empty', world: { records: [ana, eva], users: [account('eva', mail(''))] }, codes: [] },
    { name: 'is their own', world: { records: [ana], users: [account('ana', mail('X@x.com'))] }, codes: [] },
    {
      name: 'does not tell who is who',
      world: { records: [ana], users: [holder()], settings: { match: ['identification'] } },
      codes: [],
    },
    {
      name: 'belongs to a person whom only the ledger knows',
      world: { records: [ana], users: [holder()], ours: ['eva'] },
      codes: ['rename-conflict ana', 'rename-conflict eva'],
    },
    {
      name: 'is of a leaver who looks like the same person',
      world: { records: [ana, of('eva', left)], users: [holder()] },
      codes: ['conversion ana', 'conversion eva'],
    },
    {
      name: 'is of a disabled leaver who looks like the same person',
      world: { records: [ana, of('eva', left)], users: [holder(off)] },
      codes: ['conversion ana', 'conversion eva'],
    },
  ])('$name: $codes', async ({ world, codes }) => {
    const plan = await compare(world);
    expect([plan.codes, plan.claims]).toEqual([codes, {}]);
    if (codes[0] === 'conversion ana')
      expect(plan.findings[0]?.message).toMatch(/^ana \(line of ana\) has the e-mail of eva, a leaver who looks/);
    expect(plan.has('ana', mark.conflict)).toBe(codes.length > 0);
    if (codes.length > 1) expect(plan.has('eva', mark.conflict)).toBe(true);
  });

  it.each<{ way: PairWay; over?: World; codes?: readonly string[]; claims?: object }>([
    { way: 'leave' },
    { way: 'replace' },
    { way: 'replace', over: { ours: ['eva'], settings: parks }, claims: { ana: 'eva' } },
    { way: 'replace', over: { marks: { eva: mark.inLedger }, settings: parks } },
    { way: 'apart', codes: ['email-conflict ana'] },
    { way: 'apart', over: { ours: ['eva'], settings: parks }, codes: ['email-conflict ana'] },
    { way: 'apart', over: { records: [ana, of('eva', left)], settings: parks }, claims: { ana: 'eva' } },
    { way: 'apart', over: { records: [ana, of('eva', left)] }, codes: ['email-conflict ana'] },
  ])('is what a person decided: $way', async ({ way, over, codes = [], claims = {} }) => {
    const plan = await compare({ records: [ana], users: [holder()], way, ...over });
    expect([plan.codes, plan.claims]).toEqual([codes, claims]);
  });

  it('is told with the zeros that the identification lost', async () => {
    const found = await compare({ records: [of('7', mail('x@x.com'))], users: [account('007', mail('x@x.com'))] });
    expect(found.findings[0]?.message).toMatch(
      /which may be a rename \(.*leading zeros\)\. Neither is changed\. Correct/,
    );
  });

  it('is told with the account where that may become the claimant’s, and without it where it may not', async () => {
    const accounts = async (records: readonly Person[]) =>
      (await compare({ records, users: [holder()] })).findings.map(({ account: shown }) => shown?.identification);
    expect(await accounts([ana])).toEqual(['eva']);
    expect(await accounts([ana, of('eva', left)])).toEqual(['eva', undefined]);
    expect(await accounts([ana, of('eva', { ...left, isInScope: false })])).toEqual([undefined]);
  });

  it('of two accounts is claimed once, and the other one is a conflict', async () => {
    const { claims, codes } = await compare({
      records: [ana, eva, of('leo', mail('other@x.com'))],
      users: [holder(), account('leo', mail('x@x.com'))],
    });
    expect([claims, codes]).toEqual([{ ana: 'eva' }, ['email-conflict ana']]);
  });

  it('is claimed once also where a scan shows the account again', async () => {
    const { claims, codes, calls } = await compare({ records: [ana, eva], users: [holder()], only: ['ana', 'eva'] });
    expect([claims, codes, calls.scan]).toEqual([{ ana: 'eva' }, [], 1]);
  });

  it('is no finding between people whom the run is not about', async () => {
    const marks = { ana: mark.bystander, eva: mark.bystander };
    expect((await compare({ records: [ana], users: [holder()], marks: { ana: mark.bystander } })).codes).toEqual([]);
    expect((await compare({ records: [ana, of('eva', left)], users: [holder()], marks })).codes).toEqual([]);
    const one = await compare({ records: [ana, of('eva', left)], users: [holder()], marks: { ana: mark.bystander } });
    expect(one.codes).toEqual(['conversion ana', 'conversion eva']);
  });
});

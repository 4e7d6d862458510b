import { tmpdir } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { packRoster } from '../../../src/core/plan/roster.ts';
import { openStanding } from '../../../src/core/plan/standing.ts';
import { findAlike } from '../../../src/run/compare/alike.ts';
import type { EngineIo, Sync } from '../../../src/run/engine-io.ts';
import type { Reading } from '../../../src/run/read/choose-read.ts';
import { mark } from '../../../src/run/read/marks.ts';
import { explain } from '../../../src/run/why.ts';
import { openFileSpool } from '../../../src/store/db/file-spool.ts';
import { openStore } from '../../../src/store/index.ts';
import { openRun, sampleEntry } from '../../contracts/store-samples.ts';
import { person } from '../../core/cases.ts';
import { openIndex } from '../open-index.ts';
import { account, all, only, openPlanScene, type PlanScene, row } from '../plan-scene.ts';

const ids = ['00101', '00102', '00103', '04711'];

/** A sync without e-mails whose first run made these people ours. */
async function settled(): Promise<PlanScene> {
  const scene = await openPlanScene({
    records: ids.map((id) => row(id)),
    users: ids.map((id) => account(id)),
    settings: { missing: { afterReads: 1, minAgeMs: 0 } },
  });
  expect((await scene.plan()).kinds).toEqual({});
  return scene;
}

/** The next full read, an hour later. */
async function next(scene: PlanScene, records: PlanScene['source']['records']) {
  scene.source.records = records;
  scene.clock.advance(3_600_000);
  return scene.plan();
}

describe('an identification that lost its leading zeros', () => {
  it('changes nothing for the person, who is neither created again nor missing, and is told what to do', async () => {
    const scene = await settled();

    const planned = await next(scene, [row('101', {}, 'line 2'), row('102'), row('103'), row('4711')]);

    expect(planned.kinds).toEqual({});
    expect(planned.findings.filter((one) => one === 'rename-conflict 101')).toHaveLength(1);
    expect(planned.findings).toHaveLength(10);
    expect(scene.message(planned, 'cell-suspect')).toBe(
      "id is written differently than before in 4 rows. To read it as before (with zeros to 5 characters), set mapping.identification.expression: $pad(id, -5, '0')",
    );
    expect(scene.message(planned, 'rename-conflict')).toMatch(
      /^3 people: … \(line of …\) and user …, not in the source, differ only in case, punctuation or leading zeros: .* \(102, 00102; 103, 00103; 4711, 04711\)$/,
    );
    expect(planned.plan.findings.find(({ identification }) => identification === '101')?.message).toBe(
      '101 (line 2) and user 00101, not in the source, differ only in case, punctuation or leading zeros: neither is changed. Correct one identification, or run "rollcall adopt people 101"',
    );
    // Each of the two is told; the sentence that stands for the people is not counted with them.
    const { byCode, causes } = await scene.store.reports.findingCauses(planned.run.id);
    expect(byCode.find(({ code }) => code === 'rename-conflict')?.count).toBe(8);
    expect(causes.every(({ message }) => !message.startsWith('3 people'))).toBe(true);
    expect(planned.plan.facts.blocked).toEqual({ 'identity-conflict': 4 });
    expect(await scene.store.ledger.get('acme', '00101')).not.toHaveProperty('misses');
  });

  it('is found for one person among others', async () => {
    const scene = await settled();

    const planned = await next(scene, [row('00101'), row('102', {}, 'line 3'), row('00103'), row('00104')]);

    expect(planned.kinds).toEqual({ '04711': 'disable', '00104': 'create' });
    expect(new Set(planned.findings)).toEqual(new Set(['rename-conflict 102', 'rename-conflict 00102']));
  });

  it('is found when zeros come back', async () => {
    const scene = await openPlanScene({
      records: [row('7')],
      users: [account('7')],
      settings: { missing: { afterReads: 1, minAgeMs: 0 } },
    });
    await scene.plan();

    expect((await next(scene, [row('0007')])).kinds).toEqual({});
    expect((await next(scene, [row('7')])).findings).toEqual([]);
  });

  it('ends with the export that has its zeros again', async () => {
    const scene = await settled();
    await next(scene, [row('101'), row('102'), row('103'), row('4711')]);

    const planned = await next(scene, [...ids.map((id) => row(id)), row('00104')]);

    expect([planned.kinds, planned.findings]).toEqual([{ '00104': 'create' }, []]);
  });

  it('is found by reads of named people, and why says the same', async () => {
    const scene = await settled();
    scene.source.records = [row('101'), row('00102'), row('00103'), row('04711')];

    const planned = await scene.plan(only('101'));

    expect(planned.kinds).toEqual({});
    expect(planned.findings).toContain('rename-conflict 101');
    const signal = new AbortController().signal;
    for (const name of ['101', '00101']) {
      const { findings, change, decision, conflict } = await explain(name, scene.sync, scene.io, signal);
      expect([change, decision?.rule]).toEqual([undefined, 'unusable']);
      expect(findings.map(({ code }) => code)).toContain('rename-conflict');
      if (name === '101') expect(conflict?.user.identification).toBe('00101');
    }
  });

  it('is found by a delta', async () => {
    const scene = await openPlanScene({
      records: ids.map((id) => row(id)),
      users: ids.map((id) => account(id)),
      settings: { deltas: { fullEveryMs: 86_400_000, overlapMs: 60_000 } },
    });
    await scene.plan();
    scene.source.changed = [row('101'), row('00200')];

    const planned = await scene.plan(all);

    expect(planned.kinds).toEqual({ '00200': 'create' });
    expect(planned.findings).toContain('rename-conflict 101');
  });
});

describe('a person of the same name and dates under a new identification', () => {
  const born = { born: '1990-01-02' };
  const shown = { fields: { birthDate: '1990-01-02' } };
  const before = ['a1', 'b2', 'c3'];

  async function married(settings: Partial<PlanScene['sync']['settings']> = {}): Promise<PlanScene> {
    const scene = await openPlanScene({
      records: before.map((id) => row(id, id === 'a1' ? born : {})),
      users: before.map((id) => account(id, id === 'a1' ? shown : {})),
      settings: { missing: { afterReads: 1, minAgeMs: 0 }, ...settings },
    });
    expect((await scene.plan()).kinds).toEqual({});
    scene.source.records = [row('n9', born), row('b2'), row('c3')];
    scene.clock.advance(3_600_000);
    return scene;
  }

  it('is found by full reads and by reads of named people, and why says the same of both', async () => {
    const scene = await married();
    for (const scope of [all, only('n9')]) {
      const planned = await scene.plan(scope);
      expect(planned.kinds).toEqual({});
      expect(planned.findings).toContain('rename-conflict n9');
    }
    const { signal } = new AbortController();
    for (const name of ['n9', 'a1']) {
      const { change, decision, conflict } = await explain(name, scene.sync, scene.io, signal);
      expect([change, decision?.rule]).toEqual([undefined, 'unusable']);
      expect([conflict?.person, conflict?.user.identification]).toEqual(['n9', 'a1']);
    }
  });

  it('waits in a delta for the next full read, which decides', async () => {
    const scene = await married({ deltas: { fullEveryMs: 86_400_000, overlapMs: 60_000 } });
    scene.source.changed = [row('n9', born)];
    const delta = await scene.plan();
    expect(delta.kinds).toEqual({});
    expect(scene.message(delta, 'rename-conflict')).toContain('a1, not in this read');

    scene.source.records = [row('n9', born), row('a1', born), row('b2'), row('c3')];
    expect((await scene.plan()).kinds).toEqual({ n9: 'create' });
  });

  it('is a person of its own where the source knows the other as an employee', async () => {
    const scene = await married();
    Object.assign(scene.sync.source.capabilities, { point: true });
    scene.source.records = [row('n9', born), row('a1', born), row('b2'), row('c3')];
    expect((await scene.plan(only('n9'))).kinds).toEqual({ n9: 'create' });
  });

  it('is left alone where the user is not ours', async () => {
    const scene = await openPlanScene({ records: [row('b2')], users: [account('a1', shown), account('b2')] });
    await scene.plan();
    scene.source.records = [row('n9', born), row('b2')];
    expect((await scene.plan()).kinds).toEqual({ n9: 'create' });
    expect((await scene.plan(only('n9'))).kinds).toEqual({ n9: 'create' });
  });
});

describe('a search for lost zeros', () => {
  const { inSource, ours, seen, bystander, conflict } = mark;
  const owned = inSource | seen | ours;
  const full = { kind: 'full' } as Reading;
  const delta = { kind: 'delta' } as Reading;
  const point = (readsAll: boolean): Reading => ({ kind: 'point', identifications: [], readsAll });

  interface Search {
    /** The marks of each person. */
    readonly people: Readonly<Record<string, number>>;
    /** The people with an account that the scan kept. A false one is only counted. */
    readonly kept?: Readonly<Record<string, boolean>>;
    readonly reading?: Reading;
    readonly isFocused?: boolean;
    readonly ledger?: Parameters<typeof sampleEntry>[];
    /** Who has an account, by lookup. */
    readonly accounts?: readonly string[];
    /** People of the last full read. */
    readonly roster?: readonly string[];
  }

  /** Returns the pairs that are reported, who is in conflict, and who was looked up. */
  async function search({ people, kept = {}, reading = full, isFocused = false, ...known }: Search) {
    const store = await openStore('sqlite::memory:', { folder: tmpdir() });
    onTestFinished(() => store.close());
    const spool = openFileSpool(tmpdir());
    onTestFinished(() => spool.close());
    const run = await openRun(store, { id: 'run_1' });
    await store.ledger.put(
      run,
      (known.ledger ?? []).map((given) => sampleEntry(...given)),
    );
    if (known.roster !== undefined) {
      const listed = openIndex(undefined, 'salt');
      for (const name of known.roster) listed.set(listed.add(name), inSource | mark.active);
      const pages = packRoster('people', listed.rosterEntries('people'));
      const counts = { people: pages.length, emails: 1 };
      const header = { sync: 'people', run: 'run_1', at: 1, fingerprint: 'f1', salt: 'salt', rows: 1, pages: counts };
      await store.rosters.put(run, header, pages);
    }
    const index = openIndex();
    for (const [identification, marks] of Object.entries(people)) {
      const slot = index.add(identification);
      if ((marks & inSource) === 0) index.name(slot, identification);
      else index.fill(slot, person({ identification }));
      index.set(slot, marks);
    }
    const candidates = { slots: [] as number[], places: [] as number[] };
    for (const [name, isWhole] of Object.entries(kept)) {
      candidates.slots.push(index.find(name).slot);
      candidates.places.push(spool.append(JSON.stringify(isWhole ? account(name) : [name, { fields: {} }])));
    }
    const asked: string[] = [];
    const find = async (name: string) => {
      asked.push(name);
      const isFound = known.accounts?.includes(name) === true;
      return isFound ? { found: true, user: account(name) } : { found: false };
    };
    const settings = { name: 'people', connection: 'acme' };
    const sync = { settings, mapping: { fields: [] }, platform: { find } } as unknown as Sync;
    const told: (string | undefined)[][] = [];
    const { signal } = new AbortController();
    const job = { sync, reading, index, spool, candidates, isFocused, signal, standing: openStanding([]) };
    const onFinding = ({ identification, other }: { identification?: string; other?: string }): void => {
      told.push(other === undefined ? [identification] : [identification, other]);
    };
    await findAlike({ ...job, find: onFinding }, { found: [], leavers: [] }, { store } as EngineIo);
    const conflicts = Object.keys(people).filter((name) => index.has(index.find(name).slot, conflict));
    return { pairs: told, conflicts, asked };
  }

  const none = { pairs: [], conflicts: [], asked: [] };
  const both = { pairs: [['7', '07'], ['07']], conflicts: ['7', '07'], asked: [] };

  it.each<Search & { readonly name: string; readonly shows?: object }>([
    { name: 'ours and missing', people: { '7': inSource, '07': ours | seen }, kept: { '07': true }, shows: both },
    { name: 'not ours', people: { '7': inSource, '07': seen }, kept: { '07': true } },
    { name: 'in the source', people: { '7': inSource, '07': owned }, kept: { '07': true } },
    { name: 'kept without its fields', people: { '7': inSource, '07': ours | seen }, kept: { '07': false } },
    { name: 'not kept', people: { '7': inSource, '07': ours | seen } },
    {
      name: 'of a person with an account',
      people: { '7': inSource | seen, '07': ours | seen },
      kept: { '07': true },
    },
    { name: 'of a person without a record', people: { '7': 0, '07': ours | seen }, kept: { '07': true } },
    { name: 'of nobody', people: { '8': inSource, '07': ours | seen }, kept: { '07': true } },
    {
      name: 'of a person with another conflict',
      people: { '7': inSource | conflict, '07': ours | seen },
      kept: { '07': true },
      shows: { ...both, pairs: [] },
    },
    {
      name: 'beside the people whom the run is about',
      people: { '7': inSource | bystander, '07': ours | seen | bystander },
      kept: { '07': true },
      shows: { ...both, pairs: [] },
    },
    ...[
      { '7': inSource, '07': ours | seen | bystander },
      { '7': inSource | bystander, '07': ours | seen },
    ].map((people) => ({ name: 'partly beside them', people, kept: { '07': true }, shows: both })),
  ])('by an account that is $name', async ({ name: _, shows = none, ...given }) => {
    expect(await search(given)).toEqual(shows);
  });

  const found = { pairs: [['7', '07'], ['07']], conflicts: ['7'], asked: ['07'] };
  const entry: Search = { people: { '7': inSource }, ledger: [['07']], accounts: ['07'], reading: delta };

  it.each<Search & { readonly name: string; readonly shows?: object }>([
    { ...entry, name: 'a delta does not show', shows: found },
    { ...entry, name: 'a lookup does not show', reading: point(false), shows: found },
    { ...entry, name: 'a focused read does not show', reading: full, isFocused: true, shows: found },
    { ...entry, name: 'a full read would show', reading: full },
    { ...entry, name: 'another sync owns', ledger: [['07', { owner: 'other' }]] },
    { ...entry, name: 'was removed', ledger: [['07', { removed: { at: 1, blacklist: false } }]] },
    { ...entry, name: 'has no account', accounts: [], shows: { ...none, asked: ['07'] } },
    { ...entry, name: 'is in this read', people: { '7': inSource, '07': owned } },
    {
      ...entry,
      name: 'is in this read without a record',
      people: { '7': inSource, '07': ours },
      shows: { ...both, asked: ['07'] },
    },
    { ...entry, name: 'is not a number', people: { E7: inSource } },
    { ...entry, name: 'belongs to a person with an account', people: { '7': inSource | seen } },
    { ...entry, name: 'belongs to a bystander', people: { '7': inSource | bystander } },
    {
      ...entry,
      name: 'belongs to a person with a conflict',
      people: { '7': inSource | conflict },
      shows: { ...none, conflicts: ['7'] },
    },
    { ...entry, name: 'belongs to another person of the last full read', roster: ['7', '07'] },
    { ...entry, name: 'was missing in the last full read', roster: ['7'], shows: found },
    { ...entry, name: 'belongs to a person who was not in the last full read', roster: ['07'], shows: found },
    { ...entry, name: 'is looked up among all people', reading: point(true), roster: ['7', '07'], shows: found },
    { ...entry, name: 'is looked up alone', reading: point(false), roster: ['7', '07'] },
    { ...entry, name: 'is decided alone', isFocused: true, roster: ['7', '07'], shows: found },
  ])('by an entry of the ledger that $name', async ({ name: _, shows = none, ...given }) => {
    expect(await search(given)).toEqual(shows);
  });
});

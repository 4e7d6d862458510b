import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/core/person/person.ts';
import { RollcallError } from '../../../src/core/run/errors.ts';
import { defaultGuards } from '../../../src/core/run/settings.ts';
import type { Run } from '../../../src/ports/store.ts';
import { advanceRun } from '../../../src/run/advance-run.ts';
import { openRun } from '../../contracts/store-samples.ts';
import { account, openPlanScene, type PlanScene, type PlanSceneOptions, row } from '../plan-scene.ts';

const day = 86_400_000;
const names = ['Ana', 'Bruno', 'Clara', 'Diego', 'Elena', 'Franco', 'Gina', 'Hugo', 'Irene', 'Jorge', 'Karla', 'Luis'];
const records = names.map((first, i) => row(`E${1 + i}`, { first, last: 'Ruiz', email: `p${1 + i}@corp.test` }));

const accountOf = ({ fields: f }: SourceRecord) =>
  account(String(f.id), { fields: { firstName: String(f.first), lastName: 'Ruiz', email: String(f.email) } });

/** A sync whose accounts are all in order; the next day, E1 has left and E2 has another area. */
async function nextDay(options: Partial<PlanSceneOptions> = {}): Promise<PlanScene> {
  const settings = { guards: defaultGuards, ...options.settings };
  const scene = await openPlanScene({ records, users: records.map(accountOf), ...options, settings });
  expect((await scene.plan()).kinds).toEqual({});
  scene.clock.jumpTo(scene.clock.now() + day);
  scene.source.records = changed(records);
  return scene;
}

const changed = (all: readonly SourceRecord[], over: Readonly<Record<string, unknown>> = {}): readonly SourceRecord[] =>
  all.map((one) => {
    const { id } = one.fields;
    if (id === 'E1') return row('E1', { ...one.fields, status: 'left', ...over });
    return id === 'E2' ? row('E2', { ...one.fields, area: 'Legal' }) : one;
  });

async function request({ store, sync }: PlanScene) {
  const [trigger] = (await store.triggers.waiting(sync.settings.name)).filter(({ kind }) => kind === 'leavers');
  return trigger?.scope;
}

/** Why a run about everyone cannot disable E1, in the words of the request. */
const troubles: Readonly<Record<string, { make(scene: PlanScene): void; because: string }>> = {
  'a page of the source fails': {
    make: ({ source }) => {
      source.fails = new RollcallError('page 2 answers 500.', { code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
    },
    because: 'page 2 answers 500',
  },
  'the read is not complete': {
    make: ({ source }) => {
      source.end = { complete: false, rows: 12, reasons: ['the pages shifted during the read'] };
    },
    because: 'the pages shifted during the read',
  },
  'the search cannot end': {
    make: ({ script }) => {
      script.scanError = new RollcallError('the search answers 503', { code: 'SCAN_INCOMPLETE', retry: 'backoff' });
    },
    because: 'the search answers 503',
  },
  'the source lost rows': {
    make: ({ source }) => {
      source.records = changed(records.slice(0, 9));
    },
    because: 'source rows fell from 12 to 9 (25.0 % down, 10 % allowed)',
  },
};

describe.each(Object.entries(troubles))('when %s', (_, { make, because }) => {
  it('requests a run about the stated leavers alone, which disables them and does nothing else', async () => {
    const scene = await nextDay();
    make(scene);
    await scene.plan().catch(() => {});
    const scope = await request(scene);
    expect(scope).toEqual({ kind: 'users', identifications: ['E1'], leavers: { run: 'run_2', because } });
    const scans = scene.calls.scan;
    scene.source.end = undefined;
    const planned = await scene.plan(scope);
    expect(planned.kinds).toEqual({ E1: 'disable' });
    expect(scene.message(planned, 'leavers-alone')).toBe(
      `this run is about 1 person who left: run run_2 cannot disable them, because ${because}`,
    );
    expect([scene.calls.scan - scans, scene.asked.at(-1)]).toEqual([0, 'E1']);
  });
});

describe('a run about everyone that cannot disable leavers', () => {
  it.each<[string, Partial<PlanSceneOptions>, (scene: PlanScene) => unknown]>([
    ['nobody left', {}, ({ source }) => Object.assign(source, { records })],
    ['everyone became a leaver', {}, ({ source }) => Object.assign(source, { records: records.map(leaving) })],
    ['a person rejected the disable', {}, (scene) => rejected(scene)],
    ['another employee has the e-mail', {}, ({ source }) => Object.assign(source, { records: withEmailOf('E1') })],
    ['the person may work under another number', {}, ({ source }) => Object.assign(source, { records: hiredAgain })],
    ['a freeze lasts', {}, ({ sync, clock }) => Object.assign(sync, { frozenUntil: () => clock.now() + day })],
    ['nobody knows the configuration', {}, ({ sync }) => Object.assign(sync, { fingerprint: 'f2' })],
    ['the source is read as a whole', { capabilities: { point: false } }, () => {}],
    ['the token is dead', {}, ({ source }) => Object.assign(source, { fails: dead })],
  ])('requests nothing where %s', async (_, options, make) => {
    const scene = await nextDay(options);
    troubles['a page of the source fails']?.make(scene);
    await make(scene);
    await scene.plan().catch(() => {});
    expect(await request(scene)).toBeUndefined();
  });

  it('requests nothing about an account that somebody else disabled', async () => {
    const scene = await nextDay({ settings: { missing: { afterReads: 1, minAgeMs: 0 } } });
    troubles['the source lost rows']?.make(scene);
    scene.users.set('E1', account('E1', { ...accountOf(records[0] as SourceRecord), enabled: false }));
    const held = { E10: 'disable held', E11: 'disable held', E12: 'disable held' };
    expect((await scene.plan()).kinds).toEqual({ ...held, E2: 'update' });
    expect(await request(scene)).toBeUndefined();
  });

  it.each([
    ['once', 0, ['E1']],
    ['twice', 1, undefined],
  ])('asks a file again whose people stand in it %s', async (_, doubles, expected) => {
    const twice = [...records, ...records.slice(5, 5 + doubles)];
    const settings = { prefer: [] as never };
    const scene = await nextDay({ records: twice, capabilities: { point: false }, settings });
    scene.source.records = changed(records.slice(0, 9));
    await scene.plan();
    const scope = await request(scene);
    expect(scope?.kind === 'users' ? scope.identifications : undefined).toEqual(expected);
    if (scope !== undefined) expect((await scene.plan(scope)).kinds).toEqual({ E1: 'disable' });
  });

  it('asks also about leavers of an earlier read whom this read did not reach', async () => {
    const scene = await nextDay({
      settings: { guards: { ...defaultGuards, disables: { absolute: 0, percent: 0, cap: 0 } } },
    });
    expect((await scene.run()).kinds).toMatchObject({ E1: 'disable held' });
    Object.assign(scene.sync.settings, { guards: defaultGuards });
    scene.source.records = scene.source.records.toReversed();
    troubles['a page of the source fails']?.make(scene);
    await scene.plan().catch(() => {});
    expect(await request(scene)).toMatchObject({ identifications: ['E1'] });
  });

  it('takes its request back when another attempt disables them', async () => {
    const scene = await nextDay();
    troubles['a page of the source fails']?.make(scene);
    const { store, sync, io, stopping, clock } = scene;
    const { name, connection } = sync.settings;
    const owned = await openRun(store, {
      id: 'run_2',
      sync: name,
      connection,
      now: clock.now(),
      scope: { kind: 'all' },
    });
    const context = { sync, signal: stopping.signal, stopping: stopping.signal };
    await expect(advanceRun({ ...context, owned }, io)).rejects.toThrow('page 2');
    expect(await request(scene)).toBeDefined();
    const again = async () => {
      const run = (await store.runs.get('run_2')) as Run;
      return advanceRun({ ...context, owned: { ...owned, run } }, io);
    };
    scene.source.fails = dead;
    await expect(again()).rejects.toThrow('dead');
    expect(await request(scene)).toBeDefined();
    scene.source.fails = undefined;
    await again();
    expect(await request(scene)).toBeUndefined();
  });
});

describe('a run about leavers alone', () => {
  const order = { run: 'run_2', because: 'the search answers 503' };
  const about = (...identifications: string[]) => ({ kind: 'users', identifications, leavers: order }) as const;

  it('leaves a person who is active again, and says so', async () => {
    const scene = await nextDay();
    scene.source.records = [...records.slice(1), row('E1', { first: 'Ana', last: 'Ruiz', area: 'Legal' })];
    const planned = await scene.plan(about('E1'));
    expect(planned.kinds).toEqual({});
    expect(planned.findings).toContain('leavers-alone E1');
  });

  it('leaves an account whose record is about another person', async () => {
    const scene = await nextDay();
    scene.source.records = changed(records, { first: 'Otto', last: 'Weber', email: 'otto@corp.test' });
    expect((await scene.plan(about('E1'))).kinds).toEqual({});
  });

  it('holds what the limit of a day would hold in a run about everyone', async () => {
    const scene = await nextDay({
      settings: { guards: { ...defaultGuards, disables: { absolute: 0, percent: 0, cap: 0 } } },
    });
    expect((await scene.plan(about('E1'))).kinds).toEqual({ E1: 'disable held' });
  });

  it('never joins with a request about other people', async () => {
    const { store, sync, clock } = await nextDay();
    const common = { sync: sync.settings.name, requestedAt: clock.now() };
    await store.triggers.add({ ...common, id: 't1', key: 'k1', kind: 'leavers', scope: about('E1') });
    await store.triggers.add({
      ...common,
      id: 't2',
      key: 'k2',
      kind: 'resync',
      scope: { kind: 'users', identifications: ['E2'] },
    });
    const opened = await store.runs.open(common.sync, {
      id: 'r1',
      connection: sync.settings.connection,
      now: clock.now(),
    });
    expect(opened).toMatchObject({ triggers: ['t1'], run: { trigger: 'leavers', scope: about('E1') } });
  });
});

const dead = new RollcallError('the refresh token is dead', { code: 'REAUTH_REQUIRED' });
const leaving = ({ fields }: SourceRecord): SourceRecord => row(String(fields.id), { ...fields, status: 'left' });
const hiredAgain = changed([
  records[0] as SourceRecord,
  row('E99', { ...records[0]?.fields, id: 'E99', email: 'new@corp.test' }),
]);

function withEmailOf(id: string): readonly SourceRecord[] {
  const email = records.find(({ fields }) => fields.id === id)?.fields.email;
  return [...changed(records.slice(0, 2)), row('E77', { first: 'Zoe', last: 'Kent', email })];
}

async function rejected({ store, sync, plan, source }: PlanScene): Promise<void> {
  const { fails } = source;
  source.fails = undefined;
  const { changes } = await plan();
  const [change] = changes.filter(({ identification }) => identification === 'E1');
  source.fails = fails;
  expect(change).toBeDefined();
  const verdict = { state: 'rejected', by: 'ana', why: 'HR will correct it', at: 1 } as const;
  await store.decisions.decide(
    sync.settings.name,
    [{ ...change, fields: { isWhole: true, digests: {} } } as never],
    verdict,
  );
}

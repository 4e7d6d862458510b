import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findOrphans, moveOrphans } from '../../src/app/accounts/orphans.ts';
import type { AppIo } from '../../src/app/app-io.ts';
import { decideRun } from '../../src/app/approve.ts';
import { checkAll } from '../../src/app/connections.ts';
import { tracePerson } from '../../src/app/people.ts';
import { planHere } from '../../src/app/previews.ts';
import { runSync } from '../../src/app/requests.ts';
import { silentLogger } from '../../src/ports/runtime.ts';
import { judgeOrphans } from '../../src/watch/alerts/judge-sync.ts';
import { openHere } from '../chaos/open-here.ts';
import { openCommandPlace } from '../support/command-place.ts';
import { employees, type Office, type OfficeOptions, openOffice, usersOf } from '../support/office.ts';

const staff = employees(10);
const watched = { name: 'people', connection: 'acme', staleBefore: () => undefined };
const hourMs = 3_600_000;

interface Config {
  syncs: Record<string, Record<string, unknown>>;
}

async function open(options: Partial<OfficeOptions> = {}): Promise<Office> {
  const office = await openOffice({
    ...options,
    sandbox: { people: usersOf(staff) },
    sync: { missing: { afterReads: 2, minAge: '1s' }, guards: { disables: { absolute: 0, percent: 0 } } },
  });
  await office.writeEmployees(staff);
  expect((await office.apply()).run.outcome).toBe('nothing-to-do');
  return office;
}

/** Does the work with the configuration that the edit makes of the office's. `isReadOnly`: as a command without effect. */
async function edited<T>(
  office: Office,
  edit: (config: Config) => void,
  work: (app: AppIo) => Promise<T>,
  isReadOnly = false,
): Promise<T> {
  const config = JSON.parse(await readFile(join(office.folder, 'rollcall.json'), 'utf8')) as Config;
  edit(config);
  const path = join(office.folder, 'edited.json');
  await writeFile(path, JSON.stringify(config));
  const { app } = await openHere(path, { clock: office.clock, logger: silentLogger, isReadOnly });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

const renamed = (rest: Record<string, unknown>) => (config: Config) => {
  const { people } = config.syncs;
  config.syncs = { staff: { ...people, ...rest } };
};
const run = (app: AppIo) =>
  runSync(app, 'staff', { signal: AbortSignal.timeout(100_000), progress: () => {}, by: 'shell:ana' });

it('a renamed sync keeps its users, counts of absence, decisions, reads and pause', async () => {
  const office = await open();
  await office.writeEmployees(staff.map((row) => (row.id === 'E1' ? { ...row, status: 'left' } : row)));
  const held = await office.apply();
  await decideRun(office.app, 'reject', held.run.id, { by: 'ana', reason: 'on leave' });
  const without = staff
    .filter(({ id }) => id !== 'E2')
    .map((row) => (row.id === 'E1' ? { ...row, status: 'left' } : row));
  await office.writeEmployees(without);
  expect((await office.apply()).run.plan?.missing).toBe(1);
  await office.engine.io.store.pauses.add({ sync: 'people', pausedAt: office.clock.now(), by: 'ana' });
  office.clock.jump(hourMs);
  await office.writeEmployees(without);
  await edited(office, renamed({ formerly: 'people' }), async (app) => {
    const { store } = app.engine;
    expect(await store.pauses.list(office.clock.now())).toMatchObject([{ sync: 'staff' }]);
    await store.pauses.remove('staff', office.clock.now());
    const report = await run(app);
    // E2 was missing twice, and E1 stays rejected.
    expect(report.run.counts).toMatchObject({ disable: 1, held: 1 });
    expect(report.run.plan).toMatchObject({ rejected: 1, managedUsers: 10 });
    expect(await store.runs.list({ sync: 'people', limit: 9 })).toEqual([]);
    expect(await store.audit.list({ limit: 9, actions: ['rename-sync'] })).toMatchObject([
      { sync: 'staff', detail: 'was people' },
    ]);
    expect(await findOrphans(app.engine)).toEqual([]);
  });
  // The next start finds nothing more to move.
  await edited(office, renamed({ formerly: 'people' }), async (app) => {
    expect(await app.engine.store.audit.list({ limit: 9, actions: ['rename-sync'] })).toHaveLength(1);
  });
});

it('a preview, why and check of a renamed sync show what the next run does, and move nothing', async () => {
  const office = await open();
  await office.writeEmployees(staff.map((row) => (row.id === 'E1' ? { ...row, status: 'left' } : row)));
  await decideRun(office.app, 'reject', (await office.apply()).run.id, { by: 'ana' });
  const { store } = office.engine.io;
  await edited(
    office,
    renamed({ formerly: 'people' }),
    async (app) => {
      const signal = AbortSignal.timeout(100_000);
      const report = await planHere(app, 'staff', { signal, progress: () => {} });
      expect(report).toMatchObject({ sync: 'staff', facts: { rejected: 1, managedUsers: 10 }, counts: { disable: 0 } });
      const { ledger, steps } = await tracePerson(app, 'staff', 'E1', signal);
      expect(ledger?.owner).toBe('people');
      expect(JSON.stringify(steps)).toContain('you rejected it (ana at');
      for await (const { state, message } of checkAll(app, undefined, signal))
        expect([state, message]).not.toContain('failed');
    },
    true,
  );
  expect(await store.audit.list({ limit: 9, actions: ['rename-sync'] })).toEqual([]);
  expect(await store.ledger.countOwned('acme', 'people')).toMatchObject({ managed: 10 });
  expect(await store.runs.list({ sync: 'staff', limit: 9 })).toEqual([]);
  expect((await office.apply()).run.plan).toMatchObject({ rejected: 1 });
});

it('the commands that only show read a renamed sync under its former name, and the next run moves it', async () => {
  const { folder, rollcall, employ } = await openCommandPlace('sqlite:./store.db');
  await employ(4);
  expect((await rollcall('apply', 'people', '--json')).code).toBe(0);
  const config = JSON.parse(await readFile(join(folder, 'rollcall.yaml'), 'utf8')) as Config;
  config.syncs = { staff: { ...config.syncs.people, formerly: 'people' } };
  await writeFile(join(folder, 'new.yaml'), JSON.stringify(config));
  const later = (...args: readonly string[]) => rollcall(...args, '--config', 'new.yaml');
  await employ(4, [2]);
  const plan = (await later('plan', 'staff', '--json')).json<{ sync: string; facts: { managedUsers: number } }>();
  expect(plan).toMatchObject({ sync: 'staff', counts: { disable: 1, create: 0 }, facts: { managedUsers: 4 } });
  expect((await later('why', 'staff', 'E2')).stdout).toContain('disable');
  expect((await later('check')).stdout).not.toContain('belong to sync people');
  expect((await later('runs', 'staff', '--json')).json<{ runs: unknown[] }>().runs).toHaveLength(1);
  const [first] = (await later('runs', '--json')).json<{ runs: { id: string }[] }>().runs;
  expect((await later('show', first?.id ?? '')).code).toBe(0);
  expect((await later('status', '--json')).json<object>()).toMatchObject({
    syncs: [{ lastRun: { id: first?.id } }],
  });
  expect((await later('holds', '--sync', 'staff', '--json')).json<object>()).toMatchObject({ holds: [], reads: [] });
  expect((await later('report', 'joiners', 'staff', '--json')).json<{ people: unknown[] }>().people).toHaveLength(4);
  expect((await later('audit', '--sync', 'staff', '--json')).json<{ entries: unknown[] }>().entries).toHaveLength(1);
  expect((await later('plan', 'staff', '--undo', first?.id ?? '', '--json')).json<object>()).toMatchObject({
    sync: 'staff',
    counts: { disable: 1 },
  });
  // The former configuration still has everything.
  expect((await rollcall('runs', 'people', '--json')).json<{ runs: unknown[] }>().runs).toHaveLength(1);
  expect((await later('apply', 'staff', '--json')).json<object>()).toMatchObject({
    counts: { disable: 1, applied: 1 },
  });
  expect((await later('runs', 'staff', '--json')).json<{ runs: unknown[] }>().runs).toHaveLength(2);
});

it('an open run of a removed sync is ended by the next command, and the next run proves what it sent', async () => {
  const stopping = new AbortController();
  let isArmed = false;
  const office = await open({
    checkpoint: (place) => {
      if (isArmed && place === 'change-accepted') stopping.abort(new Error('stopped'));
    },
  });
  await office.writeEmployees(staff.map((row) => (row.id === 'E1' ? { ...row, first: 'Eva' } : row)));
  isArmed = true;
  const { signal } = stopping;
  await expect(runSync(office.app, 'people', { signal, progress: () => {}, by: 'ana' })).rejects.toThrow('stopped');
  const [left] = await office.engine.io.store.runs.unfinished();
  expect(left?.sync).toBe('people');
  office.clock.jump(60_000);
  await edited(office, renamed({}), async (app) => {
    const lines: string[] = [];
    for await (const { subject, message } of checkAll(app, undefined, AbortSignal.timeout(100_000)))
      if (subject === 'sync people') lines.push(message);
    expect(lines).toEqual([expect.stringContaining(`its open run ${left?.id} was ended`)]);
    expect(await app.engine.store.runs.get(left?.id ?? '')).toMatchObject({
      phase: 'done',
      outcome: 'failed',
      counts: { unresolved: 1 },
    });
    const report = await run(app);
    expect(report.run.counts).toMatchObject({ update: 0 });
    expect((await app.engine.store.batches.unknown(['acme'])).unresolved).toEqual([]);
  });
});

it('without formerly, every run, status and check tell of the users that no sync disables', async () => {
  const office = await open();
  await office.writeEmployees(staff.filter(({ id }) => id !== 'E3'));
  await edited(office, renamed({}), async (app) => {
    const [first] = await findOrphans(app.engine);
    expect(first?.message).toContain('10 enabled users belong to sync people, which is not configured');
    const report = await run(app);
    expect(report.findings).toContainEqual({
      code: 'orphaned-users',
      message: expect.stringContaining('1 enabled user belongs to sync people'),
    });
    const [last] = await findOrphans(app.engine);
    expect(last?.message).toContain('Set syncs.staff.formerly to people');
  });
});

it.each([
  [
    'is the name of a configured sync',
    (config: Config) => Object.assign(config.syncs, { staff: { ...config.syncs.people, formerly: 'people' } }),
  ],
  [
    'is also the former name of syncs.one',
    ({ syncs }: Config) =>
      Object.assign(syncs, { one: { ...syncs.people, formerly: 'old' }, two: { ...syncs.people, formerly: 'old' } }),
  ],
])('a former name that %s is refused', async (message, edit) => {
  const office = await open();
  await expect(edited(office, edit, async () => {})).rejects.toThrow(message);
});

it('a former name whose users are on another connection moves nothing', async () => {
  const office = await open();
  const elsewhere = (config: Config) => {
    const connections = (config as unknown as { connections: Record<string, unknown> }).connections;
    connections.other = connections.acme;
    renamed({ formerly: 'people', connection: 'other' })(config);
  };
  await expect(edited(office, elsewhere, async () => {})).rejects.toThrow(
    'the users of people are on the connection acme',
  );
  expect(await office.engine.io.store.ledger.countOwned('acme', 'people')).toMatchObject({ managed: 10 });
});

it('adopt --from moves the users of a removed sync, and leaving them needs a reason and ends the report', async () => {
  const office = await open();
  await office.writeEmployees(staff.filter(({ id }) => id !== 'E3'));
  await edited(office, renamed({}), async (app) => {
    const order = { sync: 'staff', from: 'people', by: 'ana' };
    const isOrphaned = async () => {
      const report = await run(app);
      const [topic] = [judgeOrphans({ sync: { ...watched, name: 'staff' }, run: report.run })];
      return [report.findings.some(({ code }) => code === 'orphaned-users'), topic === 'well' ? topic : topic?.code];
    };
    expect(await isOrphaned()).toEqual([true, 'users-orphaned']);
    await expect(moveOrphans(app, { ...order, leaves: true })).rejects.toThrow('requires a reason');
    await expect(moveOrphans(app, { ...order, from: 'staff', leaves: false })).rejects.toThrow('is configured');
    await expect(moveOrphans(app, { ...order, from: 'nobody', leaves: false })).rejects.toThrow('no user');
    await moveOrphans(app, { ...order, leaves: true, reason: 'the old company' });
    expect([await isOrphaned(), await findOrphans(app.engine)]).toEqual([[false, 'well'], []]);
    expect(await moveOrphans(app, { ...order, leaves: false })).toMatchObject({ users: 1 });
    expect(await app.engine.store.ledger.countOwned('acme', 'staff')).toMatchObject({ managed: 10 });
    // The absence is counted from now on.
    expect((await run(app)).run.plan?.missing).toBe(1);
  });
});

it('a leaver of a removed sync is disabled by a sync that reads them, unless another one has them as active', async () => {
  const office = await open();
  const left = staff.map((row) => (row.id === 'E1' || row.id === 'E2' ? { ...row, status: 'left' } : row));
  await office.writeEmployees(left);
  await office.writeEmployees([staff[1] ?? {}], 'others.csv');
  const two = (config: Config) => {
    const { people } = config.syncs;
    const guards = { disables: { absolute: 9 } };
    const source = { kind: 'csv', path: './others.csv', complete: 'stable' };
    config.syncs = { staff: { ...people, guards }, others: { ...people, guards, source, policy: 'sync' } };
  };
  await edited(office, two, async (app) => {
    const signal = AbortSignal.timeout(100_000);
    const plain = { signal, progress: () => {}, by: 'shell:ana' };
    await runSync(app, 'others', plain);
    const { run: report, findings } = await runSync(app, 'staff', plain);
    expect(report.counts).toMatchObject({ disable: 1, applied: 1 });
    expect([1, 2].map((n) => office.sandbox.state.users.get(`E${n}`)?.enabled)).toEqual([false, true]);
    expect(findings).toContainEqual(expect.objectContaining({ code: 'owned-by-other-sync', identification: 'E2' }));
  });
});

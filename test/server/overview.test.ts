import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { AppIo } from '../../src/app/app-io.ts';
import { readOverview } from '../../src/app/overview.ts';
import { queueRun } from '../../src/app/requests.ts';
import { findRuns } from '../../src/app/runs.ts';
import { beginPause } from '../../src/app/syncs.ts';
import { noPlan } from '../../src/core/run/facts.ts';
import { dayList, overview } from '../../src/views/overview.ts';
import { sampleBatch } from '../contracts/store-samples.ts';
import { employees, type Office, openOffice, type Row, usersOf } from '../support/office.ts';
import { openTestServer, type TestServer } from './open-test-server.ts';

const hourMs = 3_600_000;

async function openScheduled(people = 20) {
  const before = employees(people);
  const schedule = { cron: '0 * * * *', timezone: 'America/Montevideo' };
  const office = await openOffice({ sandbox: { people: usersOf(before) }, sync: { schedule } });
  await office.writeEmployees(before);
  return { office, server: await openTestServer(office.app), before };
}

/** The one sync of the overview, checked against the document. */
async function syncOf(server: TestServer) {
  const { status, json } = await server.ask('/api/overview');
  expect(status).toBe(200);
  expect(overview.parse(json)).toEqual(json);
  return json.syncs[0];
}

const left = (...numbers: readonly number[]) =>
  Object.fromEntries(numbers.map((i): [string, Row] => [`E${i}`, { status: 'left' }]));

/** A run that waits for a process: it was asked for, and is open. */
async function openRun({ app, engine: { io }, clock }: Office): Promise<void> {
  await queueRun(app, 'people', { scope: { kind: 'all' }, by: 'ana' });
  await io.store.runs.open('people', { id: 'run_1', connection: 'acme', now: clock.now() });
}

/** Takes the run for so long, as the process does that works on it. */
async function own({ engine: { io }, clock }: Office, ms: number, at = clock.now()) {
  const lease = await io.store.leases.take('run:run_1', 'us', ms, at);
  const run = await io.store.runs.get('run_1');
  if (lease === undefined || run === undefined) throw new Error('the run is gone');
  return { run, lease };
}

async function breakSource(office: Office): Promise<void> {
  await writeFile(join(office.folder, 'employees.csv'), 'id,first\n');
  await office.apply();
}

it('health says how runs go, and state what happens now', async () => {
  const { office, server, before } = await openScheduled();
  expect(await syncOf(server)).toMatchObject({
    health: { state: 'never-ran', since: null, failures: 0 },
    activity: { kind: 'idle', run: null },
    freshAt: null,
    lastRun: null,
  });

  const good = await office.apply();
  expect(await syncOf(server)).toMatchObject({
    health: { state: 'succeeding', since: new Date(good.run.endedAt ?? 0).toISOString(), failures: 0 },
    activity: { kind: 'idle' },
    freshAt: new Date(good.run.startedAt).toISOString(),
  });

  await breakSource(office);
  await breakSource(office);
  const failing = await syncOf(server);
  expect(failing.health).toMatchObject({ state: 'failing', failures: 2, outcome: 'failed', isStale: false });
  expect(failing.health.run).toBe(failing.lastRun.id);
  expect(failing.health.reason).toBe(failing.lastRun.reason);
  const runs = await findRuns(office.app, { limit: 2 });
  expect(failing.health.since).toBe(new Date(runs[1]?.endedAt ?? 0).toISOString());

  await office.applyRows(before);
  expect((await syncOf(server)).health).toMatchObject({ state: 'succeeding', failures: 0, run: null });

  office.clock.jump(5 * hourMs);
  expect((await syncOf(server)).health).toMatchObject({ state: 'stale', isStale: true, failures: 0 });

  await beginPause(office.app, 'people', { by: 'ana' });
  expect(await syncOf(server)).toMatchObject({ health: { state: 'paused', by: 'ana' }, nextSlotAt: null });
});

it('a hold waits however many runs came after its run, and an expired one is still told', async () => {
  const { office, server } = await openScheduled();
  await office.apply();
  await office.applyRows(employees(20, left(1, 2, 3, 4, 5, 6, 7)));
  for (let i = 0; i < 21; i++) await office.apply({ users: ['E20'] });
  const held = await syncOf(server);
  expect(held).toMatchObject({
    health: { state: 'succeeding' },
    activity: { kind: 'needs-approval' },
    people: { source: 20, matched: 20, blocked: 0 },
    holds: { holds: 1, changes: 7, byClass: { disables: 7 }, expired: { holds: 0, changes: 0 } },
  });
  office.clock.jump(25 * hourMs);
  const late = await syncOf(server);
  expect(late).toMatchObject({
    activity: { kind: 'needs-approval' },
    holds: { holds: 0, changes: 0, expired: { holds: 1, changes: 7 } },
  });
});

it('a run in progress shows its step, and a waiting request its number', async () => {
  const { office, server } = await openScheduled();
  await queueRun(office.app, 'people', { scope: { kind: 'all' }, by: 'ana' });
  expect(await syncOf(server)).toMatchObject({ activity: { kind: 'waiting' }, requests: 1 });
  const { engine } = office;
  await engine.io.store.runs.open('people', { id: 'run_1', connection: 'acme', now: office.clock.now() });
  expect(await syncOf(server)).toMatchObject({
    health: { state: 'never-ran' },
    activity: { kind: 'running', run: 'run_1', phase: 'reading', step: 1, steps: 4, changes: null, etaSeconds: null },
    requests: 0,
  });
});

it('a run without a worker waits in the queue, where `apply` would be a second process for it', async () => {
  const { office } = await openScheduled();
  await openRun(office);
  const stepOf = async (app: AppIo) => (await readOverview(app)).syncs[0]?.activity.run?.interrupted;
  expect(await stepOf(office.app)).toEqual({ at: undefined, isQueued: false });
  const queued = { ...office.app, checkRedis: async () => ({ subject: 'redis', state: 'ok', message: '' }) as const };
  expect(await stepOf(queued)).toEqual({ at: undefined, isQueued: true });
  await office.engine.io.store.leases.take('workers', 'redis', 60_000, office.clock.now());
  expect(await stepOf(queued)).toBeUndefined();
});

it('a run that no process works on is interrupted, since its last process is known to have died', async () => {
  const { office, server } = await openScheduled();
  const { store } = office.engine.io;
  await openRun(office);
  expect((await syncOf(server)).activity).toMatchObject({ isInterrupted: true, interruptedAt: null, problem: null });

  const at = office.clock.now();
  await store.runs.update(await own(office, 600_000, at), {
    problem: { at, reason: 'connect ECONNREFUSED' },
  });
  const problem = { at: new Date(at).toISOString(), reason: 'connect ECONNREFUSED' };
  expect((await syncOf(server)).activity).toMatchObject({ isInterrupted: false, interruptedAt: null, problem });
  office.clock.jump(660_000);
  const interruptedAt = new Date(at + 600_000).toISOString();
  expect((await syncOf(server)).activity).toMatchObject({ isInterrupted: true, interruptedAt, problem });

  const seenAt = office.clock.now();
  await store.leases.take('deployment', 'us', 600_000, seenAt);
  expect((await syncOf(server)).activity).toMatchObject({ isInterrupted: false });
  office.clock.jump(660_000);
  expect((await server.ask('/api/overview')).json.work).toMatchObject({
    isDeploymentRunning: false,
    // The deployment takes its lease for 15 seconds. It is longer here, so that a slow machine does not end it.
    deploymentSeenAt: new Date(seenAt + 600_000 - 15_000).toISOString(),
  });
});

it('the remaining time is estimated only after some changes are settled, and while a process works on the run', async () => {
  const { office, server } = await openScheduled();
  const { store } = office.engine.io;
  await openRun(office);
  const owned = await own(office, 3 * hourMs);
  const budget = { files: 2, requests: 9, purposes: {}, perSecond: 10, seconds: 1 };
  await store.plans.begin(owned, { id: 'run_1', sync: 'people', run: 'run_1', madeAt: office.clock.now() });
  await store.runs.update(owned, { phase: 'proving', plan: { ...noPlan, budget } });
  const batches = [1, 2].map((number) => sampleBatch(owned, number, { size: 10 }));
  await store.batches.create(
    owned,
    batches.map((batch) => ({ batch, identifications: [] })),
  );
  office.clock.jump(hourMs);
  const activity = { changes: { done: 0, total: 20 }, isInterrupted: false, etaSeconds: null };
  expect((await syncOf(server)).activity).toMatchObject(activity);

  await store.batches.update(owned, batches[0]?.id ?? '', { state: 'settled' });
  const { etaSeconds } = (await syncOf(server)).activity;
  expect(etaSeconds).toBeGreaterThanOrEqual(3600);
  office.clock.jump(3 * hourMs);
  expect((await syncOf(server)).activity).toMatchObject({ isInterrupted: true, etaSeconds: null });
});

it('days count what was applied, in the zone that the page shows', async () => {
  const { office, server } = await openScheduled();
  await office.apply();
  await office.applyRows(employees(23, left(1)));
  await breakSource(office);
  const ask = async (query: string) => {
    const { json } = await server.ask(`/api/overview/days?${query}`);
    expect(dayList.parse(json)).toEqual(json);
    return json;
  };
  const { days, syncs } = await ask('days=7');
  expect(days).toHaveLength(7);
  expect(days.at(-1)).toBe('2026-11-21');
  expect(syncs[0].days.at(-1)).toEqual({
    ...{ day: '2026-11-21', runs: 3, failedRuns: 1, failed: 0 },
    ...{ joiner: 3, returner: 0, mover: 0, leaver: 1, update: 0, leader: 0, firstWrite: 0, upkeep: 0, undone: 0 },
  });
  expect(syncs[0].days[0]).toMatchObject({ runs: 0, joiner: 0 });
  const far = await ask('days=30&timezone=Pacific/Kiritimati&sync=people');
  expect(far.days.at(-1)).toBe('2026-11-22');
  expect(far.syncs[0].days.at(-1)).toMatchObject({ runs: 3, joiner: 3, leaver: 1 });
  expect((await server.ask('/api/overview/days?timezone=Mars/Base')).status).toBe(400);
  expect((await server.ask('/api/overview/days?sync=nobody')).status).toBe(404);
});

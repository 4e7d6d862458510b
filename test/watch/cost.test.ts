import { get } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import type { AppIo } from '../../src/app/app-io.ts';
import { openTokenManager } from '../../src/platform/tokens/open-token-manager.ts';
import { openSeal } from '../../src/platform/tokens/seal.ts';
import type { Store } from '../../src/ports/store.ts';
import { openAlerts } from '../../src/watch/alerts/open-alerts.ts';
import type { WatchedConnection } from '../../src/watch/alerts/topics.ts';
import { openMetrics } from '../../src/watch/metrics/metrics.ts';
import {
  openPlanned,
  openRun,
  renewHolds,
  sampleBatch,
  sampleChange,
  sampleHold,
  sampleTokens,
  sampleTrigger,
  writePlan,
} from '../contracts/store-samples.ts';
import { openTestServer } from '../server/open-test-server.ts';
import { FakeClock, idle } from '../support/fake-clock.ts';
import { listTransactions } from '../support/listed-transactions.ts';
import { type Office, openOffice, plainSync } from '../support/office.ts';

/** The most transactions of one reader. */
const most = 15;

/** Gives a sync what watching reads: a success, a failed run with a hold, a run in progress with a batch, a request. */
async function fill(store: Store, sync: string, now: number): Promise<void> {
  const good = await openPlanned(store, { id: `good_${sync}`, sync, now: now - 9000 }, ['E1']);
  await store.runs.update(good, { phase: 'done', endedAt: now - 8000, outcome: 'succeeded' });
  const bad = await openRun(store, { id: `bad_${sync}`, sync, now: now - 7000 });
  await writePlan(store, { id: bad.run.id, owned: bad, sync }, [sampleChange('E2', 'disable')]);
  await store.plans.hold(bad, bad.run.id, ['disables'], 'too many');
  await renewHolds(store, bad, [sampleHold(bad, `hold_${sync}`, { heldAt: now })], now);
  await store.runs.update(bad, { phase: 'done', endedAt: now - 6000, outcome: 'failed' });
  const open = await openPlanned(store, { id: `open_${sync}`, sync, now: now - 5000 }, ['E3']);
  await store.batches.create(open, [{ batch: sampleBatch(open, 1), identifications: ['E3'] }]);
  await store.batches.update(open, `open_${sync}_b1`, { state: 'sent', sentAt: now - 4000 });
  await store.triggers.add(sampleTrigger(`request_${sync}`, { sync, requestedAt: now }));
}

async function openWatched(count: number): Promise<{ office: Office; store: Store; names: readonly string[] }> {
  const names = ['people', ...Array.from({ length: count - 1 }, (_, i) => `people-${i + 2}`)];
  const others = Object.fromEntries(names.slice(1).map((name) => [name, plainSync()]));
  const office = await openOffice({ syncs: others });
  const { store } = office.engine.io;
  for (const name of names) await fill(store, name, office.clock.now());
  await store.tokens.replace(undefined, sampleTokens());
  return { office, store, names };
}

function metricsOf({ store, names }: { readonly store: Store; readonly names: readonly string[] }, clock: FakeClock) {
  const syncs = names.map((name) => ({ name, connection: 'acme' }));
  const watched = { syncs, connections: ['acme'], channels: ['chat'] };
  const metrics = openMetrics({ store, clock, version: '1', names: watched, queue: undefined, owner: 'me' });
  onTestFinished(() => metrics.close());
  return metrics;
}

/** A judge with everything to watch, of syncs that all have an open problem after its first look. */
function judgeOf(office: Office, names: readonly string[], connections: readonly WatchedConnection[]) {
  const { io } = office.engine;
  const staleBefore = (now: number) => now - 3_600_000;
  const target = { withinMs: 3_600_000, warnMs: 600_000 };
  const leavers = { target, read: async () => [], frozenUntil: () => undefined };
  return openAlerts({
    ...io,
    channels: [{ name: 'chat', kind: 'webhook', url: { reveal: () => '' }, afterMs: 0, remindMs: undefined }],
    syncs: names.map((name) => ({ name, connection: 'acme', staleBefore, leavers })),
    connections,
    work: { hasSchedules: true, hasWorkers: true },
    place: { deployment: 'test', publicUrl: undefined },
    random: () => 0.5,
  });
}

/** Connections with a token pair in the store and a report each, which the judge reads. */
async function connectionsOf({ engine: { io } }: Office, count: number): Promise<readonly WatchedConnection[]> {
  const parts = {
    ...{ leases: io.store.leases, store: io.store.tokens, clock: io.clock, logger: io.logger, random: () => 0.5 },
    ...{ seal: openSeal(Buffer.alloc(32, 1).toString('base64')), exchange: () => Promise.reject(new Error('unused')) },
    ...{ newOwner: () => 'me', staticAccessToken: undefined, mayPresentSeed: false, httpTimeoutMs: 1000 },
  };
  const names = ['acme', ...Array.from({ length: count - 1 }, (_, i) => `acme-${i + 2}`)];
  for (const connection of names) await io.store.tokens.replace(undefined, sampleTokens({ connection }));
  return names.map((connection) => ({
    name: connection,
    token: openTokenManager({ ...parts, connection, configuredRefreshToken: undefined }).status,
    reports: [{ name: `report-${connection}`, staleBefore: () => undefined }],
  }));
}

/** Ends the run in progress of every sync. */
async function endRuns(store: Store, now: number): Promise<void> {
  for (const run of await store.runs.unfinished()) {
    const lease = await store.leases.take(`run:${run.id}`, `owner of ${run.id}`, 1000, now);
    if (lease !== undefined)
      await store.runs.update({ run, lease }, { phase: 'done', endedAt: now, outcome: 'failed' });
  }
}

/** Opens this many streams of tokens that see different syncs. Returns the number of events that they have got. */
async function follow(app: AppIo, streams: number, names: readonly string[]) {
  const sights = [{}, { people: false }, { syncs: names.slice(0, 3) }, { syncs: names.slice(3) }];
  const tokens = sights.map((sight, i) => ({
    name: `t${i}`,
    role: 'viewer' as const,
    token: `token-of-a-test-${i}`,
    ...sight,
  }));
  const server = await openTestServer(app, { settings: { tokens } });
  let events = 0;
  for (let i = 0; i < streams; i++) {
    const headers = { authorization: `Bearer ${tokens[i % tokens.length]?.token}` };
    await new Promise<void>((resolve) => {
      const asked = get(`${server.url}/api/overview/events`, { headers, agent: false }, (response) => {
        response.on('data', (piece: Buffer) => {
          events += String(piece).split('event: ').length - 1;
          resolve();
        });
        response.on('error', () => {});
      });
      asked.on('error', () => {});
      onTestFinished(() => void asked.destroy());
    });
  }
  return { server, events: () => events };
}

it('watching costs the same for 10 syncs of 1 connection and 120 of 20, and little', { timeout: 200_000 }, async () => {
  const seen = listTransactions();
  const count = async (work: () => Promise<unknown>): Promise<number> => {
    seen.length = 0;
    await work();
    return seen.length;
  };
  const judged = async (office: Office, names: readonly string[], connections: number): Promise<number> => {
    const judge = judgeOf(office, names, await connectionsOf(office, connections));
    const signal = new AbortController().signal;
    const { store, clock } = office.engine.io;
    await store.alerts.observe({ process: 'one', startedAt: clock.now(), until: clock.now() + 3_600_000 });
    // The first looks store a state of each sync, and that its platform hinders it.
    for (let look = 0; look < 3; look++) await judge.evaluate(signal);
    return count(() => judge.evaluate(signal));
  };
  const costs: Record<string, number>[] = [];
  for (const syncs of [10, 120]) {
    const watched = await openWatched(syncs);
    const { store, office } = watched;
    const clock = new FakeClock(office.clock.now());
    const metrics = metricsOf(watched, clock);
    const server = await openTestServer(office.app);
    // Members of holds are counted once, and then only where a decision was made.
    await metrics.render();
    const scrape = await count(() => metrics.render());
    await endRuns(store, clock.now());
    costs.push({
      scrape,
      'scrape after a run of each sync': await count(() => metrics.render()),
      overview: await count(() => server.ask('/api/overview')),
      syncs: await count(() => server.ask('/api/syncs')),
      alerts: await count(() => server.ask('/api/alerts')),
      judge: await judged(office, watched.names, syncs === 10 ? 1 : 20),
    });
    expect((await office.engine.io.store.alerts.states()).length).toBeGreaterThan(syncs);
    expect(await metrics.render()).toContain(`rollcall_runs_total{sync="people-${syncs}",outcome="failed"} 1`);
    expect((await server.ask('/api/overview')).json.waiting).toMatchObject({ holds: syncs, changes: syncs });
  }
  const [few, many] = costs;
  expect(many).toEqual(few);
  for (const [reader, transactions] of Object.entries(many ?? {})) {
    expect(transactions, reader).toBeLessThanOrEqual(most);
    expect(transactions, reader).toBeGreaterThan(0);
  }
});

it('forty streams, whatever their callers see, cost as much as one', async () => {
  const seen = listTransactions();
  const { office, names } = await openWatched(10);
  const costOf = async (streams: number) => {
    const { server, events } = await follow(office.app, streams, names);
    await idle(50);
    seen.length = 0;
    for (let second = 0; second < 15; second++) {
      await server.clock.advance(1000);
      await idle(50);
    }
    const cost = seen.length;
    expect(events()).toBeGreaterThanOrEqual(streams);
    await server.close();
    return cost;
  };
  const one = await costOf(1);
  expect(one).toBeGreaterThanOrEqual(15);
  expect(await costOf(40)).toBe(one);
});

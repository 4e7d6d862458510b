import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RollcallError } from '../../../src/core/run/errors.ts';
import { deploymentLease, workersLease } from '../../../src/ports/leases.ts';
import type { QueueDepth } from '../../../src/ports/metrics.ts';
import type { Store } from '../../../src/ports/store.ts';
import { backUpStore, restoreStore } from '../../../src/store/backup/index.ts';
import { openStore } from '../../../src/store/index.ts';
import { openDatabase } from '../../../src/store/open-store.ts';
import { openAlerts } from '../../../src/watch/alerts/open-alerts.ts';
import { openAlertChecks } from '../../../src/watch/alerts/open-checks.ts';
import { openRun, sampleTokens, sampleTrigger } from '../../contracts/store-samples.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { memoryLogger } from '../../support/memory-logger.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { openReceiver, type Receiver } from './receiver.ts';

let store: Store;
let clock: FakeClock;
let receiver: Receiver;
let log: ReturnType<typeof memoryLogger>;
let isScheduled: boolean;
let isWorked: boolean;
let hasSchedules: boolean;
let queue: QueueDepth | undefined;
/** What the store throws; undefined while it answers. */
let storeFault: Error | undefined;

beforeEach(async () => {
  store = await openStore('sqlite::memory:', { folder: '.' });
  clock = new FakeClock();
  receiver = await openReceiver();
  log = memoryLogger();
  [isScheduled, isWorked, hasSchedules] = [true, true, true];
  queue = { waiting: 0, oldestAt: undefined };
  storeFault = undefined;
});
afterEach(() => store.close());

const never = new AbortController().signal;
let ids = 0;

/** The alerts of one process. `staleAfterMs`: when a sync is late. */
function openProcess(staleAfterMs?: number) {
  const url = { reveal: () => `${receiver.url}/hook` };
  const faulty = <Args extends unknown[], T>(call: (...args: Args) => Promise<T>) => {
    return (...args: Args): Promise<T> => (storeFault === undefined ? call(...args) : Promise.reject(storeFault));
  };
  const alerts = openAlerts({
    channels: [{ kind: 'webhook', name: 'hook', url, afterMs: 0, remindMs: undefined, syncs: ['people'] }],
    place: { deployment: 'prod/acme', publicUrl: 'https://rollcall.example' },
    syncs: [
      {
        name: 'people',
        connection: 'acme',
        staleBefore: (now) => (staleAfterMs === undefined ? undefined : now - staleAfterMs),
      },
    ],
    connections: [],
    work: { hasSchedules, hasWorkers: true },
    store: { ...store, alerts: { ...store.alerts, states: faulty(store.alerts.states) } },
    clock,
    logger: log,
    newId: (prefix) => `${prefix}_${++ids}`,
    random: () => 0.5,
  });
  const name = `rollcall-${++ids}`;
  const checks = openAlertChecks(alerts, { store, clock, logger: log, process: name, queue: async () => queue });
  return {
    /** Looks every ten seconds for so long. */
    async lookFor(ms: number): Promise<void> {
      for (const end = clock.now() + ms; clock.now() < end; await clock.advance(10_000)) {
        const renewed = [...(isScheduled ? [deploymentLease] : []), ...(isWorked ? [workersLease] : [])];
        for (const lease of renewed) await store.leases.take(lease, 'all', 10_000, clock.now()).catch(() => {});
        await checks.begin(never);
        await checks.ended();
      }
    },
  };
}

const told = () =>
  receiver.received.splice(0).map((one) => one.json<{ title: string; text: string; severity: string }>());
const titles = () => told().map(({ title }) => title);
const minute = 60_000;

describe('the deployment', () => {
  it('that has no scheduler is told once after two minutes, with its end, and no sync is told as late beside it', async () => {
    const { lookFor } = openProcess(5 * minute);
    isScheduled = false;
    await lookFor(minute);
    expect(titles()).toEqual([]);
    await lookFor(2 * minute);
    const [first, ...more] = told();
    expect(more).toEqual([]);
    expect(first?.title).toBe('CRITICAL deployment prod/acme: no process starts runs');
    expect(first?.text).toContain('No scheduler has been active for 2 min');
    expect(first?.text).toContain('Runbook: https://rollcall.example/runbook#no-scheduler');
    await lookFor(10 * minute);
    expect(titles()).toEqual([]);
    isScheduled = true;
    await lookFor(10_000);
    expect(titles()).toEqual(['RECOVERED deployment prod/acme: a scheduler starts runs again']);
    // What was missed has its time to be caught up.
    await lookFor(4 * minute);
    expect(titles()).toEqual([]);
    await lookFor(2 * minute);
    expect(titles()).toEqual(['CRITICAL sync people: no run has ever succeeded']);
  });

  it('whose scheduler is replaced within two minutes tells nothing', async () => {
    const { lookFor } = openProcess();
    for (let i = 0; i < 3; i += 1) {
      isScheduled = false;
      await lookFor(minute);
      isScheduled = true;
      await lookFor(minute);
    }
    expect(titles()).toEqual([]);
  });

  it('without schedules misses a scheduler only when a request waits', async () => {
    [isScheduled, hasSchedules] = [false, false];
    const { lookFor } = openProcess();
    await lookFor(10 * minute);
    expect(titles()).toEqual([]);
    await store.triggers.add(sampleTrigger('t1', { requestedAt: clock.now() }));
    await lookFor(10_000);
    expect(titles()).toEqual(['CRITICAL deployment prod/acme: no process starts runs']);
  });

  it('whose workers are dead is told when a run is open, and not while they are scaled to zero', async () => {
    isWorked = false;
    const { lookFor } = openProcess();
    await lookFor(20 * minute);
    expect(titles()).toEqual([]);
    await openRun(store, { id: 'run_1', now: clock.now() });
    await lookFor(6 * minute);
    const [notice] = told();
    expect(notice?.text).toContain('No worker has been active for 5 min');
    expect(notice?.text).toContain('1 open run cannot continue');
  });

  it('without Redis for five minutes is told, and a failover is not', async () => {
    const { lookFor } = openProcess();
    queue = undefined;
    await lookFor(4 * minute);
    queue = { waiting: 0, oldestAt: undefined };
    await lookFor(minute);
    expect(titles()).toEqual([]);
    queue = undefined;
    await lookFor(6 * minute);
    expect(told().map(({ text }) => text.includes('Redis has not answered any process for 5 min'))).toEqual([true]);
  });

  it('whose jobs wait is told when one is old at every look, and not for one of a long run', async () => {
    const { lookFor } = openProcess();
    queue = { waiting: 1, oldestAt: clock.now() - 60 * minute };
    await lookFor(4 * minute);
    queue = { waiting: 0, oldestAt: undefined };
    await lookFor(10_000);
    expect(titles()).toEqual([]);
    queue = { waiting: 7, oldestAt: clock.now() - 60 * minute };
    await lookFor(6 * minute);
    expect(told()).toMatchObject([{ severity: 'warning', text: expect.stringContaining('7 jobs wait in the queue') }]);
  });

  it('whose scheduler takes up no request is told after ten minutes; a paused sync and an open run are excuses', async () => {
    const { lookFor } = openProcess();
    await store.triggers.add(sampleTrigger('t1', { requestedAt: clock.now() }));
    await store.pauses.add({ sync: 'people', pausedAt: clock.now(), by: 'ops' });
    await lookFor(11 * minute);
    expect(titles()).toEqual([]);
    await store.pauses.remove('people', clock.now());
    await lookFor(10_000);
    expect(told()).toMatchObject([{ text: expect.stringContaining('A run of people was requested 11 min ago') }]);
    await openRun(store, { id: 'run_1', now: clock.now() });
    await lookFor(10_000);
    expect(titles()).toEqual(['RECOVERED deployment prod/acme: the request was started']);
  });
});

describe('a store that is away', () => {
  const away = () => new RollcallError('the store does not answer', { code: 'STORE_INVALID', retry: 'backoff' });

  it('is told when it is back, once by all processes, with how long it was away', async () => {
    const processes = [openProcess(), openProcess()];
    for (const { lookFor } of processes) await lookFor(10_000);
    storeFault = away();
    // Both see the same outage, so the second one begins to look when the first one does.
    for (let i = 0; i < 30; i += 1) for (const { lookFor } of processes) await lookFor(10_000);
    expect(titles()).toEqual([]);
    storeFault = undefined;
    for (const { lookFor } of processes) await lookFor(30_000);
    const notices = told();
    expect(notices).toMatchObject([
      { title: 'INFO deployment prod/acme: the store was unavailable', severity: 'info' },
    ]);
    expect(notices[0]?.text).toMatch(/did not answer for 10 min, from .* UTC to .* UTC/);
    expect(log.text()).toContain('the store is available again after 10 min');
  });

  it('because it is an older copy is told once by all processes, and ends with a restore', async () => {
    const folder = await temporaryFolder();
    const url = 'sqlite:./store.db';
    const reopen = async (): Promise<void> => {
      await store.close();
      store = await openStore(url, { folder });
    };
    await reopen();
    await store.tokens.replace(undefined, sampleTokens({ generation: 2 }));
    const { db } = await openDatabase(url, { folder });
    await db.updateTable('tokens').set({ generation: 1 }).execute();
    await db.destroy();
    for (const { lookFor } of [openProcess(), openProcess()]) await lookFor(10 * minute);
    expect(told()).toMatchObject([
      {
        title: 'CRITICAL deployment prod/acme: the store is an older copy',
        text: expect.stringContaining('no run starts and no token is presented'),
      },
    ]);
    const parts = { folder, version: '1.2.3', now: () => clock.now() };
    await backUpStore(url, `${folder}/a.backup`, parts);
    await restoreStore(url, `${folder}/a.backup`, { ...parts, id: 'a', by: 'ana', syncs: [], seeds: new Map() });
    await reopen();
    await openProcess().lookFor(10_000);
    expect(titles()).toContain('RECOVERED deployment prod/acme: the store is the newest copy again');
  });

  it('for a moment is told to nobody, and another trouble is no outage', async () => {
    const { lookFor } = openProcess();
    storeFault = away();
    await lookFor(30_000);
    storeFault = undefined;
    await lookFor(30_000);
    storeFault = new Error('a defect');
    await lookFor(10 * minute);
    storeFault = undefined;
    await lookFor(30_000);
    expect(titles()).toEqual([]);
  });
});

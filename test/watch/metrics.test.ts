import { execFile } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RollcallError } from '../../src/core/run/errors.ts';
import { noCounts } from '../../src/core/run/run.ts';
import { deploymentLease, workersLease } from '../../src/ports/leases.ts';
import type { QueueDepth } from '../../src/ports/metrics.ts';
import type { Store } from '../../src/ports/store.ts';
import { openStore } from '../../src/store/index.ts';
import { type MetricsOptions, type OpenedMetrics, openMetrics } from '../../src/watch/metrics/metrics.ts';
import { metricsTable } from '../../src/watch/metrics/metrics-from-store.ts';
import {
  hourMs,
  openRun,
  renewHolds,
  sampleBatch,
  sampleChange,
  sampleHold,
  sampleTokens,
  sampleTrigger,
  writePlan,
} from '../contracts/store-samples.ts';
import { findPromtool } from '../helm/find-promtool.ts';
import { tellSkipped } from '../helm/helm-tool.ts';
import { FakeClock, idle, someInstant } from '../support/fake-clock.ts';

const promtool = await findPromtool();
if (promtool === undefined) tellSkipped('metrics.test.ts (promtool check metrics)', 'promtool');

/** What `promtool check metrics` says about the text; empty when it finds nothing. */
function checkMetrics(text: string): Promise<string> {
  return new Promise((resolve) => {
    const child = execFile(promtool ?? '', ['check', 'metrics'], (_, stdout, stderr) => resolve(stdout + stderr));
    child.stdin?.end(text);
  });
}

let store: Store;
let clock: FakeClock;
let opened: OpenedMetrics;
const names = { syncs: [{ name: 'people', connection: 'acme' }], connections: ['acme'] };

beforeEach(async () => {
  store = await openStore('sqlite::memory:', { folder: '.' });
  clock = new FakeClock();
  opened = open();
});
afterEach(async () => {
  await opened.close();
  await store.close();
});

/** The metrics of one process. */
function open(over: Partial<MetricsOptions> = {}): OpenedMetrics {
  return openMetrics({ store, clock, version: '9.9.9', names, queue: undefined, owner: 'me', ...over });
}

/** Replaces the process by one with these options. */
async function reopen(over: Partial<MetricsOptions> = {}): Promise<void> {
  await opened.close();
  opened = open(over);
}

/** The samples whose line begins so, as `labels value`. */
async function samples(name: string): Promise<readonly string[]> {
  const lines = (await opened.render()).split('\n');
  return lines
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .map((line) => line.slice(name.length));
}

/** A run of two changes in one batch, ended after 40 s. */
async function wholeRun(id: string): Promise<void> {
  const owned = await openRun(store, { id, now: clock.now() });
  await writePlan(store, { id, owned }, [sampleChange('E1'), sampleChange('E2', 'create')]);
  const batch = sampleBatch(owned, 1, { size: 2 });
  await store.batches.create(owned, [{ batch, identifications: ['E1', 'E2'] }]);
  await store.batches.update(owned, batch.id, { state: 'sent', sentAt: clock.now() });
  await clock.advance(40_000);
  const marks = [
    { identification: 'E1', state: 'applied', appliedAt: clock.now() },
    { identification: 'E2', state: 'failed', reason: 'no' },
  ] as const;
  await store.batches.update(owned, batch.id, { state: 'settled', finalAt: clock.now() }, { marks });
  await store.runs.update(owned, { phase: 'done', endedAt: clock.now(), outcome: 'partial', counts: noCounts });
  await store.leases.release(owned.lease);
}

describe('of the store', () => {
  it('a run that ends is counted once, with its changes and the time of its batches', async () => {
    expect(await samples('rollcall_runs_total')).toContain('{sync="people",outcome="partial"} 0');
    await clock.advance(1000);
    await wholeRun('run_1');
    await opened.render();
    expect(await samples('rollcall_runs_total')).toContain('{sync="people",outcome="partial"} 1');
    expect(await samples('rollcall_changes_total')).toEqual([
      '{sync="people",kind="create",result="failed"} 1',
      '{sync="people",kind="update",result="applied"} 1',
    ]);
    expect(await samples('rollcall_batches_total')).toEqual([
      '{sync="people",result="done"} 1',
      '{sync="people",result="failed"} 0',
      '{sync="people",result="refused"} 0',
      '{sync="people",result="unresolved"} 0',
      '{sync="people",result="unsent"} 0',
    ]);
    expect(await samples('rollcall_batch_rows_total')).toContain('{sync="people",result="done"} 2');
    expect(await samples('rollcall_batch_settle_duration_seconds_sum')).toEqual(['{connection="acme",kind="csv"} 40']);
    expect(await samples('rollcall_run_duration_seconds_count')).toEqual(['{sync="people"} 1']);
    await clock.advance(1000);
    await wholeRun('run_2');
    expect(await samples('rollcall_runs_total')).toContain('{sync="people",outcome="partial"} 2');
  });

  it('what ended before this process began is not counted by it', async () => {
    await wholeRun('run_1');
    await opened.close();
    await clock.advance(1);
    opened = open();
    expect(await samples('rollcall_runs_total')).toContain('{sync="people",outcome="partial"} 0');
  });

  it('freshness counts from the last success, and a later failure moves only the attempt', async () => {
    expect(await samples('rollcall_freshness_seconds')).toEqual([]);
    const first = await openRun(store, { id: 'run_1' });
    await store.runs.update(first, { phase: 'done', endedAt: someInstant, outcome: 'nothing-to-do' });
    await clock.advance(60_000);
    await wholeRun('run_2');
    expect(await samples('rollcall_freshness_seconds')).toEqual(['{sync="people"} 100']);
    expect(await samples('rollcall_last_success_timestamp_seconds')).toEqual([`{sync="people"} ${someInstant / 1000}`]);
    expect(await samples('rollcall_failing_since_timestamp_seconds')).toEqual([
      `{sync="people"} ${someInstant / 1000 + 100}`,
    ]);
    expect(await samples('rollcall_last_attempt_timestamp_seconds')).toEqual([
      `{sync="people"} ${someInstant / 1000 + 100}`,
    ]);
  });

  it('what waits is shown while it waits: held changes, requests, batches, an open run', async () => {
    const owned = await openRun(store, { id: 'run_1' });
    const held = ['E2', 'E3'].map((name) => sampleChange(name, 'disable'));
    await writePlan(store, { id: 'run_1', owned }, [sampleChange('E1'), ...held]);
    await store.plans.hold(owned, 'run_1', ['disables'], 'too many');
    await store.batches.create(owned, [{ batch: sampleBatch(owned, 1), identifications: ['E1'] }]);
    expect(await samples('rollcall_files_pending')).toEqual(['{connection="acme"} 0']);
    await store.batches.update(owned, 'run_1_b1', { state: 'sending', sentAt: clock.now() });
    await renewHolds(store, owned, [sampleHold(owned, 'hold_1', { heldAt: clock.now() })], clock.now());
    await store.triggers.add(sampleTrigger('t2'));
    await clock.advance(5000);
    expect(await samples('rollcall_files_pending')).toEqual(['{connection="acme"} 1']);
    const since = [`{connection="acme"} ${someInstant / 1000}`];
    expect(await samples('rollcall_files_pending_since_timestamp_seconds')).toEqual(since);
    expect(await samples('rollcall_held_since_timestamp_seconds')).toEqual([`{sync="people"} ${someInstant / 1000}`]);
    expect(await samples('rollcall_runs_unfinished')).toEqual(['{sync="people"} 1']);
    expect(await samples('rollcall_run_started_timestamp_seconds')).toEqual([`{sync="people"} ${someInstant / 1000}`]);
    expect(await samples('rollcall_held_changes')).toContain('{sync="people",class="disables"} 2');
    expect(await samples('rollcall_triggers_waiting')).toEqual(['{sync="people"} 1']);
    expect(await samples('rollcall_trigger_age_seconds')).toEqual(['{sync="people"} 5']);
    await store.triggers.cancel('t2');
    await renewHolds(store, owned, [], clock.now());
    expect(await samples('rollcall_triggers_waiting')).toEqual(['{sync="people"} 0']);
    expect(await samples('rollcall_trigger_age_seconds')).toEqual(['{sync="people"} 0']);
    expect(await samples('rollcall_held_changes')).toContain('{sync="people",class="disables"} 0');
    expect(await samples('rollcall_held_since_timestamp_seconds')).toEqual([]);
  });

  it('tokens are shown by state and end', async () => {
    expect(await samples('rollcall_token_state')).toEqual([]);
    await store.tokens.replace(undefined, sampleTokens({ state: 'reauth-required' }));
    expect(await samples('rollcall_token_state')).toContain('{connection="acme",state="reauth-required"} 1');
    expect(await samples('rollcall_token_state')).toContain('{connection="acme",state="ready"} 0');
    expect(await samples('rollcall_token_expiry_timestamp_seconds')).toEqual([
      `{connection="acme"} ${(someInstant + hourMs) / 1000}`,
    ]);
  });
});

it('calls and refreshes of this process are counted, with those that got no answer', async () => {
  const operation = 'GET /users/{identification}';
  const call = { connection: 'acme', operation, purpose: 'read', tookMs: 300, waitedMs: 2000 } as const;
  opened.metrics.requestEnded({ ...call, status: 200 });
  opened.metrics.requestEnded({ ...call, status: undefined });
  opened.metrics.tokenPresented('acme', 'granted');
  const labels = 'connection="acme",operation="GET /users/{identification}"';
  expect(await samples('rollcall_requests_total')).toEqual([
    `{${labels},purpose="read",status="200"} 1`,
    `{${labels},purpose="read",status="none"} 1`,
  ]);
  expect(await samples('rollcall_request_duration_seconds_sum')).toEqual([`{${labels}} 0.6`]);
  expect(await samples('rollcall_rate_limit_wait_seconds_sum')).toEqual(['{connection="acme"} 4']);
  expect(await samples('rollcall_token_refreshes_total')).toEqual(['{connection="acme",outcome="granted"} 1']);
});

describe('a store that is away', () => {
  const away = new RollcallError('db.internal:5432 does not answer', { code: 'STORE_INVALID', retry: 'backoff' });

  /** The same store, whose syncs cannot be read while `fault` is there. */
  async function openFaulty(fault: () => Promise<never> | undefined) {
    const syncs: Store['reports']['syncs'] = async (...asked) => (await fault()) ?? store.reports.syncs(...asked);
    const queue = async () => ({ waiting: 2, oldestAt: clock.now() });
    await reopen({ store: { ...store, reports: { ...store.reports, syncs } }, queue });
  }

  it('leaves what this process knows itself, takes back what only the store can tell, and names no host', async () => {
    let isAway = false;
    await openFaulty(() => (isAway ? Promise.reject(away) : undefined));
    await store.pauses.add({ sync: 'people', pausedAt: someInstant, by: 'ops' });
    await store.leases.take(deploymentLease, 'me', 1000, clock.now());
    expect(await samples('rollcall_store_up')).toEqual([' 1']);
    expect(await samples('rollcall_sync_paused')).toEqual(['{sync="people"} 1']);
    expect(await samples('rollcall_scheduler_up')).toEqual([' 1']);
    expect(await samples('rollcall_worker_up')).toEqual([' 0']);
    isAway = true;
    opened.metrics.tokenPresented('acme', 'granted');
    const text = await opened.render();
    expect(text).toContain('rollcall_store_up 0');
    expect(text).toContain('rollcall_token_refreshes_total{connection="acme",outcome="granted"} 1');
    expect(text).toMatch(/^rollcall_process_cpu_seconds_total [\d.]+$/m);
    expect(text).not.toMatch(/^rollcall_(?:sync_paused|scheduler_up|worker_up|queue_jobs_waiting)\b/m);
    expect(text).not.toContain('db.internal');
    isAway = false;
    expect(await samples('rollcall_store_up')).toEqual([' 1']);
    expect(await samples('rollcall_sync_paused')).toEqual(['{sync="people"} 1']);
  });

  it('that is slow cuts the scrape after four seconds, and the scrape says so', async () => {
    const hanging = Promise.withResolvers<never>();
    await openFaulty(() => hanging.promise);
    const text = await clock.drive(opened.render());
    expect(text).toMatch(/^rollcall_store_up 1$/m);
    expect(text).toMatch(/^rollcall_scrape_complete 0$/m);
    expect(text).not.toMatch(/^rollcall_sync_paused\b/m);
    hanging.reject(away);
    await idle();
    await openFaulty(() => undefined);
    expect(await opened.render()).toMatch(/^rollcall_scrape_complete 1$/m);
  });

  it('that takes no write and does not even answer is away after four seconds', async () => {
    const take = () => new Promise<never>(() => {});
    await reopen({ store: { ...store, leases: { ...store.leases, take } } });
    expect(await clock.drive(opened.render())).toMatch(/^rollcall_store_up 0$/m);
  });

  it('does not hide another trouble', async () => {
    await openFaulty(() => Promise.reject(new Error('a defect')));
    await expect(opened.render()).rejects.toThrow('a defect');
  });
});

it('a scheduler and a worker are there while they renew their leases, and workers are named only with a queue', async () => {
  await store.leases.take(deploymentLease, 'me', 1000, clock.now());
  expect(await samples('rollcall_scheduler_up')).toEqual([' 1']);
  expect(await samples('rollcall_worker_up')).toEqual([]);
  expect(await samples('rollcall_queue_up')).toEqual([]);
  await clock.advance(1001);
  expect(await samples('rollcall_scheduler_up')).toEqual([' 0']);
  await reopen({ queue: async () => undefined });
  await store.leases.take(workersLease, 'redis', 1000, clock.now());
  expect(await samples('rollcall_worker_up')).toEqual([' 1']);
  expect(await samples('rollcall_queue_up')).toEqual([' 0']);
});

it('the process tells its CPU, heap and start, and the CPU only grows', async () => {
  const number = async (name: string) => Number((await samples(name))[0]);
  const before = await number('rollcall_process_cpu_seconds_total');
  expect(before).toBeGreaterThan(0);
  expect(await number('rollcall_process_cpu_seconds_total')).toBeGreaterThanOrEqual(before);
  const [used, limit] = [
    await number('rollcall_process_heap_used_bytes'),
    await number('rollcall_process_heap_limit_bytes'),
  ];
  expect(used).toBeGreaterThan(1e6);
  expect(limit).toBeGreaterThan(used);
  expect(await number('rollcall_process_start_time_seconds')).toBeLessThanOrEqual(clock.now() / 1000);
});

it.skipIf(promtool === undefined)('promtool finds nothing to lint in the whole text', async () => {
  await wholeRun('run_1');
  opened.metrics.tokenPresented('acme', 'granted');
  const call = { connection: 'acme', operation: 'GET /users', purpose: 'read', tookMs: 300, waitedMs: 2000 } as const;
  opened.metrics.requestEnded({ ...call, status: 200 });
  expect(await checkMetrics(await opened.render())).toBe('');
  expect(await checkMetrics('# TYPE x counter\nx 1\n')).toContain('_total');
});

it('jobs that wait in a queue are shown while the queue says how many', async () => {
  expect(await samples('rollcall_queue_jobs_waiting')).toEqual([]);
  let look: QueueDepth | undefined = { waiting: 3, oldestAt: clock.now() - 90_000 };
  await reopen({ queue: async () => look });
  expect(await samples('rollcall_queue_jobs_waiting')).toEqual([' 3']);
  expect(await samples('rollcall_queue_oldest_job_age_seconds')).toEqual([' 90']);
  look = { waiting: 0, oldestAt: undefined };
  expect(await samples('rollcall_queue_oldest_job_age_seconds')).toEqual([' 0']);
  look = undefined;
  expect(await samples('rollcall_queue_jobs_waiting')).toEqual([]);
  expect(await samples('rollcall_queue_oldest_job_age_seconds')).toEqual([]);
});

it('tells which syncs have a schedule and which are paused, so that silence is no alarm', async () => {
  await store.pauses.add({ sync: 'people', pausedAt: someInstant, by: 'ops' });
  expect(await samples('rollcall_sync_paused')).toEqual(['{sync="people"} 1']);
  await store.pauses.remove('people', someInstant);
  expect(await samples('rollcall_sync_paused')).toEqual(['{sync="people"} 0']);
  expect(await samples('rollcall_sync_scheduled')).toEqual(['{sync="people"} 0']);
  const syncs = [{ name: 'people', connection: 'acme', schedule: { cron: '* * * * *' } }];
  await reopen({ names: { ...names, syncs } });
  expect(await samples('rollcall_sync_scheduled')).toEqual(['{sync="people"} 1']);
});

it('every metric of the table is in the text with its type and help, and no other', async () => {
  const text = await opened.render();
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`);
  expect(types.toSorted()).toEqual(
    Object.values(metricsTable)
      .map(({ name, type }) => `${name} ${type}`)
      .toSorted(),
  );
  expect(opened.contentType).toContain('text/plain');
  expect(text).toContain('rollcall_info{version="9.9.9"} 1');
});

it('many who ask at once share one reading, and two processes do not share counts', async () => {
  const other = open({ owner: 'other' });
  opened.metrics.tokenPresented('acme', 'granted');
  const [a, b] = await Promise.all([opened.render(), opened.render()]);
  expect(a).toBe(b);
  expect(await other.render()).not.toContain('rollcall_token_refreshes_total{');
  await other.close();
});

it('what the store tells is exported by one process, and by another one when that ends or is not asked any more', async () => {
  const ofStore = /^rollcall_(?:runs_total|sync_paused)\{/m;
  const [second, third] = ['second', 'third'].map((owner) => open({ owner }));
  expect(await opened.render()).toMatch(ofStore);
  const beside = (await second?.render()) ?? '';
  expect(beside).toContain('rollcall_store_up 1');
  expect(beside).not.toMatch(ofStore);
  await opened.close();
  expect(await second?.render()).toMatch(ofStore);
  expect(await third?.render()).not.toMatch(ofStore);
  await clock.advance(91_000);
  expect(await third?.render()).toMatch(ofStore);
  expect(await second?.render()).not.toMatch(ofStore);
  await Promise.all([second?.close(), third?.close()]);
});

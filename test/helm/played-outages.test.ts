import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse, stringify } from 'yaml';
import { RollcallError } from '../../src/core/run/errors.ts';
import type { Outcome } from '../../src/core/run/run.ts';
import { deploymentLease, workersLease } from '../../src/ports/leases.ts';
import type { QueueDepth } from '../../src/ports/metrics.ts';
import type { Store } from '../../src/ports/store.ts';
import { openStore } from '../../src/store/index.ts';
import { freshState } from '../../src/watch/alerts/decide.ts';
import { type OpenedMetrics, openMetrics } from '../../src/watch/metrics/metrics.ts';
import { holdAll, openRun, sampleBatch, sampleTokens, sampleTrigger, writePlan } from '../contracts/store-samples.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { ask, bare, findPromtool, type Rules } from './find-promtool.ts';
import { chart, tellSkipped } from './helm-tool.ts';

const promtool = await findPromtool();
if (promtool === undefined) tellSkipped('played-outages.test.ts', 'promtool');

const rulesText = bare(await readFile(join(chart, 'rules/rollcall.yaml'), 'utf8'));
const rules = (parse(rulesText) as Rules).groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(await readFile(join(chart, 'dashboards/rollcall.json'), 'utf8')) as {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
};

const minuteMs = 60_000;
const stepMinutes = 5;

/** A deployment whose processes are scraped every five minutes, from the instant 0 of Prometheus on. */
class Played {
  readonly clock = new FakeClock(0);
  readonly processes = new Map<string, OpenedMetrics>();
  isAway = false;
  isSlow = false;
  isScheduled = true;
  isWorked = true;
  queue: QueueDepth | undefined = { waiting: 0, oldestAt: undefined };
  readonly #series = new Map<string, (string | undefined)[]>();
  #scrapes = 0;

  readonly store: Store;

  constructor(store: Store) {
    this.store = store;
  }

  /** The store as a process reaches it. */
  get #reached(): Store {
    const away = new RollcallError('it does not answer', { code: 'STORE_INVALID', retry: 'backoff' });
    const guarded = <Part extends object>(part: Part): Part =>
      new Proxy(part, {
        get: (target, name) => {
          const method = Reflect.get(target, name);
          if (typeof method !== 'function') return method;
          return (...given: unknown[]) => {
            if (this.isAway) return Promise.reject(away);
            return this.isSlow && name === 'syncs' ? new Promise(() => {}) : Reflect.apply(method, target, given);
          };
        },
      });
    const parts = ['leases', 'alerts', 'audit', 'batches', 'holds', 'leavers', 'reports'] as const;
    return { ...this.store, ...Object.fromEntries(parts.map((name) => [name, guarded(this.store[name])])) };
  }

  begin(instance: string): void {
    const schedule = { cron: '0 * * * *' };
    const syncs = ['people', 'other', 'new'].map((name) => ({ name, connection: 'acme', schedule }));
    const names = { syncs, connections: ['acme'], channels: ['chat'] };
    const parts = { store: this.#reached, clock: this.clock, version: '1', names, owner: instance };
    this.processes.set(instance, openMetrics({ ...parts, queue: async () => this.queue }));
  }

  /** A pod is replaced: the process ends in order. */
  async end(instance: string): Promise<void> {
    await this.processes.get(instance)?.close();
    this.processes.delete(instance);
  }

  async run(sync: string, outcome: Outcome): Promise<void> {
    const id = `run_${sync}_${this.clock.now()}`;
    const owned = await openRun(this.store, { id, sync, now: this.clock.now() });
    await this.store.runs.update(owned, { phase: 'done', endedAt: this.clock.now() + 1000, outcome });
  }

  async scrape(): Promise<void> {
    const now = this.clock.now();
    if (!this.isAway && this.isScheduled) await this.store.leases.take(deploymentLease, 'me', 2 * minuteMs, now);
    if (!this.isAway && this.isWorked) await this.store.leases.take(workersLease, 'redis', 2 * minuteMs, now);
    const seen = new Map<string, string>();
    for (const [instance, metrics] of this.processes) {
      const text = await this.clock.drive(metrics.render());
      for (const [, name, labels = '', value = ''] of text.matchAll(/^(rollcall_\w+)(?:\{(.*)\})? (\S+)$/gm)) {
        // Buckets are for no rule, and this machine may be busy.
        if (name === undefined || /_(?:bucket|sum|count)$|event_loop|process_/.test(name)) continue;
        seen.set(`${name}{job="r",instance="${instance}"${labels === '' ? '' : `,${labels}`}}`, value);
      }
    }
    for (const name of [...this.#series.keys(), ...seen.keys()]) {
      const values = this.#series.get(name) ?? [];
      while (values.length < this.#scrapes) values.push(undefined);
      if (values.length === this.#scrapes) values.push(seen.get(name));
      this.#series.set(name, values);
    }
    this.#scrapes += 1;
  }

  get series(): readonly { readonly series: string; readonly values: string }[] {
    return [...this.#series].map(([series, values]) => {
      const words = values.map((value, i) => value ?? (i > 0 && values[i - 1] !== undefined ? 'stale' : '_'));
      return { series, values: words.join(' ') };
    });
  }
}

interface Play {
  readonly name: string;
  readonly hours: number;
  /** What happens at a minute, before the scrape. */
  readonly at: Readonly<Record<number, (played: Played) => unknown>>;
  /** The rules that fire at a minute, and no other. */
  readonly fires: Readonly<Record<number, readonly string[]>>;
  /** What the first row of the dashboard shows at a minute, by its question. */
  readonly shows?: Readonly<Record<number, Readonly<Record<string, number>>>>;
}

/** Every pod is replaced each hour, and none is there for a while. */
const replacedPods = Object.fromEntries(
  Array.from({ length: 28 }, (_, i) => (i + 1) * 60).flatMap((minute) => [
    [
      minute,
      async (played: Played) => {
        for (const instance of [...played.processes.keys()]) await played.end(instance);
      },
    ],
    [minute + stepMinutes, (played: Played) => played.begin(`at${minute}`)],
  ]),
);

const plays: readonly Play[] = [
  {
    name: 'changes wait, a file is unproven and a sync fails from its first run on, while pods live for an hour',
    hours: 28,
    at: {
      ...replacedPods,
      30: async (played) => {
        const { store, clock } = played;
        await store.tokens.replace(pair(1), { ...pair(2), expiresAt: 6000 * minuteMs });
        const now = clock.now();
        const holds = await openRun(store, { id: 'holds', now });
        await holdAll(store, holds, ['E1'], { now });
        await store.runs.update(holds, { phase: 'done', endedAt: now, outcome: 'held' });
        const sends = await openRun(store, { id: 'sends', sync: 'other', now });
        await writePlan(store, { id: 'sends', owned: sends }, ['E1']);
        await store.batches.create(sends, [{ batch: sampleBatch(sends, 1), identifications: ['E1'] }]);
        await store.batches.update(sends, 'sends_b1', { state: 'unresolved', sentAt: now });
        await store.runs.update(sends, { phase: 'done', endedAt: now, outcome: 'partial' });
        await played.run('new', 'failed');
      },
      ...Object.fromEntries(
        [630, 1230].map((minute) => [
          minute,
          async (played: Played) => {
            for (const sync of ['people', 'other']) await played.run(sync, 'succeeded');
          },
        ]),
      ),
    },
    fires: {
      205: [],
      265: ['FilesPending'],
      325: ['FilesPending', 'Held'],
      1430: ['FilesPending', 'Held'],
      1490: ['FilesPending', 'NeverSucceeded'],
    },
  },
  {
    name: 'the store is away for an hour',
    hours: 3,
    at: {
      60: (played) => Object.assign(played, { isAway: true }),
      120: (played) => Object.assign(played, { isAway: false }),
    },
    fires: { 55: [], 90: ['StoreAway'], 115: ['StoreAway'], 150: [] },
    shows: { 55: { 'May it write?': 1 }, 90: { 'May it write?': 0 }, 150: { 'May it write?': 1 } },
  },
  {
    name: 'the store answers writes, and reads too slowly',
    hours: 2,
    at: { 30: (played) => Object.assign(played, { isSlow: true }) },
    fires: { 25: [], 60: ['ScrapeCut'], 115: ['ScrapeCut'] },
  },
  {
    name: 'the exporting pod is replaced between two failed runs',
    hours: 4,
    at: {
      30: (played) => played.run('people', 'failed'),
      60: (played) => played.end('a'),
      65: (played) => played.begin('c'),
      70: (played) => played.run('people', 'partial'),
      120: (played) => played.run('people', 'succeeded'),
    },
    fires: { 65: [], 80: ['RunsFail'], 115: ['RunsFail'], 235: [] },
  },
  {
    name: 'a run hangs, while runs of another sync follow each other and the exporting pod is replaced',
    hours: 8,
    at: {
      60: (played) => openRun(played.store, { id: 'hangs', now: played.clock.now() }),
      240: (played) => played.end('a'),
      ...Object.fromEntries(
        [90, 150, 210, 270, 330, 390, 450].map((at) => [at, (played: Played) => played.run('other', 'succeeded')]),
      ),
    },
    fires: { 55: [], 415: [], 435: ['RunStuck'], 475: ['RunStuck'] },
  },
  {
    name: 'no scheduler runs, and a request waits',
    hours: 2,
    at: {
      30: async (played) => {
        played.isScheduled = false;
        await played.store.triggers.add(sampleTrigger('t1', { requestedAt: played.clock.now() }));
      },
    },
    fires: { 25: [], 60: ['NoScheduler', 'NobodyWorks'] },
    shows: { 25: { 'Is it up?': 2 }, 60: { 'Is it up?': 2 } },
  },
  {
    name: 'Redis and the workers are gone during a run that has sent a file',
    hours: 6,
    at: {
      30: async (played) => {
        const owned = await openRun(played.store, { id: 'open', now: played.clock.now() });
        await writePlan(played.store, { id: 'open', owned }, ['E1']);
        await played.store.batches.create(owned, [{ batch: sampleBatch(owned, 1), identifications: ['E1'] }]);
        await played.store.batches.update(owned, 'open_b1', { state: 'sent', sentAt: played.clock.now() });
        Object.assign(played, { queue: undefined, isWorked: false });
      },
    },
    fires: { 25: [], 60: ['NoWorker', 'RedisAway'], 300: ['FilesPending', 'NoWorker', 'RedisAway'] },
  },
  {
    name: 'the platform refuses the refresh token, and later a new one is there',
    hours: 4,
    at: {
      30: ({ store }) => store.tokens.replace(pair(1), { ...pair(1), state: 'reauth-required' }),
      150: ({ store }) => store.tokens.replace({ ...pair(1), state: 'reauth-required' }, pair(2)),
    },
    fires: { 25: [], 60: ['ReauthRequired'], 145: ['ReauthRequired'], 180: [] },
    shows: { 25: { 'Does the token work?': 1 }, 60: { 'Does the token work?': 0 }, 180: { 'Does the token work?': 1 } },
  },
  {
    name: 'the access token expires, because no process renews it',
    hours: 4,
    at: { 0: ({ store }) => store.tokens.replace(pair(1), { ...pair(1), expiresAt: 120 * minuteMs }) },
    fires: { 100: [], 150: ['TokenNotRenewed'] },
    shows: { 150: { 'Does the token work?': 0 } },
  },
  {
    name: 'the disable of a leaver waits for approval beyond the target, and no notice of it goes out',
    hours: 30,
    at: {
      60: async ({ store, clock }) => {
        const now = clock.now();
        const owned = await openRun(store, { id: 'holds', now });
        await holdAll(store, owned, ['E1'], { now });
        const said = { saidAt: now, saidIn: 'holds', effectiveAt: now, clockAt: now };
        const leavers = () => [{ id: 'l1', sync: 'people', identification: 'E1', ...said }];
        await store.runs.update(owned, { phase: 'done', endedAt: now, outcome: 'held' }, { leavers });
      },
      120: async ({ store, clock }) => {
        const subject = { kind: 'sync', name: 'people' } as const;
        const notice = { id: 'n1', kind: 'problem', subject, severity: 'critical', at: clock.now() } as const;
        const bare = { problems: [], recovered: [], standing: [] };
        await store.alerts.save(0, freshState(subject, 0), [{ notice: { ...notice, ...bare }, channels: ['chat'] }]);
        await store.alerts.claim(['chat'], clock.now(), clock.now() + 30 * 60 * minuteMs);
      },
      600: (played) => played.run('other', 'succeeded'),
      1200: async (played) => {
        await played.run('people', 'succeeded');
        await played.run('other', 'succeeded');
        await played.store.tokens.replace(pair(1), { ...pair(2), expiresAt: 6000 * minuteMs });
      },
    },
    fires: {
      55: [],
      150: ['NoticesUndelivered'],
      310: ['Held', 'NoticesUndelivered'],
      1495: ['Held', 'NoticesUndelivered'],
      1540: ['LeaversLate', 'NoticesUndelivered'],
    },
    shows: {
      55: { 'Is a leaver late?': 0, 'Do notices go out?': 0 },
      1540: { 'Is a leaver late?': 1, 'Do notices go out?': 1 },
    },
  },
  {
    name: 'every pod is gone, and they come back',
    hours: 3,
    at: {
      60: async (played) => {
        for (const instance of ['a', 'b']) await played.end(instance);
      },
      120: (played) => played.begin('c'),
    },
    fires: { 55: [], 65: [], 85: ['Absent'], 130: [] },
    shows: { 55: { 'Is it up?': 2 }, 130: { 'Is it up?': 1 } },
  },
  {
    name: 'the platform answers 503, so runs fail',
    hours: 3,
    at: Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [
        30 + i * stepMinutes,
        async (played: Played) => {
          const call = {
            connection: 'acme',
            operation: 'GET /users',
            purpose: 'scan',
            tookMs: 1,
            waitedMs: 0,
          } as const;
          played.processes.get('b')?.metrics.requestEnded({ ...call, status: 503 });
          if (i % 6 === 0) await played.run('people', 'failed');
        },
      ]),
    ),
    fires: { 25: [], 40: [], 50: ['PlatformFails'], 75: ['PlatformFails', 'RunsFail'] },
  },
  {
    name: 'one sync stands still for a day, and backups stop',
    hours: 53,
    at: {
      0: async ({ store, clock }) => {
        await store.tokens.replace(pair(1), { ...pair(2), expiresAt: 6000 * minuteMs });
        const about = { sync: undefined, connection: undefined, run: undefined, detail: undefined };
        await store.audit.add({ id: 'backup', at: clock.now(), by: 'ops', action: 'backup', ...about });
      },
      ...Object.fromEntries(
        [10, 20, 30, 40, 50].map((hour) => [hour * 60, (played: Played) => played.run('other', 'succeeded')]),
      ),
    },
    fires: { 1555: [], 1600: ['Stale'], 2995: ['Stale'], 3060: ['BackupOld', 'Stale'] },
  },
];

function pair(generation: number) {
  return sampleTokens({ generation, issuedAt: 0, expiresAt: 600 * minuteMs });
}

async function play({ hours, at }: Play): Promise<Played> {
  const store = await openStore('sqlite::memory:', { folder: '.' });
  const played = new Played(store);
  onTestFinished(async () => {
    for (const metrics of played.processes.values()) await metrics.close();
    await store.close();
  });
  await store.tokens.replace(undefined, pair(1));
  for (const sync of ['people', 'other']) await played.run(sync, 'succeeded');
  for (const instance of ['a', 'b']) played.begin(instance);
  for (let minute = 0; minute <= hours * 60; minute += stepMinutes) {
    const late = minute * minuteMs - played.clock.now();
    if (late > 0) await played.clock.advance(late);
    await at[minute]?.(played);
    await played.scrape();
  }
  return played;
}

describe.skipIf(promtool === undefined)(
  'a played outage fires its own rules, and every other rule stays silent',
  () => {
    it.each(plays)(
      '$name',
      async (one) => {
        const played = await play(one);
        const fired = Object.entries(one.fires).map(([minute, names]) => ({
          expr: 'group by (alertname) (ALERTS{alertstate="firing"})',
          eval_time: `${minute}m`,
          exp_samples: names.map((name) => ({ labels: `{alertname="Rollcall${name}"}`, value: 1 })),
        }));
        const shown = Object.entries(one.shows ?? {}).flatMap(([minute, answers]) =>
          Object.entries(answers).map(([question, value]) => {
            const panel = dashboard.panels.find(({ title }) => title === question);
            const expr = `max(${panel?.targets[0]?.expr.replaceAll('$job', '.*')})`;
            return { expr, eval_time: `${minute}m`, exp_samples: [{ labels: '{}', value }] };
          }),
        );
        const test = {
          interval: `${stepMinutes}m`,
          input_series: played.series,
          promql_expr_test: [...fired, ...shown],
        };
        const text = stringify({ rule_files: ['RULES'], evaluation_interval: `${stepMinutes}m`, tests: [test] });
        expect(await ask(['test', 'rules'], text, rulesText)).toBe('');
      },
      120_000,
    );

    it('knows every rule that it names', () => {
      const known = rules.map(({ alert }) => alert);
      const named = plays.flatMap(({ fires }) => Object.values(fires).flat()).map((name) => `Rollcall${name}`);
      expect(named.filter((name) => !known.includes(name))).toEqual([]);
    });
  },
);

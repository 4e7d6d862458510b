import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hostOf } from '../../../src/core/run/addresses.ts';
import { type ErrorCode, RollcallError, type RootCause } from '../../../src/core/run/errors.ts';
import { noPlan } from '../../../src/core/run/facts.ts';
import { noCounts } from '../../../src/core/run/run.ts';
import { waitFor } from '../../../src/core/run/waiting.ts';
import type { ChannelSettings } from '../../../src/ports/alerts.ts';
import { deploymentLease, workersLease } from '../../../src/ports/leases.ts';
import type { QueueDepth } from '../../../src/ports/metrics.ts';
import type { OwnedRun, Store } from '../../../src/ports/store.ts';
import type { TokenStatus } from '../../../src/ports/tokens.ts';
import { openStore } from '../../../src/store/index.ts';
import { judgeCause } from '../../../src/watch/alerts/judge-cause.ts';
import { openAlerts } from '../../../src/watch/alerts/open-alerts.ts';
import { type AlertChecks, openAlertChecks, openSight, type Sight } from '../../../src/watch/alerts/open-checks.ts';
import { openRun, sampleTrigger } from '../../contracts/store-samples.ts';
import { drawFrom } from '../../support/drawn.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { memoryLogger } from '../../support/memory-logger.ts';
import { openReceiver, type Receiver } from './receiver.ts';

let store: Store;
let clock: FakeClock;
let receiver: Receiver;
/** Tells what the channel `broken` does not. */
let brokenAnswers: boolean;
let token: TokenStatus;
let isScheduled: boolean;
let isWorked: boolean;
let queue: QueueDepth;
let freshnessMs: number | undefined;
let processes: Process[];
/** The configuration that a process reads when it starts. */
let configuration: string;
let ids = 0;

/** One process of the deployment, with what it sees by itself. */
interface Process {
  readonly name: string;
  readonly sight: Sight;
  readonly checks: AlertChecks;
  isRedisAway: boolean;
  isStoreSlow: boolean;
  skewMs: number;
  storeFault: string | undefined;
}

beforeEach(async () => {
  store = await openStore('sqlite::memory:', { folder: '.' });
  clock = new FakeClock(undefined, 1);
  receiver = await openReceiver();
  brokenAnswers = true;
  configured = names;
  [isScheduled, isWorked, freshnessMs, configuration] = [true, true, undefined, 'old'];
  queue = { waiting: 0, oldestAt: undefined };
  const unset = { issuedAt: undefined, expiresAt: undefined, retryAt: undefined, reason: undefined };
  token = { connection: 'acme', state: 'static', generation: 0, attempts: 0, advice: '', ...unset };
});
afterEach(async () => {
  await store.close();
});

const second = 1000;
const minute = 60_000;
const never = new AbortController().signal;
const names = Array.from({ length: 15 }, (_, i) => `office${i + 1}`);
let configured: readonly string[];

function openProcess(name: string): Process {
  const hook = { kind: 'webhook', afterMs: 0, remindMs: undefined } as const;
  const channels: ChannelSettings[] = [{ ...hook, name: 'hook', url: { reveal: () => `${receiver.url}/hook` } }];
  if (!brokenAnswers) channels.push({ ...hook, name: 'broken', url: { reveal: () => 'http://127.0.0.1:1' } });
  const alerts = openAlerts({
    channels,
    place: { deployment: 'prod', publicUrl: undefined },
    syncs: configured.map((sync) => ({
      name: sync,
      connection: 'acme',
      staleBefore: (now) => (freshnessMs === undefined || sync !== 'office1' ? undefined : now - freshnessMs),
      leavers: {
        target: { withinMs: 24 * 60 * minute, warnMs: 60 * minute },
        read: async () => [],
        frozenUntil: () => undefined,
      },
    })),
    connections: [{ name: 'acme', token: async () => token, reports: [] }],
    work: { hasSchedules: true, hasWorkers: true },
    ...{ store, clock, logger: memoryLogger(), random: () => 0.5 },
    newId: (prefix) => `${prefix}_${String(++ids).padStart(6, '0')}`,
  });
  const made = { name, sight: openSight(), isRedisAway: false, isStoreSlow: false, skewMs: 0, storeFault: undefined };
  const ownClock = {
    now: () => clock.now(),
    sleep: (...args: Parameters<FakeClock['sleep']>) => clock.sleep(...args),
    skewMs: () => one.skewMs,
  };
  const one: Process = Object.assign(made, {
    checks: openAlertChecks(alerts, {
      ...{ clock: ownClock, logger: memoryLogger(), process: name, sight: made.sight, configuration },
      store: {
        ...store,
        async fault() {
          if (one.isStoreSlow) await clock.advance(4 * second);
          return one.storeFault;
        },
      },
      queue: async () => (one.isRedisAway ? undefined : queue),
    }),
  });
  return one;
}

/** Every process looks, every ten seconds for so long. */
async function lookFor(ms: number): Promise<void> {
  for (const end = clock.now() + ms; clock.now() < end; await clock.advance(10 * second)) {
    const renewed = [...(isScheduled ? [deploymentLease] : []), ...(isWorked ? [workersLease] : [])];
    for (const lease of renewed) await store.leases.take(lease, 'all', 15 * second, clock.now());
    for (const { checks } of processes) {
      await checks.begin(never);
      await checks.ended();
    }
  }
}

/** The process stops, or is killed, and another one takes its place, under a new name or the same. It sees the same trouble. */
async function restart(one: Process, how: 'stopped' | 'killed'): Promise<void> {
  if (how === 'stopped') await one.checks.close();
  const next = openProcess(how === 'stopped' ? `${one.name}b` : one.name);
  const { isRedisAway, isStoreSlow, skewMs, storeFault } = one;
  Object.assign(next, { isRedisAway, isStoreSlow, skewMs, storeFault });
  if (one.storeFault !== undefined) next.sight.away = { from: clock.now(), fault: one.storeFault };
  processes[processes.indexOf(one)] = next;
}

interface Told {
  readonly kind: string;
  readonly title: string;
  readonly text: string;
}

const told = (): readonly Told[] => receiver.received.splice(0).map((one) => one.json<Told>());

const causeOf = (topic: RootCause['topic'], status: number, code?: ErrorCode): RootCause => {
  const subject = topic === 'source' || topic === 'credential' ? 'hr.example.com' : 'acme';
  return { topic, subject, status, ...(code === undefined ? {} : { code }) };
};

async function allRuns(end: (owned: OwnedRun) => Promise<unknown>, some = names): Promise<void> {
  for (const sync of some) {
    const owned = await openRun(store, { id: `run_${sync}_${++ids}`, sync, now: clock.now() });
    await end(owned);
    await store.leases.release(owned.lease);
  }
}

const done = () => ({ phase: 'done', endedAt: clock.now() }) as const;
const failBy = (cause: RootCause) => async (owned: OwnedRun) => {
  const reason = `GET /people was answered ${cause.status} by ${cause.subject}`;
  await store.runs.update(owned, { ...done(), outcome: 'failed', reason, end: { cause, reasons: [reason] } });
};
const succeed = async (owned: OwnedRun) => {
  const counts = { ...noCounts, create: 1, applied: 1 };
  const read = { kind: 'full', rows: 10, isComplete: true } as unknown as NonNullable<OwnedRun['run']['read']>;
  await store.runs.update(owned, {
    ...{ ...done(), outcome: 'succeeded', isSuccess: true, counts, read },
    plan: { ...noPlan, platformUsers: 10 },
  });
};

/** The runs that wait, because the platform takes no upload. */
let waiting: OwnedRun[] = [];
const openWaiting = async (): Promise<void> => {
  waiting = [];
  await allRuns(async (owned) => {
    const problem = { at: clock.now(), reason: 'POST /userFiles was answered 503', cause: causeOf('uploads', 503) };
    waiting.push(
      await store.runs.update(owned, { phase: 'delivering', problem }, { delivery: { waitingSince: clock.now() } }),
    );
  });
};
const endWaiting = async (): Promise<void> => {
  for (const { run } of waiting) {
    const lease = await store.leases.take(`run:${run.id}`, 'me', minute, clock.now());
    if (lease === undefined) throw new Error('not free');
    const owned = { run, lease };
    await store.runs.updateDelivery(owned, { waitingSince: undefined });
    await succeed(owned);
    await store.leases.release(lease);
  }
};

interface Outage {
  readonly name: string;
  readonly begin: () => unknown;
  readonly end: () => unknown;
  /** How long it lasts at least until it is told. */
  readonly forMs: number;
  /** The title of its begin, or of the one notice about what is over; `N`: the number of processes. */
  readonly title: string | ((count: number) => string);
  /** Absent: the notice itself says that it is over. */
  readonly over?: string;
  /** The first process cannot start again while it lasts. */
  readonly isFirstKept?: true;
}

const first = (): Process => processes[0] as Process;
const broken = ['rollcall.yaml:3: syncs.people.polcy is not a known key'];
const refuse = ({ sight }: Process): void => {
  sight.refusedReload = { at: clock.now(), problems: broken };
};

const outages: readonly Outage[] = [
  {
    name: 'one process refuses the changed configuration',
    begin: () => refuse(first()),
    // It opens its work again.
    end: () => restart(first(), 'killed'),
    forMs: minute,
    title: (count) =>
      `WARNING deployment prod: the changed configuration has problems: refused by ${count === 1 ? 'the process' : `1 of ${count} processes (p0)`}`,
    over: 'RECOVERED deployment prod: every running process has read the configuration',
    isFirstKept: true,
  },
  {
    name: 'Redis does not answer one process',
    begin: () => {
      first().isRedisAway = true;
    },
    end: () => {
      first().isRedisAway = false;
    },
    forMs: 6 * minute,
    title: (count) =>
      count === 1
        ? 'CRITICAL deployment prod: Redis does not answer'
        : 'WARNING deployment prod: Redis does not answer 1 of 4 processes (p0)',
    over: 'RECOVERED deployment prod: Redis answers again',
  },
  {
    name: 'Redis answers no process',
    begin: () => {
      for (const one of processes) one.isRedisAway = true;
    },
    end: () => {
      for (const one of processes) one.isRedisAway = false;
    },
    forMs: 6 * minute,
    title: 'CRITICAL deployment prod: Redis does not answer',
    over: 'RECOVERED deployment prod: Redis answers again',
  },
  {
    name: 'no scheduler is there',
    begin: () => {
      isScheduled = false;
    },
    end: () => {
      isScheduled = true;
    },
    forMs: 3 * minute,
    title: 'CRITICAL deployment prod: no process starts runs',
    over: 'RECOVERED deployment prod: a scheduler starts runs again',
  },
  {
    name: 'no worker is there, and a run is open',
    begin: async () => {
      isWorked = false;
      await openRun(store, { id: 'run_open', sync: 'office1', now: clock.now() });
    },
    end: () => {
      isWorked = true;
    },
    forMs: 6 * minute,
    title: 'CRITICAL deployment prod: no worker runs the jobs',
    over: 'RECOVERED deployment prod: workers run the jobs again',
  },
  {
    name: 'jobs wait for a worker',
    begin: () => {
      queue = { waiting: 40, oldestAt: clock.now() };
    },
    end: () => {
      queue = { waiting: 0, oldestAt: undefined };
    },
    forMs: 16 * minute,
    title: 'WARNING deployment prod: jobs wait for a worker',
    over: 'RECOVERED deployment prod: jobs no longer wait',
  },
  {
    name: 'a request is not taken up',
    begin: () => store.triggers.add(sampleTrigger('asked', { sync: 'office1', requestedAt: clock.now() })),
    end: () => store.triggers.cancel('asked'),
    forMs: 11 * minute,
    title: 'WARNING deployment prod: a request waits',
    over: 'RECOVERED deployment prod: the request was started',
  },
  ...(['it does not answer', 'its disk is full'] as const).map((fault) => ({
    name: `the store takes no write, because ${fault}`,
    begin: () => {
      for (const one of processes) one.storeFault = fault;
    },
    end: () => {
      for (const one of processes) one.storeFault = undefined;
    },
    forMs: 5 * minute,
    title:
      fault === 'its disk is full'
        ? 'WARNING deployment prod: the disk of the store was full'
        : 'INFO deployment prod: the store was unavailable',
  })),
  {
    name: 'the store is slow for one process',
    begin: () => {
      first().isStoreSlow = true;
    },
    end: () => {
      first().isStoreSlow = false;
    },
    forMs: 2 * minute,
    title: (count) =>
      `WARNING deployment prod: writes to the store take 4 s${count === 1 ? '' : ' in 1 of 4 processes (p0)'}`,
    over: 'RECOVERED deployment prod: the store is fast again',
  },
  {
    name: 'the clock of one process is off',
    begin: () => {
      first().skewMs = 3 * minute;
    },
    end: () => {
      first().skewMs = 0;
    },
    forMs: 2 * minute,
    title: (count) =>
      `WARNING deployment prod: the clock is 3 minutes ahead${count === 1 ? '' : ' in 1 of 4 processes (p0)'}`,
    over: 'RECOVERED deployment prod: the clocks run steadily again',
  },
  {
    name: 'the clocks of all processes are off',
    begin: () => {
      for (const one of processes) one.skewMs = -90 * minute;
    },
    end: () => {
      for (const one of processes) one.skewMs = 0;
    },
    forMs: 2 * minute,
    title: (count) =>
      `WARNING deployment prod: the clock is 90 minutes behind${count === 1 ? '' : ' in all 4 processes'}`,
    over: 'RECOVERED deployment prod: the clocks run steadily again',
  },
  {
    name: 'a channel does not deliver',
    begin: async () => {
      brokenAnswers = false;
      for (const one of [...processes]) await restart(one, 'killed');
      token = { ...token, state: 'revoked' };
    },
    end: async () => {
      brokenAnswers = true;
      for (const one of [...processes]) await restart(one, 'killed');
    },
    forMs: 6 * minute,
    title: 'WARNING deployment prod: broken: notices are not delivered',
    over: 'RECOVERED deployment prod: notices are delivered again',
  },
  {
    name: 'the platform refuses the refresh token',
    begin: () => {
      token = { ...token, state: 'reauth-required' };
    },
    end: () => {
      token = { ...token, state: 'ready' };
    },
    forMs: minute,
    title: 'CRITICAL connection acme: the platform refuses the refresh token',
    over: 'RECOVERED connection acme: the tokens work again',
  },
  {
    name: 'the platform answers 502 to the runs of 15 syncs',
    begin: () => allRuns(failBy(causeOf('platform', 502, 'PLATFORM_FAILED'))),
    end: () => allRuns(succeed),
    forMs: minute,
    title: 'CRITICAL connection acme: the platform answers with errors (502)',
    over: 'RECOVERED connection acme: the platform answers again',
  },
  {
    name: 'the HR host of 15 syncs answers 503',
    begin: () => allRuns(failBy(causeOf('source', 503))),
    end: () => allRuns(succeed),
    forMs: minute,
    title: 'CRITICAL source hr.example.com: the HR system answers 503',
    over: 'RECOVERED source hr.example.com: the HR system answers again',
  },
  {
    name: 'the HR host of 15 syncs refuses the credentials',
    begin: () => allRuns(failBy(causeOf('credential', 401))),
    end: () => allRuns(succeed),
    forMs: minute,
    title: 'CRITICAL source hr.example.com: the HR system refuses the credentials (401)',
    over: 'RECOVERED source hr.example.com: the HR system accepts the credentials again',
  },
  {
    name: 'the platform answers 503 to the uploads of 15 syncs',
    begin: openWaiting,
    end: endWaiting,
    forMs: 10 * minute,
    title: 'WARNING connection acme: the platform answers 503 to changes',
    over: 'RECOVERED connection acme: no change waits for the platform',
  },
  {
    name: 'a sync has no success for an hour',
    begin: async () => {
      await allRuns(succeed, ['office1']);
      freshnessMs = 60 * minute;
      await clock.advance(61 * minute);
    },
    end: () => allRuns(succeed, ['office1']),
    forMs: 7 * minute,
    title: 'CRITICAL sync office1: no success for 61 min',
    over: 'RECOVERED sync office1: runs succeed again',
  },
];

/** Each number of processes, and each way in which one ends: who is alone is stopped, or the others are. */
const ends = drawFrom(
  [
    [{ count: 1, how: 'stopped' } as const, { count: 4, how: 'killed' } as const],
    [{ count: 1, how: 'killed' } as const, { count: 4, how: 'stopped' } as const],
  ],
  2,
).flat();

const table = outages.flatMap((outage) =>
  ends.map(({ count, how }) => ({ ...outage, count, how, about: `${outage.name}, ${count}, ${how}` })),
);

describe('an outage is told by one begin and one end, and nothing that is false', () => {
  it.each(table)('$about', async ({ begin, end, forMs, title, over, isFirstKept, count, how, name }) => {
    processes = Array.from({ length: count }, (_, i) => openProcess(`p${i}`));
    await lookFor(6 * minute);
    expect(told()).toEqual([]);
    await begin();
    await lookFor(forMs);
    const before = told().filter((one) => !one.title.includes('the tokens were revoked'));
    for (const one of [...processes]) if (isFirstKept !== true || one !== first()) await restart(one, how);
    await lookFor(2 * minute);
    expect(told(), 'a restart is no news').toEqual([]);
    await end();
    await lookFor(2 * minute);
    const after = told();
    const expected = typeof title === 'string' ? title : title(count);
    if (over === undefined) {
      expect([...before, ...after].map((one) => one.title)).toEqual([expected]);
      expect(after[0]?.text.includes('Seen by all 4 processes')).toBe(count === 4);
      return;
    }
    expect([before.map((one) => one.title), after.map((one) => one.title)], name).toEqual([[expected], [over]]);
  });
});

describe('the number of an outage', () => {
  it('of processes that read a broken configuration one after the other is corrected once', async () => {
    processes = Array.from({ length: 4 }, (_, i) => openProcess(`p${i}`));
    await lookFor(minute);
    for (const one of processes) {
      refuse(one);
      await lookFor(one === processes[2] ? 0 : 10 * second);
    }
    await lookFor(5 * minute);
    for (const one of [...processes]) {
      await restart(one, 'killed');
      await lookFor(20 * second);
    }
    const about = 'WARNING deployment prod: the changed configuration has problems: refused by';
    expect(told().map(({ title }) => title)).toEqual([
      `${about} 1 of 4 processes (p0)`,
      `${about} all 4 processes`,
      'RECOVERED deployment prod: every running process has read the configuration',
    ]);
  });

  it('of syncs is corrected after half a minute, and then when it doubles', async () => {
    processes = [openProcess('p0')];
    await lookFor(10 * second);
    const fail = (from: number, to: number) => allRuns(failBy(causeOf('source', 503)), names.slice(from, to));
    await fail(0, 2);
    await lookFor(10 * second);
    await fail(2, 5);
    await lookFor(minute);
    await fail(5, 8);
    await lookFor(minute);
    await fail(8, 15);
    await lookFor(minute);
    const numbers = told().map(({ text }) => /so (\d+) syncs? cannot/.exec(text)?.[1]);
    expect(numbers).toEqual(['2', '5', '15']);
  });
});

describe('the configuration', () => {
  it('is not called read when the process that refused it was killed, until a process starts from it', async () => {
    processes = [openProcess('p0'), openProcess('p1')];
    await lookFor(minute);
    refuse(first());
    await lookFor(minute);
    expect(told()).toHaveLength(1);
    processes = processes.slice(1);
    await lookFor(10 * minute);
    expect(told()).toEqual([]);
    processes.push(openProcess('p2'));
    await lookFor(minute);
    const over = 'RECOVERED deployment prod: every running process has read the configuration';
    expect(told().map(({ title }) => title)).toEqual([over]);
  });

  it.each([
    [2, 'killed', '1 of 2 processes (p1)'],
    [4, 'stopped', '1 of 4 processes (p0)'],
  ] as const)('of one of %i processes is another one, which is told once', async (count, how, who) => {
    processes = Array.from({ length: count }, (_, i) => openProcess(`p${i}`));
    await lookFor(minute);
    configuration = 'new';
    for (const one of [...processes]) {
      await restart(one, 'killed');
      await lookFor(2 * minute);
    }
    await lookFor(12 * minute);
    expect(told(), 'a rolling update is no news').toEqual([]);
    configuration = 'old';
    await restart(first(), 'killed');
    await lookFor(11 * minute);
    expect(told().map(({ title }) => title)).toEqual([`WARNING deployment prod: ${who} has another configuration`]);
    configuration = 'new';
    for (const one of processes.slice(1)) await restart(one, how);
    await lookFor(12 * minute);
    expect(told(), 'a restart is no news').toEqual([]);
    await restart(first(), 'killed');
    await lookFor(2 * minute);
    const over = 'RECOVERED deployment prod: every process has the same configuration';
    expect(told().map(({ title }) => title)).toEqual([over]);
  });
});

describe('a shared cause', () => {
  it('stays open while one of its syncs still fails', async () => {
    processes = [openProcess('p0')];
    await lookFor(10 * second);
    const fails = failBy(causeOf('source', 503));
    await allRuns(fails, names.slice(0, 2));
    await lookFor(minute);
    expect(told()).toHaveLength(1);
    await allRuns(succeed, names.slice(0, 1));
    await lookFor(minute);
    await allRuns(fails, names.slice(1, 2));
    await lookFor(20 * minute);
    expect(told()).toEqual([]);
    await allRuns(succeed, names.slice(1, 2));
    await lookFor(10 * second);
    expect(told().map(({ title }) => title)).toEqual(['RECOVERED source hr.example.com: the HR system answers again']);
  });

  it('of syncs that run once a day ends when no run has seen it for ten minutes after a good one', async () => {
    processes = [openProcess('p0')];
    await lookFor(10 * second);
    await allRuns(failBy(causeOf('source', 503)), names.slice(0, 3));
    await lookFor(minute);
    expect(told()).toHaveLength(1);
    await allRuns(succeed, names.slice(0, 1));
    await lookFor(9 * minute);
    expect(told()).toEqual([]);
    await lookFor(2 * minute);
    expect(told().map(({ title }) => title)).toEqual(['RECOVERED source hr.example.com: the HR system answers again']);
  });

  const failing = [causeOf('source', 503), causeOf('platform', 502, 'PLATFORM_FAILED'), causeOf('uploads', 503)];
  it.each(failing)('that a paused sync shows alone ends with these words, and not as over: $topic', async (cause) => {
    processes = [openProcess('p0')];
    await lookFor(10 * second);
    await allRuns(failBy(cause), names.slice(0, 2));
    await lookFor(minute);
    expect(told()).toHaveLength(1);
    const pause = { pausedAt: clock.now(), by: 'user:ada' };
    await store.pauses.add({ sync: 'office1', ...pause });
    await lookFor(minute);
    expect(told()).toEqual([]);
    const [open] = (await store.alerts.states()).flatMap(({ concerned }) => concerned?.[cause.topic] ?? []);
    expect(Object.keys(open?.syncs ?? {})).toEqual(['office2']);
    await store.pauses.add({ sync: 'office2', ...pause });
    await lookFor(10 * second);
    const [end, ...more] = told();
    expect(more).toEqual([]);
    expect(end?.title).toMatch(/^RECOVERED \S+ \S+: office2 is paused, so it no longer counts$/);
    expect(end?.text).toContain('Nothing has shown that the trouble is over');
  });

  const answered = {
    read: { kind: 'full', at: 0, fingerprint: '' },
    plan: { ...noPlan, platformUsers: 10 },
  } as const;

  it('of uploads is told while runs still prove them, with the syncs that wait behind, and no sync is late', async () => {
    processes = [openProcess('p0')];
    await allRuns(succeed, ['office1']);
    freshnessMs = 5 * minute;
    await lookFor(10 * second);
    const end = { cause: causeOf('uploads', 503), reasons: [] };
    for (const sync of ['office1', 'office2']) {
      const owned = await openRun(store, { id: `run_${sync}`, sync, now: clock.now() });
      await store.runs.update(owned, { phase: 'proving', end, ...answered });
    }
    const behind = await openRun(store, { id: 'run_behind', sync: 'office3', now: clock.now() });
    await store.runs.update(behind, { waiting: waitFor('turn', 'it sends its file', { about: 'x', since: 0 }) });
    await lookFor(20 * minute);
    const [notice, ...more] = told();
    expect(more).toEqual([]);
    expect(notice?.title).toBe('WARNING connection acme: the platform answers 503 to changes');
    expect(notice?.text).toContain('so 3 syncs cannot deliver changes (office1, office2, office3)');
  });

  it.each([causeOf('source', 503), causeOf('platform', 502, 'PLATFORM_FAILED')])(
    'ends when a run in progress has its plan, not when that run ends: $topic',
    async (cause) => {
      processes = [openProcess('p0')];
      await lookFor(10 * second);
      await allRuns(failBy(cause), ['office1']);
      await lookFor(minute);
      expect(told()).toHaveLength(1);
      const owned = await openRun(store, { id: 'run_next', sync: 'office1', now: clock.now() });
      const read = { ...answered.read, at: clock.now() };
      await store.runs.update(owned, { ...answered, phase: 'delivering', read });
      await lookFor(10 * second);
      expect(told().map(({ title }) => title.split(' ')[0])).toEqual(['RECOVERED']);
    },
  );

  const failsBy = (status: number, more: Partial<RootCause> = {}, some = names.slice(0, 2)) =>
    allRuns(failBy({ ...causeOf('source', status), ...more }), some);

  it('tells each errand once, and shows the newest answer', async () => {
    processes = [openProcess('p0')];
    await lookFor(10 * second);
    const shown: (string | undefined)[] = [];
    for (const status of [502, 503, 403, 502, 403, 503]) {
      await failsBy(status);
      await lookFor(minute);
      const [state] = (await store.alerts.states()).filter(({ subject }) => subject.kind === 'source');
      shown.push(state?.problems.source?.title);
    }
    const about = 'the HR system answers';
    expect(shown).toEqual([502, 503, 403, 502, 403, 503].map((status) => `${about} ${status}`));
    expect(told().map(({ title }) => title)).toEqual(
      [502, 403].map((status) => `CRITICAL source hr.example.com: ${about} ${status}`),
    );
  });

  it('that may be of one sync alone is joined by the next one, and does not end with what another one reads', async () => {
    processes = [openProcess('p0')];
    await lookFor(10 * second);
    await failsBy(404, { isOwn: true }, ['office1']);
    await lookFor(minute);
    await failsBy(404, { isOwn: true }, ['office2']);
    await allRuns(succeed, ['office3']);
    await lookFor(20 * minute);
    const [first, joined, ...more] = told();
    expect(more).toEqual([]);
    expect([first, joined].map((one) => one?.title)).toEqual(
      Array(2).fill('CRITICAL source hr.example.com: the HR system answers 404'),
    );
    expect(joined?.text).toContain('so 2 syncs cannot read employees');
    await allRuns(succeed, ['office1', 'office2']);
    await lookFor(10 * second);
    expect(told().map(({ title }) => title)).toEqual(['RECOVERED source hr.example.com: the HR system answers again']);
  });

  it.each([
    ['postgres://DB.Example.com/hr', 'db.example.com'],
    ['postgres://db.example.com:5432/hr', 'db.example.com'],
    ['sftp://Files.example.com:2222/x.csv', 'files.example.com:2222'],
    ['sqlite:./hr.db', 'sqlite:./hr.db'],
  ])('of the server of %s has the subject %s', (address, subject) => {
    expect(hostOf(address)).toBe(subject);
  });

  it.each([
    ['is no longer configured', true],
    ['is run only on request', false],
  ])('of a sync that %s ends with these words', async (why, isRemoved) => {
    freshnessMs = 10 * 60 * minute;
    processes = [openProcess('p0')];
    await lookFor(10 * second);
    await allRuns(failBy(causeOf('source', 503)), ['office1']);
    await lookFor(minute);
    expect(told()).toHaveLength(1);
    await clock.advance(61 * minute);
    await lookFor(10 * second);
    expect(told()).toEqual([]);
    if (isRemoved) configured = names.slice(1);
    else freshnessMs = undefined;
    await restart(first(), 'stopped');
    await lookFor(minute);
    expect(told().map(({ title }) => title)).toEqual([
      `RECOVERED source hr.example.com: office1 ${why}, so it no longer counts`,
    ]);
  });

  it('of uploads is critical after half an hour', async () => {
    processes = [openProcess('p0')];
    await lookFor(10 * second);
    await openWaiting();
    await lookFor(29 * minute);
    expect(told().map(({ title }) => title.split(' ')[0])).toEqual(['WARNING']);
    await lookFor(2 * minute);
    const [worse] = told();
    expect(worse?.title).toBe('CRITICAL connection acme: the platform answers 503 to changes');
    expect(worse?.text).toContain('no account is created, changed or disabled');
  });

  it.each([
    [0, 'warning'],
    [2, 'critical'],
  ])('of uploads with %i leavers at risk is %s at once', (leavers, severity) => {
    const cause = causeOf('uploads', 503);
    const sign = { kind: 'bad', topic: 'uploads', cause, sync: 'office1', connection: 'acme' } as const;
    const view = { now: 1000, whyIdle: () => undefined, leaversAtRisk: () => leavers, isOpen: false, behind: [] };
    const { finding } = judgeCause('uploads', undefined, [{ ...sign, from: 500, at: 900, reason: 'x' }], view);
    expect(finding).toMatchObject({ severity, concerns: 1 });
  });

  it('is carried by the error, whatever its message says', () => {
    const rootCause = { topic: 'source', subject: 'hr.example.com', status: 503 } as const;
    expect(new RollcallError('x', { code: 'SOURCE_UNAVAILABLE', rootCause }).rootCause).toEqual(rootCause);
  });
});

import type { AlertNotice } from '../../../src/ports/alerts.ts';
import { deploymentLease, workersLease } from '../../../src/ports/leases.ts';
import type { QueueDepth } from '../../../src/ports/metrics.ts';
import { olderCopy } from '../../../src/ports/store.ts';
import type { TokenStatus } from '../../../src/ports/tokens.ts';
import { type Alerts, openAlerts } from '../../../src/watch/alerts/open-alerts.ts';
import { openAlertChecks, openSight, type Sight } from '../../../src/watch/alerts/open-checks.ts';
import { openRun, sampleTrigger } from '../../contracts/store-samples.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { memoryLogger } from '../../support/memory-logger.ts';
import { employees, type Office, openOffice, usersOf } from '../../support/office.ts';
import { openReceiver } from './receiver.ts';

/** A failure, and how it is played and ended. */
export interface Failure {
  readonly name: string;
  readonly begin: (stage: Stage) => Promise<unknown>;
  /** Undefined: the notice itself says that it is over. */
  readonly end: ((stage: Stage) => Promise<unknown>) | undefined;
  /** How long nothing but looks happens between the two, at most (ms). */
  readonly waitMs?: number;
  /** Which runs it needs: none, or only the good one before. Absent: `begin` makes runs too. */
  readonly runs?: 'none' | 'before';
  /** What happens after the first notice, each time with a minute of looks after it. */
  readonly later?: readonly ((stage: Stage) => Promise<unknown>)[];
}

/** What happens around the alerts: real runs against a real platform, and what the alerts are told of processes. */
export interface Stage {
  readonly office: Office;
  readonly clock: FakeClock;
  token: TokenStatus;
  isScheduled: boolean;
  isWorked: boolean;
  queue: QueueDepth | undefined;
  /** Why the store takes no write. It ends after ten minutes. */
  storeFault: string | undefined;
  isStoreSlow: boolean;
  /** How far the clock of the process is ahead of the store's. */
  skewMs: number;
  /** What the process sees by itself. */
  readonly sight: Sight;
  readonly alerts: () => Alerts;
  /** Opens the checks of the process again, as it does when it has read its configuration. */
  reload: () => Promise<void>;
  /** The age of the last success at which the sync is late; undefined: never. */
  freshnessMs: number | undefined;
}

/** One line of the table. */
export interface Played {
  readonly failure: string;
  /** Seconds from the failure to the first notice; undefined: there was none. */
  readonly afterSeconds: number | undefined;
  readonly severity: string;
  readonly title: string;
  readonly summary: string;
  readonly links: string;
  readonly recovery: string;
  /** The notices after the first one, except its end, as `after N s: TITLE`. */
  readonly more: readonly string[];
}

const lookEveryMs = 5000;
const slowMs = 4000;
const hourMs = 3_600_000;
const wellToken: TokenStatus = {
  connection: 'acme',
  state: 'static',
  generation: 0,
  issuedAt: undefined,
  expiresAt: undefined,
  attempts: 0,
  retryAt: undefined,
  reason: undefined,
  advice: '',
};

/** Twenty employees who are users already. */
async function openStage(alerts: () => Alerts, hasRun: boolean): Promise<Stage> {
  const office = await openOffice({
    sandbox: { people: usersOf(employees(20)) },
    sync: { delivery: 'csv', settle: { every: '2s', visibleWithin: '10s', deadline: '60s' } },
  });
  await office.writeEmployees(employees(20));
  if (hasRun) await office.apply();
  const clock = new FakeClock(office.clock.now());
  return {
    office,
    clock,
    token: wellToken,
    isScheduled: true,
    isWorked: true,
    queue: { waiting: 0, oldestAt: undefined },
    storeFault: undefined,
    isStoreSlow: false,
    skewMs: 0,
    sight: openSight(),
    alerts,
    reload: async () => {},
    freshnessMs: undefined,
  };
}

/** The failures that the table tells of, in its order. */
export const failures: readonly Failure[] = [
  { name: 'The HR system cannot be read', begin: sourceIsEmpty, end: whole },
  {
    name: 'The platform answers with errors',
    begin: async ({ office }) => {
      office.setFaults('*:status=502');
      await office.apply();
    },
    end: whole,
  },
  {
    name: 'The platform refuses one person of a file',
    begin: async ({ office }) => {
      office.setFaults('file:fail-if=E3');
      await office.writeEmployees(employees(20, changed));
      await office.apply();
    },
    end: whole,
  },
  {
    name: 'A file fails, and its halves do not',
    begin: async ({ office }) => {
      office.setFaults('file:fail-over=2');
      await office.writeEmployees(employees(20, changed));
      await office.apply();
    },
    end: undefined,
    waitMs: 60_000,
  },
  {
    name: 'Half of the employees leave in one night',
    begin: async ({ office }) => {
      const gone = Array.from({ length: 10 }, (_, i) => [`E${i + 1}`, { status: 'left' }] as const);
      await office.writeEmployees(employees(20, Object.fromEntries(gone)));
      await office.apply();
    },
    end: whole,
  },
  {
    name: 'An operator mistypes a person',
    begin: ({ office }) => office.apply({ users: ['E999'] }),
    end: undefined,
    waitMs: 60_000,
  },
  {
    name: 'No run succeeds for an hour (`freshness: 1h`)',
    runs: 'before',
    begin: async (stage) => {
      // From the moment of the play: the run before it ended some instants ago.
      const standings = await stage.office.engine.io.store.reports.syncs(['people'], stage.clock.now());
      const { successAt = 0 } = standings.get('people') ?? {};
      stage.freshnessMs = hourMs + stage.clock.now() - successAt;
    },
    end: async (stage) => {
      stage.freshnessMs = undefined;
      await whole(stage);
      stage.freshnessMs = 100 * hourMs;
    },
    waitMs: 2 * hourMs,
  },
  {
    name: 'The platform refuses the refresh token',
    runs: 'none',
    begin: async (stage) => {
      stage.token = { ...wellToken, state: 'reauth-required' };
    },
    end: async (stage) => {
      stage.token = { ...wellToken, state: 'ready' };
    },
  },
  {
    name: 'The scheduler is gone',
    runs: 'none',
    begin: async (stage) => {
      stage.isScheduled = false;
    },
    end: async (stage) => {
      stage.isScheduled = true;
    },
  },
  {
    name: 'The workers are gone, and a run is open',
    runs: 'none',
    begin: async (stage) => {
      await openRun(stage.office.engine.io.store, { id: 'run_open', sync: 'people', now: stage.clock.now() });
      stage.isWorked = false;
    },
    end: async (stage) => {
      stage.isWorked = true;
    },
  },
  {
    name: 'Redis is away',
    runs: 'none',
    begin: async (stage) => {
      stage.queue = undefined;
    },
    end: async (stage) => {
      stage.queue = { waiting: 0, oldestAt: undefined };
    },
  },
  {
    name: 'Jobs wait, because the workers are too few',
    runs: 'none',
    begin: async (stage) => {
      stage.queue = { waiting: 40, oldestAt: stage.clock.now() };
    },
    end: async (stage) => {
      stage.queue = { waiting: 0, oldestAt: undefined };
    },
  },
  {
    name: 'A request is not taken up',
    runs: 'none',
    begin: async ({ office, clock }) => {
      await office.engine.io.store.triggers.add(sampleTrigger('asked', { requestedAt: clock.now() }));
    },
    end: ({ office }) => office.engine.io.store.triggers.cancel('asked'),
  },
  {
    name: 'The store is away for ten minutes',
    runs: 'none',
    begin: async (stage) => {
      stage.storeFault = 'it does not answer';
    },
    end: undefined,
  },
  ...(['its disk is full', 'it is read-only'] as const).map((fault) => ({
    name: `The store takes no write for ten minutes, because ${fault}`,
    runs: 'none' as const,
    begin: async (stage: Stage) => {
      stage.storeFault = fault;
    },
    end: undefined,
  })),
  {
    name: 'The store is an older copy',
    runs: 'none',
    begin: async (stage) => {
      stage.storeFault = olderCopy;
    },
    end: async (stage) => {
      stage.storeFault = undefined;
    },
  },
  {
    name: 'The store takes four seconds for each write',
    runs: 'none',
    begin: async (stage) => {
      stage.isStoreSlow = true;
    },
    end: async (stage) => {
      stage.isStoreSlow = false;
    },
  },
  {
    name: 'The clock of the process is an hour behind',
    runs: 'none',
    begin: async (stage) => {
      stage.skewMs = -hourMs;
    },
    end: async (stage) => {
      stage.skewMs = 0;
    },
  },
  {
    name: 'The platform ends the runs of 15 syncs, twice each',
    begin: endRunsOf15,
    later: [endRunsOf15],
    end: whole,
  },
  {
    name: 'Four runs fail, and an operator acknowledges the first failure',
    begin: sourceIsEmpty,
    later: [
      async (stage) => {
        const at = stage.clock.now();
        await stage.alerts().quiet('people', { kind: 'ack', by: 'ana', at });
      },
      sourceIsEmpty,
      sourceIsEmpty,
      sourceIsEmpty,
    ],
    end: whole,
  },
  {
    name: 'A run fails, and the channel `broken` does not answer',
    begin: sourceIsEmpty,
    later: Array.from({ length: 6 }, () => async () => {}),
    end: whole,
  },
  {
    name: 'A changed configuration has a problem, and the process is told to read it (SIGHUP)',
    runs: 'none',
    begin: async (stage) => {
      stage.sight.refusedReload = {
        at: stage.clock.now(),
        problems: ['rollcall.yaml:3: syncs.people.polcy is not a known key'],
      };
    },
    end: async (stage) => {
      stage.sight.refusedReload = undefined;
      await stage.reload();
    },
  },
];

/** The HR export is empty, and a run reads it. */
async function sourceIsEmpty({ office, clock }: Stage): Promise<void> {
  await office.writeText('');
  await office.apply();
  await clock.advance(Math.max(0, office.clock.now() - clock.now()));
}

/** A run of each of 15 syncs ends, because the platform answers with errors. */
async function endRunsOf15({ office, clock }: Stage): Promise<void> {
  const { store } = office.engine.io;
  for (const sync of manySyncs) {
    const owned = await openRun(store, { id: `run_${sync}_${clock.now()}`, sync, now: clock.now() });
    const cause = { topic: 'platform', subject: owned.run.connection, code: 'PLATFORM_FAILED', status: 502 } as const;
    await store.runs.update(owned, { end: { failure: 'PLATFORM_FAILED', cause, reasons: [] } });
    const reason = 'GET /os-api/public-api/v1/users was answered 502';
    await store.runs.update(owned, { phase: 'done', endedAt: clock.now(), outcome: 'failed', reason });
    await store.leases.release(owned.lease);
  }
}

const manySyncs = Array.from({ length: 15 }, (_, i) => `office${i + 1}`);

const changed = Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`E${i + 1}`, { last: `Núñez ${i}` }]));

/** A run of everybody without trouble. */
async function whole({ office }: Stage): Promise<void> {
  office.setFaults();
  await office.writeEmployees(employees(20));
  await office.apply();
}

/** Plays the failure, with a process that looks every five seconds of its own clock, and tells what a person got. */
export async function play({ name, begin, end, runs, waitMs = 1_800_000, later = [] }: Failure): Promise<Played> {
  const stage: Stage = await openStage(() => alerts, runs !== 'none');
  const receiver = await openReceiver();
  const { clock, office } = stage;
  const { store } = office.engine.io;
  const channel = { kind: 'webhook', afterMs: 0, remindMs: undefined } as const;
  const broken = name.includes('`broken`')
    ? [{ ...channel, name: 'broken', url: { reveal: () => 'http://127.0.0.1:1' } }]
    : [];
  const alerts = openAlerts({
    channels: [{ ...channel, name: 'hook', url: { reveal: () => receiver.url } }, ...broken],
    place: { deployment: 'prod/rollcall', publicUrl: 'https://rollcall.example.com' },
    syncs: [
      {
        name: 'people',
        connection: 'acme',
        staleBefore: (now) => (stage.freshnessMs === undefined ? undefined : now - stage.freshnessMs),
      },
      ...manySyncs.map((sync) => ({
        name: sync,
        connection: 'acme',
        staleBefore: () => undefined,
      })),
    ],
    connections: [{ name: 'acme', token: async () => stage.token, reports: [] }],
    work: { hasSchedules: true, hasWorkers: true },
    store,
    clock,
    logger: memoryLogger(),
    newId: (prefix) => `${prefix}_${String(receiver.received.length)}_${clock.now()}`,
    random: () => 0.5,
  });
  const never = new AbortController().signal;
  const fault = async () => {
    if (stage.isStoreSlow) await clock.advance(slowMs);
    return stage.storeFault;
  };
  const ownClock = {
    now: () => clock.now(),
    sleep: (ms: number, signal?: AbortSignal) => clock.sleep(ms, signal),
    skewMs: () => stage.skewMs,
  };
  const openChecks = () =>
    openAlertChecks(alerts, {
      ...{ store: { ...store, fault }, clock: ownClock, logger: memoryLogger(), process: 'rollcall-0' },
      ...{ sight: stage.sight, queue: async () => stage.queue },
    });
  let checks = openChecks();
  stage.reload = async () => {
    await checks.close();
    checks = openChecks();
  };
  /** The first notice of the next looks, and when it came. */
  const nextNotice = async (
    forMs: number,
  ): Promise<{ readonly notice: Sent; readonly afterMs: number } | undefined> => {
    for (const from = clock.now(); clock.now() + lookEveryMs <= from + forMs; ) {
      await clock.advance(lookEveryMs);
      const afterMs = clock.now() - from;
      const renewed = [...(stage.isScheduled ? [deploymentLease] : []), ...(stage.isWorked ? [workersLease] : [])];
      for (const lease of renewed) await store.leases.take(lease, 'rollcall-0', lookEveryMs, clock.now());
      if (afterMs > 600_000) stage.storeFault = undefined;
      await checks.begin(never);
      await checks.ended();
      const sent = receiver.received.shift();
      if (sent !== undefined) return { notice: sent.json<Sent>(), afterMs };
    }
    return undefined;
  };
  await nextNotice(lookEveryMs);
  await begin(stage);
  // Runs have taken their own time meanwhile, which depends on how busy the machine is.
  if (runs === undefined) await clock.advance(Math.max(0, office.clock.now() - clock.now()));
  const first = await nextNotice(waitMs);
  if (first === undefined) return { ...nothing, failure: name };
  const more: string[] = [];
  let passedMs = 0;
  for (const step of later) {
    await step(stage);
    for (let leftMs = 60_000; leftMs > 0; ) {
      const next = await nextNotice(leftMs);
      leftMs -= next?.afterMs ?? leftMs;
      if (next !== undefined) more.push(`after ${(passedMs + 60_000 - leftMs) / 1000} s: ${plain(next.notice.title)}`);
    }
    passedMs += 60_000;
  }
  await end?.(stage);
  const over = end === undefined ? undefined : await nextNotice(waitMs);
  const { notice, afterMs } = first;
  return {
    failure: name,
    afterSeconds: afterMs / 1000,
    severity: notice.severity,
    title: plain(notice.title),
    summary: plain(notice.problems[0]?.summary ?? ''),
    links: notice.links
      .map(({ text, url }) => `${text}: ${plain(new URL(url).pathname + new URL(url).hash)}`)
      .join(', '),
    recovery: end === undefined ? 'the same notice' : plain(over?.notice.title ?? 'none'),
    more,
  };
}

type Sent = Pick<AlertNotice, 'severity' | 'problems'> & {
  readonly title: string;
  readonly links: readonly { readonly text: string; readonly url: string }[];
};

const nothing = {
  afterSeconds: undefined,
  severity: '–',
  title: 'No notice',
  summary: '',
  links: '',
  recovery: '–',
  more: [],
};

/** The text without what differs from play to play: ids of runs, instants, and how many requests were repeated. */
function plain(text: string): string {
  return text
    .replace(/run_[0-9A-Za-z]+/g, 'RUN')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, 'TIME')
    .replace(/127\.0\.0\.1:\d+/g, 'HOST')
    .replace(/\/\S+\/(employees\.csv)/g, '$1')
    .replaceAll('|', '\\|');
}

/** Returns docs/alerts-table.md. */
export function renderTable(played: readonly Played[]): string {
  const sections = played.map(({ failure, afterSeconds, severity, title, summary, links, recovery, more }) => {
    const after = afterSeconds === undefined ? [] : [`- Sent after ${afterSeconds} s, severity ${severity}`];
    const facts = [
      ...after,
      `- Title: ${title}`,
      ...(summary === '' ? [] : [`- Text: ${summary}`]),
      ...(links === '' || links === '–' ? [] : [`- Links: ${links}`]),
      ...more.map((one) => `- Then ${one}`),
      ...(recovery === '–' ? [] : [`- When it is over: ${recovery}`]),
    ];
    return `## ${failure}\n\n${facts.join('\n')}`;
  });
  return `# Which failure sends which notice

<!-- Generated by \`npm run alerts:table\`, which plays each failure. A test compares it. -->

Each failure was played: runs against the sandbox platform over HTTP, a store on disk, and a webhook that got the notice.
The process checks every five seconds. The time counts from the end of the failed run, or from the moment at which the process, token or
store failed. The states of processes, queue and token are set for the play.

Links are below \`server.publicUrl\`. RUN and TIME stand for an id and an instant. The [metrics](metrics.md) and rules of the chart detect the
same from outside.

${sections.join('\n\n')}
`;
}

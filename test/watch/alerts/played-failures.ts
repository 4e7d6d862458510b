import { RollcallError } from '../../../src/core/run/errors.ts';
import type { AlertNotice } from '../../../src/ports/alerts.ts';
import type { QueueDepth } from '../../../src/ports/metrics.ts';
import type { TokenStatus } from '../../../src/ports/tokens.ts';
import { untilCaughtUp } from '../../../src/watch/alerts/freshness.ts';
import { openAlertChecks, openAlerts } from '../../../src/watch/alerts/open-alerts.ts';
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
}

/** What happens around the alerts: real runs against a real platform, and what the alerts are told of processes. */
export interface Stage {
  readonly office: Office;
  readonly clock: FakeClock;
  token: TokenStatus;
  isScheduled: boolean;
  isWorked: boolean;
  queue: QueueDepth | undefined;
  isStoreAway: boolean;
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
}

const lookEveryMs = 5000;
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
async function openStage(): Promise<Stage> {
  const office = await openOffice({
    sandbox: { people: usersOf(employees(20)) },
    sync: { delivery: 'csv', settle: { every: '2s', visibleWithin: '10s', deadline: '60s' } },
    limits: { timeout: '100ms' },
  });
  await office.writeEmployees(employees(20));
  await office.apply();
  const clock = new FakeClock(office.clock.now());
  return {
    office,
    clock,
    token: wellToken,
    isScheduled: true,
    isWorked: true,
    queue: { waiting: 0, oldestAt: undefined },
    isStoreAway: false,
    freshnessMs: undefined,
  };
}

/** The failures that the table tells of, in its order. */
export const failures: readonly Failure[] = [
  {
    name: 'The HR system cannot be read',
    begin: async ({ office }) => {
      await office.writeText('');
      await office.apply();
    },
    end: whole,
  },
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
    begin: async (stage) => {
      // From the moment of the play: the run before it ended some instants ago.
      const { successAt = 0 } = await stage.office.engine.io.store.alerts.lastRuns('people');
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
    begin: async (stage) => {
      stage.token = { ...wellToken, state: 'reauth-required' };
    },
    end: async (stage) => {
      stage.token = { ...wellToken, state: 'ready' };
    },
  },
  {
    name: 'The scheduler is gone',
    begin: async (stage) => {
      stage.isScheduled = false;
    },
    end: async (stage) => {
      stage.isScheduled = true;
    },
  },
  {
    name: 'The workers are gone, and a run is open',
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
    begin: async (stage) => {
      stage.queue = undefined;
    },
    end: async (stage) => {
      stage.queue = { waiting: 0, oldestAt: undefined };
    },
  },
  {
    name: 'Jobs wait, because the workers are too few',
    begin: async (stage) => {
      stage.queue = { waiting: 40, oldestAt: stage.clock.now() };
    },
    end: async (stage) => {
      stage.queue = { waiting: 0, oldestAt: undefined };
    },
  },
  {
    name: 'A request is not taken up',
    begin: async ({ office, clock }) => {
      // Ahead of the office's own clock, so that the age of the request does not depend on how busy the machine is.
      await clock.advance(Math.max(0, office.clock.now() - clock.now()) + 3_600_000);
      await office.engine.io.store.triggers.add(sampleTrigger('asked', { requestedAt: clock.now() }));
    },
    end: ({ office }) => office.engine.io.store.triggers.cancel('asked'),
  },
  {
    name: 'The store is away for ten minutes',
    begin: async (stage) => {
      stage.isStoreAway = true;
    },
    end: undefined,
  },
];

const changed = Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`E${i + 1}`, { last: `Núñez ${i}` }]));

/** A run of everybody without trouble. */
async function whole({ office }: Stage): Promise<void> {
  office.setFaults();
  await office.writeEmployees(employees(20));
  await office.apply();
}

/** Plays the failure, with a process that looks every five seconds of its own clock, and tells what a person got. */
export async function play({ name, begin, end, waitMs = 1_800_000 }: Failure): Promise<Played> {
  const stage = await openStage();
  const receiver = await openReceiver();
  const { clock, office } = stage;
  const { store } = office.engine.io;
  const away = new RollcallError('the store does not answer', { code: 'STORE_INVALID', retry: 'backoff' });
  const alerts = openAlerts({
    channels: [{ kind: 'webhook', name: 'hook', url: { reveal: () => receiver.url }, afterMs: 0, remindMs: undefined }],
    place: { deployment: 'prod/rollcall', publicUrl: 'https://rollcall.example.com' },
    syncs: [
      {
        name: 'people',
        connection: 'acme',
        staleBefore: (now) => (stage.freshnessMs === undefined ? undefined : now - stage.freshnessMs),
        isExcused: untilCaughtUp(0),
      },
    ],
    connections: [{ name: 'acme', token: async () => stage.token }],
    work: {
      hasSchedules: true,
      isScheduled: async () => stage.isScheduled,
      isWorked: async () => stage.isWorked,
      queue: async () => stage.queue,
    },
    store: {
      ...store,
      alerts: {
        ...store.alerts,
        state: async (about) => (stage.isStoreAway ? Promise.reject(away) : store.alerts.state(about)),
      },
    },
    clock,
    logger: memoryLogger(),
    newId: (prefix) => `${prefix}_${String(receiver.received.length)}_${clock.now()}`,
    random: () => 0.5,
  });
  const never = new AbortController().signal;
  const checks = openAlertChecks(alerts, { clock, logger: memoryLogger() });
  /** The first notice of the next looks, and when it came. */
  const nextNotice = async (
    forMs: number,
  ): Promise<{ readonly notice: Sent; readonly afterMs: number } | undefined> => {
    for (let afterMs = lookEveryMs; afterMs <= forMs; afterMs += lookEveryMs) {
      await clock.advance(lookEveryMs);
      if (stage.isStoreAway && afterMs > 600_000) stage.isStoreAway = false;
      await checks.begin(never);
      await checks.ended();
      const sent = receiver.received.shift();
      if (sent !== undefined) return { notice: sent.json<Sent>(), afterMs };
    }
    return undefined;
  };
  await nextNotice(lookEveryMs);
  await begin(stage);
  // Runs have taken their own time meanwhile.
  await clock.advance(Math.max(0, office.clock.now() - clock.now()));
  const first = await nextNotice(waitMs);
  if (first === undefined) return { ...nothing, failure: name };
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
  };
}

type Sent = Pick<AlertNotice, 'severity' | 'problems'> & {
  readonly title: string;
  readonly links: readonly { readonly text: string; readonly url: string }[];
};

const nothing = {
  afterSeconds: undefined,
  severity: '–',
  title: 'No notice: the command tells the person who asked',
  summary: '',
  links: '',
  recovery: '–',
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
  const sections = played.map(({ failure, afterSeconds, severity, title, summary, links, recovery }) => {
    const after = afterSeconds === undefined ? [] : [`- Sent after ${afterSeconds} s, severity ${severity}`];
    const facts = [
      ...after,
      `- Title: ${title}`,
      ...(summary === '' ? [] : [`- Text: ${summary}`]),
      ...(links === '' || links === '–' ? [] : [`- Links: ${links}`]),
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

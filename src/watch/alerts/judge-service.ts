import type { AlertCode } from '../../core/run/codes/code-names.ts';
import { ageOf, countOf, firstOf, formatInstant, formatMinute, lengthOf } from '../../core/run/formats.ts';
import { given } from '../../core/run/given.ts';
import type { AlertProblem, Lacked, Observation, Undelivered } from '../../ports/alerts.ts';
import type { QueueDepth } from '../../ports/metrics.ts';
import { olderCopy } from '../../ports/store.ts';
import type { ReportState } from '../../ports/store-operations.ts';
import type { TokenStatus } from '../../ports/tokens.ts';

/** What a check found about a topic: a problem, `well`, or a problem that has already ended, which is reported once. */
export type TopicFinding = AlertProblem | 'well' | { readonly over: AlertProblem };

/** What the judge knows about the work of the deployment, from the store alone. Instants are epoch ms. */
export interface WorkView {
  readonly now: number;
  /** Since when something has been lacking without a break. */
  readonly lacking: Readonly<Partial<Record<Lacked, number | undefined>>>;
  readonly openRuns: number;
  /** Jobs in the queue, and when the oldest was added; undefined without Redis, and while it does not answer. */
  readonly queue: QueueDepth | undefined;
  /** The oldest request without a run whose sync is neither paused nor has an open run. */
  readonly request: { readonly sync: string; readonly requestedAt: number } | undefined;
  /** What the processes see. */
  readonly seen: readonly Observation[];
  /** End of the last time without the store that was reported; 0 when there was none. */
  readonly storeBackAt: number;
  /** Channels with a notice that they have not delivered for `undeliveredAfterMs`. */
  readonly undelivered: readonly Undelivered[];
}

export function isRunning({ isStopped }: Observation): boolean {
  return isStopped !== true;
}

/** `1 of 4 processes (worker-a)`, `all 4 processes`, `the process`. */
function processWords(some: readonly Observation[], all: readonly Observation[]): string {
  const running = all.filter(isRunning).length;
  if (some.length >= running) return running === 1 ? 'the process' : `all ${running} processes`;
  const names = some.map(({ process }) => process);
  return `${some.length} of ${running} processes (${firstOf(names.slice(0, shownProcesses), names.length).join(', ')})`;
}

const shownProcesses = 3;

/** A request is taken up within a second, and a job as soon as a worker is free. */
export const queueAgedMs = 600_000;

/** What a notice reports when something is lacking for so long. The first that applies explains the others. */
interface Lack {
  readonly lacks: Lacked;
  readonly code: AlertCode;
  /** Longer than a restart: a lease of a scheduler lasts 15 s, a rollout or a failover takes about a minute. */
  readonly afterMs: number;
  readonly severity: AlertProblem['severity'];
  /** `since`: `for 5 min (since 2026-11-29 03:00 UTC)`. */
  readonly summary: (view: WorkView, since: string) => string;
  readonly action: string;
  readonly more?: (view: WorkView) => Partial<AlertProblem>;
}

const lacks: readonly Lack[] = [
  {
    ...{ lacks: 'scheduler', code: 'no-scheduler', afterMs: 120_000, severity: 'critical' },
    summary: (_, since) => `No scheduler has been active ${since}, so no run starts`,
    action: 'start a process of the role scheduler (rollcall start), or check why its pod does not run',
  },
  {
    ...{ lacks: 'redis', code: 'no-redis', afterMs: 300_000, severity: 'critical' },
    summary: (_, since) => `Redis has not answered any process ${since}, so workers get no jobs`,
    action: 'restart Redis, or check the network policy; requests are kept in the store',
  },
  {
    ...{ lacks: 'worker', code: 'no-worker', afterMs: 300_000, severity: 'critical' },
    summary: ({ openRuns }, since) =>
      `No worker has been active ${since}, so ${countOf(openRuns, 'open run')} cannot continue`,
    action: 'start a process of the role worker (rollcall start), or check why its pods do not run',
  },
  {
    ...{ lacks: 'some-redis', code: 'no-redis', afterMs: 300_000, severity: 'warning' },
    summary: ({ seen }, since) => `Redis has not answered ${processWords(away(seen), seen)} ${since}`,
    action: 'check the network and the network policy of the processes that are named',
    more: ({ seen }) => ({
      key: 'some-redis',
      title: `Redis does not answer ${processWords(away(seen), seen)}`,
      concerns: away(seen).length,
    }),
  },
  {
    // A job keeps its age while its run waits for the platform, so one old job at one check means nothing.
    ...{ lacks: 'free-worker', code: 'jobs-wait', afterMs: 300_000, severity: 'warning' },
    summary: ({ now, queue }) =>
      `${countOf(queue?.waiting ?? 0, 'job waits', 'jobs wait')} in the queue, the oldest for ${ageOf(now - (queue?.oldestAt ?? now))}`,
    action: 'start more workers, or read the log of the running ones',
    more: ({ queue }) => ({ figures: [['Jobs', queue?.waiting ?? 0]], ...given({ from: queue?.oldestAt }) }),
  },
];

function away(seen: readonly Observation[]): readonly Observation[] {
  return seen.filter((one) => one.queue === 'away' && isRunning(one));
}

/**
 * Returns whether work is done: a problem, `well`, or undefined while something is missing, but not for long. Only one
 * cause is returned, the one that explains the others.
 */
export function judgeWork(view: WorkView): AlertProblem | 'well' | undefined {
  const { now, lacking, request, seen } = view;
  const base = {
    topic: 'work',
    details: [],
    unaffected: 'Delivered changes stay in effect. Requests and runs are kept, and continue where they stopped.',
  } as const;
  for (const { lacks: name, code, afterMs, severity, summary, action, more } of lacks) {
    const from = lacking[name];
    if (from === undefined || now - from < afterMs) continue;
    // Those without Redis have stopped, and may come back without it.
    if (name === 'some-redis' && away(seen).length === 0) return undefined;
    const since = `for ${ageOf(now - from)} (since ${formatMinute(from)})`;
    return { ...base, code, key: code, severity, summary: summary(view, since), action, from, ...more?.(view) };
  }
  if (request !== undefined && now - request.requestedAt >= queueAgedMs) {
    const { sync, requestedAt: from } = request;
    const summary = `A run of ${sync} was requested ${ageOf(now - from)} ago (${formatMinute(from)}) and has not started`;
    const action = 'read the log of the scheduler';
    return { ...base, code: 'requests-wait', key: 'requests-wait', severity: 'warning', summary, action, from };
  }
  return Object.values(lacking).every((since) => since === undefined) ? 'well' : undefined;
}

/** How an operator keeps the fault from coming back. */
const afterFault: Readonly<Record<string, readonly [title: string, action: string]>> = {
  'its disk is full': [
    'the disk of the store was full',
    'give the disk of the store more room, or lower retention.runs',
  ],
  [olderCopy]: ['the store was an older copy', 'find out why the database failed over to an older copy'],
  'it is read-only': [
    'the store was read-only',
    'find out why the database or its disk was read-only: a standby, a failover, or a disk with errors',
  ],
};

/** Returns the problem of a store that is older than what this process has seen. Such a store still takes a notice. */
export function judgeOlderCopy(from: number): AlertProblem {
  return {
    topic: 'store',
    code: 'store-older',
    severity: 'critical',
    key: 'older',
    summary: 'The store is older than what its processes have seen, so no run starts and no token is presented',
    details: ['A database failed over to an older copy, or one was restored without "rollcall admin restore".'],
    ...{ from, unaffected: undefined },
    action: 'rollcall explain store-older',
  };
}

/** Shorter outages are in the log only. */
export const outageToldMs = 60_000;
/** By then, each process that saw the outage has written it: a few looks. */
const outageSettledMs = 20_000;

/**
 * Reports that the store was unavailable: once, whichever processes saw it. No notice can be stored during the outage, so
 * the report follows afterwards.
 */
export function judgeOutage({
  now,
  seen,
  storeBackAt,
}: Pick<WorkView, 'now' | 'seen' | 'storeBackAt'>): TopicFinding | undefined {
  const untold = seen.filter(({ outage }) => outage !== undefined && outage.from > storeBackAt);
  const newest = untold.map(({ outage }) => outage).toSorted((a, b) => (b?.until ?? 0) - (a?.until ?? 0))[0];
  if (newest === undefined) return 'well';
  const { until, fault } = newest;
  const some = untold.filter(({ outage }) => outage !== undefined && outage.until >= newest.from);
  const from = Math.min(...some.map(({ outage = newest }) => outage.from));
  if (until - from < outageToldMs || now - until < outageSettledMs) return undefined;
  const [title, action] = afterFault[fault] ?? [undefined, 'read the log of the database for that time'];
  const what = title === undefined ? 'did not answer' : 'took no write';
  const why = title === undefined ? '' : `, because ${fault.replace(' is ', ' was ')}`;
  const who = seen.length === 1 ? '' : `. Seen by ${processWords(some, seen)}`;
  return {
    over: {
      topic: 'store',
      code: 'store-was-away',
      severity: title === undefined ? 'info' : 'warning',
      key: 'away',
      ...given({ title }),
      summary: `The store ${what} for ${ageOf(until - from)}${why}, from ${formatMinute(from)} to ${formatMinute(until)}${who}`,
      details: ['Runs waited and continue where they stopped. No alert could be sent in that time.'],
      unaffected: undefined,
      action,
    },
  };
}

/** What lasts for less is no problem, and what was seen stays for so long. */
export const lastsMs = 60_000;

interface LastingWords extends Pick<AlertProblem, 'topic' | 'code' | 'details' | 'unaffected' | 'action'> {
  readonly what: (ms: number) => string;
}

const lastingWords: Readonly<Record<'slow' | 'clockOff', LastingWords>> = {
  slow: {
    ...{ topic: 'latency', code: 'store-slow' },
    what: (ms) => `writes to the store take ${ageOf(ms)}`,
    details: ['Runs take longer. One that cannot renew its lease within 10 s stops, and another process continues it.'],
    unaffected: 'No change is lost or sent twice.',
    action: 'check the load, the locks and the disk of the database, and the network to it',
  },
  clockOff: {
    ...{ topic: 'clock', code: 'clock-off' },
    what: (ms) => `the clock is ${lengthOf(ms)} ${ms > 0 ? 'ahead' : 'behind'}`,
    details: ['It is compared with the clock of PostgreSQL; with SQLite, with the time since the machine started.'],
    unaffected: 'Leases and schedules follow the clock of the store, so nothing runs twice.',
    action: 'correct the time service (NTP, chrony) there; where all processes are named, that of the database',
  },
};

/**
 * Judges what processes measure again and again. It is not sure while it is new, and neither is its end: what has stopped
 * may come back with it, and what has just started has not measured for long.
 */
export function judgeLasting(key: 'slow' | 'clockOff') {
  return ({ now, seen }: Pick<WorkView, 'now' | 'seen'>): AlertProblem | 'well' | undefined => {
    const isNew = (since: number): boolean => now - since < lastsMs + outageSettledMs;
    const some = seen.flatMap((one) => (one[key] === undefined ? [] : [{ ...one, ...one[key] }]));
    const running = some.filter(isRunning).toSorted((a, b) => Math.abs(b.ms) - Math.abs(a.ms));
    const [most] = running;
    if (most === undefined)
      return some.length > 0 || seen.some((one) => isRunning(one) && isNew(one.startedAt)) ? undefined : 'well';
    const from = Math.min(...running.map((one) => one.from));
    if (isNew(from)) return undefined;
    const { what, ...words } = lastingWords[key];
    const who = processWords(running, seen);
    const title = `${what(most.ms)}${who === 'the process' ? '' : ` in ${who}`}`;
    const summary = `${upper(title)}, first seen ${formatMinute(from)}`;
    return { ...words, title, summary, severity: 'warning', key, from, concerns: running.length };
  };
}

export function upper(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** A receiver that is restarted takes less time. */
export const undeliveredAfterMs = 300_000;

/** Returns whether every channel delivers. The other channels report it. */
export function judgeChannels({ undelivered }: Pick<WorkView, 'undelivered'>): AlertProblem | 'well' {
  const [first] = undelivered;
  if (first === undefined) return 'well';
  const lines = undelivered.map(({ channel, notices, since, error = 'no answer yet' }) => {
    return `${channel}: ${countOf(notices, 'notice')} since ${formatMinute(since)}, ${error}`;
  });
  const names = undelivered.map(({ channel }) => channel);
  return {
    topic: 'channel',
    code: 'channel-failing',
    severity: 'warning',
    key: names.join(),
    channels: names,
    title: `${firstOf(names, names.length).join(', ')}: notices are not delivered`,
    summary: `${countOf(names.length, 'channel does', 'channels do')} not deliver notices`,
    details: lines,
    figures: undelivered.map(({ channel, notices }) => [channel, countOf(notices, 'notice')]),
    from: Math.min(...undelivered.map(({ since }) => since)),
    unaffected: 'Other channels get their notices, and every notice is kept and sent again for a day.',
    action: `rollcall alerts test ${first.channel}`,
  };
}

/** A report by e-mail, and the instant from which its last success must be. */
export interface ReportFacts {
  readonly state: ReportState;
  readonly staleBefore: number | undefined;
}

/** One failure may be over at the next attempt, a minute later. */
const failuresTold = 2;

/** Returns whether the reports of a connection are sent. One that fails explains why it is late. */
export function judgeReports({ reports }: { readonly reports: readonly ReportFacts[] }): AlertProblem | 'well' {
  const failing = reports.filter(({ state }) => state.failures >= failuresTold);
  const late = reports.filter(
    ({ state: { requestedAt }, staleBefore = 0 }) => requestedAt !== undefined && requestedAt < staleBefore,
  );
  const told = failing.length > 0 ? failing : late;
  if (told.length === 0) return 'well';
  const last = ({ successAt }: ReportState) => (successAt === undefined ? 'never' : formatMinute(successAt));
  const names = told.map(({ state }) => state.name).join(', ');
  const what =
    failing.length > 0
      ? `${told.length === 1 ? 'fails' : 'fail'} again and again`
      : `${told.length === 1 ? 'is' : 'are'} late`;
  return {
    topic: 'report',
    code: failing.length > 0 ? 'report-failed' : 'report-late',
    severity: 'warning',
    key: `${failing.length > 0 ? 'failed' : 'late'} ${names}`,
    summary: `${countOf(told.length, 'report')} ${what}: ${names}`,
    details: told.map(({ state }) => {
      const why = state.failure === undefined ? '' : `, ${state.failure}`;
      return `${state.name}: last success ${last(state)}${why}`;
    }),
    count: told.length,
    unaffected: 'Syncs continue. A report that is not sent is tried again.',
    action: 'rollcall status',
  };
}

const shownProblems = 5;

/** Returns whether every process works with the configuration that its file has. */
export function judgeReload({ seen }: Pick<WorkView, 'seen'>): AlertProblem | 'well' | undefined {
  const refused = seen.flatMap((one) => (one.refusedReload === undefined ? [] : [{ ...one.refusedReload, one }]));
  const running = refused.filter(({ one }) => isRunning(one));
  const newest = running.toSorted((a, b) => b.at - a.at)[0];
  // What has stopped may come back with the same problem, or without.
  if (newest === undefined) return refused.length === 0 ? 'well' : undefined;
  const { problems } = newest;
  const some = running.map(({ one }) => one);
  const who = processWords(some, seen);
  return {
    topic: 'configuration',
    code: 'reload-refused',
    severity: 'warning',
    key: problems.join(),
    title: `the changed configuration has problems: refused by ${who}`,
    summary: `The changed configuration has ${countOf(problems.length, 'problem')}, so ${who} ${some.length === 1 ? 'continues' : 'continue'} with the one before`,
    details: firstOf(problems.slice(0, shownProblems), problems.length),
    from: Math.min(...running.map(({ at }) => at)),
    unaffected: 'Runs continue with the configuration that was read before.',
    action: 'rollcall check',
    concerns: some.length,
  };
}

/** Refreshes start at 75 % of the lifetime. At this share they have been failing for a while. */
const lateShare = 0.9;
/** For short-lived tokens: how long a refresh may take. */
const refreshGraceMs = 180_000;
const dueShare = 0.75;

/** Returns the problem of a connection's tokens; undefined when it has none stored. */
export function judgeToken({
  connection,
  token,
  now,
}: {
  readonly connection: string;
  readonly token: TokenStatus;
  readonly now: number;
}): AlertProblem | 'well' | undefined {
  const action = `rollcall token status ${connection}`;
  const unaffected = `Syncs of other connections continue; nothing was changed on the platform.`;
  const base = { topic: 'token', unaffected, action, details: [token.reason, token.advice].filter(isText) } as const;
  switch (token.state) {
    case 'none':
      return judgeEndpoint(connection, token, now, base);
    case 'static':
      return judgeStaticToken(connection, token, now, base);
    case 'reauth-required': {
      const { expiresAt = 0 } = token;
      const work =
        now < expiresAt
          ? `Syncs of ${connection} work until ${formatInstant(expiresAt)}, and then not before a new token is configured`
          : `No sync of ${connection} works until a new token is configured`;
      const summary = `The platform refuses the refresh token. ${work}`;
      return { ...base, severity: 'critical', code: 'refresh-token-refused', key: 'reauth-required', summary };
    }
    case 'sealed':
    case 'revoked':
    case 'restored': {
      const { what, cure, ...own } = blockedTokens[token.state];
      return { ...base, ...own, key: token.state, summary: `${what}. No sync of ${connection} works until ${cure}` };
    }
    default:
      return judgeEndpoint(connection, token, now, base) ?? judgeExpiry(connection, token, now, base);
  }
}

/** Tokens that an operator must free. */
const blockedTokens = {
  sealed: {
    code: 'tokens-sealed',
    severity: 'critical',
    cure: 'that key or a new refresh token is configured',
    what: 'The stored tokens were sealed with another encryptionKey',
  },
  revoked: {
    code: 'tokens-revoked',
    severity: 'warning',
    cure: 'an operator refreshes them',
    what: 'The tokens were revoked',
  },
  restored: {
    code: 'tokens-restored',
    severity: 'critical',
    cure: 'an operator confirms the tokens',
    what: 'The store was restored from a backup',
  },
} as const;

/** One odd answer is left to the next try, unless that is far away. */
const fewAnswers = 2;
/** So many odd answers in a row last for about `refreshGraceMs` (`waitAfter`). */
const manyAnswers = 6;

/** A throttled or unavailable endpoint is no problem while a later try leaves the access token enough time. */
function judgeEndpoint(
  connection: string,
  token: TokenStatus,
  now: number,
  base: Pick<AlertProblem, 'topic' | 'unaffected' | 'action'>,
): AlertProblem | undefined {
  const { attempts, retryAt, issuedAt = 0, expiresAt = 0, reason } = token;
  if (retryAt === undefined || attempts === 0) return undefined;
  if (attempts < fewAnswers && now < retryAt + refreshGraceMs) return undefined;
  const isInTime = issuedAt < expiresAt && Math.max(now, retryAt) < lateAt(token);
  if (attempts < manyAnswers && isInTime) return undefined;
  const isValid = now < expiresAt;
  const answers = attempts === 1 ? '1 answer' : `${attempts} answers in a row`;
  const meanwhile = isValid
    ? `the access token works until ${formatInstant(expiresAt)}`
    : `until the endpoint answers correctly, no sync of ${connection} works`;
  const summary = `The token endpoint does not answer correctly (${answers}). The refresh token is kept and presented again; ${meanwhile}`;
  const details = [
    reason,
    `Next try: ${formatInstant(retryAt)}. To retry immediately: rollcall token refresh ${connection}.`,
  ].filter(isText);
  return {
    ...base,
    details,
    severity: isValid ? 'warning' : 'critical',
    code: 'token-endpoint-failing',
    key: 'endpoint',
    summary,
  };
}

function judgeExpiry(
  connection: string,
  token: TokenStatus,
  now: number,
  base: Pick<AlertProblem, 'topic' | 'details' | 'unaffected' | 'action'>,
): AlertProblem | 'well' {
  const { issuedAt, expiresAt } = token;
  if (expiresAt === undefined || issuedAt === undefined || now < lateAt(token)) return 'well';
  if (now < expiresAt) {
    const dueAt = issuedAt + dueShare * (expiresAt - issuedAt);
    const summary = `The access token expires in ${ageOf(expiresAt - now)} (${formatInstant(expiresAt)}). All refreshes since ${formatInstant(dueAt)} have failed`;
    return { ...base, severity: 'warning', code: 'access-token-expiring', key: 'expiring', summary, from: dueAt };
  }
  const summary = `The access token expired ${formatInstant(expiresAt)} and could not be refreshed, so no sync of ${connection} works`;
  return { ...base, severity: 'critical', code: 'access-token-expired', key: 'expired', summary, from: expiresAt };
}

const dayMs = 86_400_000;
/** Days before the end of a configured token at which it is reported, each once: the last one first. */
const staticTokenDays = [1, 3, 14] as const;

/** Judges a configured token by its own end, if it shows one. Nothing but an operator can replace it. */
function judgeStaticToken(
  connection: string,
  { expiresAt }: TokenStatus,
  now: number,
  base: Pick<AlertProblem, 'topic' | 'details' | 'unaffected' | 'action'>,
): AlertProblem | 'well' {
  const days = expiresAt === undefined ? undefined : staticTokenDays.find((some) => expiresAt - now <= some * dayMs);
  if (expiresAt === undefined || days === undefined) return 'well';
  const end = `No sync of ${connection} works after that, until a new one is in the configuration`;
  const code = 'static-token-expiring';
  if (now >= expiresAt) {
    const summary = `The configured access token expired ${formatInstant(expiresAt)}, so no sync of ${connection} works`;
    return {
      ...base,
      severity: 'critical',
      code,
      key: 'static-expired',
      title: 'the configured access token has expired',
      summary,
    };
  }
  const summary = `The configured access token expires in ${ageOf(expiresAt - now)} (${formatInstant(expiresAt)}). ${end}`;
  return { ...base, severity: days === 1 ? 'critical' : 'warning', code, key: `static-${days}`, summary };
}

/** Returns when a refresh that has not succeeded is reported. */
function lateAt({ issuedAt = 0, expiresAt = 0 }: TokenStatus): number {
  const life = expiresAt - issuedAt;
  return issuedAt + Math.max(lateShare * life, dueShare * life + refreshGraceMs);
}

function isText(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}

import type { AlertCode } from '../../core/run/codes/code-names.ts';
import { ageOf, countOf, firstOf, formatInstant, formatMinute } from '../../core/run/formats.ts';
import { given } from '../../core/run/given.ts';
import type { AlertProblem, Undelivered } from '../../ports/alerts.ts';
import type { QueueDepth } from '../../ports/metrics.ts';
import { olderCopy } from '../../ports/store.ts';
import type { ReportState } from '../../ports/store-operations.ts';
import type { TokenStatus } from '../../ports/tokens.ts';

/** What a process knows about the work of its deployment. Instants are epoch ms. */
export interface WorkView {
  readonly now: number;
  /** Whether a sync has a schedule, or a request waits. Without either, no scheduler is missed. */
  readonly isSchedulerNeeded: boolean;
  /** Since when this process has seen no scheduler; undefined while there is one. */
  readonly unscheduledSince: number | undefined;
  /** Since when Redis has not answered this process; undefined while it does, and without Redis. */
  readonly redisAwaySince: number | undefined;
  /** Since when runs are open and this process has seen no worker; undefined while there is one, and without Redis. */
  readonly unworkedSince: number | undefined;
  readonly openRuns: number;
  /** Jobs in the queue, and when the oldest was added; undefined without Redis, and while it does not answer. */
  readonly queue: QueueDepth | undefined;
  /** Since when every check has found a job that waits for longer than `queueAgedMs`. */
  readonly agedSince: number | undefined;
  /** The oldest request without a run whose sync is neither paused nor has an open run. */
  readonly request: { readonly sync: string; readonly requestedAt: number } | undefined;
  /** The time without the store that has just ended. */
  readonly outage: Outage | undefined;
  /** End of the last such time that was reported; 0 when there was none. */
  readonly storeBackAt: number;
  /** The configuration that this process refused to read again, and since when; undefined while it has the newest one. */
  readonly refusedReload: RefusedReload | undefined;
  /** Channels with a notice that they have not delivered for `undeliveredAfterMs`. */
  readonly undelivered: readonly Undelivered[];
}

/** Longer than a scheduler needs to be replaced: its lease lasts 15 s, a rollout about a minute. */
const schedulerMissedMs = 120_000;
/** Longer than a rollout of workers and a failover of Redis. */
const workersMissedMs = 300_000;
/** A request is taken up within a second, and a job as soon as a worker is free. */
export const queueAgedMs = 600_000;
/** A job keeps its age while its run waits for the platform, so one old job at one check means nothing. */
const agedForMs = 300_000;

/**
 * Returns whether work is done: a problem, `well`, or undefined while something is missing, but not for long. Only one
 * cause is returned, the one that explains the others.
 */
export function judgeWork(view: WorkView): AlertProblem | 'well' | undefined {
  const { now, unscheduledSince, redisAwaySince, unworkedSince, queue, agedSince, request } = view;
  const missed = (since: number | undefined, ms: number): since is number => since !== undefined && now - since >= ms;
  if (view.isSchedulerNeeded && missed(unscheduledSince, schedulerMissedMs)) {
    const summary = `No scheduler has been active for ${ageOf(now - unscheduledSince)} (since ${formatMinute(unscheduledSince)}), so no run starts`;
    return problem('no-scheduler', {
      summary,
      action: 'start a process of the role scheduler (rollcall start), or check why its pod does not run',
      from: unscheduledSince,
    });
  }
  if (missed(redisAwaySince, workersMissedMs)) {
    const summary = `Redis has not answered for ${ageOf(now - redisAwaySince)} (since ${formatMinute(redisAwaySince)}), so workers get no jobs`;
    return problem('no-redis', {
      summary,
      action: 'restart Redis, or check the network policy; requests are kept in the store',
      from: redisAwaySince,
    });
  }
  if (missed(unworkedSince, workersMissedMs)) {
    const summary = `No worker has been active for ${ageOf(now - unworkedSince)} (since ${formatMinute(unworkedSince)}), so ${countOf(view.openRuns, 'open run')} cannot continue`;
    return problem('no-worker', {
      summary,
      action: 'start a process of the role worker (rollcall start), or check why its pods do not run',
      from: unworkedSince,
    });
  }
  if (queue !== undefined && missed(agedSince, agedForMs)) {
    const summary = `${countOf(queue.waiting, 'job')} in the queue; for ${ageOf(now - agedSince)} the oldest has waited for more than ${ageOf(queueAgedMs)}`;
    return problem('jobs-wait', {
      summary,
      action: 'start more workers, or read the log of the running ones',
      from: queue.oldestAt ?? agedSince,
      figures: [['Jobs', queue.waiting]],
      severity: 'warning',
    });
  }
  if (request !== undefined && now - request.requestedAt >= queueAgedMs) {
    const { sync, requestedAt } = request;
    const summary = `A run of ${sync} was requested ${ageOf(now - requestedAt)} ago (${formatMinute(requestedAt)}) and has not started`;
    return problem('requests-wait', {
      summary,
      action: 'read the log of the scheduler',
      from: requestedAt,
      severity: 'warning',
    });
  }
  const missing = [view.isSchedulerNeeded ? unscheduledSince : undefined, redisAwaySince, unworkedSince, agedSince];
  return missing.every((since) => since === undefined) ? 'well' : undefined;
}

function problem(
  code: AlertCode,
  own: Pick<AlertProblem, 'summary' | 'action' | 'from' | 'figures'> & Partial<Pick<AlertProblem, 'severity'>>,
): AlertProblem {
  const unaffected = 'Delivered changes stay in effect. Requests and runs are kept, and continue where they stopped.';
  const base = { topic: 'work', code, key: code, details: [], unaffected } as const;
  return { ...base, severity: 'critical', ...own };
}

/** A time in which the store did not answer. */
export interface Outage {
  readonly from: number;
  readonly until: number;
  /** Why, in a few words: `its disk is full`. */
  readonly fault: string;
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

/**
 * Reports that the store was unavailable. No notice can be stored during the outage, so the report follows afterwards.
 */
export function judgeOutage({
  outage,
  storeBackAt,
}: Pick<WorkView, 'outage' | 'storeBackAt'>): { readonly over: AlertProblem } | 'well' | undefined {
  if (outage === undefined) return 'well';
  if (outage.until - outage.from < outageToldMs || storeBackAt >= outage.from) return undefined;
  const { from, until, fault } = outage;
  const [title, action] = afterFault[fault] ?? [undefined, 'read the log of the database for that time'];
  const what = title === undefined ? 'did not answer' : 'took no write';
  const why = title === undefined ? '' : `, because ${fault.replace(' is ', ' was ')}`;
  return {
    over: {
      topic: 'store',
      code: 'store-was-away',
      severity: title === undefined ? 'info' : 'warning',
      key: 'away',
      ...given({ title }),
      summary: `The store ${what} for ${ageOf(until - from)}${why}, from ${formatMinute(from)} to ${formatMinute(until)}`,
      details: ['Runs waited and continue where they stopped. No alert could be sent in that time.'],
      unaffected: undefined,
      action,
    },
  };
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

/** A configuration that a process could not read again. */
export interface RefusedReload {
  readonly at: number;
  readonly problems: readonly string[];
}

const shownProblems = 5;

/** Returns whether this process works with the configuration that its file has. */
export function judgeReload({ refusedReload }: Pick<WorkView, 'refusedReload'>): AlertProblem | 'well' {
  if (refusedReload === undefined) return 'well';
  const { at, problems } = refusedReload;
  return {
    topic: 'configuration',
    code: 'reload-refused',
    severity: 'warning',
    key: problems.join(),
    summary: `A reload of the configuration failed ${formatMinute(at)}: it has ${countOf(problems.length, 'problem')}`,
    details: firstOf(problems.slice(0, shownProblems), problems.length),
    from: at,
    unaffected: 'The process continues with the configuration that it has.',
    action: 'rollcall check',
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
    case 'reauth-required': {
      const { expiresAt } = token;
      const work =
        expiresAt !== undefined && now < expiresAt
          ? `Syncs of ${connection} work until ${formatInstant(expiresAt)}, and then not before a new token is configured`
          : `No sync of ${connection} works until a new token is configured`;
      const summary = `The platform refuses the refresh token. ${work}`;
      return { ...base, severity: 'critical', code: 'refresh-token-refused', key: 'reauth-required', summary };
    }
    case 'sealed': {
      const summary = `The stored tokens were sealed with another encryptionKey. No sync of ${connection} works until that key or a new refresh token is configured`;
      return { ...base, severity: 'critical', code: 'tokens-sealed', key: 'sealed', summary };
    }
    case 'revoked': {
      const summary = `The tokens were revoked. No sync of ${connection} works until an operator refreshes them`;
      return { ...base, severity: 'warning', code: 'tokens-revoked', key: 'revoked', summary };
    }
    case 'restored': {
      const summary = `The store was restored from a backup. No sync of ${connection} works until an operator confirms the tokens`;
      return { ...base, severity: 'critical', code: 'tokens-restored', key: 'restored', summary };
    }
    case 'static':
      return judgeStaticToken(connection, token, now, base);
    default:
      return judgeEndpoint(connection, token, now, base) ?? judgeExpiry(connection, token, now, base);
  }
}

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
    const summary = `The access token expires in ${ageOf(expiresAt - now)} (${formatInstant(expiresAt)}) and could not be refreshed since ${formatInstant(dueAt)}`;
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

/** What a process remembers while it opens its work again: after an outage of the store, and after a refused reload. */
export interface ProcessMemory {
  away: Pick<Outage, 'from' | 'fault'> | undefined;
  refusedReload: RefusedReload | undefined;
}

export function freshMemory(): ProcessMemory {
  return { away: undefined, refusedReload: undefined };
}

import type { AlertCode } from '../../core/run/codes/code-names.ts';
import type { ErrorCode, RootCause } from '../../core/run/errors.ts';
import { countOf, firstOf, formatMinute } from '../../core/run/formats.ts';
import { given } from '../../core/run/given.ts';
import type { AlertProblem, AlertState, AlertSubject, Concerned } from '../../ports/alerts.ts';
import type { Run } from '../../ports/store.ts';
import { type TopicFinding, upper } from './judge-service.ts';

export type CauseTopic = RootCause['topic'];

/**
 * What a run shows about a cause. `bad`: it is there. `good`: it is over. `waits`: changes of the sync still wait for what
 * it did to them. `idle`: the sync does not need it any longer.
 */
export interface Sign {
  readonly kind: 'bad' | 'good' | 'waits' | 'idle';
  readonly topic: CauseTopic;
  /** Only of a bad sign: for the others, the sync says which problems they are about. */
  readonly cause?: RootCause;
  readonly sync: string;
  readonly connection: string;
  /** When the trouble of the run began, and when this was seen (epoch ms). */
  readonly from: number;
  readonly at: number;
  readonly reason: string;
}

/** Returns the cause that the run shares with others, or may share, if that is all that is wrong with it. */
export function causeOfRun({ connection, endedAt, outcome, end, counts, delivery }: Run): RootCause | undefined {
  const isOpen = endedAt === undefined;
  const hasNoEffect = counts.failed > 0 && counts.applied + counts.unverified === 0;
  const { refusedInRow, failedFile } = delivery ?? {};
  if (!isOpen && hasNoEffect && refusedInRow !== undefined && refusedInRow.isMixed === undefined)
    return { topic: 'uploads', subject: connection, status: 403 };
  // A file whose answer was lost leaves changes whose outcome is not known, and later runs find it out.
  const isUnknown = isOpen ? end?.cause?.topic === 'uploads' : counts.failed === 0 && counts.unresolved > 0;
  if ((outcome === 'failed' || isUnknown) && end?.cause !== undefined) return end.cause;
  return (isOpen || hasNoEffect) && failedFile?.seen === 0 ? { topic: 'files', subject: connection } : undefined;
}

/** Returns whether the run only waits for the outcome of changes that an earlier run sent. */
export function waitsOnly({ outcome, counts, plan }: Run): boolean {
  const isWaiting = outcome === 'partial' && (plan?.blocked.unresolved ?? 0) > 0;
  return isWaiting && counts.failed + counts.unresolved === 0 && plan?.sourceGaps.length === 0;
}

/** Returns whether the platform answered to the end. A run that was canceled, or that it failed in part, read it before. */
function hasSeenPlatform({ plan, outcome, end }: Run): boolean {
  return plan?.platformUsers !== undefined && outcome !== 'cancelled' && end?.cause?.topic !== 'platform';
}

/** Returns what a run that ended shows. */
export function signsOfEnd(run: Run): readonly Sign[] {
  const { sync, connection, read, counts, startedAt: from, endedAt: at = from, outcome } = run;
  // Any other end counts changes, and tells no answer.
  const reason = outcome === 'failed' ? (run.reason ?? '') : '';
  const cause = causeOfRun(run);
  const sign = { sync, connection, from, at, reason };
  if (cause !== undefined) return [{ ...sign, kind: 'bad', topic: cause.topic, cause }];
  const delivers = counts.applied + counts.unverified > 0 ? 'good' : waitsOnly(run) ? 'waits' : 'idle';
  const shown: readonly (readonly [Sign['kind'], readonly CauseTopic[]])[] = [
    ['good', read === undefined ? [] : ['source', 'credential']],
    ['good', hasSeenPlatform(run) ? ['platform'] : []],
    [delivers, outcome === 'failed' ? [] : ['uploads', 'files']],
  ];
  return shown.flatMap(([kind, topics]) => topics.map((topic) => ({ ...sign, kind, topic })));
}

/** Returns what a run in progress shows. What its plan is made of has answered since its read began. */
export function signsOfOpen(run: Run, now: number): readonly Sign[] {
  const { sync, connection, delivery, problem, phase, read } = run;
  const since = delivery?.waitingSince;
  const ofRun = causeOfRun(run);
  const sign = { sync, connection, from: since ?? run.startedAt, at: now, reason: '' } as const;
  const good = (topics: readonly CauseTopic[], at: number): readonly Sign[] =>
    topics.map((topic) => ({ ...sign, kind: 'good', topic, at }));
  const answered: readonly CauseTopic[] = [
    'source',
    'credential',
    ...(hasSeenPlatform(run) ? ['platform' as const] : []),
  ];
  const planned = read === undefined ? [] : good(answered, read.at);
  const { cause, reason } =
    since !== undefined && problem?.cause !== undefined ? problem : { cause: ofRun, reason: '' };
  if (cause !== undefined) return [...planned, { ...sign, kind: 'bad', topic: cause.topic, cause, reason }];
  const isTaken = since === undefined && phase === 'proving' && delivery?.refusedInRow === undefined;
  return isTaken ? [...planned, ...good(['uploads'], now)] : planned;
}

/** Whether the tokens of the connection are the cause. */
export function isOfToken({ code = 'CONFLICT' }: RootCause): boolean {
  return tokenCodes.includes(code);
}

const tokenCodes: readonly ErrorCode[] = ['REAUTH_REQUIRED', 'TOKEN_REVOKED', 'TOKEN_RESTORED', 'TOKEN_UNAVAILABLE'];

export function subjectOf({ topic, subject }: RootCause): AlertSubject {
  return { kind: topic === 'source' || topic === 'credential' ? 'source' : 'connection', name: subject };
}

/** Returns the signs that are about the problems of the subject. */
export function signsAbout({ subject, concerned = {} }: AlertState, signs: readonly Sign[]): readonly Sign[] {
  const isAbout = ({ cause }: Sign): boolean => {
    const about = cause && subjectOf(cause);
    return about?.kind === subject.kind && about.name === subject.name;
  };
  const bad = signs.filter(isAbout);
  return signs.filter((sign) => {
    if (sign.cause !== undefined) return isAbout(sign);
    if (subject.kind === 'connection') return subject.name === sign.connection;
    const { topic, sync } = sign;
    return concerned[topic]?.syncs[sync] !== undefined || bad.some((one) => one.topic === topic && one.sync === sync);
  });
}

export interface CauseView {
  readonly now: number;
  /** Why no run of a sync that failed last `at` will show the end; undefined while one will. */
  readonly whyIdle: (sync: string, at: number) => string | undefined;
  /** The leavers of the sync whose target ends soon, and who still have an enabled account. */
  readonly leaversAtRisk: (sync: string) => number;
  /** The problem is open. */
  readonly isOpen: boolean;
  /** Further syncs of the connection whose runs wait for their turn behind those of the cause. */
  readonly behind: readonly string[];
}

/** What an operator does about it: wait, grant a permission, or correct what is asked. Another errand is news. */
function errandOf({ topic, status = 500, title }: RootCause): string {
  if (title !== undefined) return title;
  if (status === 401 || status === 403 || topic === 'credential') return 'permission';
  return status >= 500 || passing.includes(status) ? 'wait' : 'correct';
}

/** A busy server answers so. */
const passing = [408, 425, 429];

/** How long a source that answered one sync may still fail for others. Their runs end it before, or continue it. */
const confirmMs = 600_000;
/** After so long, changes that are not delivered are critical. Leavers may make them so earlier. */
const criticalAfterMs = 1_800_000;

/** Files that fail in so many syncs, and no row of them has an effect: their rows are not at fault. */
const faultySyncs = 3;

/** Judges one cause by the signs since the last evaluation, in order of time. */
export function judgeCause(
  topic: CauseTopic,
  before: Concerned | undefined,
  signs: readonly Sign[],
  view: CauseView,
): { readonly finding: TopicFinding; readonly concerned: Concerned | undefined } {
  const isOfSource = topic === 'source' || topic === 'credential';
  const all = new Map(Object.entries(before?.syncs ?? {}));
  let { cause, reason = '', goodAt } = before ?? {};
  for (const sign of signs.toSorted((a, b) => a.at - b.at)) {
    const known = all.get(sign.sync);
    if (sign.cause !== undefined) {
      ({ cause, reason } = { cause: sign.cause, reason: sign.reason });
      all.set(sign.sync, { from: known?.from ?? sign.from, at: sign.at });
      continue;
    }
    if (sign.kind === 'waits') {
      if (known !== undefined) all.set(sign.sync, { ...known, at: sign.at });
      continue;
    }
    if (known !== undefined && known.at <= sign.at) all.delete(sign.sync);
    if (sign.kind === 'good') goodAt = Math.max(goodAt ?? 0, sign.at);
  }
  const isUnsure = isOfSource && goodAt !== undefined && view.now - goodAt < confirmMs;
  const over = { finding: 'well', concerned: undefined } as const;
  if (cause === undefined) return over;
  const isOwn = cause.isOwn === true;
  const left = [...all].filter(([, { at }]) => goodAt === undefined || at > goodAt || isUnsure || isOwn);
  const syncs = left.filter(([sync, { at }]) => view.whyIdle(sync, at) === undefined);
  if (syncs.length === 0) {
    const idle = view.isOpen ? left.filter(([, { at }]) => at > (goodAt ?? 0)) : [];
    if (idle.length === 0) return over;
    return { ...over, finding: endOfIdle({ syncs: Object.fromEntries(idle), cause, reason }, view) };
  }
  const concerned = { syncs: Object.fromEntries(syncs), cause, reason, ...given({ goodAt }) };
  const isLong = syncs.some(([, { from }]) => view.now - from >= criticalAfterMs);
  const isSure = topic !== 'files' || cause.code !== undefined || view.isOpen || isLong || syncs.length >= faultySyncs;
  return { finding: isSure ? problemOf(concerned, view) : 'well', concerned };
}

/** What a cause is called, and what does not happen meanwhile. */
interface CauseWords {
  readonly code: AlertCode;
  readonly title: (cause: RootCause) => string;
  /** After `so 3 syncs`. */
  readonly meanwhile: string;
  readonly unaffected: string;
  readonly action: (subject: string, sync: string) => string;
}

const said = ({ status }: RootCause): string => (status === undefined ? '' : ` (${status})`);
const nothingChanged = 'Delivered changes stay in effect. The next runs plan the unsent changes again.';
const checkPlatform = (connection: string) => `rollcall check ${connection}`;
const trySource = (_: string, sync: string) => `rollcall source try ${sync}`;

const words: Readonly<Record<CauseTopic, CauseWords>> = {
  source: {
    code: 'source-away',
    title: ({ status, title }) =>
      title ?? (status === undefined ? 'the HR system does not answer' : `the HR system answers ${status}`),
    meanwhile: 'cannot read employees',
    unaffected: 'No user was disabled because of it. The next runs read again.',
    action: trySource,
  },
  credential: {
    code: 'credentials-refused',
    title: (cause) => `the HR system refuses the credentials${said(cause)}`,
    meanwhile: 'cannot read employees until the credentials are corrected',
    unaffected:
      'No user was disabled because of it. The schedule waits after each refusal, so that no account is locked.',
    action: trySource,
  },
  platform: {
    code: 'platform-ends-runs',
    title: (cause) => platformTitle(cause),
    meanwhile: 'cannot compare or change accounts',
    unaffected: nothingChanged,
    action: checkPlatform,
  },
  uploads: {
    code: 'uploads-refused',
    title: ({ status }) =>
      status === undefined ? 'the platform refuses all changes' : `the platform answers ${status} to changes`,
    meanwhile: 'cannot deliver changes',
    unaffected: 'Reads work. Runs wait and try again, and later runs plan what was not sent.',
    action: checkPlatform,
  },
  files: {
    code: 'files-not-processed',
    title: () => 'files end as failed',
    meanwhile: 'cannot deliver changes by file',
    unaffected: 'Reads work. Rows without an effect are sent again in smaller files, or by the next runs.',
    action: checkPlatform,
  },
};

/** What is wrong with a platform when a run ends with the code. */
function platformTitle(cause: RootCause): string {
  switch (cause.code) {
    case 'PLATFORM_UNREACHABLE':
      return 'the platform cannot be reached';
    case 'PLATFORM_BUSY':
      return `the platform is busy${said(cause)}`;
    case 'PLATFORM_UNAUTHORIZED':
      return `the platform refuses the token${said(cause)}`;
    case 'PLATFORM_FORBIDDEN':
      return `the platform refuses the calls of Rollcall${said(cause)}`;
    case 'PLATFORM_FAILED':
      return `the platform answers with errors${said(cause)}`;
    default:
      return 'there is no valid access token';
  }
}

const shownSyncs = 5;

function problemOf({ syncs, cause, reason }: Concerned, view: CauseView): AlertProblem {
  const { topic, subject } = cause;
  const { code, title, meanwhile, unaffected, action } = words[topic];
  const waits = topic === 'uploads' || topic === 'files';
  const names = [...new Set([...Object.keys(syncs), ...(waits ? view.behind : [])])].toSorted();
  const [first = ''] = names;
  const from = Math.min(...Object.values(syncs).map((one) => one.from));
  const leavers = names.reduce((sum, name) => sum + view.leaversAtRisk(name), 0);
  const isCritical = !waits || view.now - from >= criticalAfterMs || leavers > 0;
  const who = firstOf(names.slice(0, shownSyncs), names.length).join(', ');
  return {
    topic,
    code,
    severity: isCritical ? 'critical' : 'warning',
    key: `${topic}: ${isOfToken(cause) ? 'token' : errandOf(cause)}`,
    title: title(cause),
    summary: `${upper(title(cause))}, so ${countOf(names.length, 'sync')} ${meanwhile} (${who})`,
    details: [
      `Since ${formatMinute(from)}.${reason === '' ? '' : ` The last answer: ${reason}`}`,
      'Meanwhile no account is created, changed or disabled for them.',
      ...(leavers === 0
        ? []
        : [`${countOf(leavers, 'leaver still has', 'leavers still have')} access that must end soon.`]),
    ],
    figures: [['Syncs', names.length], ...(leavers === 0 ? [] : [['Leavers due', leavers] as const])],
    from,
    unaffected,
    action: action(subject, first),
    concerns: names.length,
  };
}

/** Ends a cause that no run will show any longer. */
function endOfIdle(concerned: Concerned, view: CauseView): { readonly over: AlertProblem } {
  const whys = Object.entries(concerned.syncs).map(([sync, { at }]) => `${sync} is ${view.whyIdle(sync, at)}`);
  const title = `${firstOf(whys.slice(0, shownSyncs), whys.length).join(', ')}, so it no longer counts`;
  const summary = `${upper(title)}. Nothing has shown that the trouble is over`;
  return { over: { ...problemOf(concerned, view), title, summary } };
}

import type { AlertTopic } from '../../core/run/codes/code-names.ts';
import { conflict } from '../../core/run/errors.ts';
import { formatMinute } from '../../core/run/formats.ts';
import { given } from '../../core/run/given.ts';
import {
  type AlertNotice,
  type AlertProblem,
  type AlertState,
  type AlertSubject,
  type ChannelSettings,
  type EndedProblem,
  type KnownProblem,
  type NoticeKind,
  type Quieted,
  type QuietOrder,
  type RecoveredProblem,
  type Severity,
  severities,
} from '../../ports/alerts.ts';
import type { Store } from '../../ports/store.ts';
import { type AlertFacts, topics } from './topics.ts';

/** When a channel gets what. */
export type ChannelRule = Pick<ChannelSettings, 'name' | 'severities' | 'afterMs' | 'remindMs'>;

/** A notice without an id, and the channels that get it. */
export interface NoticeDraft {
  readonly notice: Omit<AlertNotice, 'id'>;
  readonly channels: readonly string[];
}

export interface Decided {
  readonly state: AlertState;
  readonly drafts: readonly NoticeDraft[];
}

/**
 * Decides which channel gets which notice. A channel gets a problem when it begins, gets worse (a higher severity, or
 * ten times as many), changes its reason, or needs its number of syncs or processes corrected; again after `remindMs`; and its end once. A channel with `afterMs` gets
 * only what is open that long. An acknowledged problem has no reminders and reaches no further channel; a muted subject
 * sends no problem at all until then. An end is always sent to the channels that got the problem, so that no incident
 * stays open. `channels`: those of this subject. `all`: also those that it concerned before.
 */
export function decideAlerts(
  before: AlertState,
  facts: AlertFacts,
  channels: readonly ChannelRule[],
  all = channels,
): Decided {
  const { at } = facts;
  const problems: Partial<Record<AlertTopic, KnownProblem>> = {};
  const ends: { readonly recovered: RecoveredProblem; readonly told: readonly string[] }[] = [];
  const notes: AlertProblem[] = [];
  const ended = { ...before.ended };
  for (const topic of topics) {
    const known = before.problems[topic];
    const found = facts.topics[topic] ?? (known?.wellSince === undefined ? known : 'well');
    if (found === undefined) continue;
    if (found !== 'well' && !('over' in found)) {
      if (known === undefined) problems[topic] = begun(found, at, before.ended?.[topic]);
      else problems[topic] = found === known ? known : renewed(known, found, at);
      delete ended[topic];
      continue;
    }
    if (known !== undefined && known.times > 1 && found === 'well') {
      const { wellSince = at } = known;
      if (at - wellSince < flappingMs) {
        problems[topic] = { ...known, wellSince };
        continue;
      }
    }
    if (known !== undefined) {
      const { key, since, times } = known;
      ended[topic] = { key, since, times, endedAt: at };
    }
    const end = found === 'well' ? undefined : found.over;
    const told = known === undefined ? [] : toldTo(known, all);
    if (known !== undefined && told.length > 0) ends.push({ recovered: endOf(known, end), told });
    else if (end !== undefined) notes.push(end);
  }
  const muted = before.muted !== undefined && at < before.muted.until ? before.muted : undefined;
  const parcels: Parcel[] = [];
  for (const channel of muted === undefined ? channels : []) {
    const due = Object.values(problems).flatMap((problem) => {
      const why = takersOf(problem, channels).includes(channel) ? whyDue(problem, channel, at) : undefined;
      return why === undefined ? [] : [{ problem, why }];
    });
    if (due.length > 0) {
      const kind = due.some(({ why }) => why === 'problem') ? 'problem' : 'reminder';
      parcels.push({ kind, channel: channel.name, problems: due.map(({ problem }) => problem), recovered: [] });
    }
    for (const { problem } of due) {
      const { told } = problems[problem.topic] ?? problem;
      problems[problem.topic] = { ...problem, told: { ...told, [channel.name]: Math.max(at, problem.newsAt) } };
    }
    const noted = notes.filter((problem) => takersOf(problem, channels).includes(channel));
    if (noted.length > 0) parcels.push({ kind: 'note', channel: channel.name, problems: noted, recovered: [] });
  }
  for (const { name } of all) {
    const recovered = ends.filter(({ told }) => told.includes(name)).map((end) => end.recovered);
    if (recovered.length > 0) parcels.push({ kind: 'recovery', channel: name, problems: [], recovered });
  }
  const { muted: _, ended: __, ...rest } = before;
  const open = topics.flatMap((topic) => problems[topic] ?? []);
  return {
    state: { ...rest, problems, ...given({ muted, ended: Object.keys(ended).length === 0 ? undefined : ended }) },
    drafts: grouped(parcels, { subject: before.subject, at }, open),
  };
}

/** Marks every open problem as acknowledged. Returns the same state when there is none to mark. */
export function acknowledge(state: AlertState, by: string, at: number): AlertState {
  const open = Object.entries(state.problems).filter(([, problem]) => problem.acked === undefined);
  if (open.length === 0) return state;
  const acked = open.map(([topic, problem]) => [topic, { ...problem, acked: { by, at } }]);
  return { ...state, problems: { ...state.problems, ...Object.fromEntries(acked) } };
}

/** A problem that comes back within this time is the same one, and is over when it stays away for as long. */
const flappingMs = 3_600_000;

function begun(problem: AlertProblem, at: number, last: EndedProblem | undefined): KnownProblem {
  const isBack = last !== undefined && last.key === problem.key && at - last.endedAt < flappingMs;
  const [since, times] = isBack ? [last.since, last.times + 1] : [problem.from ?? at, 1];
  const toldOf = given({ toldOf: problem.concerns });
  return { ...problem, worst: problem.severity, since, times, newsAt: at, told: {}, ...toldOf };
}

/** By then, a cause has reached most of the syncs or processes that it will reach. */
const correctAfterMs = 30_000;

/** Returns whether a larger number is news: once after a while, and then when it has doubled. Not to who acknowledged it. */
function isCorrection(known: KnownProblem, { concerns = 1 }: AlertProblem, at: number): boolean {
  const { toldOf = 1, isCorrected, newsAt, acked } = known;
  if (acked !== undefined || concerns <= toldOf) return false;
  return isCorrected === true ? concerns >= 2 * toldOf : at - newsAt >= correctAfterMs;
}

/** A problem that is found again. What got better is not news, and neither is the same for the next run. */
function renewed(known: KnownProblem, found: AlertProblem, at: number): KnownProblem {
  const { worst, since, told, acked, wellSince } = known;
  const isMore = decade(found.count) > decade(known.count) || isCorrection(known, found, at);
  const isWorse = isMore || rank(found.severity) > rank(known.severity);
  // What several syncs share may answer each of them in another way, in turn.
  const heard = found.concerns === undefined ? [known.key] : (known.keys ?? [known.key]);
  const times = known.times + (wellSince === undefined ? 0 : 1);
  if (heard.includes(found.key) && !isWorse) {
    const isLess = (found.count ?? 0) <= (known.count ?? 0) && found.concerns === known.concerns;
    const isSame = found.run === known.run && found.title === known.title && isLess;
    if (isSame && wellSince === undefined) return known;
    const count = Math.max(found.count ?? 0, known.count ?? 0);
    const { severity, newsAt, toldOf, isCorrected, keys } = known;
    const kept = { severity, worst, since, times, newsAt, told, ...given({ acked, toldOf, isCorrected, keys }) };
    return { ...found, ...kept, ...given({ count: count === 0 ? undefined : count }) };
  }
  // After every notice so far, also after one at this very instant.
  const newsAt = Math.max(at, ...Object.values(told).map((last) => last + 1));
  const isCorrected = heard.includes(found.key) ? (true as const) : undefined;
  const news = given({ toldOf: found.concerns, isCorrected, keys: isCorrected ? known.keys : [...heard, found.key] });
  const shared = found.concerns === undefined ? {} : news;
  return { ...found, worst: worstOf([worst, found.severity]), since, times, newsAt, told, ...shared };
}

function whyDue(problem: KnownProblem, channel: ChannelRule, at: number): 'problem' | 'reminder' | undefined {
  if (problem.wellSince !== undefined) return undefined;
  const told = problem.told[channel.name];
  if (told === undefined)
    return problem.acked === undefined && at - problem.since >= channel.afterMs ? 'problem' : undefined;
  if (told < problem.newsAt) return 'problem';
  const isDue = channel.remindMs !== undefined && problem.acked === undefined && at - told >= channel.remindMs;
  return isDue ? 'reminder' : undefined;
}

/** Returns the channels that tell of it. Every other channel tells of a failing one where none takes the severity. */
function takersOf(
  { channels: failing, severity }: AlertProblem,
  channels: readonly ChannelRule[],
): readonly ChannelRule[] {
  const others = channels.filter(({ name }) => failing?.includes(name) !== true);
  const takers = others.filter(({ severities: taken }) => taken === undefined || taken.includes(severity));
  return takers.length === 0 && failing !== undefined ? others : takers;
}

/** Returns the channels that got the problem. */
function toldTo({ told }: KnownProblem, channels: readonly ChannelRule[]): readonly string[] {
  return channels.filter(({ name }) => told[name] !== undefined).map(({ name }) => name);
}

/** A recovery has the severity of the worst notice, so that it weighs as much as the problem did. */
function endOf(
  { topic, code, worst, summary, since, run }: KnownProblem,
  end: AlertProblem | undefined,
): RecoveredProblem {
  const about = end?.run ?? run;
  const endTitle = end?.code === code ? end.title : undefined;
  return { topic, code, severity: worst, summary, since, ...given({ run: about, end: end?.summary, endTitle }) };
}

/** What one channel gets at one check. */
interface Parcel {
  readonly kind: NoticeKind;
  readonly channel: string;
  readonly problems: readonly AlertProblem[];
  readonly recovered: readonly RecoveredProblem[];
}

/** Makes one notice of parcels with the same content. Problems precede ends. */
function grouped(
  parcels: readonly Parcel[],
  base: Pick<AlertNotice, 'subject' | 'at'>,
  open: readonly AlertProblem[],
): readonly NoticeDraft[] {
  const made = new Map<string, { readonly notice: NoticeDraft['notice']; readonly channels: string[] }>();
  for (const { kind, channel, problems, recovered } of parcels) {
    const named = [...problems, ...recovered];
    const content = `${kind} ${named.map(({ topic }) => topic).join()}`;
    const same = made.get(content);
    if (same !== undefined) {
      same.channels.push(channel);
      continue;
    }
    const standing = open
      .filter(({ topic }) => !problems.some((problem) => problem.topic === topic))
      .map(({ topic, code, title }) => ({ topic, code, ...given({ title }) }));
    const severity = worstOf(named.map((one) => one.severity));
    const notice = { ...base, kind, severity, problems: problems.map(plain), recovered, standing };
    made.set(content, { notice, channels: [channel] });
  }
  const isEnd = ({ notice }: NoticeDraft): number => (notice.kind === 'recovery' ? 1 : 0);
  return [...made.values()].toSorted((a, b) => isEnd(a) - isEnd(b));
}

/** The problem without what only the state needs. */
function plain(problem: AlertProblem): AlertProblem {
  const { worst, newsAt, told, toldOf, isCorrected, keys, acked, times, wellSince, channels, ...rest } =
    problem as Partial<KnownProblem> & AlertProblem;
  if (times === undefined || times < 2) return rest;
  const back = `It came back ${times === 2 ? 'once' : `${times - 1} times`} since ${formatMinute(rest.since ?? 0)}. A notice reports the end when it stays away for an hour.`;
  return { ...rest, details: [back, ...rest.details] };
}

function rank(severity: Severity): number {
  return severities.indexOf(severity);
}

function worstOf(found: readonly Severity[]): Severity {
  return severities[Math.max(0, ...found.map(rank))] ?? 'info';
}

/** 0 for none, 1 for 1 to 9, 2 for 10 to 99, and so on. */
function decade(count: number | undefined): number {
  return count === undefined || count < 1 ? 0 : Math.floor(count).toString().length;
}

/** A process that evaluates alerts at the same moment may write first. */
const mostTries = 20;

/** Applies the order to each of the subjects. Throws `CONFLICT` when other processes keep writing the same state. */
export async function quietAlerts(
  subjects: readonly AlertSubject[],
  order: QuietOrder,
  { store, now }: { readonly store: Pick<Store, 'alerts'>; readonly now: number },
): Promise<readonly Quieted[]> {
  const quieted: Quieted[] = [];
  for (const subject of subjects) quieted.push(await quiet(subject, order, store, now));
  return quieted;
}

async function quiet(
  subject: AlertSubject,
  order: QuietOrder,
  store: Pick<Store, 'alerts'>,
  now: number,
): Promise<Quieted> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const before = (await store.alerts.state(subject)) ?? freshState(subject, now);
    const next = applied(before, order);
    if (next === before || (await store.alerts.save(before.version, next, []))) {
      return { subject, open: Object.keys(before.problems).length };
    }
  }
  const message = `the alerts of ${subject.kind} ${subject.name} are being written by another process. Try again`;
  throw conflict(message);
}

function applied(before: AlertState, order: QuietOrder): AlertState {
  if (order.kind === 'ack') return acknowledge(before, order.by, order.at);
  const { muted: _, ...rest } = before;
  return order.kind === 'unmute' ? rest : { ...rest, muted: { until: order.until, by: order.by } };
}

/** The state of a subject that was never evaluated. */
export function freshState(subject: AlertSubject, now: number): AlertState {
  return { subject, version: 0, problems: {}, firstSeenAt: now, judgedUntil: 0, judgedRuns: [] };
}

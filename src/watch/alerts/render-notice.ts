import { anchorOf, docsOfCode, titlesOfAlert } from '../../core/run/codes/code-list.ts';
import { ageOf, formatMinute } from '../../core/run/formats.ts';
import { given } from '../../core/run/given.ts';
import { traceIdsOf } from '../../core/run/run.ts';
import type { AlertNotice, AlertProblem, Figures, RecoveredProblem } from '../../ports/alerts.ts';
import { podCommands } from './pod-commands.ts';

/** Where a notice comes from. */
export interface Place {
  /** The name of this deployment. */
  readonly deployment: string;
  /** The address under which people reach the page, without a trailing slash. Undefined: notices have no links. */
  readonly publicUrl: string | undefined;
  /** What stands before each command of a notice. Absent: nothing. */
  readonly commandPrefix?: string;
  /** How notices name the trace of a run. Absent: not at all. */
  readonly trace?: {
    /** Its address, with `{traceId}`. Undefined: notices name the id only. */
    readonly url: string | undefined;
  };
}

export interface NoticeLink {
  readonly text: string;
  readonly url: string;
}

/** Returns what is wrong in a few words. */
export function titleOf({ title, code }: Pick<AlertProblem, 'title' | 'code'>): string {
  return title ?? titlesOfAlert(code)[0];
}

/** The facts of a notice, in the order in which they are read. Every channel shows these, as well as it can. */
export interface NoticeFacts {
  /** `CRITICAL sync people`. */
  readonly label: string;
  /** What happened in a few words, such as `22 disables wait for approval`. */
  readonly headline: string;
  readonly tone: 'critical' | 'warning' | 'info' | 'over';
  readonly figures: Figures;
  readonly parts: readonly NoticePart[];
  /** What else is open. */
  readonly rest: readonly string[];
  readonly links: readonly NoticeLink[];
  /** The deployment, the time and the id. */
  readonly footer: string;
}

/** What a notice says about one problem. */
export interface NoticePart {
  readonly summary: string;
  readonly details: readonly string[];
  readonly unaffected?: string;
  readonly action: readonly string[];
  /** Each line of the action is a command. Otherwise it is a sentence. */
  readonly isCommand?: boolean;
  /** The code, and where it is explained. */
  readonly code?: string;
}

/** Returns the facts of a notice. Names users by identification only. */
export function factsOf(notice: AlertNotice, place: Place): NoticeFacts {
  const { kind, subject, severity, problems, recovered, standing, at, id } = notice;
  const about = `${subject.kind} ${subject.name}`;
  const shared = {
    figures: problems.flatMap(({ figures = [] }) => figures),
    rest: standing.length === 0 ? [] : [`Also open: ${standing.map(titleOf).join('; ')}.`],
    links: linksOf(notice, place),
    footer: [`Rollcall ${place.deployment}`, formatMinute(at), `notice ${id}`, ...traceOf(notice, place)].join(', '),
  };
  const headline = problems.map(titleOf).join('; ');
  const parts = problems.map((problem) => partOf(problem, place));
  switch (kind) {
    case 'test': {
      const test = { summary: 'This is a test of the channel. There is no problem.', details: [], action: [] };
      const words = { label: 'TEST', headline: 'this channel receives alerts of Rollcall' };
      return { ...shared, ...words, tone: 'info', parts: [test] };
    }
    case 'recovery': {
      const over = recovered.map(({ code, endTitle }) => endTitle ?? titlesOfAlert(code)[1]).join('; ');
      const ends = recovered.map((one) => ({ summary: endOf(one, at), details: [], action: [] }));
      return { ...shared, label: `RECOVERED ${about}`, headline: over, tone: 'over', parts: ends };
    }
    case 'note': {
      // What is over may come back.
      if (severity !== 'info')
        return { ...shared, label: `${severity.toUpperCase()} ${about}`, headline, tone: severity, parts };
      const rest = ['No action is required.', ...shared.rest];
      const done = parts.map(({ unaffected: _, ...part }) => ({ ...part, action: [] }));
      return { ...shared, label: `INFO ${about}`, headline, tone: 'info', parts: done, rest };
    }
    default: {
      const again = kind === 'reminder' ? 'STILL ' : '';
      return { ...shared, label: `${again}${severity.toUpperCase()} ${about}`, headline, tone: severity, parts };
    }
  }
}

function partOf(
  { code, summary, details, unaffected, action }: AlertProblem,
  { publicUrl, commandPrefix = '' }: Place,
): NoticePart {
  const { prefix } = podCommands(code, commandPrefix);
  const explained = publicUrl === undefined ? `; ${docsOfCode(code)}` : '';
  return {
    summary,
    details,
    ...given({ unaffected }),
    action: action.split('\n'),
    isCommand: /^(kubectl |(\S+ .*)?rollcall [a-z])/.test(action) && !/[("]rollcall/.test(action),
    code: `Code: ${code} (${`${prefix} rollcall explain ${code}`.trimStart()}${explained})`,
  };
}

/** A notice as lines of plain text. */
export interface NoticeText {
  /** One line: `CRITICAL sync people: the run failed`. */
  readonly title: string;
  readonly lines: readonly string[];
}

/** Renders a notice as text. */
export function renderNotice(notice: AlertNotice, place: Place): NoticeText {
  const { label, headline, parts, rest, links, footer } = factsOf(notice, place);
  const shown = links.map(({ text, url }) => `${text}: ${url}`);
  return { title: `${label}: ${headline}`, lines: [...parts.flatMap(linesOf), ...rest, ...shown, footer] };
}

function linesOf({ summary, details, unaffected, action, code }: NoticePart): readonly string[] {
  const [only] = action;
  return [
    summary,
    ...details.map((detail) => `- ${detail}`),
    ...(unaffected === undefined ? [] : [`Not affected: ${unaffected}`]),
    ...(action.length > 1 ? ['What to do:', ...action] : only === undefined ? [] : [`What to do: ${only}`]),
    ...(code === undefined ? [] : [code]),
  ];
}

/**
 * Returns the notice with the commands as they work where it is read. `rollcall start` stays: a process is not started in
 * another one.
 */
export function withCommands(notice: AlertNotice, { commandPrefix }: Place): AlertNotice {
  if (commandPrefix === undefined) return notice;
  const problems = notice.problems.map((problem) => {
    const { prefix, action } = podCommands(problem.code, commandPrefix);
    const prefixed = (text: string): string =>
      text.replace(/(^|[\n"`(:] ?)(rollcall (?!start\b)[a-z])/g, (_, before: string, command: string) => {
        return `${before}${prefix} ${command}`;
      });
    return {
      ...problem,
      summary: prefixed(problem.summary),
      details: problem.details.map(prefixed),
      action: action ?? prefixed(problem.action),
    };
  });
  return { ...notice, problems };
}

/** Returns the links of a notice: to its run, its holds, what to do, and its trace. Those with a configured address. */
export function linksOf(notice: AlertNotice, { publicUrl, trace }: Place): readonly NoticeLink[] {
  const { problems, kind } = notice;
  const runs = runsOf(notice);
  const traceUrl = trace?.url;
  const traces = (traceUrl === undefined ? [] : runs).map((run) => {
    return { text: 'Trace', url: traceUrl?.replaceAll('{traceId}', traceIdsOf(run).trace) ?? '' };
  });
  if (publicUrl === undefined) return traces;
  if (kind === 'test') return [{ text: 'Page', url: `${publicUrl}/` }];
  const isHeld = problems.some(({ topic }) => topic === 'held');
  const runbook = problems.map(({ code }) => ({ text: 'Runbook', url: `${publicUrl}/runbook#${anchorOf(code)}` }));
  return [
    ...runs.map((run) => ({ text: 'Run', url: `${publicUrl}/runs/${encodeURIComponent(run)}` })),
    ...(isHeld ? [{ text: 'Held changes', url: `${publicUrl}/holds` }] : []),
    ...(kind === 'note' ? [] : runbook),
    ...traces,
  ];
}

function runsOf({ problems, recovered }: AlertNotice): readonly string[] {
  return [...new Set([...problems, ...recovered].map(({ run }) => run).filter((run) => run !== undefined))];
}

/** Names the trace where no link does. */
function traceOf(notice: AlertNotice, { trace }: Place): readonly string[] {
  if (trace === undefined || trace.url !== undefined) return [];
  return runsOf(notice).map((run) => `trace ${traceIdsOf(run).trace}`);
}

function endOf({ summary, since, end }: RecoveredProblem, at: number): string {
  const over = `Ended after ${ageOf(at - since)} (since ${formatMinute(since)}): ${summary}`;
  return end === undefined ? over : `${over}. ${end}`;
}

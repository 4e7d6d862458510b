import { anchorOf, docsOfCode } from '../../core/run/codes/code-list.ts';
import { ageOf, formatMinute } from '../../core/run/formats.ts';
import { traceIdsOf } from '../../core/run/run.ts';
import type { AlertNotice, AlertProblem, RecoveredProblem } from '../../ports/alerts.ts';
import { topicOf } from './topics.ts';

/** A notice as lines of plain text, with the same words for every channel. */
export interface NoticeText {
  /** One line: `CRITICAL sync people: the run failed`. */
  readonly title: string;
  readonly lines: readonly string[];
}

/** Where a notice comes from. */
export interface Place {
  /** The name of this deployment. */
  readonly deployment: string;
  /** The address under which people reach the page, without a trailing slash. Undefined: notices have no links. */
  readonly publicUrl: string | undefined;
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

/** Renders a notice. Names users by identification only. */
export function renderNotice(notice: AlertNotice, place: Place): NoticeText {
  const { kind, subject, severity, problems, recovered, standing, at, id } = notice;
  const about = `${subject.kind} ${subject.name}`;
  const footer = [`Rollcall ${place.deployment}`, formatMinute(at), `notice ${id}`, ...traceOf(notice, place)].join(
    ', ',
  );
  const links = linksOf(notice, place).map(({ text, url }) => `${text}: ${url}`);
  const rest = standing.length === 0 ? [] : [`Also open: ${standing.map((topic) => topicOf(topic).wrong).join('; ')}.`];
  const words = problems.map(({ topic, title }) => title ?? topicOf(topic).wrong).join('; ');
  switch (kind) {
    case 'test': {
      const title = `TEST: this channel receives alerts of Rollcall`;
      return { title, lines: ['This is a test of the channel. There is no problem.', ...links, footer] };
    }
    case 'recovery': {
      const over = recovered.map(({ topic }) => topicOf(topic).over).join('; ');
      const lines = recovered.map((one) => endOf(one, at));
      return { title: `RECOVERED ${about}: ${over}`, lines: [...lines, ...rest, ...links, footer] };
    }
    case 'note': {
      const lines = problems.flatMap((problem) => [
        problem.summary,
        ...problem.details.map((detail) => `- ${detail}`),
        codeLine(problem, place),
      ]);
      return {
        title: `INFO ${about}: ${words}`,
        lines: [...lines, 'No action is required.', ...rest, ...links, footer],
      };
    }
    default: {
      const lines = problems.flatMap((problem) => problemLines(problem, place));
      const again = kind === 'reminder' ? 'STILL ' : '';
      const title = `${again}${severity.toUpperCase()} ${about}: ${words}`;
      return { title, lines: [...lines, ...rest, ...links, footer] };
    }
  }
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

function problemLines(problem: AlertProblem, place: Place): readonly string[] {
  const { summary, details, unaffected, action } = problem;
  return [
    summary,
    ...details.map((detail) => `- ${detail}`),
    ...(unaffected === undefined ? [] : [`Not affected: ${unaffected}`]),
    ...(action.includes('\n') ? ['What to do:', ...action.split('\n')] : [`What to do: ${action}`]),
    codeLine(problem, place),
  ];
}

/** Names the code, and where it is explained: by the runbook that a link leads to, else by the docs. */
function codeLine({ code }: AlertProblem, { publicUrl }: Place): string {
  return `Code: ${code} (rollcall explain ${code}${publicUrl === undefined ? `; ${docsOfCode(code)}` : ''})`;
}

function endOf({ summary, since, end }: RecoveredProblem, at: number): string {
  const over = `Ended after ${ageOf(at - since)} (since ${formatMinute(since)}): ${summary}`;
  return end === undefined ? over : `${over}. ${end}`;
}

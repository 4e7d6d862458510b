import type { AlertNotice, AlertTopic } from '../ports/alerts.ts';
import { ageOf, instantOf } from './words.ts';

/** A notice as lines of plain text, with the same words for every channel. */
export interface NoticeText {
  /** One line: `CRITICAL sync people: the run failed`. */
  readonly title: string;
  readonly lines: readonly string[];
}

/** The words for a topic while it is a problem, and when it is over. */
const topicWords: Readonly<Record<AlertTopic, { readonly wrong: string; readonly over: string }>> = {
  token: { wrong: 'its tokens need an operator', over: 'the tokens work again' },
  run: { wrong: 'the run failed', over: 'runs succeed again' },
  freshness: { wrong: 'no success for too long', over: 'it succeeds again' },
  held: { wrong: 'changes wait for approval', over: 'no changes wait for approval' },
};

/** Renders a notice. Names users by identification only. */
export function renderNotice(notice: AlertNotice): NoticeText {
  const { kind, subject, severity, problems, recovered, standing, at, id } = notice;
  const about = `${subject.kind} ${subject.name}`;
  const footer = `Rollcall, ${instantOf(at)}, notice ${id}`;
  const rest =
    standing.length === 0 ? [] : [`Still so: ${standing.map((topic) => topicWords[topic].wrong).join('; ')}.`];
  if (kind === 'test') {
    return {
      title: `TEST: alerts of Rollcall arrive here`,
      lines: ['There is no problem; this is a test of the channel.', footer],
    };
  }
  if (kind === 'recovery') {
    const words = recovered.map(({ topic }) => topicWords[topic].over).join('; ');
    const lines = recovered.map(
      ({ summary, since }) => `Over after ${ageOf(at - since)} (since ${instantOf(since)}): ${summary}`,
    );
    return { title: `RECOVERED ${about}: ${words}`, lines: [...lines, ...rest, footer] };
  }
  const lines = problems.flatMap(({ summary, details, unaffected, action }) => [
    summary,
    ...details.map((detail) => `- ${detail}`),
    ...(unaffected === undefined ? [] : [`Not affected: ${unaffected}`]),
    `What to do: ${action}`,
  ]);
  const words = problems.map(({ topic }) => topicWords[topic].wrong).join('; ');
  return { title: `${severity.toUpperCase()} ${about}: ${words}`, lines: [...lines, ...rest, footer] };
}

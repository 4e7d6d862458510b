import type {
  AlertNotice,
  AlertProblem,
  AlertState,
  AlertTopic,
  KnownProblem,
  RecoveredProblem,
  Severity,
} from '../ports/alerts.ts';

/** What one look at a subject found. Topics that are not named were not looked at and stay as they are. */
export interface AlertFacts {
  readonly at: number;
  readonly topics: Readonly<Partial<Record<AlertTopic, AlertProblem | 'well'>>>;
}

/** A notice that has no id yet. */
export type NoticeDraft = Omit<AlertNotice, 'id'>;

export interface Decided {
  readonly state: AlertState;
  /** None while nothing changes; at most one of problems and one of recoveries. */
  readonly notices: readonly NoticeDraft[];
}

/** In the order in which they are told. */
const topics: readonly AlertTopic[] = ['token', 'run', 'freshness', 'held'];

/**
 * When to tell: a topic is told when it is first wrong, when it gets worse, and when it is wrong for another reason; once
 * when it is well again; never in between. What changed about one subject at one look is one notice.
 */
export function decideAlerts(before: AlertState, { at, topics: found }: AlertFacts): Decided {
  const problems: Partial<Record<AlertTopic, KnownProblem>> = {};
  const told: AlertProblem[] = [];
  const recovered: RecoveredProblem[] = [];
  const standing: AlertTopic[] = [];
  for (const topic of topics) {
    const known = before.problems[topic];
    const now = found[topic];
    if (now === 'well') {
      if (known !== undefined) recovered.push({ topic, ...endOf(known) });
    } else if (now === undefined || isTold(known, now)) {
      if (known === undefined) continue;
      problems[topic] = known;
      standing.push(topic);
    } else {
      problems[topic] = {
        severity: now.severity,
        worst: worstOf([now.severity, known?.worst ?? 'warning']),
        key: now.key,
        summary: now.summary,
        since: known?.since ?? at,
      };
      told.push(now);
    }
  }
  const base = { subject: before.subject, at, standing };
  const notices: NoticeDraft[] = [];
  if (told.length > 0) {
    const severity = worstOf(told.map((problem) => problem.severity));
    notices.push({ ...base, kind: 'problem', severity, problems: told, recovered: [] });
  }
  if (recovered.length > 0) {
    const severity = worstOf(recovered.map((problem) => problem.severity));
    const stays = [...standing, ...told.map(({ topic }) => topic)];
    notices.push({ ...base, kind: 'recovery', severity, problems: [], recovered, standing: stays });
  }
  return { state: { ...before, problems }, notices };
}

function isTold(known: KnownProblem | undefined, now: AlertProblem): boolean {
  if (known === undefined || known.key !== now.key) return false;
  return known.severity === now.severity || known.severity === 'critical';
}

/** The recovery has the weight of the worst that was told: whoever heard of that hears of its end. */
function endOf({ worst, summary, since }: KnownProblem): Omit<RecoveredProblem, 'topic'> {
  return { severity: worst, summary, since };
}

function worstOf(severities: readonly Severity[]): Severity {
  return severities.includes('critical') ? 'critical' : 'warning';
}

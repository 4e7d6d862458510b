import type {
  AlertNotice,
  AlertProblem,
  AlertState,
  AlertTopic,
  KnownProblem,
  RecoveredProblem,
  Severity,
} from '../ports/alerts.ts';

/** The result of one evaluation of a subject. Topics that are absent were not evaluated and stay as they are. */
export interface AlertFacts {
  readonly at: number;
  readonly topics: Readonly<Partial<Record<AlertTopic, AlertProblem | 'well'>>>;
}

/** A notice without an id. */
export type NoticeDraft = Omit<AlertNotice, 'id'>;

export interface Decided {
  readonly state: AlertState;
  /** Empty without changes; at most one of problems and one of recoveries. */
  readonly notices: readonly NoticeDraft[];
}

/** In order of importance. */
const topics: readonly AlertTopic[] = ['token', 'run', 'freshness', 'held'];

/**
 * Decides when to notify: when a problem starts, gets worse, or changes its reason, and once when it ends. Never in
 * between. All changes of one subject in one evaluation are one notice.
 */
export function decideAlerts(before: AlertState, { at, topics: found }: AlertFacts): Decided {
  const problems: Partial<Record<AlertTopic, KnownProblem>> = {};
  const reported: AlertProblem[] = [];
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
      reported.push(now);
    }
  }
  const base = { subject: before.subject, at, standing };
  const notices: NoticeDraft[] = [];
  if (reported.length > 0) {
    const severity = worstOf(reported.map((problem) => problem.severity));
    notices.push({ ...base, kind: 'problem', severity, problems: reported, recovered: [] });
  }
  if (recovered.length > 0) {
    const severity = worstOf(recovered.map((problem) => problem.severity));
    const stays = [...standing, ...reported.map(({ topic }) => topic)];
    notices.push({ ...base, kind: 'recovery', severity, problems: [], recovered, standing: stays });
  }
  return { state: { ...before, problems }, notices };
}

function isTold(known: KnownProblem | undefined, now: AlertProblem): boolean {
  if (known === undefined || known.key !== now.key) return false;
  return known.severity === now.severity || known.severity === 'critical';
}

/** A recovery has the severity of the worst notice, so that the same channels receive it. */
function endOf({ worst, summary, since }: KnownProblem): Omit<RecoveredProblem, 'topic'> {
  return { severity: worst, summary, since };
}

function worstOf(severities: readonly Severity[]): Severity {
  return severities.includes('critical') ? 'critical' : 'warning';
}

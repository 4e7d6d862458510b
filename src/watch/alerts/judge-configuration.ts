import { countOf, firstOf, formatMinute } from '../../core/run/formats.ts';
import type { AlertProblem, Observation } from '../../ports/alerts.ts';
import { isRunning, processWords, type WorkView } from './judge-service.ts';

const shownProblems = 5;

/** Returns whether every process works with the configuration that its file has. */
export function judgeReload({
  now,
  seen,
  open,
}: Pick<WorkView, 'now' | 'seen' | 'open'>): AlertProblem | 'well' | undefined {
  const refused = seen.flatMap((one) => (one.refusedReload === undefined ? [] : [{ ...one.refusedReload, one }]));
  const running = refused.filter(({ one }) => isRunning(one));
  const newest = running.toSorted((a, b) => b.at - a.at)[0];
  if (newest === undefined) {
    // What has stopped may come back with the same problem, or without. What was killed is not seen any longer: only a process
    // that has read the file since shows that it is in order.
    if (refused.length > 0) return undefined;
    const { code, from = 0 } = open ?? {};
    const isRead = seen.some((one) => isRunning(one) && one.startedAt > from);
    return code === 'reload-refused' && !isRead ? undefined : judgeConfigurations(now, seen);
  }
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

/** A rolling update of the configuration takes less time. */
const differAfterMs = 600_000;

/** Returns whether all processes have the same configuration: the judge watches only what is in its own. */
function judgeConfigurations(now: number, seen: readonly Observation[]): AlertProblem | 'well' | undefined {
  const startedAt = (some: readonly Observation[]): number => Math.min(...some.map((one) => one.startedAt));
  const groups = [...Map.groupBy(seen, ({ configuration }) => configuration).values()];
  if (groups.length < 2) return 'well';
  const running = groups.map((some) => some.filter(isRunning)).filter((some) => some.length > 0);
  const [most, ...rest] = running.toSorted((a, b) => b.length - a.length || startedAt(b) - startedAt(a));
  const from = Math.max(...running.map(startedAt));
  // What has stopped may come back with its configuration.
  if (most === undefined || rest.length === 0 || now - from < differAfterMs) return undefined;
  const some = rest.flat();
  const who = `${processWords(some, seen)} ${some.length === 1 ? 'has' : 'have'} another configuration`;
  return {
    topic: 'configuration',
    code: 'configurations-differ',
    severity: 'warning',
    key: 'differ',
    title: who,
    summary: `${who} than the others, since ${formatMinute(from)}. What only one of them has may be neither run nor watched`,
    details: [],
    from,
    unaffected: undefined,
    action: 'rollcall check',
    concerns: some.length,
  };
}

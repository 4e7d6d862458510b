import type { Runs } from '../ports/store.ts';

const hourMs = 3_600_000;
const longestMs = 24 * hourMs;
/** Six doublings exceed the maximum wait, so older refusals make no difference. */
const countedRefusals = 6;

/**
 * Returns until when a schedule waits because the HR system refused our credentials. The wait is one hour after the
 * first refusal. It doubles after each further refusal, up to one day. Some HR systems lock accounts or ban addresses
 * that retry. Returns undefined when the last run was not refused. Also returns undefined when that run started before
 * `openedAt`, because this process may have newer credentials. Runs that were requested by hand do not wait.
 */
export async function backoffUntil(
  sync: string,
  openedAt: number,
  runs: Pick<Runs, 'list'>,
): Promise<number | undefined> {
  const newest = await runs.list({ sync, limit: countedRefusals });
  const [last] = newest;
  if (last?.endedAt === undefined || last.startedAt < openedAt) return undefined;
  const firstOther = newest.findIndex(({ facts }) => facts.isSourceRefused !== true);
  const refusals = firstOther === -1 ? newest.length : firstOther;
  return refusals === 0 ? undefined : last.endedAt + Math.min(longestMs, hourMs * 2 ** (refusals - 1));
}

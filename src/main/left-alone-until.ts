import type { Runs } from '../ports/store.ts';

const hourMs = 3_600_000;
const longestMs = 24 * hourMs;
/** Six times twice as long is more than the longest. */
const lookedAt = 6;

/**
 * Until when the schedule of a sync leaves its source alone because our credentials were refused there: an hour after the
 * first refusal, then twice as long after each one, a day at most. Some HR systems lock accounts or ban addresses that
 * come again and again. Undefined when the last run was not refused, or began before `openedAt`: this process may have
 * been started with other credentials. Runs that people ask for do not ask here.
 */
export async function leftAloneUntil(
  sync: string,
  openedAt: number,
  runs: Pick<Runs, 'list'>,
): Promise<number | undefined> {
  const newest = await runs.list({ sync, limit: lookedAt });
  const [last] = newest;
  if (last?.endedAt === undefined || last.startedAt < openedAt) return undefined;
  const other = newest.findIndex(({ facts }) => facts.isSourceRefused !== true);
  const refusals = other === -1 ? newest.length : other;
  return refusals === 0 ? undefined : last.endedAt + Math.min(longestMs, hourMs * 2 ** (refusals - 1));
}

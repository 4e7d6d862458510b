import type { ChangeState } from '../core/run/run.ts';
import type { Reports } from '../ports/reports.ts';
import type { Uptime } from '../ports/runtime.ts';
import type { Database } from './database.ts';
import { inPiece, piecesOf } from './plan-pieces.ts';

type BatchStates = Awaited<ReturnType<Reports['batchStates']>>;

interface Counted {
  readonly states: Promise<BatchStates>;
  /** By `Uptime`. Infinite while the count is in progress, so that all who ask share it. */
  until: number;
}

/**
 * The counts of a large run are returned again for so many times the time that they took. A page that shows the run asks
 * every few seconds, and counting a million changes takes a second.
 */
const reuseFactor = 20;
const shortestReuseMs = 2000;
const longestReuseMs = 60_000;
/** Plan pieces of a run that counts as large: 25,000 changes. */
const piecesOfLarge = 10;

/** Opens `Reports.batchStates`. Without `uptime`, it counts each time. */
export function openBatchStates(db: Database, uptime: Pick<Uptime, 'now'> | undefined): Reports['batchStates'] {
  const counted = new Map<string, Counted>();

  const count = async (run: string): Promise<{ readonly states: BatchStates; readonly isLarge: boolean }> => {
    const sums = new Map<string, { batch: string; state: ChangeState; count: number }>();
    let pieces = 0;
    for await (const piece of piecesOf(db, run)) {
      pieces += 1;
      const rows = await db
        .selectFrom('changes')
        .select(({ fn }) => ['batch', 'state', fn.countAll().as('count')])
        .where(inPiece(piece))
        .where('batch', 'is not', null)
        .groupBy(['batch', 'state'])
        .execute();
      for (const { batch, state, count: some } of rows) {
        const known = sums.get(`${batch} ${state}`) ?? { batch: batch ?? '', state, count: 0 };
        known.count += Number(some);
        sums.set(`${batch} ${state}`, known);
      }
    }
    return { states: [...sums.values()], isLarge: pieces > piecesOfLarge };
  };

  return async (run) => {
    const begun = uptime?.now() ?? 0;
    for (const [id, { until }] of counted) if (until <= begun) counted.delete(id);
    // The counts of a run in progress are not those of its end.
    const row = await db.selectFrom('runs').select('ended_at').where('id', '=', run).executeTakeFirst();
    const key = `${run} ${row?.ended_at ?? ''}`;
    const known = counted.get(key);
    if (known !== undefined) return known.states;
    const counting = count(run);
    const entry: Counted = { states: counting.then(({ states }) => states), until: Number.POSITIVE_INFINITY };
    counted.set(key, entry);
    try {
      const { states, isLarge } = await counting;
      const now = uptime?.now() ?? 0;
      const reuseMs = Math.min(Math.max((now - begun) * reuseFactor, shortestReuseMs), longestReuseMs);
      entry.until = isLarge && uptime !== undefined ? now + reuseMs : now;
      return states;
    } catch (error) {
      counted.delete(key);
      throw error;
    }
  };
}

import type { PhaseTime } from '../ports/reports.ts';
import type { RunPatch } from '../ports/store.ts';
import type { OpenTransaction } from './database.ts';

/** The column `phases`: when the current phase began, and what the run spent in each before it. */
interface StoredTimes {
  readonly since: number;
  readonly spent: readonly (readonly [phase: string, startedAt: number, ms: number])[];
}

/** Returns the column after a change of phase. A run alternates between two phases, so times are sums. */
export async function phasesAfter(
  db: OpenTransaction,
  run: string,
  { phase, phaseAt }: Pick<RunPatch, 'phase' | 'phaseAt'>,
): Promise<{ readonly phases?: string }> {
  if (phase === undefined || phaseAt === undefined) return {};
  const row = await db
    .selectFrom('runs')
    .select(['phase', 'phases', 'started_at'])
    .where('id', '=', run)
    .executeTakeFirst();
  if (row === undefined || row.phase === phase) return {};
  const before = readTimes(row.phases, Number(row.started_at));
  const times: StoredTimes = { since: phaseAt, spent: addTime(before, row.phase, phaseAt) };
  return { phases: JSON.stringify(times) };
}

function readTimes(text: string | null, startedAt: number): StoredTimes {
  return text === null ? { since: startedAt, spent: [] } : (JSON.parse(text) as StoredTimes);
}

function addTime({ since, spent }: StoredTimes, phase: string, until: number): StoredTimes['spent'] {
  const ms = Math.max(0, until - since);
  if (!spent.some(([name]) => name === phase)) return [...spent, [phase, since, ms]];
  return spent.map(([name, at, sum]) => (name === phase ? [name, at, sum + ms] : [name, at, sum]));
}

/** Returns the phases of a run in the order in which they began. `now`: for the phase that it is in. */
export function timelineOf(
  row: { readonly phase: string; readonly phases: string | null; readonly started_at: number | string | bigint },
  now: number,
): readonly PhaseTime[] {
  const times = readTimes(row.phases, Number(row.started_at));
  const spent = row.phase === 'done' ? times.spent : addTime(times, row.phase, now);
  return spent.map(([phase, startedAt, ms]) => ({ phase, startedAt, ms, isCurrent: phase === row.phase }));
}

import type { Rule } from '../plan/plan.ts';

/**
 * How the clock of a stated leaver ended. `disabled`: the platform shows the account disabled. `gone`: it shows no
 * account. `withdrawn`: HR no longer states it, for example because the person was hired again.
 */
export type LeaverEnding = 'disabled' | 'gone' | 'withdrawn';

/** The rules that disable the account of a stated leaver. */
export const leaverRules = ['leaver-enabled', 'out-of-scope'] as const satisfies readonly Rule[];

/** What HR states about a person who leaves. */
export interface LeaverStatement {
  /** The last day of work (`YYYY-MM-DD`). Absent: HR gives none. */
  readonly leaves?: string;
  /** The end of that day in the person's time zone (epoch ms); may be in the future. Absent: the person has left. */
  readonly effectiveAt?: number;
}

/** One stated leaver of a sync, and what became of the account. Instants are epoch ms. */
export interface Leaver extends LeaverStatement {
  readonly id: string;
  readonly sync: string;
  readonly identification: string;
  /** The start of the first read that states it. */
  readonly saidAt: number;
  /** The run of that read. */
  readonly saidIn: string;
  readonly effectiveAt: number;
  /** The later of the two: the clock counts from here. */
  readonly clockAt: number;
  /** The run whose disable the platform showed. Absent: there was none. */
  readonly run?: string;
  /** When that disable was sent. */
  readonly sentAt?: number;
  /** When a read-back or a scan first showed that the account is not enabled. */
  readonly seenAt?: number;
  readonly endedAt?: number;
  /** Absent: the clock counts. */
  readonly ending?: LeaverEnding;
}

/**
 * Returns the leaver after a read that states it again. An earlier day is a new statement if the clock had not begun. A
 * correction of a day that has passed changes nothing, so it wins no time.
 */
export function restated(leaver: Leaver, { leaves, effectiveAt }: LeaverStatement, at: number): Leaver {
  const next = effectiveAt ?? Math.min(leaver.effectiveAt, at);
  if (next === leaver.effectiveAt || (leaver.clockAt <= at && next <= at)) return leaver;
  const saidAt = next < leaver.effectiveAt ? at : leaver.saidAt;
  const { leaves: _, ...kept } = leaver;
  const day = leaves === undefined ? {} : { leaves };
  return { ...kept, ...day, saidAt, effectiveAt: next, clockAt: Math.max(saidAt, next) };
}

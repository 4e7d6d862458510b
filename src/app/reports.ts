import { countOf } from '../core/run/count-of.ts';
import type { Finding } from '../core/run/finding.ts';
import type { HeldEnd } from '../ports/reports.ts';
import type { AuditEntry, Batch, HoldFacts, Run } from '../ports/store.ts';
import type { EngineIo } from '../run/engine-io.ts';
import { isReadWaiting } from './holds.ts';
import type { RunWork } from './run-work.ts';

export interface RunReport {
  readonly run: Run;
  readonly findings: readonly Finding[];
  /** Total number of findings. `findings` holds only the first ones. */
  readonly findingsInAll: number;
  readonly batches: readonly Batch[];
  readonly holds: readonly HoldFacts[];
  /** What became of the held changes. */
  readonly heldEnds: readonly HeldEnd[];
  /** Whether a guard doubts the read of this run, and an operator may accept it. */
  readonly isReadWaiting: boolean;
  /** The approvals and rejections of this run, newest first. */
  readonly verdicts: readonly AuditEntry[];
  /** Interrupted runs that ended before this one, in the same call. */
  readonly resumed: readonly Run[];
  /** Undefined for a run that has ended. */
  readonly work: RunWork | undefined;
}

const shownFindings = 1000;
const shownVerdicts = 20;

/** Reports everything that the store has about a run that has ended. See `openRunReport`. */
export async function runReport(run: Run, io: Pick<EngineIo, 'store' | 'clock'>): Promise<RunReport> {
  const { store, clock } = io;
  const [findings, findingsInAll, batches, holds, isWaiting, approvals, rejections] = await Promise.all([
    store.runs.findings(run.id, shownFindings),
    store.runs.findingsCount(run.id),
    store.batches.ofRun(run.id),
    store.holds.ofRun(run.id),
    isReadWaiting(run, store),
    store.audit.list({ run: run.id, action: 'approve', limit: shownVerdicts }),
    store.audit.list({ run: run.id, action: 'reject', limit: shownVerdicts }),
  ]);
  const heldEnds = holds.length === 0 ? [] : await store.reports.heldEnds(run.id, run.sync, clock.now());
  const verdicts = [...approvals, ...rejections].toSorted((a, b) => b.at - a.at);
  return {
    ...{ run, findings, findingsInAll, batches, holds },
    ...{ heldEnds, isReadWaiting: isWaiting, verdicts, resumed: [], work: undefined },
  };
}

/** Returns the number of changes that still wait for an operator. */
export function waitingOf(ends: readonly HeldEnd[]): number {
  return ends.reduce((sum, { state, count }) => sum + (state === 'open' ? count : 0), 0);
}

/** Returns why the run ended so. For a held run, what has become of the held changes since. */
export function reasonNow({ run, heldEnds, isReadWaiting: isWaiting }: RunReport): string | undefined {
  const { outcome, reason, counts, facts } = run;
  if (outcome !== 'held') return reason;
  if (counts.held === 0) {
    const why = facts.doubt ?? 'the source looked wrong (see the findings)';
    return isWaiting || facts.isReadDoubted !== true
      ? reason
      : `${why}. An operator accepted the read, or a later run read again`;
  }
  if (heldEnds.length === 0 || waitingOf(heldEnds) === counts.held) return reason;
  return `${heldWords(heldEnds)}${isWaiting && facts.doubt !== undefined ? `; ${facts.doubt}` : ''}`;
}

/** Returns, for example, `2 changes wait for approval, 3 approved`. */
function heldWords(ends: readonly HeldEnd[]): string {
  const sums = new Map<HeldEnd['state'], number>();
  for (const { state, count } of ends) sums.set(state, (sums.get(state) ?? 0) + count);
  const waiting = sums.get('open') ?? 0;
  const rest = (['approved', 'rejected', 'ended', 'expired'] as const).filter((state) => sums.has(state));
  return [
    ...(waiting === 0 ? [] : [`${countOf(waiting, 'change waits', 'changes wait')} for approval`]),
    ...rest.map((state) => `${sums.get(state)} ${heldEndWords[state]}`),
  ].join(', ');
}

/** The words for what became of held changes. */
export const heldEndWords: Readonly<Record<HeldEnd['state'], string>> = {
  open: 'open',
  approved: 'approved',
  rejected: 'rejected',
  ended: 'lapsed: the reason ended',
  expired: 'lapsed: expired, or planned again',
};

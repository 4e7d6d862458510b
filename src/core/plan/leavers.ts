import type { Finding, FindingCode } from '../run/finding.ts';
import { formatMinute, shellWord } from '../run/formats.ts';
import { given } from '../run/given.ts';
import type { ChangeState } from '../run/run.ts';
import type { LeaverTarget } from '../run/settings.ts';
import type { Rule } from './plan.ts';

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

/** What blocks a disable. */
export type LeaverCause =
  | 'approval'
  | 'row'
  | 'read'
  | 'platform'
  | 'freeze'
  | 'pause'
  | 'unproven'
  | 'worker'
  | 'running'
  | 'run';

export interface LeaverWait {
  readonly cause: LeaverCause;
  /** A sentence without its full stop. */
  readonly why: string;
  /** The command that resolves it, for one person or for several with the same cause. */
  readonly cure: (names: readonly string[]) => string;
}

/** A person decided that the account stays enabled, so the clock does not count. */
export interface LeaverKept {
  readonly by: string;
  readonly why?: string;
  readonly until?: number;
}

/** The disable of a leaver in the newest plan of a run that has one. */
export interface PlannedDisable {
  readonly run: string;
  readonly at: number;
  readonly state: ChangeState;
  readonly reason?: string;
}

/** What the store knows of one leaver. */
export interface LeaverFacts {
  readonly planned?: PlannedDisable;
  readonly kept?: LeaverKept;
  /** An operator approved the disable, and no run has used that. */
  readonly isApproved: boolean;
  /** Why the last read could not decide about the person. */
  readonly finding?: Pick<Finding, 'message'>;
}

/** Findings that leave a leaver undecided. */
export const undecidedCodes: ReadonlySet<FindingCode> = new Set<FindingCode>([
  ...([
    'row-rejected',
    'cell-unreadable',
    'status-unknown',
    'duplicate-key',
    'case-conflict',
    'email-conflict',
  ] as const),
  ...(['rename-conflict', 'conversion', 'account-unreadable', 'lookup-disagrees', 'gone-unconfirmed'] as const),
  ...(['not-deliverable', 'plan-outdated', 'owned-by-other-sync', 'hand-over-expected'] as const),
]);

/** What the store knows of the sync of the leavers. Instants are epoch ms. */
export interface LeaverSurroundings {
  readonly now: number;
  readonly sync: string;
  readonly connection: string;
  readonly target: LeaverTarget;
  readonly frozenUntil?: number;
  readonly pause?: { readonly by: string; readonly until?: number };
  /** Who may approve disables, where that is configured. */
  readonly approvers?: readonly string[];
  readonly openRun?: { readonly id: string; readonly waiting?: string };
  /** The newest run about everyone that ended. */
  readonly lastRun?: {
    readonly id: string;
    readonly isDoubted: boolean;
    /** Why it could not disable every leaver. */
    readonly trouble?: { readonly cause: 'read' | 'platform' | 'token'; readonly why: string };
  };
  /** What is missing where no process does the work. */
  readonly missing?: 'worker' | 'deployment';
  readonly nextSlotAt?: number;
}

/** `future`: the clock has not begun. `late`: the target is missed; `done` too, where `lateMs` is not 0. */
export type LeaverState = 'future' | 'counting' | 'late' | 'kept' | 'done';

export interface JudgedLeaver extends Leaver {
  readonly state: LeaverState;
  readonly dueAt: number;
  /** How long after the target it was seen disabled, or is not yet; 0: in time. */
  readonly lateMs: number;
  readonly planned?: PlannedDisable;
  readonly kept?: LeaverKept;
  /** What it waits for. Only while the clock counts. */
  readonly wait?: LeaverWait;
}

/** Judges a leaver: how the clock stands, and what blocks it. */
export function judgeLeaver(leaver: Leaver, facts: LeaverFacts, around: LeaverSurroundings): JudgedLeaver {
  const { now, target } = around;
  const dueAt = leaver.clockAt + target.withinMs;
  const { planned, kept } = facts;
  const judged = { ...leaver, dueAt, ...given({ planned }) };
  if (leaver.ending !== undefined) {
    const isMissed = leaver.ending === 'disabled' && leaver.seenAt !== undefined;
    return { ...judged, state: 'done', lateMs: isMissed ? Math.max(0, (leaver.seenAt ?? 0) - dueAt) : 0 };
  }
  if (kept !== undefined) return { ...judged, state: 'kept', lateMs: 0, kept };
  if (leaver.clockAt > now) return { ...judged, state: 'future', lateMs: 0 };
  const lateMs = Math.max(0, now - dueAt);
  return { ...judged, state: lateMs > 0 ? 'late' : 'counting', lateMs, wait: waitOf(facts, around) };
}

/** Returns the first that applies of what can block a disable: the later ones end automatically. */
function waitOf({ planned, isApproved, finding }: LeaverFacts, around: LeaverSurroundings): LeaverWait {
  const { sync, connection, openRun, lastRun, pause, frozenUntil, approvers, missing, nextSlotAt } = around;
  const again = (names: readonly string[]): string =>
    `rollcall resync ${sync} --user ${names.map(shellWord).join(' ')}`;
  const wait = (cause: LeaverCause, why: string, cure: LeaverWait['cure'] | string): LeaverWait => {
    return { cause, why, cure: typeof cure === 'string' ? () => cure : cure };
  };
  if (planned?.state === 'sent' || planned?.state === 'unresolved') {
    const isOut = planned.state === 'sent';
    const why = `sent by run ${planned.run}, and the platform has not shown it`;
    return wait('unproven', why, isOut ? `rollcall show ${planned.run}` : again);
  }
  if (pause !== undefined && openRun === undefined) {
    const end = pause.until === undefined ? '' : ` until ${formatMinute(pause.until)}`;
    return wait('pause', `${pause.by} paused the sync${end}`, `rollcall resume ${sync}`);
  }
  if (planned?.state === 'held' && !isApproved) {
    const by = approvers === undefined ? '' : ` by ${approvers.join(' or ')}`;
    return wait(
      'approval',
      `run ${planned.run} holds the disable for approval${by}`,
      `rollcall approve ${planned.run}`,
    );
  }
  if (frozenUntil !== undefined) {
    const why = `a freeze lasts until ${formatMinute(frozenUntil)}`;
    return wait('freeze', why, 'rollcall explain frozen');
  }
  if (planned?.state === 'failed') {
    const why = `the disable of run ${planned.run} failed${planned.reason === undefined ? '' : `: ${planned.reason}`}`;
    return wait('platform', why, `rollcall retry ${planned.run}`);
  }
  if (finding !== undefined) {
    // A message about a decision names its command. Others ask for a correction in the HR system, and a new read.
    return wait('row', finding.message, /"(rollcall [^"]+)"/.exec(finding.message)?.[1] ?? again);
  }
  if (lastRun?.isDoubted === true) {
    return wait('read', `run ${lastRun.id} made a suspicious read`, `rollcall approve ${lastRun.id}`);
  }
  if (openRun !== undefined) {
    const why = `run ${openRun.id} is in progress${openRun.waiting === undefined ? '' : `, ${openRun.waiting}`}`;
    return wait('running', why, `rollcall show ${openRun.id}`);
  }
  if (lastRun?.trouble !== undefined) {
    const { cause, why } = lastRun.trouble;
    return cause === 'token'
      ? wait('platform', why, `rollcall token refresh ${connection}`)
      : wait(cause, `run ${lastRun.id}: ${why}`, again);
  }
  if (missing === 'worker') return wait('worker', 'no worker runs', 'rollcall start --role worker');
  if (missing === 'deployment') return wait('worker', 'no deployment runs', `rollcall resync ${sync}`);
  const next =
    nextSlotAt === undefined ? 'the sync has no schedule' : `the next run begins at ${formatMinute(nextSlotAt)}`;
  return wait('run', next, `rollcall resync ${sync}`);
}

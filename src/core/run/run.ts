import { createHash } from 'node:crypto';
import { type ChangeClass, changeKinds } from '../plan/change.ts';

/**
 * Progress of a run. No phase before `delivering` has an external effect. A run alternates between two phases until no
 * batch is left: `delivering` sends a batch, and `proving` polls its status and reads its users back.
 */
export const phases = ['reading', 'planning', 'delivering', 'proving', 'done'] as const;

export type Phase = (typeof phases)[number];

export const outcomes = ['succeeded', 'nothing-to-do', 'held', 'partial', 'failed', 'cancelled', 'exported'] as const;

export type Outcome = (typeof outcomes)[number];

/** The current or final state of one change. */
export const changeStates = [
  'planned',
  'held',
  /** The change is part of a batch that was sent, or is being sent. */
  'sent',
  'applied',
  'failed',
  /** The change has only write-only fields: it was sent, and nothing shows whether it was applied. */
  'unverified',
  /** The outcome is not known. No change is sent to this user until it is known or the wait time is over. */
  'unresolved',
  /** The outbox wrote the change to a file that another system delivers. */
  'exported',
  /** The change was not sent and will not be: the run was canceled, the run failed, or the change was rejected. */
  'dropped',
] as const;

export type ChangeState = (typeof changeStates)[number];

export const batchStates = [
  'planned',
  /** Written before the first byte is sent. After a crash it means that the outcome is not known. */
  'sending',
  'sent',
  'settled',
  'unresolved',
] as const;

export type BatchState = (typeof batchStates)[number];

/** The counts in the output of `--json`, in its order. */
export const countNames = [
  ...changeKinds,
  'firstSight',
  'held',
  'applied',
  'failed',
  'unverified',
  'unresolved',
  'repeated',
] as const;

export type Counts = Readonly<Record<(typeof countNames)[number], number>>;

/** Returns 0 for each name: where a count begins. */
export function zeros<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
}

export const noCounts: Counts = zeros(countNames);

/** The changes of one class that a guard stopped and that need approval. */
export interface Hold {
  readonly sync: string;
  readonly class: ChangeClass;
  /** The reason: `7 disables in 24 h, 5 allowed`. */
  readonly reason: string;
  /** Why changes that were left out of a decision were held first. Empty: not known. */
  readonly heldBefore?: string;
  readonly count: number;
}

/**
 * Returns the ids of the trace of a run, in hexadecimal as W3C Trace Context has them. They follow from the run's id, so
 * that every process that advances the run adds to the same trace, and an operator with the id of the run finds it.
 */
export function traceIdsOf(run: string) {
  const digest = createHash('sha256').update(`rollcall trace ${run}`).digest('hex');
  return {
    trace: digest.slice(0, 32),
    /** The span of the whole run, the parent of every step. */
    span: digest.slice(32, 48),
  };
}

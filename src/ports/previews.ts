import type { ChangeClass } from '../core/plan/change.ts';
import type { PlanFacts } from '../core/run/facts.ts';
import type { Finding } from '../core/run/finding.ts';
import type { ReadFact } from '../core/run/next-read.ts';
import type { Counts, Hold } from '../core/run/run.ts';
import type { RunScope } from './runs.ts';
import type { ProgressEvent } from './runtime.ts';

/** A plan without effect. */
export interface PlanReport {
  readonly id: string;
  readonly sync: string;
  readonly digest: string;
  readonly counts: Counts;
  /** All changes by class, those that a guard holds too. */
  readonly classes: Readonly<Record<ChangeClass, number>>;
  readonly read: ReadFact;
  readonly facts: PlanFacts;
  readonly findings: readonly Finding[];
  readonly holds: readonly Hold[];
  /** The run that a run of this plan would undo; undefined: none. */
  readonly undoes?: string;
  /** Why a run of this plan would fail; undefined when it would not. */
  readonly failure: string | undefined;
}

/** A request for a plan without effect, of a sync or of named people. */
export interface PreviewRequest {
  readonly id: string;
  readonly sync: string;
  readonly scope: RunScope;
  /** A mapping (YAML) in place of the configured one. Absent: the configured one. */
  readonly mapping?: string;
  readonly by: string;
  readonly requestedAt: number;
  /** From then on nothing of it is shown. */
  readonly expiresAt: number;
}

export interface Preview extends PreviewRequest {
  readonly state: 'waiting' | 'working' | 'done' | 'failed';
  /** How often the work began: a process may die. */
  readonly attempt: number;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly progress: ProgressEvent | undefined;
  /** What a run would do. `id` is that of the plan with the changes. */
  readonly report: PlanReport | undefined;
  /** Why there is no plan. */
  readonly reason: string | undefined;
}

export type PreviewEnd =
  | { readonly state: 'done'; readonly at: number; readonly report: PlanReport }
  | { readonly state: 'failed'; readonly at: number; readonly reason: string };

/** Plans on demand. They change nothing but their own rows. */
export interface PreviewQuery {
  readonly limit: number;
  readonly sync?: string;
  /** Any of these. */
  readonly syncs?: readonly string[];
}

export interface Previews {
  add(request: PreviewRequest): Promise<void>;
  get(id: string): Promise<Preview | undefined>;
  /** Returns previews that have not expired, newest first, without their reports. */
  list(query: PreviewQuery & { readonly now: number }): Promise<readonly Preview[]>;
  /** Returns the ids of previews that have not ended, oldest first. */
  unended(now: number): Promise<readonly string[]>;
  /** Begins another attempt and returns it; undefined when the preview does not exist, or has ended. */
  begin(id: string, now: number): Promise<Preview | undefined>;
  /** Stores how far the attempt is. Does nothing once another attempt has begun, or after the end. */
  note(id: string, attempt: number, progress: ProgressEvent): Promise<void>;
  /** Stores the result of the attempt. Returns false, and stores nothing, when another attempt has begun. */
  end(id: string, attempt: number, end: PreviewEnd): Promise<boolean>;
}

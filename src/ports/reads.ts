import type { StoredBlocked } from '../core/guard/blocked.ts';
import type { FieldVisibility } from '../core/guard/field-visibility.ts';
import type { FieldName } from '../core/person/fields.ts';
import type { Watermark } from '../core/run/next-read.ts';
import type { OwnedRun } from './runs.ts';

export interface ReadRecord {
  readonly sync: string;
  readonly run: string;
  readonly at: number;
  readonly rows: number;
  readonly stamp: string;
  /** False while a guard doubts the read: far fewer rows, an emptied or vanished field, or too many blocked people. */
  readonly isAccepted: boolean;
  /** Share of people with a value, per mapped field: 0 to 1. */
  readonly fillRates: Readonly<Partial<Record<FieldName, number>>>;
  /** Visibility of the source fields that the mapping reads. Absent when the read did not check it. */
  readonly visibility?: FieldVisibility;
  /** People for whom no decision is possible. Absent when the read did not count them. */
  readonly blocked?: StoredBlocked;
}

export interface Reads {
  /** Returns the last accepted complete full read of a run: the reference for the next one. */
  last(sync: string): Promise<ReadRecord | undefined>;
  /** Returns when the last accepted complete full reads were stored (epoch ms), newest first, at most `count`. */
  recent(sync: string, count: number): Promise<readonly number[]>;
  put(owned: OwnedRun, read: ReadRecord): Promise<void>;
  /** Accepts the read of this run after an operator reviewed its guards. The read becomes the new reference. */
  accept(runId: string): Promise<void>;
  /**
   * Returns where the sync's next delta may begin, as `runs.update` last stored it; undefined: a full read is required.
   */
  watermark(sync: string): Promise<Watermark | undefined>;
}

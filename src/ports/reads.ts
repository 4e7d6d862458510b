import type { BlockedCounts } from '../core/blocked.ts';
import type { FieldVisibility } from '../core/field-visibility.ts';
import type { FieldName } from '../core/fields.ts';
import type { Watermark } from '../core/next-read.ts';
import type { OwnedRun } from './runs.ts';

export interface ReadRecord {
  readonly sync: string;
  readonly run: string;
  readonly at: number;
  readonly rows: number;
  readonly stamp: string;
  /** False while a guard distrusts it: far fewer rows, an emptied field, one that is gone, too many people blocked. */
  readonly isAccepted: boolean;
  /** Share of people with a value, per mapped field: 0 to 1. */
  readonly fillRates: Readonly<Partial<Record<FieldName, number>>>;
  /** Which source fields of the mapping came for anybody; absent in reads of versions that did not look. */
  readonly visibility?: FieldVisibility;
  /** People for whom nothing could be decided; absent in reads of versions that did not count them. */
  readonly blocked?: BlockedCounts;
}

export interface Reads {
  /** The last accepted complete full read of a run: what the next one is compared with. */
  last(sync: string): Promise<ReadRecord | undefined>;
  put(owned: OwnedRun, read: ReadRecord): Promise<void>;
  /** A person has looked at what a guard stopped in this run: its read is the new measure. */
  accept(runId: string): Promise<void>;
  /** Where the sync's next delta may begin, as `runs.update` stored it last; undefined: everybody has to be read. */
  watermark(sync: string): Promise<Watermark | undefined>;
}

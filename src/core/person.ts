import type { FieldName, FieldValues } from './fields.ts';
import type { CellTrouble } from './refusal.ts';

/** One record as the source gave it. `at` tells a person where to look: `line 12`, `page 3 item 7`. */
export interface SourceRecord {
  readonly at: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Where an employee stands today, in the employee's own time zone. */
export type Standing =
  | 'active'
  /** HR says the person left. Never the same as missing. */
  | 'leaver'
  /** Hired for a day that has not come. */
  | 'future'
  /** A status in neither list: nothing is done, the person is protected. */
  | 'unknown';

/** An employee after mapping: what the platform's user should be. */
export interface Person {
  readonly kind: 'person';
  readonly at: string;
  readonly identification: string;
  /** Fields to keep equal. An absent field is kept as the platform has it; `''` is cleared. */
  readonly fields: FieldValues;
  readonly standing: Standing;
  /** Why the standing is what it is, for `why`: `status "terminated" is in leaver`. */
  readonly standingReason: string;
  readonly isInScope: boolean;
  /** Mapped fields whose cell cannot be used. They are absent from `fields`, so the platform's value is kept. */
  readonly unreadable: readonly FieldName[];
  /** Every cell that cannot be used, those of the lifecycle too. */
  readonly troubles: readonly CellTrouble[];
  /** Columns in which line breaks or tabs were made spaces. */
  readonly collapsed: readonly string[];
  /** Why no account is created for the person; undefined when one may be. A sentence without values of the row. */
  readonly refusesCreate?: string | undefined;
  /** Why an account that is disabled stays so; undefined when it may be enabled. */
  readonly refusesEnable?: string | undefined;
}

/** A record whose person is known but whose scope is not: nothing is done, the person is protected. */
export interface RejectedPerson {
  readonly kind: 'rejected';
  readonly at: string;
  readonly identification: string;
  readonly column: string;
  readonly reason: string;
}

/** A record that names nobody: it protects nobody, so the read is not complete for *missing*. */
export interface UnreadableRecord {
  readonly kind: 'unreadable';
  readonly at: string;
  readonly column?: string;
  readonly reason: string;
}

export type Mapped = Person | RejectedPerson | UnreadableRecord;

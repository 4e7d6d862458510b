import type { CellNote, CellTrouble } from '../run/refusal.ts';
import type { FieldName, FieldValues } from './fields.ts';

/** One record as the source gave it. `at` is its location for the user: `line 12`, `page 3 item 7`. */
export interface SourceRecord {
  readonly at: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The employment state of an employee today, in the employee's own time zone. */
export type Standing =
  | 'active'
  /** HR reports that the person left. Never the same as missing. */
  | 'leaver'
  /** The hire date is in the future. */
  | 'future'
  /** The status is in neither list: no change is made, and the person is protected. */
  | 'unknown';

/** A leader as the source names them. */
export interface LeaderReference {
  readonly by: 'identification' | 'email';
  readonly value: string;
  /** The column that names a secondary leader. */
  readonly column?: string;
}

/** What one record says about the person's leaders. */
export interface LeaderClaims {
  /** `none`: a blank that clears. Absent: no statement, so the main leader stays as it is. */
  readonly main?: LeaderReference | 'none';
  /** Absent: no secondary leaders are mapped. */
  readonly secondary?: {
    readonly references: readonly LeaderReference[];
    /** The columns that made a statement, also that there is none. */
    readonly said: readonly string[];
    /** Every column made a statement. */
    readonly isWhole: boolean;
  };
}

/** An employee after mapping: the wanted state of the platform's user. */
export interface Person {
  readonly kind: 'person';
  readonly at: string;
  readonly identification: string;
  /** Fields to keep equal. The platform keeps an absent field; `''` clears a field. */
  readonly fields: FieldValues;
  /** Present if the mapping names leaders. */
  readonly leaders?: LeaderClaims;
  readonly standing: Standing;
  /** The reason for the standing: `status is "terminated"`. A sentence without values of the row. */
  readonly standingReason: string;
  readonly isInScope: boolean;
  /** The last day of work, if the source has a readable one. */
  readonly leaves?: string;
  /** The time zone in which that day ends. Absent: its end does not make the person a leaver. */
  readonly leavesIn?: string;
  /** Only that date shows that the person left, no status. */
  readonly leavesByDate?: true;
  /** The first day of work, if the source has a readable one. The spool keeps only whether there is one. */
  readonly hires?: string;
  /** With day and month exchanged, the first day of an active person has not come. */
  readonly hiresLater?: true;
  /** Mapped fields whose cell cannot be used. They are absent from `fields`, so the platform's value is kept. */
  readonly unreadable: readonly FieldName[];
  /** Every cell that cannot be used, including those of the lifecycle. */
  readonly troubles: readonly CellTrouble[];
  /** Columns whose text was changed before use, or looks like none. */
  readonly notes: readonly { readonly column: string; readonly note: CellNote }[];
  /**
   * Why no account is created for the person; undefined when creation is allowed. A sentence without values of the row.
   */
  readonly refusesCreate?: string;
  /** The place of this record among several of the person, by `prefer`. Absent where `prefer` is not configured. */
  readonly rank?: string;
  /** Why a disabled account is not enabled; undefined when enabling is allowed. */
  readonly refusesEnable?: string;
  /** What the earlier configuration makes of the record, where that is something else: see `withEarlier`. */
  readonly earlier?: EarlierPerson;
  readonly owner?: string;
}

/** The text: the earlier configuration names someone else by the record, or cannot read whom. */
export type EarlierPerson = Person | RejectedPerson | 'nobody';

/** A record with a known person but an unknown scope: no change is made, and the person is protected. */
export interface RejectedPerson {
  readonly kind: 'rejected';
  readonly at: string;
  readonly identification: string;
  readonly column: string;
  readonly reason: string;
  /** The identification was written otherwise. A record with exactly this one counts instead. */
  readonly isGuessed?: true;
  readonly owner?: string;
}

/** A record without a usable identification. It protects no person, so the read is not complete for *missing*. */
export interface UnreadableRecord {
  readonly kind: 'unreadable';
  readonly at: string;
  readonly column?: string;
  readonly reason: string;
  readonly owner?: string;
}

/** `owner`: who in HR corrects the record, if `hrOwner` is configured and the cell has a text. */
export type Mapped = Person | RejectedPerson | UnreadableRecord;

import type { FieldFill } from '../core/guard/field-visibility.ts';
import type { FieldName } from '../core/person/fields.ts';
import type { MappingTrace } from '../core/person/mapping.ts';
import type { Standing } from '../core/person/person.ts';
import type { SeveralRecords } from './count-persons.ts';

export interface TrialOptions {
  /** Number of people to show, from the start of the read. */
  readonly shown: number;
  /** Number of records after which the read stops. Absent: reads all. */
  readonly limit?: number;
  /** Makes a delta read since this instant (ISO 8601). */
  readonly since?: string;
}

/** The result of one read of a source, for the operator who sets it up. Holds field values of the shown people only. */
export interface SourceTrial {
  readonly sync: string;
  readonly kind: string;
  readonly read: 'full' | 'delta';
  /** Number of records read, unusable ones included. */
  readonly rows: number;
  readonly end: TrialEnd;
  /** Remarks of the source on this read. */
  readonly notes: readonly string[];
  readonly people: readonly { readonly at: string; readonly trace: MappingTrace }[];
  readonly fields: readonly (FieldFill & { readonly readers: readonly string[] })[];
  /** The source has more fields than are listed. */
  readonly isFieldListCut: boolean;
  /** Source fields that the configuration names and no record shows. */
  readonly unseen: readonly { readonly read: string; readonly readers: readonly string[] }[];
  /** Number of usable people with a value, per mapped platform field. */
  readonly mapped: readonly { readonly field: FieldName; readonly people: number }[];
  readonly statuses: readonly StatusCount[];
  readonly standings: Readonly<Record<Standing, number>>;
  readonly outOfScope: number;
  /** Why records cannot be used, most frequent first. */
  readonly unusable: readonly { readonly column: string; readonly reason: string; readonly records: number }[];
  /** Why cells cannot be used, most frequent first. The rest of their records is used. */
  readonly unreadable: SourceTrial['unusable'];
  readonly several: SeveralRecords;
  /** A refresh token was presented. The new pair is in the store, and the configured token may be used up. */
  readonly isTokenPresented: boolean;
}

export type TrialEnd =
  | { readonly kind: 'complete'; readonly evidence: string }
  | { readonly kind: 'incomplete'; readonly reasons: readonly string[] }
  /** The limit was reached. Nothing is known of the other records. */
  | { readonly kind: 'stopped'; readonly limit: number };

/** One value of the status field, with the standings that the lifecycle derives from it. */
export interface StatusCount {
  /** Undefined when the record does not show the field. */
  readonly value: string | undefined;
  readonly records: number;
  readonly standings: Readonly<Partial<Record<Standing | 'rejected', number>>>;
}

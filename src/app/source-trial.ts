import type { FieldFill } from '../core/field-fill.ts';
import type { FieldName } from '../core/fields.ts';
import type { MappingTrace } from '../core/mapping.ts';
import type { Standing } from '../core/person.ts';

export interface TrialOptions {
  /** People to show; they are the first of the read. */
  readonly shown: number;
  /** Stops after so many records. Absent: reads all. */
  readonly limit?: number;
  /** Reads what changed since this instant (ISO 8601), where the source can. */
  readonly since?: string;
}

/** What one read of a source gave, for the person who sets it up. Holds field values of the people shown, of nobody else. */
export interface SourceTrial {
  readonly sync: string;
  readonly kind: string;
  readonly read: 'full' | 'delta';
  /** Records that were read, unusable ones too. */
  readonly rows: number;
  readonly end: TrialEnd;
  /** What the source itself remarks on this read. */
  readonly notes: readonly string[];
  readonly people: readonly { readonly at: string; readonly trace: MappingTrace }[];
  readonly fields: readonly (FieldFill & { readonly readers: readonly string[] })[];
  /** The source has more fields than are listed. */
  readonly isFieldListCut: boolean;
  /** Source fields that the configuration names and no record showed. */
  readonly unseen: readonly { readonly read: string; readonly readers: readonly string[] }[];
  /** People with a value, per mapped field of the platform, out of those who can be used. */
  readonly mapped: readonly { readonly field: FieldName; readonly people: number }[];
  readonly statuses: readonly StatusCount[];
  readonly standings: Readonly<Record<Standing, number>>;
  readonly outOfScope: number;
  /** Why records cannot be used, most frequent first. */
  readonly unusable: readonly { readonly column: string; readonly reason: string; readonly records: number }[];
  /** Records that name somebody whom another record names too. */
  readonly duplicates: number;
  /** A refresh token was presented: the pair that came is in the store, and the configured one may be used up. */
  readonly isTokenPresented: boolean;
}

export type TrialEnd =
  | { readonly kind: 'complete'; readonly evidence: string }
  | { readonly kind: 'incomplete'; readonly reasons: readonly string[] }
  /** The limit was reached: nothing is known of the rest. */
  | { readonly kind: 'stopped'; readonly limit: number };

/** One value of the status field, with what the lifecycle makes of its people. */
export interface StatusCount {
  /** Undefined: the record does not show the field. */
  readonly value: string | undefined;
  readonly records: number;
  readonly standings: Readonly<Partial<Record<Standing | 'rejected', number>>>;
}

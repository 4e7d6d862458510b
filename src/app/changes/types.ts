import type { FieldName } from '../../core/person/fields.ts';
import type { ChangeClass, ChangeKind } from '../../core/plan/change.ts';
import type { ChangeState } from '../../core/run/run.ts';

/** Which changes of a plan. Every given part must match. */
export interface ChangeFilter {
  readonly kind?: ChangeKind;
  readonly class?: ChangeClass;
  readonly state?: ChangeState;
  readonly reason?: string;
  /** A field that the change writes with another value. With `value`: a field of the person, before or after. */
  readonly field?: FieldName;
  readonly value?: string;
  /** Words that the person or a value contains, in any order, without case and accents. */
  readonly text?: string;
}

/** What is searched: the changes of a run, of a plan that was only shown, or those that wait in a hold. */
export interface ChangesSubject {
  readonly kind: 'run' | 'hold' | 'preview';
  readonly id: string;
}

export type ChangeSort = 'identification' | 'name' | 'email' | 'kind' | 'reason' | FieldName;

export interface ChangeSearch {
  readonly filter: ChangeFilter;
  readonly sort: ChangeSort;
  readonly isDescending: boolean;
  readonly offset: number;
  readonly limit: number;
}

export type GroupBy = 'reason' | 'rule' | 'kind' | 'class' | 'state' | 'field' | { readonly value: FieldName };

/** Which changes of a hold, and how many the operator saw. */
export interface HoldSelection {
  readonly ids?: readonly string[];
  readonly except?: readonly string[];
  readonly filter?: ChangeFilter;
  readonly expect?: number;
}

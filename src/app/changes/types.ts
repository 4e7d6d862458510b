import type { FieldName } from '../../core/person/fields.ts';
import type { ChangeClass, ChangeKind } from '../../core/plan/change.ts';
import type { RequestBudget } from '../../core/run/request-budget.ts';
import type { ChangeState } from '../../core/run/run.ts';
import type { HeldEnd } from '../../ports/reports.ts';
import type { DecisionRecord, HoldFacts, PlannedChange, Run } from '../../ports/store.ts';

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

export interface FoundChange {
  readonly change: PlannedChange;
  /** The current decision about a held change. */
  readonly decision: DecisionRecord | undefined;
}

export interface FoundChanges {
  readonly changes: readonly FoundChange[];
  /** Matching changes, and all that were searched. */
  readonly total: number;
  readonly all: number;
  /** Changes with the content: a list that was read with another version may have moved. */
  readonly version: string;
}

export type GroupBy = 'reason' | 'rule' | 'kind' | 'class' | 'state' | 'field' | { readonly value: FieldName };

export interface ChangeGroups {
  readonly groups: readonly { readonly key: string; readonly count: number }[];
  readonly total: number;
  /** There are more groups. */
  readonly isCut: boolean;
}

/** What delivering changes takes. */
export interface Effect {
  readonly changes: number;
  readonly kinds: Readonly<Record<ChangeKind, number>>;
  /** Undefined: the sync is no longer configured. */
  readonly budget: RequestBudget | undefined;
  /** Changes that cannot be delivered in this way of delivery. */
  readonly undeliverable: number;
}

export interface HoldDetail {
  readonly hold: HoldFacts;
  readonly run: Run;
  /** Changes that wait. */
  readonly waiting: number;
  readonly isApprovable: boolean;
  /** What became of the changes of this hold. Empty while all of them wait in it. */
  readonly ends: readonly HeldEnd[];
  /** The open hold of a later run in which the undecided changes of this closed hold wait. */
  readonly replacedBy: HoldFacts | undefined;
  readonly byKind: ChangeGroups;
  readonly byReason: ChangeGroups;
  readonly byField: ChangeGroups;
  /** What an approval of all of them does. */
  readonly effect: Effect;
}

/** Which changes of a hold, and how many the operator saw. */
export interface HoldSelection {
  readonly ids?: readonly string[];
  readonly except?: readonly string[];
  readonly filter?: ChangeFilter;
  readonly expect?: number;
}

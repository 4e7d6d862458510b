import { z } from 'zod';
import type { FieldName } from '../core/person/fields.ts';
import { changeKinds } from '../core/plan/change.ts';
import { changeStates } from '../core/run/run.ts';
import type { DecisionRecord, PastChange, PlannedChange } from '../ports/store.ts';
import { count, type Inner, instant, personal, toWire, viewOf } from './wire.ts';

export const budget = z.object({ files: count, requests: count, perSecond: z.number(), seconds: count }).nullable();

const values = z.record(z.string(), z.string());

export const change = z
  .object({
    identification: z.string(),
    name: z.string().nullable(),
    email: z.string().nullable(),
    kind: z.enum(changeKinds),
    state: z.enum(changeStates),
    stateReason: z.string().nullable(),
    reason: z.string(),
    rule: z.string(),
    classes: z.array(z.string()),
    changed: z.array(z.string()).describe('The fields that differ'),
    before: values.nullable().describe('null: the user did not exist'),
    after: values,
    isEnabled: z.boolean().nullable().describe('Whether the account was enabled before; null: it did not exist'),
    batch: z.string().nullable(),
    isApproved: z.boolean(),
    hash: z.string(),
  })
  .meta({ id: 'Change' });

export const changeView = viewOf(change, (planned: PlannedChange) => ({
  ...planned,
  ...personOf(planned),
  before: planned.before?.fields,
  isEnabled: planned.before?.enabled,
}));

export function personOf({ before, after }: PlannedChange): { readonly name?: string; readonly email?: string } {
  const textOf = (field: FieldName): string => after[field] || before?.fields[field] || '';
  const name = `${textOf('firstName')} ${textOf('lastName')}`.trim();
  const email = textOf('email');
  return { ...(name === '' ? {} : { name }), ...(email === '' ? {} : { email }) };
}

export const changePage = z
  .object({
    changes: z.array(change),
    next: z.string().nullable().describe('Send it as `after` for the next page; null: this is the last page'),
  })
  .meta({ id: 'ChangePage' });

const pastChange = change.extend({ run: z.string(), at: instant });

export const pastChanges = z.object({ history: z.array(pastChange) }).meta({ id: 'PastChanges' });

export const pastChangeView = viewOf(pastChange, (past: PastChange) => ({ ...past, ...changeView(past) }));

const foundChange = change.extend({
  decision: z
    .object({
      state: z.enum(['open', 'approved', 'rejected']),
      by: z.string().nullable(),
      at: instant,
      reason: z.string().nullable(),
      expiresAt: instant.nullable(),
      endedAt: instant.nullable().describe('When an accepted read ended the reason of the change'),
      run: z.string().nullable().describe('The run that used the approval'),
      end: z.string().nullable().describe('What became of the change in that run'),
    })
    .nullable()
    .describe('What an operator decided about a held change'),
});

export const foundChanges = z
  .object({
    changes: z.array(foundChange),
    offset: count,
    total: count.describe('Changes that match'),
    all: count.describe('Changes that were searched'),
    version: z.string().describe('If this differs between two pages, rows may have moved'),
  })
  .meta({ id: 'FoundChanges' });

/** A decision about a held change, with what became of it in the run that used the approval. */
export interface FoundDecision extends DecisionRecord {
  readonly end: PlannedChange['state'] | undefined;
}

export interface FoundChange {
  readonly change: PlannedChange;
  /** The current decision about a held change. */
  readonly decision: FoundDecision | undefined;
}

export interface FoundChanges extends Omit<Inner<z.output<typeof foundChanges>>, 'changes' | 'offset'> {
  readonly changes: readonly FoundChange[];
}

export const foundChangeView = viewOf(foundChange, ({ change: planned, decision }: FoundChange) => ({
  ...changeView(planned),
  decision: decision && { ...decision, reason: decision.why },
}));

export const foundChangesView = viewOf(foundChanges, ({ changes, ...sums }: FoundChanges, offset: number) => ({
  ...sums,
  offset,
  changes: changes.map(foundChangeView),
}));

export const changeGroups = z
  .object({
    groups: z.array(z.object({ key: z.string(), count })).describe('The 200 largest groups'),
    total: count,
    isCut: z.boolean(),
  })
  .meta({ id: 'ChangeGroups' });

export type ChangeGroups = Inner<z.output<typeof changeGroups>>;

export const changeGroupsView = toWire(changeGroups);

export const effect = z
  .object({
    changes: count,
    kinds: z.record(z.enum(changeKinds), count),
    people: personal(z.array(z.object({ identification: z.string(), name: z.string() }))).describe(
      'The first ten people',
    ),
    undeliverable: count.describe('Changes that this way of delivery cannot send'),
    budget: budget.describe('Files, requests and time; null: the sync is no longer configured'),
  })
  .meta({ id: 'Effect' });

/** What delivering changes takes. */
export type Effect = Inner<z.output<typeof effect>>;

export const effectView = toWire(effect);

import { z } from 'zod';
import { personOf } from '../../app/changes/person-of.ts';
import type {
  ChangeFilter,
  ChangeGroups,
  ChangeSort,
  Effect,
  FoundChange,
  FoundChanges,
  GroupBy,
  HoldDetail,
} from '../../app/changes/types.ts';
import { type FieldName, fieldTable } from '../../core/person/fields.ts';
import { changeClasses, changeKinds } from '../../core/plan/change.ts';
import { budget, change, count, hold, instant as instantSchema, runSummary, signature, somePeople } from '../schema.ts';
import { budgetView, changeView, heldEndView, holdView, instant, runView } from '../views.ts';
import { heldEnd } from './held-end.ts';

const fields = fieldTable.map(({ name }) => name) as [FieldName, ...FieldName[]];
const classes = changeClasses as [(typeof changeClasses)[number], ...typeof changeClasses];

/** The parts of a filter, in a query and in a body. */
const filterParts = {
  kind: z.enum(changeKinds).optional().meta({ description: 'Only changes of this kind' }),
  class: z.enum(classes).optional().meta({ description: 'Only changes of this class' }),
  state: change.shape.state.optional().meta({ description: 'Only changes in this state' }),
  reason: z.string().min(1).max(500).optional().meta({ description: 'Only changes with exactly this reason' }),
  field: z
    .enum(fields)
    .optional()
    .meta({ description: 'Only changes of this field; with `value`, of a person with it' }),
  value: z.string().max(500).optional().meta({ description: 'The value of `field`, before or after the change' }),
  text: z.string().max(200).optional().meta({
    description: 'Words of the name, e-mail, identification or any value, in any order; case and accents are ignored',
  }),
};

export const filterQuery = z.object(filterParts);

export const sortQuery = filterQuery.extend({
  sort: z
    .enum(['identification', 'name', 'kind', 'reason', ...fields])
    .default('identification')
    .meta({ description: 'What to sort by: a property, or a field of the person' }),
  order: z.enum(['asc', 'desc']).default('asc').meta({ description: 'asc or desc; blank values are last in both' }),
});

export const searchQuery = sortQuery.extend({
  limit: z.coerce.number().int().min(1).max(1000).default(100).meta({ description: 'Page size, at most 1000' }),
  offset: z.coerce.number().int().min(0).max(10_000_000).default(0).meta({ description: 'The first row, from 0' }),
});

export const groupQuery = filterQuery.extend({
  by: z
    .string()
    .regex(/^(reason|rule|kind|class|state|field|value:[A-Za-z0-9]+)$/)
    .default('reason')
    .meta({ description: 'reason, rule, kind, class, state, field, or value: and a field, such as value:office' }),
});

const withNothing = (value: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined && part !== ''));

export function filterOf(given: z.output<typeof filterQuery>): ChangeFilter {
  const { kind, class: wanted, state, reason, field, value, text } = given;
  // A blank value is a filter: people without an office.
  const valued = value === undefined ? {} : { value };
  return { ...withNothing({ kind, class: wanted, state, reason, field, text }), ...valued };
}

export function sortOf({ sort, order, ...filter }: z.output<typeof sortQuery>) {
  return { filter: filterOf(filter), sort: sort as ChangeSort, isDescending: order === 'desc' };
}

export function groupByOf(by: string): GroupBy {
  if (!by.startsWith('value:')) return by as GroupBy;
  return { value: by.slice('value:'.length) as FieldName };
}

const decision = z.object({
  state: z.enum(['open', 'approved', 'rejected']),
  by: z.string().nullable(),
  at: instantSchema,
  reason: z.string().nullable(),
  expiresAt: instantSchema.nullable(),
});

const foundChange = change.extend({
  rule: z.string(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  isEnabled: z
    .boolean()
    .nullable()
    .meta({ description: 'Whether the account was enabled before; null: it did not exist' }),
  decision: decision.nullable().meta({ description: 'What an operator decided about a held change' }),
});

export const foundChanges = z.object({
  changes: z.array(foundChange),
  offset: count,
  total: count.meta({ description: 'Changes that match' }),
  all: count.meta({ description: 'Changes that were searched' }),
  version: z.string().meta({ description: 'If this differs between two pages, rows may have moved' }),
});

export function foundView({ changes, ...sums }: FoundChanges, offset: number): z.output<typeof foundChanges> {
  return { changes: changes.map(foundChangeView), offset, ...sums };
}

function foundChangeView({ change: planned, decision: decided }: FoundChange): z.output<typeof foundChange> {
  const { name = null, email = null } = personOf(planned);
  return {
    ...changeView(planned),
    rule: planned.rule,
    name,
    email,
    isEnabled: planned.before?.enabled ?? null,
    decision:
      decided === undefined
        ? null
        : {
            state: decided.state,
            by: decided.by ?? null,
            at: new Date(decided.at).toISOString(),
            reason: decided.why ?? null,
            expiresAt: instant(decided.expiresAt),
          },
  };
}

export const changeGroups = z.object({
  groups: z.array(z.object({ key: z.string(), count })).meta({ description: 'The 200 largest groups' }),
  total: count,
  isCut: z.boolean(),
});

export function groupsView({ groups, ...rest }: ChangeGroups): z.output<typeof changeGroups> {
  return { groups: [...groups], ...rest };
}

export const effect = z.object({
  changes: count,
  kinds: z.record(z.string(), count),
  undeliverable: count.meta({ description: 'Changes that this way of delivery cannot send' }),
  budget: budget.meta({ description: 'Files, requests and time; null: the sync is no longer configured' }),
});

export function effectView({ kinds, budget: estimated, ...rest }: Effect): z.output<typeof effect> {
  return { ...rest, kinds: { ...kinds }, budget: budgetView(estimated) };
}

export const holdDetail = hold.extend({
  sync: z.string(),
  run: runSummary,
  isApprovable: z.boolean().meta({ description: 'false: expired or decided' }),
  kinds: changeGroups,
  reasons: changeGroups,
  fields: changeGroups,
  effect: effect.meta({ description: 'What an approval of all of it does' }),
  size: count.meta({ description: 'Changes that the guard held, decided ones included' }),
  ends: z.array(heldEnd).meta({ description: 'What became of its changes' }),
  replacedBy: z
    .string()
    .nullable()
    .meta({ description: 'Id of the open hold in which the undecided changes wait now' }),
});

export function holdDetailView(detail: HoldDetail): z.output<typeof holdDetail> {
  return {
    ...holdView(detail.hold),
    count: detail.waiting,
    sync: detail.hold.sync,
    run: runView(detail.run),
    isApprovable: detail.isApprovable,
    kinds: groupsView(detail.byKind),
    reasons: groupsView(detail.byReason),
    fields: groupsView(detail.byField),
    effect: effectView(detail.effect),
    size: detail.hold.size,
    ends: detail.ends.map(heldEndView),
    replacedBy: detail.replacedBy?.id ?? null,
  };
}

const selectionParts = {
  ids: somePeople.optional().meta({ description: 'Only these people, by identification' }),
  except: somePeople.optional().meta({ description: 'All but these people' }),
  filter: z.strictObject(filterParts).optional().meta({ description: 'Only changes that match, as in the list' }),
};

export const holdSelection = z.strictObject(selectionParts).meta({ description: 'Changes of a hold; empty: all' });

export const holdOrder = z
  .strictObject({
    ...selectionParts,
    expect: count
      .min(0)
      .optional()
      .meta({ description: 'How many changes the operator saw. Another number: 409, and nothing is decided' }),
    reopen: z.boolean().optional().meta({ description: 'true: also approves what a person rejected' }),
    ...signature,
  })
  .meta({ description: 'The changes of the hold to decide, and the reason; empty: all' });

export function selectionOf(body: Omit<z.output<typeof holdOrder>, 'reopen' | 'reason' | 'as'>) {
  const { ids, except, filter, expect } = body;
  return {
    ...(ids === undefined ? {} : { ids }),
    ...(except === undefined ? {} : { except }),
    ...(filter === undefined ? {} : { filter: filterOf(filter) }),
    ...(expect === undefined ? {} : { expect }),
  };
}

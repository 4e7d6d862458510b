import { type AliasedRawBuilder, type ExpressionBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { FieldName, FieldValues } from '../../core/person/fields.ts';
import { type Packed, pack, unpack } from '../../core/person/packed.ts';
import { type Before, type ChangeClass, changeClasses, type NotAgain, partOf } from '../../core/plan/change.ts';
import { eventOf } from '../../core/plan/event.ts';
import { type ChangeState, zeros } from '../../core/run/run.ts';
import type { NewChange, PlannedChange } from '../../ports/store.ts';
import type { Schema } from '../db/database.ts';
import type { KeyRing } from '../db/key-ring.ts';
import { placeOf } from '../db/tables.ts';

const itsHolds = sql`from plan_holds where plan_holds.plan = changes.plan and plan_holds.classes & changes.classes != 0`;

const isClassHeld = sql<SqlBool>`(changes.mark = 'planned' and changes.is_approved = 0 and changes.batch is null
  and exists (select 1 ${itsHolds}))`;

/** A row of `changes` with the state that it is in. */
export type StatedChange = Selectable<Schema['changes']> & {
  readonly state: ChangeState;
  readonly state_reason: string | null;
};

/** `changes` with the state of each one. Every read of a state is from here. */
export function statedAs<Name extends string>(name: Name): AliasedRawBuilder<StatedChange, Name> {
  return sql<StatedChange>`(select changes.*,
    case when ${isClassHeld} then 'held' else changes.mark end as state,
    case when ${isClassHeld} then (select plan_holds.reason ${itsHolds} order by plan_holds.number limit 1)
      else changes.mark_reason end as state_reason from changes)`.as(name);
}

export const stated = statedAs('changes');

export type OnChange = ExpressionBuilder<Schema, 'changes'>;

/** For what writes. A read takes the state from `stated`. */
export const isPlanned = (eb: OnChange) => eb.and([eb('mark', '=', 'planned'), eb.not(isClassHeld)]);
export const isHeld = (eb: OnChange) => eb.or([eb('mark', '=', 'held'), isClassHeld]);

/** The meaning of each bit of `changes.classes`. It is stored, so a bit is never reused. */
const classBits: Readonly<Record<ChangeClass, number>> = {
  creates: 1,
  updates: 2,
  emailChanges: 4,
  firstSight: 8,
  enables: 16,
  disables: 32,
  removes: 64,
  handOvers: 128,
  configuration: 256,
  leads: 512,
  unleads: 1024,
  identity: 2048,
  recreate: 4096,
};

export function classMask(classes: readonly ChangeClass[]): number {
  return classes.reduce((mask, name) => mask | classBits[name], 0);
}

export function classesOf(mask: number): ChangeClass[] {
  return changeClasses.filter((name) => (mask & classBits[name]) !== 0);
}

/** Sums groups of rows per class. A row in several classes counts in each. */
export function countClasses(
  groups: readonly { readonly classes: number; readonly count: number }[],
): Readonly<Record<ChangeClass, number>> {
  const counts = zeros(changeClasses);
  for (const { classes, count } of groups) {
    for (const name of classesOf(classes)) counts[name] += count;
  }
  return counts;
}

/** The columns that `Plans.add` writes. The others start with their defaults. */
export type NewChangeRow = Omit<Selectable<Schema['changes']>, 'batch' | 'is_approved' | 'applied_at'>;

/**
 * The parts of a change that hold personal data, as one text that is sealed with a key. In most changes nearly all values
 * stay, so `before` has only the fields that differ from `after`, null where it lacks the field: half of the text.
 */
type PersonalParts = readonly [before: BeforeParts | null, after: Packed, reason: string, notAgain?: NotAgain];

type BeforeParts = readonly [
  userId: string,
  enabled: boolean,
  fields: Packed<string | null>,
  lastUpdate: string | null,
  more?: Omit<Before, 'userId' | 'enabled' | 'fields' | 'lastUpdate'>,
];

export function toNewChangeRow(plan: string, change: NewChange, keys: KeyRing): NewChangeRow {
  const { identification } = change;
  const part = partOf(change);
  // No output can show a lone surrogate.
  const reason = change.reason.toWellFormed();
  const { notAgain } = change;
  const all = [withoutSame(change), pack(change.after), reason] as const;
  const parts: PersonalParts = notAgain === undefined ? all : [...all, notAgain];
  return {
    plan,
    identification,
    part,
    kind: change.kind,
    event: eventOf(change),
    personal: keys.close(JSON.stringify(parts), placeOf('changes', 'personal', { plan, identification, part })),
    changed: change.changed.length === 0 ? '' : `,${change.changed.join()},`,
    classes: classMask(change.classes),
    waits_for: change.waitsFor ?? null,
    hash: change.hash,
    rule: change.rule,
    episode: change.episode,
    mark: change.verdict?.state ?? 'planned',
    mark_reason: change.verdict?.reason ?? null,
    is_rejected: change.verdict?.state === 'dropped' ? 1 : 0,
    is_left_out: change.verdict?.isLeftOut === true ? 1 : 0,
    asked: change.asked === undefined ? null : JSON.stringify(change.asked),
  };
}

function withoutSame({ before, after }: Pick<NewChange, 'before' | 'after'>): BeforeParts | null {
  if (before === undefined) return null;
  const { userId, enabled, fields, lastUpdate = null, ...more } = before;
  const differing: Partial<Record<FieldName, string | null>> = {};
  for (const name of Object.keys(after) as FieldName[]) if (fields[name] === undefined) differing[name] = null;
  for (const name of Object.keys(fields) as FieldName[]) {
    const value = fields[name];
    if (value !== undefined && value !== after[name]) differing[name] = value;
  }
  const parts = [userId, enabled, pack(differing), lastUpdate] as const;
  return Object.keys(more).length === 0 ? parts : [...parts, more];
}

function withSame(before: BeforeParts | null, after: FieldValues): Before | undefined {
  if (before === null) return undefined;
  const [userId, enabled, differing, lastUpdate, more] = before;
  const fields: Partial<Record<FieldName, string>> = { ...after };
  for (const [name, value] of Object.entries(unpack(differing)) as [FieldName, string | null][]) {
    if (value === null) delete fields[name];
    else fields[name] = value;
  }
  return { userId, enabled, fields, ...(lastUpdate === null ? {} : { lastUpdate }), ...more };
}

/** The columns of a change whose person was forgotten. */
export const emptyChange = {
  personal: JSON.stringify([null, pack({}), ''] satisfies PersonalParts),
  changed: '',
  mark_reason: null,
  waits_for: null,
  hash: 'forgotten',
  asked: null,
} as const satisfies Partial<Schema['changes']>;

/** Returns a `like` pattern that finds the field in `changed`. */
export function changedPattern(field: FieldName): string {
  return `%,${field},%`;
}

/** Throws `STORE_INVALID` when no configured key opens the values. */
export function toPlannedChange(row: StatedChange, keys: KeyRing): PlannedChange {
  const text = keys.open(row.personal, placeOf('changes', 'personal', { ...row }));
  const [before, packed, reason, notAgain] = JSON.parse(text) as PersonalParts;
  const after = unpack(packed);
  return {
    identification: row.identification,
    kind: row.kind,
    before: withSame(before, after),
    after,
    changed: row.changed === '' ? [] : (row.changed.slice(1, -1).split(',') as FieldName[]),
    classes: classesOf(row.classes),
    reason,
    ...(row.waits_for === null ? {} : { waitsFor: row.waits_for }),
    ...(notAgain === undefined ? {} : { notAgain }),
    rule: row.rule,
    episode: row.episode,
    hash: row.hash,
    state: row.state,
    stateReason: row.state_reason ?? undefined,
    batch: row.batch ?? undefined,
    isApproved: row.is_approved === 1,
    isRejected: row.is_rejected === 1,
    isLeftOut: row.is_left_out === 1,
    ...(row.applied_at === null ? {} : { appliedAt: Number(row.applied_at) }),
  };
}

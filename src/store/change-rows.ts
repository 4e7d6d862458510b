import type { Selectable } from 'kysely';
import type { Before, Change, ChangeClass, ChangeKind } from '../core/change.ts';
import { changeClasses } from '../core/change.ts';
import type { FieldName, FieldValues } from '../core/fields.ts';
import type { PlannedChange } from '../ports/store.ts';
import type { ChangeRow } from './schema.ts';

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
};

export function classMask(classes: readonly ChangeClass[]): number {
  return classes.reduce((mask, name) => mask | classBits[name], 0);
}

function classesOf(mask: number): ChangeClass[] {
  return changeClasses.filter((name) => (mask & classBits[name]) !== 0);
}

export const noKinds: Readonly<Record<ChangeKind, number>> = { create: 0, update: 0, enable: 0, disable: 0, remove: 0 };

/** Sums groups of rows per class. A row in several classes counts in each. */
export function countClasses(
  groups: readonly { readonly classes: number; readonly count: number | string | bigint }[],
): Readonly<Record<ChangeClass, number>> {
  const counts = Object.fromEntries(changeClasses.map((name) => [name, 0])) as Record<ChangeClass, number>;
  for (const { classes, count } of groups) {
    for (const name of classesOf(classes)) counts[name] += Number(count);
  }
  return counts;
}

/** The columns that `Plans.add` writes. The others start with their defaults. */
export type NewChangeRow = Pick<
  ChangeRow,
  | 'plan'
  | 'identification'
  | 'kind'
  | 'before_json'
  | 'after_json'
  | 'changed'
  | 'classes'
  | 'reason'
  | 'hash'
  | 'waits_for'
  | 'park_email'
> & { readonly rule: string; readonly episode: string };

export function toNewChangeRow(plan: string, change: Change): NewChangeRow {
  return {
    plan,
    identification: change.identification,
    kind: change.kind,
    before_json: change.before === undefined ? null : JSON.stringify(change.before),
    after_json: JSON.stringify(change.after),
    changed: change.changed.length === 0 ? '' : `,${change.changed.join()},`,
    classes: classMask(change.classes),
    reason: change.reason,
    waits_for: change.waitsFor ?? null,
    park_email: change.parkEmail ?? null,
    hash: change.hash,
    rule: change.rule,
    episode: change.episode,
  };
}

/** Returns a `like` pattern that finds the field in `changed`. */
export function changedPattern(field: FieldName): string {
  return `%,${field},%`;
}

export function toPlannedChange(row: Selectable<ChangeRow>): PlannedChange {
  return {
    identification: row.identification,
    kind: row.kind,
    before: row.before_json === null ? undefined : (JSON.parse(row.before_json) as Before),
    after: JSON.parse(row.after_json) as FieldValues,
    changed: row.changed === '' ? [] : (row.changed.slice(1, -1).split(',') as FieldName[]),
    classes: classesOf(row.classes),
    reason: row.reason,
    ...(row.waits_for === null ? {} : { waitsFor: row.waits_for }),
    ...(row.park_email === null ? {} : { parkEmail: row.park_email }),
    rule: row.rule,
    episode: row.episode,
    hash: row.hash,
    state: row.state,
    stateReason: row.state_reason ?? undefined,
    batch: row.batch ?? undefined,
    isApproved: row.is_approved === 1,
    isRejected: row.is_rejected === 1,
  };
}

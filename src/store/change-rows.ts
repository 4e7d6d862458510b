import type { Selectable } from 'kysely';
import type { FieldName, FieldValues } from '../core/person/fields.ts';
import type { Before, Change, ChangeClass } from '../core/plan/change.ts';
import { changeClasses } from '../core/plan/change.ts';
import type { PlannedChange } from '../ports/store.ts';
import type { KeyRing } from './key-ring.ts';
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

export function classesOf(mask: number): ChangeClass[] {
  return changeClasses.filter((name) => (mask & classBits[name]) !== 0);
}

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

/** The parts of a change that hold personal data, as one sealed text in `after_json`. */
type SealedParts = readonly [before: Before | null, after: FieldValues, reason: string, parkEmail: string | null];

/** Returns the place of the sealed parts of a change. */
export function changeContext(plan: string, identification: string): string {
  return JSON.stringify(['changes', plan, identification]);
}

export function toNewChangeRow(plan: string, change: Change, keys: KeyRing): NewChangeRow {
  // A database stores no lone surrogate in a plain column either.
  const reason = change.reason.toWellFormed();
  const parts: SealedParts = [change.before ?? null, change.after, reason, change.parkEmail ?? null];
  return { ...plainColumns(plan, change), ...personalColumns(parts, keys, changeContext(plan, change.identification)) };
}

/** Returns the columns with personal data: sealed into one of them with a key, as they are without. */
export function personalColumns(
  parts: SealedParts,
  keys: KeyRing,
  context: string,
): Pick<NewChangeRow, 'before_json' | 'after_json' | 'reason' | 'park_email'> {
  if (keys.prefix !== undefined) {
    return { before_json: null, after_json: keys.close(JSON.stringify(parts), context), reason: '', park_email: null };
  }
  const [before, after, reason, parkEmail] = parts;
  return {
    before_json: before === null ? null : JSON.stringify(before),
    after_json: JSON.stringify(after),
    reason,
    park_email: parkEmail,
  };
}

/** Reads the columns with personal data. Throws `STORE_INVALID` when no configured key opens them. */
export function readPersonal(
  row: Pick<ChangeRow, 'plan' | 'identification' | 'before_json' | 'after_json' | 'reason' | 'park_email'>,
  keys: KeyRing,
): SealedParts {
  if (row.after_json.startsWith('v1.')) {
    return JSON.parse(keys.open(row.after_json, changeContext(row.plan, row.identification))) as SealedParts;
  }
  const before = row.before_json === null ? null : (JSON.parse(row.before_json) as Before);
  return [before, JSON.parse(row.after_json) as FieldValues, row.reason, row.park_email];
}

function plainColumns(
  plan: string,
  change: Change,
): Omit<NewChangeRow, 'before_json' | 'after_json' | 'reason' | 'park_email'> {
  return {
    plan,
    identification: change.identification,
    kind: change.kind,
    changed: change.changed.length === 0 ? '' : `,${change.changed.join()},`,
    classes: classMask(change.classes),
    waits_for: change.waitsFor ?? null,
    hash: change.hash,
    rule: change.rule,
    episode: change.episode,
  };
}

/** The columns of a change whose person was forgotten. */
export const emptyChange = {
  before_json: null,
  after_json: '{}',
  changed: '',
  reason: '',
  state_reason: null,
  waits_for: null,
  park_email: null,
  hash: 'forgotten',
} as const satisfies Partial<ChangeRow>;

/** Returns a `like` pattern that finds the field in `changed`. */
export function changedPattern(field: FieldName): string {
  return `%,${field},%`;
}

export function toPlannedChange(row: Selectable<ChangeRow>, keys: KeyRing): PlannedChange {
  const [before, after, reason, parkEmail] = readPersonal(row, keys);
  return {
    identification: row.identification,
    kind: row.kind,
    before: before ?? undefined,
    after,
    changed: row.changed === '' ? [] : (row.changed.slice(1, -1).split(',') as FieldName[]),
    classes: classesOf(row.classes),
    reason,
    ...(row.waits_for === null ? {} : { waitsFor: row.waits_for }),
    ...(parkEmail === null ? {} : { parkEmail }),
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

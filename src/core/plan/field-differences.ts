import { type FieldName, fieldNames, findField } from '../person/fields.ts';
import type { Change } from './change.ts';

/** One changed field, for display and for files. `''` is an empty field. */
export interface FieldDifference {
  readonly field: FieldName;
  /** Undefined: the platform does not return it. */
  readonly before: string | undefined;
  readonly after: string;
}

/** Returns the fields that a change sets: those that differ, and for a create every field with a value. */
export function differencesOf(change: Pick<Change, 'kind' | 'before' | 'after' | 'changed'>): FieldDifference[] {
  const { kind, before, after, changed } = change;
  const names = kind === 'create' ? fieldNames(after).filter((name) => after[name] !== '') : changed;
  return names.map((field) => ({ field, before: shownBefore(field, before), after: after[field] ?? '' }));
}

function shownBefore(field: FieldName, before: Change['before']): string | undefined {
  if (before === undefined) return '';
  return findField(field)?.isReadable === true ? (before.fields[field] ?? '') : undefined;
}

import { isNoDay } from '../../core/person/cell.ts';

/**
 * Employment status in terms that all HR systems share. Every kind that derives it adds the field `rollcallStatus`
 * beside the raw status. `unknown` never causes a change.
 */
export const employmentStatuses = ['prehire', 'active', 'leave', 'suspended', 'terminated', 'unknown'] as const;
export type EmploymentStatus = (typeof employmentStatuses)[number];

/** Returns a raw status in lower case: `ACTIVE` and `active` are the same. */
export function wordOf(value: unknown): string {
  return String(value ?? '')
    .trim()
    .toLowerCase();
}

/**
 * Returns today's date in UTC, for comparison with plain dates. Only for derivation; the mapping's lifecycle knows
 * time zones.
 */
export function utcDay(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

/**
 * Returns the calendar date as it is written: `2014-11-09T00:00:00+01:00` is 2014-11-09, because midnight in a zone
 * is another day in UTC. Blank values and "no date" values give null. Undefined (not visible) stays undefined. Text
 * that is not a date is returned unchanged, so that the mapping can name it.
 */
export function plainDate(value: unknown): unknown {
  if (value === undefined || value === null) return value;
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (text === '') return null;
  const date = /^\d{4}-\d{2}-\d{2}(?=$|[T Z+-])/.exec(text)?.[0];
  if (date === undefined) return value;
  return isNoDay(date) ? null : date;
}

/** Returns a plain date; empty for other values. */
export function dayOf(value: unknown): string {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : '';
}

/** Overlap of deltas: the HR system's clock may be behind ours, and changes may show late. */
const deltaOverlapMs = 300_000;

/** Returns the instant (ISO 8601, with milliseconds) from which a delta reads changes. */
export function deltaStart(since: string): string {
  return new Date(Date.parse(since) - deltaOverlapMs).toISOString();
}

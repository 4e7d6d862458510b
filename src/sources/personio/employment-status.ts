import type { EmploymentStatus } from '../../source-kit/employment-status.ts';

/** What Personio says of an employment; undefined is not visible. */
export interface EmploymentFacts {
  readonly status: unknown;
  /** Plain dates; anything else counts as none. */
  readonly hired: unknown;
  readonly left: unknown;
}

/**
 * Where somebody stands on a day; both versions of the API have the same words. Undefined when the status is not visible.
 * The first row that matches:
 *
 * | status         | dates                                         | is         |
 * |----------------|-----------------------------------------------|------------|
 * | inactive       | any                                           | terminated |
 * | onboarding     | any                                           | prehire    |
 * | active, leave  | left before today, hired before that          | terminated |
 * | active, leave  | left before today, no first day visible       | unknown    |
 * | active         | hired after today                             | prehire    |
 * | active, leave  | any other                                     | as it says |
 * | anything else  | any                                           | unknown    |
 */
export function employmentStatus(facts: EmploymentFacts, today: string): EmploymentStatus | undefined {
  if (facts.status === undefined) return undefined;
  const status = wordOf(facts.status);
  const [hired, left] = [dayOf(facts.hired), dayOf(facts.left)];
  if (status === 'inactive') return 'terminated';
  if (status === 'onboarding') return 'prehire';
  if (status !== 'active' && status !== 'leave') return 'unknown';
  // Without a first day it may be the end of a former employment of somebody hired again.
  if (left !== '' && left < today && hired <= left) return hired === '' ? 'unknown' : 'terminated';
  return status === 'active' && hired > today ? 'prehire' : status;
}

/** A status in small letters: `ACTIVE` (v2) and `active` (v1) are one. */
export function wordOf(value: unknown): string {
  return String(value ?? '')
    .trim()
    .toLowerCase();
}

/** A plain date; empty for anything else. */
export function dayOf(value: unknown): string {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : '';
}

import { dayOf, type EmploymentStatus, wordOf } from '../kit/status.ts';

/** Personio's data about an employment. Undefined is not visible. */
export interface EmploymentFacts {
  readonly status: unknown;
  /** Plain dates; other values count as none. */
  readonly hired: unknown;
  readonly left: unknown;
}

/**
 * Returns the status of a person on a day. Both versions of the API have the same words. Undefined when the status is
 * not visible. The first row that matches:
 *
 * | status         | dates                                   | is         |
 * |----------------|-----------------------------------------|------------|
 * | inactive       | any                                     | terminated |
 * | onboarding     | any                                     | prehire    |
 * | active, leave  | left before today, hired before that    | terminated |
 * | active, leave  | left before today, no first day visible | unknown    |
 * | active         | hired after today                       | prehire    |
 * | active, leave  | any other                               | as it says |
 * | anything else  | any                                     | unknown    |
 */
export function employmentStatus(facts: EmploymentFacts, today: string): EmploymentStatus | undefined {
  if (facts.status === undefined) return undefined;
  const status = wordOf(facts.status);
  const [hired, left] = [dayOf(facts.hired), dayOf(facts.left)];
  if (status === 'inactive') return 'terminated';
  if (status === 'onboarding') return 'prehire';
  if (status !== 'active' && status !== 'leave') return 'unknown';
  // Without a first day, it may be the end of a former employment of a rehire.
  if (left !== '' && left < today && hired <= left) return hired === '' ? 'unknown' : 'terminated';
  return status === 'active' && hired > today ? 'prehire' : status;
}

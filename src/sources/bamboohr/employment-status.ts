import { dayOf } from '../kit/dates.ts';
import { type EmploymentStatus, wordOf } from '../kit/employment-status.ts';

/** BambooHR's data about an employment. Undefined is not visible, null is known to be empty. */
export interface EmploymentFacts {
  /** `Active` or `Inactive`. */
  readonly status: unknown;
  readonly employmentStatus: unknown;
  /** Plain dates; other values count as none. */
  readonly hireDate: unknown;
  readonly terminationDate: unknown;
}

/** Meaning of an account's employment statuses, by name, ignoring case. */
export type StatusMap = ReadonlyMap<string, EmploymentStatus>;

export function compileStatusMap(map: Readonly<Record<string, EmploymentStatus>>): StatusMap {
  return new Map(Object.entries(map).map(([name, status]) => [wordOf(name), status]));
}

/**
 * Returns the status of a person. The first row that matches:
 *
 * | status   | employment status             | dates                     | becomes      |
 * |----------|-------------------------------|---------------------------|--------------|
 * | unseen   | any                           | any                       | undefined    |
 * | any      | any                           | hired after today         | prehire      |
 * | any      | mapped to leave or suspended  | any                       | as mapped    |
 * | Inactive | mapped to terminated          | any                       | terminated   |
 * | Inactive | any                           | left today or before      | terminated   |
 * | Active   | any                           | any                       | active       |
 *
 * Everything else is unknown: `Inactive` alone is also the status of a person who has not started yet.
 */
export function employeeStatus(facts: EmploymentFacts, map: StatusMap, today: string): EmploymentStatus | undefined {
  if (facts.status === undefined) return undefined;
  const status = wordOf(facts.status);
  const mapped = map.get(wordOf(facts.employmentStatus));
  const left = dayOf(facts.terminationDate);
  if (dayOf(facts.hireDate) > today) return 'prehire';
  if (mapped === 'leave' || mapped === 'suspended') return mapped;
  if (status === 'inactive') {
    return mapped === 'terminated' || (left !== '' && left <= today) ? 'terminated' : 'unknown';
  }
  return status === 'active' ? 'active' : 'unknown';
}

import type { EmploymentStatus } from '../kit/status.ts';
import { dayOf } from '../kit/status.ts';

/** Workday's data about an employment. Undefined is not visible, null is known to be empty. */
export interface EmploymentFacts {
  readonly active: boolean | null | undefined;
  readonly terminated: boolean | null | undefined;
  readonly onLeave: boolean | null | undefined;
  /** Plain dates; other values count as none. */
  readonly hireDate: unknown;
  readonly terminationDate: unknown;
}

/**
 * Returns the status of a person. The first row that matches:
 *
 * | active | terminated | on leave | dates                                              | status     |
 * |--------|------------|----------|----------------------------------------------------|------------|
 * | not 1  | not 1      | any      | hired after today                                  | prehire    |
 * | 1      | 1          | any      | any                                                | unknown    |
 * | any    | 1          | any      | any                                                | terminated |
 * | not 0  | not 1      | 1        | any                                                | leave      |
 * | 1      | not 1      | any      | terminated before today, and not hired after that  | unknown    |
 * | not 1  | not 1      | any      | terminated before today, and not hired after that  | terminated |
 * | 1      | not 1      | any      | any                                                | active     |
 *
 * Everything else is unknown; most of all `active` = 0 alone, which is also how a future hire looks. A past date beside
 * `active` = 1 may be that of a former employment, or of a fixed term that was prolonged: alone it ends nothing.
 */
export function employmentStatus(facts: EmploymentFacts, today: string): EmploymentStatus {
  const { active, terminated, onLeave } = facts;
  const hired = dayOf(facts.hireDate);
  const left = dayOf(facts.terminationDate);
  if (active !== true && terminated !== true && hired > today) return 'prehire';
  if (terminated === true) return active === true ? 'unknown' : 'terminated';
  if (onLeave === true && active !== false) return 'leave';
  if (left !== '' && left < today && hired <= left) return active === true ? 'unknown' : 'terminated';
  return active === true ? 'active' : 'unknown';
}

/** Workday writes Booleans as `1` and `true`, in one document; reports also as `Yes`. Other values mean nothing. */
export function readBoolean(value: unknown): boolean | null | undefined {
  if (value === undefined) return undefined;
  switch (String(value).trim().toLowerCase()) {
    case '1':
    case 'true':
    case 'yes':
    case 'y':
      return true;
    case '0':
    case 'false':
    case 'no':
    case 'n':
      return false;
    default:
      return null;
  }
}

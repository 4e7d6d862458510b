import type { EmploymentStatus } from '../kit/employment-status.ts';

export interface EmploymentFacts {
  /** Code of the picklist emplStatus: A, D, U, P, S, F, O, R, T. */
  readonly code: unknown;
  /** Text of a whole number, as OData writes Int64. */
  readonly activeEmployments: unknown;
  /** Plain dates of the chosen employment. */
  readonly startDate: unknown;
  readonly endDate: unknown;
  /** The chosen employment is not a global assignment. */
  readonly isHome: boolean;
}

/**
 * Returns the status of a person. The first row that matches:
 *
 * | start       | emplStatus | employment                         | status     |
 * |-------------|------------|------------------------------------|------------|
 * | after today | any        | any                                | prehire    |
 * | any         | U, P, D    | any                                | leave      |
 * | any         | S, F       | any                                | suspended  |
 * | any         | any        | activeEmploymentsCount is 0        | terminated |
 * | any         | T, R, O    | at home, and its end date is past  | terminated |
 * | any         | A          | any                                | active     |
 *
 * Everything else is unknown. `latestTerminationDate` plays no part: it is also set for a person whose assignment
 * abroad has ended and who works on.
 */
export function employmentStatus(facts: EmploymentFacts, today: string): EmploymentStatus {
  const { code, activeEmployments, startDate, endDate, isHome } = facts;
  if (typeof startDate === 'string' && startDate > today) return 'prehire';
  const letter = String(code ?? '').toUpperCase();
  if (['U', 'P', 'D'].includes(letter)) return 'leave';
  if (['S', 'F'].includes(letter)) return 'suspended';
  if (String(activeEmployments ?? '') === '0') return 'terminated';
  const hasEnded = typeof endDate === 'string' && endDate < today;
  if (isHome && hasEnded && ['T', 'R', 'O'].includes(letter)) return 'terminated';
  return letter === 'A' ? 'active' : 'unknown';
}

/**
 * Status of the entity User: t and T are active, f and F are not. An inactive user with a later start is a future
 * hire.
 */
export function userStatus(status: unknown, hireDate: unknown, today: string): EmploymentStatus {
  switch (String(status ?? '').toLowerCase()) {
    case 't':
    case 'active':
      return 'active';
    case 'f':
    case 'inactive':
      return typeof hireDate === 'string' && hireDate > today ? 'prehire' : 'terminated';
    default:
      return 'unknown';
  }
}

import { statusField } from '../../core/person/lifecycle.ts';
import type { Fields } from '../kit/pages.ts';
import { dayOf, type EmploymentStatus, plainDate, wordOf } from '../kit/status.ts';
import type { BamboohrConfig } from './config.ts';

/** Builds the record of an employee. `hidden` are the fields of this person that the account may not see. */
export type ToEmployee = (row: Fields, hidden?: readonly string[]) => Fields;

/** `today` is a plain date, for the status. */
export function compileEmployee({ status }: BamboohrConfig, today: string): ToEmployee {
  const map = compileStatusMap(status.map);
  return (row, hidden = []) => {
    const record: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(row)) if (!hidden.includes(name)) record[name] = plainValue(value);
    const read = (name: string | null): unknown =>
      name !== null && Object.hasOwn(record, name) ? record[name] : undefined;
    const employment = employeeStatus(
      {
        status: read(status.field),
        employmentStatus: read(status.employmentStatus),
        hireDate: read(status.hireDate),
        terminationDate: read(status.terminationDate),
      },
      map,
      today,
    );
    if (employment !== undefined) record[statusField] = employment;
    return record;
  };
}

/**
 * Blank text and "no date" values (`0000-00-00`) are empty. Numbers become text, because the same field may be
 * either.
 */
function plainValue(value: unknown): unknown {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return value;
  if (value.trim() === '') return null;
  return /^\d{4}-\d{2}-\d{2}$/.test(value) ? plainDate(value) : value;
}

/** BambooHR's data about an employment. Undefined is not visible, null is known to be empty. */
interface EmploymentFacts {
  /** `Active` or `Inactive`. */
  readonly status: unknown;
  readonly employmentStatus: unknown;
  /** Plain dates; other values count as none. */
  readonly hireDate: unknown;
  readonly terminationDate: unknown;
}

/** Meaning of an account's employment statuses, by name, ignoring case. */
type StatusMap = ReadonlyMap<string, EmploymentStatus>;

export function compileStatusMap(map: Readonly<Record<string, EmploymentStatus>>): StatusMap {
  return new Map(Object.entries(map).map(([name, status]) => [wordOf(name), status]));
}

/**
 * Returns the status of a person. The first row that matches:
 *
 * | status   | employment status             | dates                     | becomes      |
 * |----------|-------------------------------|---------------------------|--------------|
 * | unseen   | any                           | any                       | undefined    |
 * | Inactive | mapped to terminated          | hired after today         | terminated   |
 * | Inactive | any                           | left, hired after today   | terminated   |
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
  const hasLeft = status === 'inactive' && (mapped === 'terminated' || (left !== '' && left <= today));
  if (dayOf(facts.hireDate) > today) return hasLeft ? 'terminated' : 'prehire';
  if (mapped === 'leave' || mapped === 'suspended') return mapped;
  if (status === 'inactive') return hasLeft ? 'terminated' : 'unknown';
  return status === 'active' ? 'active' : 'unknown';
}

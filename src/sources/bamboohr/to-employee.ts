import { plainDate } from '../kit/dates.ts';
import { statusField } from '../kit/employment-status.ts';
import { compileStatusMap, employeeStatus } from './employment-status.ts';
import type { BamboohrConfig } from './schema.ts';

type Fields = Readonly<Record<string, unknown>>;

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

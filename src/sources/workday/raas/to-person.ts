import { plainDate, statusField } from '../../kit/status.ts';
import type { Fields } from '../../kit/tally.ts';
import type { RaasConfig } from '../config.ts';
import { employmentStatus, readBoolean } from '../status.ts';

/** Turns rows of one report into records. */
export interface RowReader {
  /** Returns the listed columns, null where Workday omitted them, and the derived status. */
  read(row: Fields): Fields;
  /** Listed columns that no row had. */
  neverSeen(): readonly string[];
}

/** `today` is a plain date, for the status. */
export function openRowReader({ columns, status }: RaasConfig, today: string): RowReader {
  const unseen = new Set(columns);
  const listed = new Set(columns);
  return {
    neverSeen: () => [...unseen],
    read(row) {
      for (const column of unseen) if (Object.hasOwn(row, column)) unseen.delete(column);
      const fields: Record<string, unknown> = {};
      for (const column of columns) fields[column] = Object.hasOwn(row, column) ? plainValue(row[column]) : null;
      const said = (column: string): unknown => (listed.has(column) ? fields[column] : undefined);
      fields[statusField] = employmentStatus(
        {
          active: readBoolean(said(status.active)),
          terminated: readBoolean(said(status.terminated)),
          onLeave: readBoolean(said(status.onLeave)),
          hireDate: plainDate(said(status.hireDate)),
          terminationDate: plainDate(said(status.terminationDate)),
        },
        today,
      );
      return fields;
    },
  };
}

/** Names that every record has. */
export function reportFields({ columns }: RaasConfig): readonly string[] {
  return [...columns, statusField];
}

/** Listed columns that the status is derived from. */
export function statusColumns({ columns, status }: RaasConfig): readonly string[] {
  return Object.values(status).filter((column) => columns.includes(column));
}

/** `2025-03-17-08:00` is Workday's form of a date. Instants and other texts stay unchanged. Blank is empty. */
function plainValue(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (value.trim() === '') return null;
  return /^\d{4}-\d{2}-\d{2}(?:Z|[+-]\d{2}:\d{2})?$/.test(value) ? plainDate(value) : value;
}

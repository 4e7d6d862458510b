import { type FieldName, fieldTraits } from '../person/fields.ts';
import { carriedValue, fileColumns } from '../run/batch.ts';
import type { Dialect } from '../run/settings.ts';
import { type Change, platformKey } from './change.ts';

/** A partial-provisioning file before it is written: header and rows of cells (contract, POST admin/userFiles). */
export interface FileRows {
  readonly header: readonly string[];
  readonly rows: Iterable<readonly string[]>;
}

/** Builds the rows of one file. Iterating the rows throws for a remove, because files cannot carry it. */
export function buildFileRows(changes: readonly Change[], dialect: Dialect): FileRows {
  const columns = fileColumns(changes, dialect);
  const plain = columns.filter((name) => !name.startsWith('customField'));
  const custom = columns.filter((name) => name.startsWith('customField'));
  function* rows(): Generator<readonly string[]> {
    for (const change of changes) {
      const cells = (names: readonly FieldName[]) => names.map((name) => cellOf(change, name, dialect));
      yield [commandOf(change, dialect), ...cells(plain), platformKey(change), ...cells(custom)];
    }
  }
  return { header: ['command', ...plain, 'identification', ...custom], rows: rows() };
}

function cellOf(change: Change, name: FieldName, dialect: Dialect): string {
  const value = carriedValue(change, name);
  return fieldTraits(name).isDate ? formatDate(value, dialect.csv.dateFormat) : value;
}

/** Formats `YYYY-MM-DD` in the dialect's date format: the letters `yyyy`, `MM` and `dd` in any order. */
export function formatDate(value: string, format: string): string {
  const [year, month, day] = value.split('-');
  if (year === undefined || month === undefined || day === undefined) return value;
  return format.replace('yyyy', year).replace('MM', month).replace('dd', day);
}

function commandOf(change: Change, dialect: Dialect): 'I' | 'U' | 'D' {
  switch (change.kind) {
    case 'create':
      return 'I';
    case 'update':
      return 'U';
    case 'enable':
      return dialect.enableBy;
    case 'disable':
      return 'D';
    case 'remove':
      throw new RangeError('a remove cannot be written to a file');
  }
}

import type { SourceRecord } from '../../core/person/person.ts';
import type { CsvRow } from './rows/row-parser.ts';

/** Makes the records of a file's rows. */
export interface ToEmployee {
  /** Returns the record of a row that has a cell for each column. */
  of(row: CsvRow, at: string): SourceRecord;
  /** What was unusual about the cells, without values. */
  notes(): readonly string[];
}

export function openToEmployee(columns: readonly string[]): ToEmployee {
  let unwrapped = 0;
  return {
    of({ cells }, at) {
      const fields: Record<string, string> = {};
      // An index loop: this runs for every cell of the file.
      for (let index = 0; index < columns.length; index++) {
        const cell = cells[index] ?? '';
        const isWrapped = cell.charCodeAt(0) === equalsSign && textFormula.test(cell);
        if (isWrapped) unwrapped++;
        fields[columns[index] ?? ''] = isWrapped ? cell.slice(2, -1).replaceAll('""', '"') : cell;
      }
      return { at, fields };
    },
    notes() {
      if (unwrapped === 0) return [];
      const cells = unwrapped === 1 ? '1 cell was' : `${unwrapped} cells were`;
      return [`${cells} written for a spreadsheet, as ="…"; the text between the quotes is used`];
    },
  };
}

const equalsSign = 0x3d;
/** Cells that exports write so that a spreadsheet keeps leading zeros: `="001234"`. */
const textFormula = /^="(?:[^"]|"")*"$/;

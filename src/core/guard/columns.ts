import type { FieldName } from '../person/fields.ts';
import { countOf } from '../run/formats.ts';
import type { CellUse } from '../run/refusal.ts';

/**
 * A column is evidence about its cells: where many of them became unreadable, the others were probably read wrongly, as
 * dates in another order of day and month. One bad cell shows only its own trouble.
 */

/** How many cells of each use a read could not read. */
export type UnreadableCells = Readonly<Partial<Record<CellUse, number>>>;

export interface UnreadableColumn {
  readonly count: number;
  readonly cause: string;
  /** The number of cells that show another encoding than the one that the file was read in. */
  readonly misread: number;
}

export interface ColumnFacts {
  readonly people: number;
  /** The unreadable cells of a use, and why: `hired is not a date in the format dd/MM/yyyy`. */
  readonly unreadable: Readonly<Partial<Record<CellUse, UnreadableColumn>>>;
  /** The last accepted read; undefined at the first run and for reads that are not full. */
  readonly previous: { readonly rows: number; readonly cells: UnreadableCells } | undefined;
  /** The date format of each use that is a date: columns of one export are written in one order. */
  readonly formats: Readonly<Partial<Record<CellUse, string>>>;
}

export interface ColumnDoubts {
  /** Mapped fields whose updates are held. */
  readonly fields: readonly { readonly field: FieldName; readonly reason: string }[];
  /** Why no account may be disabled by the last day of work alone. */
  readonly leaveDate?: string;
  /** Why no text of this read may be written: it was read in a wrong encoding. */
  readonly encoding?: string;
}

const dates: readonly CellUse[] = ['birthDate', 'orgEntryDate', 'hireDate', 'leaveDate'];
const fewest = 2;
const share = 0.02;

function isMany(count: number, rows: number): boolean {
  return count > fewest && count > share * rows;
}

/** Returns which columns of a full read are in doubt. */
export function doubtColumns({ people, unreadable, previous, formats }: ColumnFacts): ColumnDoubts {
  // Other texts of the file are read wrongly too, and only look like words.
  const misread = Object.values(unreadable).find((column) => isMany(column?.misread ?? 0, people));
  const encoding = misread === undefined ? {} : { encoding: misread.cause };
  if (previous === undefined) return { fields: [], ...encoding };
  const { rows, cells } = previous;
  const reasons = new Map<CellUse, string>();
  for (const [use, { count, cause }] of Object.entries(unreadable) as [CellUse, UnreadableColumn][]) {
    const isDate = dates.includes(use) || formats[use] !== undefined;
    if (!isDate || !isMany(count, people) || isMany(cells[use] ?? 0, rows)) continue;
    reasons.set(use, `${cause}, in ${countOf(count, 'row')}; fewer were unreadable in the last accepted read`);
  }
  const own = reasons.get('leaveDate');
  const [sibling] = [...reasons].filter(([use]) => isSameOrder(formats[use], formats.leaveDate));
  const leaveDate = own ?? sibling?.[1];
  const fields = [...reasons].flatMap(([use, reason]) =>
    use === 'hireDate' || use === 'leaveDate' || use === 'timezone' ? [] : [{ field: use, reason }],
  );
  return { fields, ...encoding, ...(leaveDate === undefined ? {} : { leaveDate }) };
}

/** Whether two columns have one format in which day and month can be confused. */
function isSameOrder(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && one === other && /[dM]+[^A-Za-z]+[dM]+/.test(one) && !one.startsWith('yyyy');
}

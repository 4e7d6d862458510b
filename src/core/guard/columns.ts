import type { FieldName } from '../person/fields.ts';
import type { Person } from '../person/person.ts';
import { countOf, percent } from '../run/formats.ts';
import type { CellUse } from '../run/refusal.ts';
import { type DecidingColumns, doubtDeciding } from './deciding-columns.ts';

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

/** The share of people with a value, of the columns that decide who works here. */
export type FilledColumns = Readonly<Partial<Record<'hireDate' | 'leaveDate', number>>>;

export interface ColumnFacts {
  readonly people: number;
  /** The unreadable cells of a use, and why: `hired is not a date in the format dd/MM/yyyy`. */
  readonly unreadable: Readonly<Partial<Record<CellUse, UnreadableColumn>>>;
  /** The last accepted read; undefined at the first run and for reads that are not full. */
  readonly previous:
    | {
        readonly rows: number;
        readonly cells: UnreadableCells;
        readonly filled?: FilledColumns;
        readonly deciding?: DecidingColumns;
      }
    | undefined;
  readonly filled: FilledColumns;
  readonly deciding?: DecidingColumns;
  /** How far a share may fall (percentage points): `guards.fillRateDownPoints`. */
  readonly mayFall: number;
  /** The uses of dates of which no cell shows the order of day and month. */
  readonly untold: readonly CellUse[];
  /** The date format of each use that is a date: columns of one export are written in one order. */
  readonly formats: Readonly<Partial<Record<CellUse, string>>>;
}

export interface ColumnDoubts {
  /** Mapped fields whose updates are held. */
  readonly fields: readonly { readonly field: FieldName; readonly reason: string }[];
  /** Why no account may be disabled by the last day of work alone. */
  readonly leaveDate?: string;
  /** Why no person is disabled by a last day of work that has not passed with day and month exchanged. */
  readonly leaveOrder?: string;
  /** Why no person begins whose first day of work has not come with day and month exchanged. */
  readonly hireOrder?: string;
  /** Why no account may be created or enabled: what shows who works here is gone from most rows. */
  readonly emptied?: string;
  /** A column that decides who works here is among it, so no person is disabled or removed either. */
  readonly isDecidingDamaged?: true;
  /** Why no text of this read may be written: it was read in a wrong encoding. */
  readonly encoding?: string;
}

const dates: readonly CellUse[] = ['birthDate', 'orgEntryDate', 'hireDate', 'leaveDate'];
const fewest = 2;
const share = 0.02;

function isMany(count: number, rows: number): boolean {
  return count > fewest && count > share * rows;
}

/** Watches which columns of dates show the order of day and month: a day above 12 shows it. */
export function openOrders(formats: ColumnFacts['formats']): {
  see(person: Person): void;
  untold(): readonly CellUse[];
} {
  const all = (Object.entries(formats) as [CellUse, string][]).filter(([, format]) => hasOrder(format));
  const filled = new Set<CellUse>();
  let open = all;
  return {
    see(person) {
      for (const [use, format] of open) {
        const date = dateOf(person, use);
        if (date === undefined || date === '') continue;
        filled.add(use);
        // Columns of one export are written in one order.
        if (date.slice(8, 10) > '12') open = open.filter((one) => one[1] !== format);
      }
    },
    untold: () => open.map(([use]) => use).filter((use) => filled.has(use)),
  };
}

function dateOf({ fields, hires, leaves }: Person, use: CellUse): string | undefined {
  if (use === 'hireDate') return hires;
  return use === 'leaveDate' ? leaves : use === 'timezone' ? undefined : fields[use];
}

/** Returns which columns of a full read are in doubt. */
export function doubtColumns(facts: ColumnFacts): ColumnDoubts {
  return { ...doubtUnreadable(facts), ...doubtOrder(facts), ...doubtFilled(facts) };
}

function doubtOrder({ untold, formats }: ColumnFacts): Pick<ColumnDoubts, 'leaveOrder' | 'hireOrder'> {
  const why = (format = ''): string =>
    `no date in the format ${format} has a day above 12, so the order of day and month is not proven`;
  return {
    ...(untold.includes('leaveDate') ? { leaveOrder: why(formats.leaveDate) } : {}),
    ...(untold.includes('hireDate') ? { hireOrder: why(formats.hireDate) } : {}),
  };
}

/** Who works here is known only as long as the columns that show it are filled, and show it of the same people. */
function doubtFilled({
  previous,
  filled,
  deciding = {},
  mayFall,
}: ColumnFacts): Pick<ColumnDoubts, 'emptied' | 'isDecidingDamaged'> {
  const before = Object.entries(previous?.filled ?? {}) as [keyof FilledColumns, number][];
  const fallen = before.filter(([use, share]) => (share - (filled[use] ?? 0)) * 100 > mayFall + 1e-9);
  const damaged = Object.entries(deciding).flatMap(
    ([path, column]) => doubtDeciding(path, column, previous?.deciding?.[path], mayFall) ?? [],
  );
  const emptied = fallen.map(
    ([use, share]) =>
      `lifecycle.${use} is filled for ${percent(filled[use] ?? 0)} of the people, down from ${percent(share)}. Check whether a permission or a column was removed in the HR system`,
  );
  if (emptied.length + damaged.length === 0) return {};
  const told = [...emptied, ...damaged].join('; ');
  return { emptied: told, ...(damaged.length === 0 ? {} : { isDecidingDamaged: true as const }) };
}

function doubtUnreadable({ people, unreadable, previous, formats }: ColumnFacts): ColumnDoubts {
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
  return one !== undefined && one === other && hasOrder(one);
}

/** Whether a format has day and month as numbers, in an order that other exports exchange. */
function hasOrder(format: string): boolean {
  return /d/.test(format) && /(?:^|[^M])M{1,2}(?:[^M]|$)/.test(format) && !/^y+\W?M/.test(format);
}

import { isEmailAddress } from '../person/cell.ts';
import { compileDateFormat, type DateFormat } from '../person/plain-date.ts';
import { TextHash } from '../person/text.ts';
import data from './known-forms.json' with { type: 'json' };

/** What the cells of one column look like, over a whole read. Holds no values of people, except few that repeat. */
export interface Column {
  /** As a mapping writes it: dots reach inside. */
  readonly path: string;
  /** As an expression writes it. */
  readonly term: string;
  readonly filled: number;
  /** Number of cells whose value an earlier cell had. Undefined where so many repeat that the column is no key. */
  readonly repeated: number | undefined;
  /** How many cells are e-mail addresses, digits alone, words without a digit, two words or more. */
  readonly emails: number;
  readonly digits: number;
  readonly words: number;
  readonly several: number;
  /** How many have a comma inside, as in `Álvarez, Ana`. */
  readonly commas: number;
  readonly dates: ColumnDates | undefined;
  /** How many cells cannot be used. */
  readonly damaged: number;
  /** How often each value occurs; undefined where there are more values than a status has. */
  readonly values: ReadonlyMap<string, number> | undefined;
}

/** The date formats that fit most cells of a column. */
export interface ColumnDates {
  /** One, or two that nothing tells apart: day and month can be exchanged in every cell. */
  readonly formats: readonly string[];
  /** Whether the cells are digits alone, so that they can be no dates at all. */
  readonly isNumeric: boolean;
  readonly fits: number;
  /** Cells that are a date in no way, and are not blank. */
  readonly others: number;
  /** Cells with a day above 12, which prove the order of day and month. 0 where the format does not need a proof. */
  readonly proofs: number;
}

/** Formats of digits alone, with what their cells look like in our time. Other numbers would be dates too. */
const numericDates = new Map(Object.entries(data.numericDates).map(([format, cell]) => [format, new RegExp(cell)]));
/** A strict format comes before those that read its cells too. */
const dateFormats = [...data.dates, ...numericDates.keys()].map((pattern) => compileDateFormat(pattern));

/** Formats that differ from another one only by the order of day and month. */
function otherOrderOf(pattern: string): string {
  return pattern.replace(/d+|M+/g, (letters) => (letters.startsWith('d') ? 'M' : 'd').repeat(letters.length));
}

/** A cell that may be a date: it begins as one. */
export const mayBeDate = /^(?:-?\d|[A-Za-z]{3,9}\.? \d|\\?\/Date\().*\d/;
/** A writer that writes zeros before days and months shows one sooner or later. */
const leadingZero = /^0\d\D|[-/. ]0\d(?:\D|$)|[年月]0\d/;

/** So many cells show which formats a column has. The others only confirm or refute these. */
const firstCells = 200;
const mostValues = 40;
/** A longer value is no status. */
const longestValue = 60;
/** Values of one column that are kept to find repetitions. Later ones are not compared. */
const mostKept = 500_000;

interface TriedFormat {
  readonly format: DateFormat;
  fits: number;
  proofs: number;
}

/** Counts the cells of one column. `see` gets normal text that is not blank. */
export function openColumn(path: string, term: string) {
  const hash = new TextHash();
  const counts = { filled: 0, emails: 0, digits: 0, words: 0, several: 0, commas: 0, damaged: 0 };
  let formats: TriedFormat[] = [];
  let [noDates, none, zeros] = [0, 0, 0];
  let kept: Set<number> | undefined = new Set();
  let repeated = 0;
  let values: Map<string, number> | undefined = new Map();

  const seeDate = (text: string): void => {
    if (counts.filled === 1) formats = dateFormats.map((format) => ({ format, fits: 0, proofs: 0 }));
    if (formats.length === 0) return;
    let isDate = false;
    let isNone = false;
    const fit: typeof formats = [];
    if (text.length <= 40 && (mayBeDate.test(text) || text === '0')) {
      if (leadingZero.test(text)) zeros += 1;
      for (const one of formats) {
        const date = numericDates.get(one.format.pattern)?.test(text) === false ? undefined : one.format.parse(text);
        if (date === '') isNone = true;
        if (date === undefined || date === '') continue;
        one.fits += 1;
        isDate = true;
        if (Number(date.slice(8)) > 12) fit.push(one);
      }
    }
    for (const one of fit) one.proofs += 1;
    if (isNone && !isDate) none += 1;
    else if (!isDate) noDates += 1;
    // Most columns hold no dates, and most formats do not fit those that do.
    if (counts.filled === firstCells) {
      const most = Math.max(...formats.map(({ fits }) => fits));
      formats = most * 2 < firstCells - none ? [] : formats.filter(({ fits }) => fits * 2 >= most);
    }
  };

  const seeValue = (text: string): void => {
    if (kept !== undefined) {
      const { hi, lo } = hash.of(text);
      const key = (hi >>> 0) * 0x200000 + (lo >>> 11);
      if (kept.has(key)) repeated += 1;
      else if (kept.size < mostKept) kept.add(key);
      if (repeated > 20 && repeated * 20 > counts.filled) kept = undefined;
    }
    if (values === undefined) return;
    const known = values.get(text);
    if (known === undefined && (values.size === mostValues || text.length > longestValue)) values = undefined;
    else values.set(text, (known ?? 0) + 1);
  };

  return {
    /** Counts a cell that a program damaged: a shortened number, a wrong encoding, the error of a formula. */
    refuse(): void {
      counts.damaged += 1;
    },
    see(text: string): void {
      counts.filled += 1;
      if (isEmailAddress(text)) counts.emails += 1;
      else if (/^\d+$/.test(text)) counts.digits += 1;
      else if (!/\d/.test(text)) counts.words += 1;
      if (/\S\s+\S/.test(text)) counts.several += 1;
      if (/\S,\s*\S/.test(text)) counts.commas += 1;
      seeDate(text);
      seeValue(text);
    },
    result(): Column {
      return {
        path,
        term,
        ...counts,
        repeated: kept === undefined ? undefined : repeated,
        dates: datesOf(formats, noDates, zeros),
        values,
      };
    },
  };
}

/**
 * A column is one of dates if most of its cells are. The format that fits the most cells is taken: the one with zeros
 * before days and months, if a cell shows such a zero.
 */
function datesOf(formats: readonly TriedFormat[], others: number, zeros: number): ColumnDates | undefined {
  const fits = Math.max(0, ...formats.map((one) => one.fits));
  if (fits === 0 || fits < others) return undefined;
  const best = formats.filter((one) => one.fits === fits);
  const loose = zeros > 0 ? undefined : best.find(({ format }) => /(?:^|[^d])d(?!d)/.test(format.pattern));
  const first = loose ?? best[0];
  if (first === undefined) return undefined;
  const { pattern } = first.format;
  const swapped = otherOrderOf(pattern);
  const hasOrder = /^[dM]/.test(pattern) && !pattern.includes('MMM');
  const isOpen = hasOrder && best.some(({ format }) => format.pattern === swapped);
  const isNumeric = numericDates.has(pattern);
  return {
    ...{ formats: isOpen ? [pattern, swapped] : [pattern], isNumeric, fits, others },
    proofs: hasOrder ? first.proofs : 0,
  };
}

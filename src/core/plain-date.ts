/** Dates without time and zone. A plain date is the text `YYYY-MM-DD`, so two plain dates compare as strings. */

/** The date format of a source. */
export interface DateFormat {
  /** The format as configured, for messages. */
  readonly pattern: string;
  /**
   * Returns the plain date; `''` for a date that means *none* (see `isSentinel`); undefined when the text does not
   * match the format or the day does not exist. The text must be trimmed.
   */
  parse(text: string): string | undefined;
}

/** Returns why a text is not a date of the format, without the text itself. */
export function dateProblem(text: string, { pattern }: DateFormat): string {
  // Days since 1899-12-30, as spreadsheets store dates: 20000 is a day of 1954, 79999 one of 2119.
  if (/^[2-7]\d{4}(?:[.,]\d+)?$/.test(text)) {
    return `is a spreadsheet's day number instead of a date in the format ${pattern}: export the column as a date or as text`;
  }
  return `is not a date in the format ${pattern}`;
}

export const isoDatePattern = 'yyyy-MM-dd';

/**
 * Compiles a format in the letters of Unicode TR 35: `yyyy`, `MM` `M` `MMM` `MMMM` (English names), `dd` `d`, and `HH`
 * `H` `mm` `ss` `SSS`, which are checked and dropped. Text between single quotes is literal. A two-digit year is
 * refused: 55 can be a birth in 1955 or a contract until 2055. Throws RangeError with the reason.
 */
export function compileDateFormat(pattern: string): DateFormat {
  const groups: DatePart[] = [];
  const source = tokensOf(pattern)
    .map((token) => sourceOf(token, pattern, groups))
    .join('');
  for (const part of ['year', 'month', 'day'] as const) {
    const times = groups.filter((group) => group === part).length;
    if (times !== 1) throw new RangeError(`date format ${pattern} names the ${part} ${times} times, expected once`);
  }
  const expression = new RegExp(`^${source}$`, 'i');
  const yearAt = groups.indexOf('year') + 1;
  const monthAt = groups.indexOf('month') + 1;
  const dayAt = groups.indexOf('day') + 1;
  return {
    pattern,
    parse(text) {
      const match = expression.exec(text);
      if (match === null) return undefined;
      return plainDate(Number(match[yearAt]), monthNumber(match[monthAt] ?? ''), Number(match[dayAt]));
    },
  };
}

type DatePart = 'year' | 'month' | 'day';

const monthNames = 'january|february|march|april|may|june|july|august|september|october|november|december'.split('|');

const letters: Readonly<Record<string, { readonly source: string; readonly part?: DatePart }>> = {
  yyyy: { source: '(\\d{4})', part: 'year' },
  MMMM: { source: `(${monthNames.join('|')})`, part: 'month' },
  MMM: { source: `(${monthNames.map((name) => name.slice(0, 3)).join('|')}|sept)`, part: 'month' },
  MM: { source: '(\\d{2})', part: 'month' },
  M: { source: '(\\d{1,2})', part: 'month' },
  dd: { source: '(\\d{2})', part: 'day' },
  d: { source: '(\\d{1,2})', part: 'day' },
  HH: { source: '(?:[01]\\d|2[0-3])' },
  H: { source: '(?:[01]?\\d|2[0-3])' },
  mm: { source: '[0-5]\\d' },
  ss: { source: '[0-5]\\d' },
  SSS: { source: '\\d{3}' },
};

/** Splits a pattern into runs of one letter, quoted text, and single other characters. */
function tokensOf(pattern: string): readonly string[] {
  return pattern.match(/'[^']*'|([A-Za-z])\1*|[\s\S]/g) ?? [];
}

function sourceOf(token: string, pattern: string, groups: DatePart[]): string {
  if (token.length > 1 && token.startsWith("'")) return literal(token.slice(1, -1));
  if (!/^[A-Za-z]/.test(token)) return literal(token);
  const letter = Object.hasOwn(letters, token) ? letters[token] : undefined;
  if (letter === undefined) {
    const why = token === 'yy' ? 'a year of two digits cannot be told apart (1955 or 2055)' : 'is not known';
    throw new RangeError(
      `date format ${pattern}: ${token} ${why}; known are ${Object.keys(letters).join(', ')}; quote other letters like 'T'`,
    );
  }
  if (letter.part !== undefined) groups.push(letter.part);
  return letter.source;
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function monthNumber(text: string): number {
  const number = Number(text);
  if (!Number.isNaN(number)) return number;
  return monthNames.findIndex((name) => name.startsWith(text.toLowerCase())) + 1;
}

function plainDate(year: number, month: number, day: number): string | undefined {
  if (isSentinel(year, month, day)) return '';
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
}

/**
 * Returns whether the date is one that systems write for *none*: 0000-00-00 (MySQL), years 0 and 1 (.NET), 1753-01-01
 * (SQL Server), 1899-12-30 to 1900-01-01 (days 0 and 1 of spreadsheets), and any day of the year 9999.
 */
function isSentinel(year: number, month: number, day: number): boolean {
  if (year === 0 || year === 1 || year === 9999) return true;
  if (year === 1753 || year === 1900) return month <= 1 && day <= 1;
  return year === 1899 && month === 12 && day >= 30 && day <= 31;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0');
}

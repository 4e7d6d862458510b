import { literal } from '../run/formats.ts';
import { type DateUse, implausibleSide, implausibleYear, isNoDate, isNoDateText } from './cell.ts';

/** Dates without time and zone. A plain date is the text `YYYY-MM-DD`, so two plain dates compare as strings. */

/** Returns the day that an instant belongs to; undefined when that depends on a time zone that is not known. */
export type DayOf = (moment: Moment) => string | undefined;

/** A date with a time and a zone, as written. */
export interface Moment {
  /** Epoch ms. */
  readonly at: number;
  /** The calendar date in the written zone. */
  readonly written: string;
  /** Whether the written time is 00:00: most systems write a date without a time so. */
  readonly isMidnight: boolean;
}

/** Which day a date with a time and a zone means. See `dayRule`. */
export const dateTimeRules = ['auto', 'written', 'local'] as const;
export type DateTimeRule = (typeof dateTimeRules)[number];

/**
 * Returns the rule as a function. `localDay` returns the day in the employee's time zone.
 *
 * | rule    | midnight by its own clock | any other time         |
 * |---------|---------------------------|------------------------|
 * | auto    | the date as written       | the employee's day     |
 * | written | the date as written       | the date as written    |
 * | local   | the employee's day        | the employee's day     |
 */
export function dayRule(rule: DateTimeRule, localDay: (at: number) => string | undefined): DayOf {
  return ({ at, written, isMidnight }) =>
    rule === 'written' || (rule === 'auto' && isMidnight) ? written : localDay(at);
}

/** The day in UTC, where nothing else is configured. */
export const utcDayOf: DayOf = dayRule('auto', (at) => writtenDate(at));

/** The date format of a source. */
export interface DateFormat {
  /** The format as configured, for messages. */
  readonly pattern: string;
  /** Whether the format has a zone, so that `parse` needs the day of an instant. */
  readonly isInstant: boolean;
  /**
   * Returns the plain date; `''` for a date that means *none* in whatever format (see `isNoDate`); undefined when the
   * text does not match the format, the day does not exist, its year cannot be meant, or `dayOf` cannot tell. The text
   * must be trimmed.
   */
  parse(text: string, dayOf?: DayOf): string | undefined;
  /** Returns whether the text fits the format in a year that cannot be meant, and on which side. */
  isImplausible(text: string): 'early' | 'late' | undefined;
}

/** Returns why a text is not a date of the format, without the text itself. */
export function dateProblem(text: string, { pattern, isInstant, parse, isImplausible }: DateFormat): string {
  if (isImplausible(text) !== undefined) return implausibleYear;
  // Days since 1899-12-30, as spreadsheets store dates: 20000 is a day of 1954, 79999 one of 2119.
  if (/^[2-7]\d{4}(?:[.,]\d+)?$/.test(text)) {
    return `is a spreadsheet's day number instead of a date in the format ${pattern}: export a date, or set the format sheet-days`;
  }
  if (isInstant && parse(text, ({ written }) => written) !== undefined) {
    return 'is a different day in some time zones, and the time zone is not known (lifecycle.timezone)';
  }
  return `is not a date in the format ${pattern}${betterFormat(text, pattern)}`;
}

/** Returns the format that fits the text, as advice; `''` when none is known. */
function betterFormat(text: string, pattern: string): string {
  if (epochFormats[pattern] !== undefined) return '';
  const time = /^\d{4}-\d\d-\d\d(?:(T| )\d\d:\d\d(:\d\d(?:\.(\d{1,9}))?)?)?(Z|[+-]\d\d:\d\d|[+-]\d{4})?$/.exec(text);
  if (time !== null) {
    const [, between = '', seconds = '', fraction = '', zone = ''] = time;
    const parts = [
      between === '' ? 'yyyy-MM-dd' : `yyyy-MM-dd${between === 'T' ? "'T'" : ' '}HH:mm`,
      seconds === '' ? '' : ':ss',
      fraction === '' ? '' : `.${'S'.repeat(fraction.length)}`,
      zone === '' ? '' : zone.length === 5 ? 'XX' : 'XXX',
    ];
    const fits = parts.join('');
    return fits === pattern ? '' : `, but the format ${fits} fits it`;
  }
  if (/^\d{13}$/.test(text)) return ', but looks like milliseconds since 1970: the format epoch-ms';
  return /^\d{10}$/.test(text) ? ', but looks like seconds since 1970: the format epoch-seconds' : '';
}

interface EpochFormat {
  /** The form of the text. Its first group is the number. */
  readonly pattern: RegExp;
  readonly toMs: (number: number) => number;
  /** Whether it counts days, so that no zone changes the day. */
  readonly isDay?: boolean;
}

const epochNumber = /^(-?\d{1,15}(?:\.\d+)?)$/;
/** Milliseconds from 1601 to 1970. */
const fileTimeStart = 11_644_473_600_000;

/**
 * Formats of instants that are written as numbers. Spreadsheets count days since 1899-12-30. Active Directory counts 100 ns since 1601, and its largest number
 * means never. .NET writes `/Date(1398902400000+0200)/`, whose offset changes nothing of the instant.
 */
const epochFormats: Readonly<Record<string, EpochFormat>> = {
  'epoch-seconds': { pattern: epochNumber, toMs: (number) => number * 1000 },
  'epoch-ms': { pattern: epochNumber, toMs: (number) => number },
  'sheet-days': { pattern: /^(\d{1,6})(?:[.,]\d+)?$/, toMs: (days) => (days - 25_569) * 86_400_000, isDay: true },
  filetime: {
    pattern: /^(\d{1,19})$/,
    toMs: (number) => (number === 0 || number > 9e18 ? 0 : number / 10_000 - fileTimeStart),
  },
  'json-date': { pattern: /^\\?\/Date\((-?\d{1,15})(?:[+-]\d{4})?\)\\?\/$/, toMs: (number) => number },
};

export const isoDatePattern = 'yyyy-MM-dd';

/**
 * Compiles a format in the letters of Unicode TR 35: `yyyy`, `MM` `M` `MMM` `MMMM` (English names), `dd` `d`, the time
 * (`HH` `H` `hh` `h` `a` `mm` `ss`, `S` for each digit of the fraction) and the zone (`X` `XX` `XXX` `Z`, where `Z` in
 * the text is UTC). Without a zone the time is checked and dropped. Text between single quotes is literal. A two-digit
 * year is refused: 55 can be a birth in 1955 or a contract until 2055. A zone without a time is that of the day
 * (`2026-03-31-08:00`). The other formats are numbers of instants (see `epochFormats`), in which 0 means none. Throws
 * RangeError with the reason.
 */
export function compileDateFormat(pattern: string, use: DateUse = 'any'): DateFormat {
  const epoch = Object.hasOwn(epochFormats, pattern) ? epochFormats[pattern] : undefined;
  if (epoch !== undefined) return epochFormat(pattern, epoch, use);
  const groups: DatePart[] = [];
  const source = tokensOf(pattern)
    .map((token) => sourceOf(token, pattern, groups))
    .join('');
  for (const part of ['year', 'month', 'day'] as const) {
    const times = groups.filter((group) => group === part).length;
    if (times === 1) continue;
    const hint = part === 'month' && times === 0 && groups.includes('minute') ? '; mm is minutes, MM is months' : '';
    throw new RangeError(`date format ${pattern} names the ${part} ${times} times, expected once${hint}`);
  }
  const isInstant = groups.includes('zone');
  if (groups.includes('half') !== groups.includes('hour12')) {
    throw new RangeError(`date format ${pattern}: hh and a belong together; HH is the hour from 00 to 23`);
  }
  const expression = new RegExp(`^${source}$`, 'i');
  const at = (match: RegExpExecArray, part: DatePart): string => {
    const place = groups.indexOf(part);
    return place === -1 ? '' : (match[place + 1] ?? '');
  };
  return {
    pattern,
    isInstant,
    isImplausible: (text) => {
      const match = expression.exec(text);
      return match === null ? undefined : implausibleSide(Number(at(match, 'year')));
    },
    parse(text, dayOf = utcDayOf) {
      const match = expression.exec(text);
      const date =
        match === null
          ? undefined
          : plainDate(Number(at(match, 'year')), monthNumber(at(match, 'month')), Number(at(match, 'day')), use);
      if (match === null || date === undefined) return isNoDateText(text, use) ? '' : undefined;
      if (!isInstant || date === '') return date;
      const afternoon = /^p/i.test(at(match, 'half')) ? 12 : 0;
      const hour = groups.includes('half') ? (Number(at(match, 'hour12')) % 12) + afternoon : Number(at(match, 'hour'));
      const time = ((hour * 60 + Number(at(match, 'minute'))) * 60 + Number(at(match, 'second'))) * 1000;
      const instant = Date.parse(`${date}T00:00:00Z`) + time - offsetMs(at(match, 'zone'));
      if (instant === 0 && use === 'work') return '';
      return dayOf({ at: instant, written: date, isMidnight: time === 0 });
    },
  };
}

function epochFormat(
  pattern: string,
  { pattern: written, toMs, isDay = false }: EpochFormat,
  use: DateUse,
): DateFormat {
  const instantOf = (text: string): number | undefined => {
    const [, number] = written.exec(text) ?? [];
    return number === undefined ? undefined : Math.floor(toMs(Number(number)));
  };
  return {
    pattern,
    isInstant: !isDay,
    isImplausible: (text) => {
      const at = instantOf(text);
      const day = at === undefined ? undefined : writtenDate(at);
      return day === undefined ? undefined : implausibleSide(Number(day.slice(0, 4)));
    },
    parse(text, dayOf = utcDayOf) {
      const at = instantOf(text);
      if (at === undefined) return isNoDateText(text, use) ? '' : undefined;
      if (at === 0) return '';
      const date = writtenDate(at);
      if (date === undefined) return undefined;
      const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
      if (isNoDate(year, month, day, use)) return '';
      if (implausibleSide(year) !== undefined) return undefined;
      return isDay ? date : dayOf({ at, written: date, isMidnight: at % 86_400_000 === 0 });
    },
  };
}

/** Returns a plain date with day and month exchanged; undefined where that is no other date. */
export function otherOrder(date: string): string | undefined {
  const [month, day] = [date.slice(5, 7), date.slice(8, 10)];
  return day > '12' || day === month ? undefined : `${date.slice(0, 4)}-${day}-${month}`;
}

/** Returns the UTC date of an instant of our time. */
export function utcDate(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** Returns the UTC date; undefined outside the years 0 to 9999. */
function writtenDate(at: number): string | undefined {
  const date = new Date(at);
  const year = date.getUTCFullYear();
  return year >= 0 && year <= 9999 ? date.toISOString().slice(0, 10) : undefined;
}

function offsetMs(zone: string): number {
  const [, sign = '+', hours = '0', minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

type DatePart = 'year' | 'month' | 'day' | 'hour' | 'hour12' | 'half' | 'minute' | 'second' | 'zone';

const monthNames = 'january|february|march|april|may|june|july|august|september|october|november|december'.split('|');

const letters: Readonly<Record<string, { readonly source: string; readonly part?: DatePart }>> = {
  yyyy: { source: '(\\d{4})', part: 'year' },
  MMMM: { source: `(${monthNames.join('|')})`, part: 'month' },
  MMM: { source: `(${monthNames.map((name) => name.slice(0, 3)).join('|')}|sept)`, part: 'month' },
  MM: { source: '(\\d{2})', part: 'month' },
  M: { source: '(\\d{1,2})', part: 'month' },
  dd: { source: '(\\d{2})', part: 'day' },
  d: { source: '(\\d{1,2})', part: 'day' },
  HH: { source: '([01]\\d|2[0-3])', part: 'hour' },
  H: { source: '([01]?\\d|2[0-3])', part: 'hour' },
  hh: { source: '(0[1-9]|1[0-2])', part: 'hour12' },
  h: { source: '(0?[1-9]|1[0-2])', part: 'hour12' },
  a: { source: '(am|pm|a\\.m\\.|p\\.m\\.)', part: 'half' },
  mm: { source: '([0-5]\\d)', part: 'minute' },
  ss: { source: '([0-5]\\d)', part: 'second' },
  X: { source: '(Z|[+-]\\d{2}(?:\\d{2})?)', part: 'zone' },
  XX: { source: '(Z|[+-]\\d{4})', part: 'zone' },
  XXX: { source: '(Z|[+-]\\d{2}:\\d{2})', part: 'zone' },
  Z: { source: '(Z|[+-]\\d{4})', part: 'zone' },
};

/** Splits a pattern into runs of one letter, quoted text, and single other characters. */
function tokensOf(pattern: string): readonly string[] {
  return pattern.match(/'[^']*'|([A-Za-z])\1*|[\s\S]/g) ?? [];
}

function sourceOf(token: string, pattern: string, groups: DatePart[]): string {
  if (token.length > 1 && token.startsWith("'")) return literal(token.slice(1, -1));
  if (!/^[A-Za-z]/.test(token)) return literal(token);
  if (/^S{1,9}$/.test(token)) return `\\d{${token.length}}`;
  const letter = Object.hasOwn(letters, token) ? letters[token] : undefined;
  if (letter === undefined) {
    const meant = { D: 'days are dd', Y: 'years are yyyy' }[token[0] ?? ''];
    const unknown = meant === undefined ? 'is not known' : `is not known (${meant})`;
    const why = token === 'yy' ? 'is a two-digit year, which is ambiguous (1955 or 2055)' : unknown;
    throw new RangeError(
      `date format ${pattern}: ${token} ${why}; the letters are ${Object.keys(letters).join(', ')}, S; quote other letters like 'T'`,
    );
  }
  if (letter.part !== undefined) groups.push(letter.part);
  return letter.source;
}

function monthNumber(text: string): number {
  const number = Number(text);
  if (!Number.isNaN(number)) return number;
  return monthNames.findIndex((name) => name.startsWith(text.toLowerCase())) + 1;
}

function plainDate(year: number, month: number, day: number, use: DateUse): string | undefined {
  if (isNoDate(year, month, day, use)) return '';
  return implausibleSide(year) === undefined ? existingDate(year, month, day) : undefined;
}

/** Returns the plain date; undefined for a day that no calendar has. */
export function existingDate(year: number, month: number, day: number): string | undefined {
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0');
}

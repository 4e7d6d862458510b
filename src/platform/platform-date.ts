/** `Jan 5, 2021 12:00:00 AM`, also with full month names. Newer Java writes U+202F before AM. The time is ignored. */
const monthNameDate =
  /^([a-z]{3,9})\.? (\d{1,2}),? (\d{4})(?:,? \d{1,2}:\d{2}(?::\d{2})?[ \u00a0\u202f]?(?:am|pm)?)?$/i;
/** `2021-01-05`, also as the start of an ISO 8601 instant. The zone is ignored, because it would change the day. */
const isoDate = /^(\d{4})-(\d{2})-(\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

const monthNames = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];

/**
 * Reads a date as the platform shows it and returns `YYYY-MM-DD`. Returns undefined for an unreadable or impossible
 * date (contract, "User record": the read form "looks like a month-name date with a 12-hour time").
 */
export function readPlatformDate(text: string): string | undefined {
  const iso = isoDate.exec(text);
  if (iso !== null) return existing(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const named = monthNameDate.exec(text);
  if (named === null) return undefined;
  const name = (named[1] ?? '').toLowerCase();
  const month = monthNames.findIndex((full) => name === full || name === full.slice(0, 3)) + 1;
  // `Sept` is the one four-letter abbreviation in use.
  return existing(Number(named[3]), name === 'sept' ? 9 : month, Number(named[2]));
}

function existing(year: number, month: number, day: number): string | undefined {
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

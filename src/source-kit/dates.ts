/** Dates that HR systems write for "never" and "no date". */
const sentinels: ReadonlySet<string> = new Set(['0000-00-00', '9999-12-31', '4712-12-31', '1900-01-01']);

/**
 * The calendar date as it was written: `2014-11-09T00:00:00+01:00` is 2014-11-09, whatever the zone (midnight in a zone is
 * another day in UTC). Null for blank values and for dates that mean none; undefined stays undefined: not visible. What is
 * no date is given back as it is, so that the mapping can name it.
 */
export function plainDate(value: unknown, noDates: ReadonlySet<string> = sentinels): unknown {
  if (value === undefined || value === null) return value;
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (text === '') return null;
  const date = /^\d{4}-\d{2}-\d{2}(?=$|[T Z+-])/.exec(text)?.[0];
  if (date === undefined) return value;
  return noDates.has(date) ? null : date;
}

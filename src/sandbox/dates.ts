const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Formats `2021-01-05` as reads show `orgEntryDate`: `Jan 5, 2021 12:00:00 AM`. Returns other text unchanged. */
export function showLongDate(date: string): string {
  const [year, month, day] = date.split('-');
  const name = months[Number(month) - 1];
  return name === undefined || day === undefined ? date : `${name} ${Number(day)}, ${year} 12:00:00 AM`;
}

/** Formats as `YYYY-MM-DDThh:mm:ss`, UTC. */
export function showDateTime(at: number): string {
  return new Date(at).toISOString().slice(0, 19);
}

/** Formats as `YYYY-MM-DD`, UTC. */
function showDate(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** Parses a date in the given format to `YYYY-MM-DD`. Returns undefined for any other text, and for invalid dates. */
export function readDate(text: string, format: 'yyyy-MM-dd' | 'dd/MM/yyyy' | 'MM/dd/yyyy'): string | undefined {
  const pattern = format.replace(/yyyy|MM|dd/g, (letters) =>
    letters === 'yyyy' ? '(?<year>\\d{4})' : letters === 'MM' ? '(?<month>\\d{2})' : '(?<day>\\d{2})',
  );
  const parts = new RegExp(`^${pattern}$`).exec(text)?.groups;
  if (parts === undefined) return undefined;
  const date = `${parts.year}-${parts.month}-${parts.day}`;
  const at = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(at) || showDate(at) !== date ? undefined : date;
}

import type { MonthLanguage } from '../core/run/settings.ts';

/** Formats `2021-01-05` as reads show `orgEntryDate`: `Jan 5, 2021 12:00:00 AM`. Returns other text unchanged. */
export function showLongDate(date: string, language: MonthLanguage): string {
  const at = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(at)) return date;
  const form = { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' } as const;
  if (language !== 'en') return new Intl.DateTimeFormat(language, form).format(at);
  const [year, month = 1, day] = date.split('-').map(Number);
  return `${months[month - 1]} ${day}, ${year} 12:00:00 AM`;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

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

/* How counts, durations, instants and shell words are written, in messages, reports and alerts alike. */

/** Formats a number and its noun for reasons and findings: `1 change`, `12 changes`. */
export function countOf(value: number, one: string, many = `${one}s`): string {
  return `${value} ${value === 1 ? one : many}`;
}

/** Formats a part of a whole and its verb, which agrees with the part: `1 of 30 rows is`, `2 of 30 rows are`. */
export function outOf(part: number, whole: string, one = 'is', many = 'are'): string {
  return `${part} of ${whole} ${part === 1 ? one : many}`;
}

/** Formats as `12,345`. */
export function formatNumber(value: number): string {
  // Intl.NumberFormat takes as long to load as an empty program.
  return String(value).replace(/(?<!\.\d*)\B(?=(?:\d{3})+(?!\d))/g, ',');
}

/** Formats as `1 change`, `12,345 changes`. */
export function formatCount(value: number, one: string, many = `${one}s`): string {
  return `${formatNumber(value)} ${value === 1 ? one : many}`;
}

/** Returns the shown lines, and a line with the number of the others. */
export function firstOf(lines: readonly string[], inAll: number): readonly string[] {
  const more = inAll - lines.length;
  return more > 0 ? [...lines, `… and ${more} more`] : lines;
}

/** Returns the first names and the number of the others: `E1, E2 and 3 more`. */
export function firstNames(names: readonly string[], shown = 5): string {
  const more = names.length - shown;
  return `${names.slice(0, shown).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const unitMs = { ms: 1, s: secondMs, m: minuteMs, h: hourMs, d: dayMs } as const;
type Unit = keyof typeof unitMs;

/** Format of a duration: a whole number and its unit, `5s`, `30m`, `24h`, `30d`, `250ms`. */
export const durationPattern = /^(\d{1,9})(ms|s|m|h|d)$/;

/** Returns the duration in milliseconds; undefined when the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  const match = durationPattern.exec(text);
  return match === null ? undefined : Number(match[1]) * unitMs[match[2] as Unit];
}

/** Returns how a setting reads a duration within bounds, both included, and the sentence about any other text. */
export function durationWithin(from: string, to: string) {
  const [fromMs = 0, toMs = 0] = [parseDuration(from), parseDuration(to)];
  return {
    sentence: `must be a duration from ${from} to ${to}: a whole number and ms, s, m, h or d`,
    /** Returns milliseconds; undefined for any other text. */
    read(text: string): number | undefined {
      const ms = parseDuration(text);
      return ms !== undefined && ms >= fromMs && ms <= toMs ? ms : undefined;
    },
  };
}

/** Returns why a change is not made during a freeze that ends at the instant (epoch ms). */
export function frozenReason(until: number): string {
  return `waits for the end of the freeze at ${formatInstant(until)}`;
}

const instantForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

/** Parses an ISO 8601 instant with its zone. Returns epoch ms, or undefined for any other text. */
export function parseInstant(text: string): number | undefined {
  const at = instantForm.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

/** Formats the amount, without its sign, as `7 seconds`, `3 minutes`, `25 hours`. */
export function lengthOf(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / secondMs);
  if (seconds < 120) return countOf(seconds, 'second');
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? countOf(minutes, 'minute') : countOf(Math.round(minutes / 60), 'hour');
}

/** Formats as `26 h`, `3 d`, `40 min`, `25 s`: the largest unit of which there are at least two, or seconds. */
export function ageOf(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / secondMs));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`;
}

const units = [
  ['d', dayMs],
  ['h', hourMs],
  ['min', minuteMs],
  ['s', secondMs],
] as const;

/** Writes the value of a unit, for example in the language of a user. */
type WriteUnit = (value: number, unit: (typeof units)[number][0]) => string;

/** Formats a duration in its two largest units: `350 ms`, `12 s`, `3 min 5 s`, `2 d 4 h`. */
export function formatDuration(durationMs: number, write: WriteUnit = (value, unit) => `${value} ${unit}`): string {
  if (durationMs < secondMs) return `${Math.max(0, Math.round(durationMs))} ms`;
  const first = units.findIndex(([, size]) => durationMs >= size);
  const parts = units.slice(first, first + 2).map(([unit, size], index) => {
    const rest = index === 0 ? durationMs : durationMs % (units[first]?.[1] ?? size);
    return [Math.floor(rest / size), unit] as const;
  });
  return parts
    .filter(([value], index) => index === 0 || value > 0)
    .map(([value, unit]) => write(value, unit))
    .join(' ');
}

/** Formats an instant to the second, in UTC: `2026-11-21 19:30:05 UTC`. */
export function formatInstant(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Formats an instant to the minute, in UTC: `2026-11-21 19:30 UTC`. */
export function formatMinute(at: number): string {
  return `${formatInstant(at).slice(0, 16)} UTC`;
}

/** Formats the time of an instant that is near: `19:30:05 UTC`. */
export function formatTime(at: number): string {
  return formatInstant(at).slice(11);
}

/** Formats as ISO 8601 in UTC; an unknown instant is null. */
export function isoInstant(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}

/** Quotes a word for a shell. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Formats a share of 0 to 1. */
export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** Returns the pattern of a regular expression that matches the text itself. */
export function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

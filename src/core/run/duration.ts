import { countOf } from './count-of.ts';

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
type Unit = keyof typeof unitMs;

/** Format of a duration: a whole number and its unit, `5s`, `30m`, `24h`, `30d`, `250ms`. */
export const durationPattern = /^(\d{1,9})(ms|s|m|h|d)$/;

/** Returns the duration in milliseconds; undefined when the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  const match = durationPattern.exec(text);
  return match === null ? undefined : Number(match[1]) * unitMs[match[2] as Unit];
}

/** Formats the amount, without its sign, as `7 seconds`, `3 minutes`, `25 hours`. */
export function lengthOf(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000);
  if (seconds < 120) return countOf(seconds, 'second');
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? countOf(minutes, 'minute') : countOf(Math.round(minutes / 60), 'hour');
}

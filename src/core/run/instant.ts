/** Formats the time of an instant that is near: `19:30:05 UTC`. */
export function formatTime(at: number): string {
  return formatInstant(at).slice(11);
}

/** Formats an instant to the second, in UTC: `2026-11-21 19:30:05 UTC`. */
export function formatInstant(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

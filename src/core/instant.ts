/** Formats an instant to the second, in UTC: `2026-11-21 19:30:05 UTC`. */
export function formatInstant(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

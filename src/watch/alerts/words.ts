/** Returns the shown lines, and a line with the number of the others. */
export function firstOf(lines: readonly string[], inAll: number): readonly string[] {
  const more = inAll - lines.length;
  return more > 0 ? [...lines, `… and ${more} more`] : lines;
}

/** Formats as `26 h`, `3 d`, `40 min`, `25 s`: the largest unit of which there are at least two, or seconds. */
export function ageOf(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`;
}

/** Formats as `2026-11-21 19:30 UTC`. */
export function instantOf(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Renders one command a line, with its reason as a comment of the shell, so that each line can be copied. */
export function commands(...lines: readonly (readonly [command: string, why?: string])[]): string {
  return lines.map(([command, why]) => (why === undefined ? command : `${command}  # ${why}`)).join('\n');
}

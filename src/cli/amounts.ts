const numbers = new Intl.NumberFormat('en-US');

/** Formats as `12,345`. */
export function formatNumber(value: number): string {
  return numbers.format(value);
}

/** Formats as `1 change`, `12 changes`. */
export function formatCount(value: number, one: string, many = `${one}s`): string {
  return `${formatNumber(value)} ${value === 1 ? one : many}`;
}

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Formats a duration in its two largest units: `350 ms`, `12 s`, `3 min 5 s`, `2 d 4 h`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < secondMs) return `${Math.max(0, Math.round(durationMs))} ms`;
  const units: readonly (readonly [string, number])[] = [
    ['d', dayMs],
    ['h', hourMs],
    ['min', minuteMs],
    ['s', secondMs],
  ];
  const first = units.findIndex(([, size]) => durationMs >= size);
  const parts = units.slice(first, first + 2).map(([unit, size], index) => {
    const rest = index === 0 ? durationMs : durationMs % (units[first]?.[1] ?? size);
    return [Math.floor(rest / size), unit] as const;
  });
  return parts
    .filter(([value], index) => index === 0 || value > 0)
    .map(([value, unit]) => `${value} ${unit}`)
    .join(' ');
}

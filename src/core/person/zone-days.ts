/** Determines the current day in a time zone. Zones are IANA names (`America/Montevideo`). */
export interface ZoneDays {
  /** Returns today's plain date in the zone at `now` (epoch ms); undefined for a zone that does not exist. */
  today(zone: string, now: number): string | undefined;
}

const minuteMs = 60_000;

/**
 * Creates a cache of formatters and days. Each zone has one formatter. Its day is computed once per minute, because no
 * day begins within a minute.
 */
export function createZoneDays(): ZoneDays {
  const known = new Map<string, { readonly format: Intl.DateTimeFormat; minute: number; day: string }>();
  return {
    today(zone, now) {
      const minute = Math.floor(now / minuteMs);
      const entry = known.get(zone);
      if (entry !== undefined && entry.minute === minute) return entry.day;
      const format = entry?.format ?? formatFor(zone);
      if (format === undefined) return undefined;
      const day = dayOf(format, now);
      known.set(zone, { format, minute, day });
      return day;
    },
  };
}

/** Returns whether the text names a time zone, not a source field. */
export function isTimeZone(text: string): boolean {
  return formatFor(text) !== undefined;
}

function formatFor(zone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
  } catch {
    return undefined;
  }
}

function dayOf(format: Intl.DateTimeFormat, now: number): string {
  const parts = new Map(format.formatToParts(now).map(({ type, value }) => [type, value]));
  return `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`;
}

import { Refusal } from '../run/refusal.ts';
import type { RecordValue } from '../run/settings.ts';
import type { RecordInput, RecordInputs } from './field-rule.ts';
import { type DateTimeRule, dayRule } from './plain-date.ts';
import { readText } from './text.ts';
import windowsZones from './windows-zones.json' with { type: 'json' };

type Fields = Readonly<Record<string, unknown>>;

/** Today in the employee's zone; the days of the two outermost zones when the zone is not known. */
export interface Days {
  readonly earliest: string;
  readonly latest: string;
  /** Set when the zone of the row cannot be used. The zone then counts as blank. */
  readonly refusal?: Refusal;
}

/** The time zone of each employee. */
export type EmployeeZone = ReturnType<typeof compileZone>;

/** The zones in which a day begins last and first. */
const outermost = { earliest: 'Etc/GMT+12', latest: 'Etc/GMT-14' } as const;

const noSuchZone = new Refusal('no-such-time-zone', 'is not a time zone');

/** Compiles `lifecycle.timezone` and `lifecycle.dateTimes`. */
export function compileZone(
  setting: RecordValue | undefined,
  rule: DateTimeRule,
  inputs: Pick<RecordInputs, 'compile'>,
) {
  const zoneDays = createZoneDays();
  // Dates of records differ from row to row, so the day of each date is formatted again.
  const dateDays = createZoneDays();
  const anywhere = (now: number): Days => {
    return { earliest: dayIn(outermost.earliest, now), latest: dayIn(outermost.latest, now) };
  };
  const dayIn = (zone: string, now: number): string => {
    const day = zoneDays.today(zone, now);
    if (day === undefined) throw new RangeError(`this Node.js does not know the time zone ${zone}`);
    return day;
  };
  if (setting === undefined || (typeof setting === 'string' && isTimeZone(setting))) {
    const zone = setting ?? 'UTC';
    const dayOf = dayRule(rule, (at) => dateDays.today(zone, at));
    // A formatter of Node.js takes 10 ms to make, which is more than the rest of a mapping.
    const today = (now: number): string =>
      zone === 'UTC' ? new Date(now).toISOString().slice(0, 10) : dayIn(zone, now);
    const days = (_: Fields, now: number): Days => sameDay(today(now));
    return { column: undefined, reads: [], days, dayOf: () => dayOf, nameOf: () => zone };
  }
  const input: RecordInput = inputs.compile('lifecycle.timezone', setting);
  return {
    /** Name of the source value that holds the zone; undefined when the settings give the zone itself. */
    column: input.name,
    reads: input.reads,
    /** Returns today in the record's zone, or in the two outermost zones when the zone is blank or does not exist. */
    days(fields: Fields, now: number, computed: readonly unknown[]) {
      const found = zoneOf(input.get(fields, computed));
      if (found instanceof Refusal) return { ...anywhere(now), refusal: found };
      if (found === '') return anywhere(now);
      const today = zoneDays.today(found, now);
      return today === undefined ? { ...anywhere(now), refusal: noSuchZone } : sameDay(today);
    },
    /** Returns the function that gives the day of a date with a time and a zone. */
    dayOf(fields: Fields, computed: readonly unknown[]) {
      const found = zoneOf(input.get(fields, computed));
      return dayRule(rule, (at) => {
        const day = found instanceof Refusal || found === '' ? undefined : dateDays.today(found, at);
        if (day !== undefined) return day;
        const [first, last] = [dateDays.today(outermost.earliest, at), dateDays.today(outermost.latest, at)];
        return first === last ? first : undefined;
      });
    },
    /** Returns the record's zone; where it is not known, the one in which a day ends last. */
    nameOf(fields: Fields, computed: readonly unknown[]) {
      const found = zoneOf(input.get(fields, computed));
      return found instanceof Refusal || found === '' ? outermost.earliest : found;
    },
  };
}

/** Returns the zone as written, `''` for none. */
function zoneOf(value: unknown): string | Refusal {
  if (value instanceof Refusal) return value;
  const reading = readText(value);
  if (reading.kind === 'refused') return reading.refusal;
  return reading.kind === 'absent' ? '' : reading.text;
}

function sameDay(today: string): Days {
  return { earliest: today, latest: today };
}

const minuteMs = 60_000;

/**
 * Creates a cache of formatters and days. Zones are IANA names (`America/Montevideo`) or those of Windows. Each zone has one
 * formatter. Its day is computed once per minute, because no day begins within a minute.
 */
export function createZoneDays() {
  const known = new Map<string, { readonly format: Intl.DateTimeFormat; minute: number; day: string }>();
  return {
    /** Returns today's plain date in the zone at `now` (epoch ms); undefined for a zone that does not exist. */
    today(zone: string, now: number) {
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

/** Returns the first instant after a plain day in a zone (epoch ms). A zone that does not exist counts as the last one. */
export function endOfDay(day: string, zone: string): number {
  const format = formatFor(zone) ?? formatFor(outermost.earliest);
  const noon = Date.parse(`${day}T12:00:00Z`);
  // A day ends at most 14 hours before, and 12 hours after, the day of UTC.
  let [before, after] = [noon - 3 * hourMs, noon + 24 * hourMs];
  while (after - before > minuteMs) {
    const middle = before + Math.floor((after - before) / 2 / minuteMs) * minuteMs;
    if (format !== undefined && dayOf(format, middle) > day) after = middle;
    else before = middle;
  }
  return after;
}

const hourMs = 3_600_000;

/** Returns whether the text names a time zone, not a source field. */
export function isTimeZone(text: string): boolean {
  return formatFor(text) !== undefined;
}

/** Windows and Microsoft 365 have names of their own, such as `W. Europe Standard Time`. */
const ofWindows: ReadonlyMap<string, string> = new Map(Object.entries(windowsZones));

function formatFor(zone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: ofWindows.get(zone) ?? zone,
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

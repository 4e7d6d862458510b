import { Refusal } from '../run/refusal.ts';
import type { RecordValue } from '../run/settings.ts';
import { type DateTimeRule, type DayOf, dayRule } from './plain-date.ts';
import type { RecordInput, RecordInputs } from './record-value.ts';
import { readText } from './text.ts';
import { createZoneDays, isTimeZone } from './zone-days.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Today in the employee's zone; the days of the two outermost zones when the zone is not known. */
export interface Days {
  readonly earliest: string;
  readonly latest: string;
  /** Set when the zone of the row cannot be used. The zone then counts as blank. */
  readonly refusal?: Refusal;
}

/** The time zone of each employee. */
export interface EmployeeZone {
  /** Name of the source value that holds the zone; undefined when the settings give the zone itself. */
  readonly column: string | undefined;
  readonly reads: readonly string[];
  /** Returns today in the record's zone, or in the two outermost zones when the zone is blank or does not exist. */
  days(fields: Fields, now: number, computed: readonly unknown[]): Days;
  /** Returns the function that gives the day of a date with a time and a zone. */
  dayOf(fields: Fields, computed: readonly unknown[]): DayOf;
}

/** The zones in which a day begins last and first. */
const outermost = { earliest: 'Etc/GMT+12', latest: 'Etc/GMT-14' } as const;

const noSuchZone = new Refusal('no-such-time-zone', 'is not a time zone');

/** Compiles `lifecycle.timezone` and `lifecycle.dateTimes`. */
export function compileZone(
  setting: RecordValue | undefined,
  rule: DateTimeRule,
  inputs: Pick<RecordInputs, 'compile'>,
): EmployeeZone {
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
    return { column: undefined, reads: [], days: (_, now) => sameDay(dayIn(zone, now)), dayOf: () => dayOf };
  }
  const input: RecordInput = inputs.compile('lifecycle.timezone', setting);
  return {
    column: input.name,
    reads: input.reads,
    days(fields, now, computed) {
      const found = zoneOf(input.get(fields, computed));
      if (found instanceof Refusal) return { ...anywhere(now), refusal: found };
      if (found === '') return anywhere(now);
      const today = zoneDays.today(found, now);
      return today === undefined ? { ...anywhere(now), refusal: noSuchZone } : sameDay(today);
    },
    dayOf(fields, computed) {
      const found = zoneOf(input.get(fields, computed));
      return dayRule(rule, (at) => {
        const day = found instanceof Refusal || found === '' ? undefined : dateDays.today(found, at);
        if (day !== undefined) return day;
        const [first, last] = [dateDays.today(outermost.earliest, at), dateDays.today(outermost.latest, at)];
        return first === last ? first : undefined;
      });
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

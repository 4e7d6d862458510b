import type { Standing } from './person.ts';
import { compileDateFormat, type DateFormat, dateProblem, isoDatePattern } from './plain-date.ts';
import type { LifecycleSettings } from './settings.ts';
import { compileSourcePath } from './source-path.ts';
import { readText } from './text.ts';
import { createZoneDays, isTimeZone, type ZoneDays } from './zone-days.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Where the employee stands and why, in a sentence for `why`; or the column that cannot be understood. */
export type StandingVerdict =
  | { readonly kind: 'standing'; readonly standing: Standing; readonly reason: string }
  | { readonly kind: 'rejected'; readonly column: string; readonly reason: string };

export interface Lifecycle {
  /** Source fields that are read, as written in the settings. */
  readonly reads: readonly string[];
  /** Judges one record at `now` (epoch ms). */
  judge(fields: Fields, now: number): StandingVerdict;
}

/**
 * Compiles the lifecycle settings. *Today* is the day in the employee's own time zone; the leave date is the last day
 * of work. The first row that matches, from the top:
 *
 * | status              | hire date             | leave date            | standing                                        |
 * |---------------------|-----------------------|-----------------------|-------------------------------------------------|
 * | any                 | any                   | any                   | unknown, if the row's zone does not exist       |
 * | any                 | unreadable            | unreadable            | rejected, naming the column                     |
 * | blank, not visible  | any                   | any                   | unknown                                         |
 * | in neither list     | any                   | any                   | unknown                                         |
 * | leaver              | today or past, none   | today or to come      | active: still working until that day is over    |
 * | leaver              | to come               | today or to come      | future                                          |
 * | leaver              | any                   | past, none            | leaver                                          |
 * | active, not set     | to come               | any                   | future                                          |
 * | active, not set     | after the leave date  | past                  | active: hired again, the leave date is stale    |
 * | active, not set     | other, none           | past                  | leaver                                          |
 * | active, not set     | other, none           | today, to come, none  | active                                          |
 *
 * Status values compare trimmed and without case. A row whose zone is blank is judged for the first and the last zone
 * on earth: where both agree that is the answer, else the standing is unknown. Without settings everyone is active.
 * Throws RangeError for settings that contradict themselves.
 */
export function compileLifecycle(settings: LifecycleSettings | undefined): Lifecycle {
  if (settings === undefined) {
    const everyone = standing('active', 'no lifecycle is configured: everyone in the source is active');
    return { reads: [], judge: () => everyone };
  }
  const status = settings.status === undefined ? undefined : compileStatus(settings, settings.status);
  const format = compileDateFormat(settings.dateFormat ?? isoDatePattern);
  const hireDate = dateReader(settings.hireDate, format);
  const leaveDate = dateReader(settings.leaveDate, format);
  const zone = compileZone(settings.timezone);
  return {
    reads: [settings.status, settings.hireDate, settings.leaveDate, zone.column].filter((name) => name !== undefined),
    judge(fields, now) {
      const days = zone.days(fields, now);
      if (days === undefined) return standing('unknown', `the time zone in ${zone.column} does not exist`);
      const hired = hireDate(fields);
      if (typeof hired === 'object') return hired;
      const left = leaveDate(fields);
      if (typeof left === 'object') return left;
      const said = status?.(fields) ?? withoutStatus;
      if (said.list === 'neither') return said.verdict;
      const earliest = judgeDates(said, hired, left, days.earliest);
      if (days.earliest === days.latest) return earliest;
      const latest = judgeDates(said, hired, left, days.latest);
      if (latest.standing === earliest.standing) return earliest;
      return standing('unknown', `${zone.column} is blank and the standing changes today, depending on the time zone`);
    },
  };
}

type StandingOnly = Extract<StandingVerdict, { kind: 'standing' }>;

interface StatusReading {
  readonly list: 'active' | 'leaver' | 'neither';
  /** The verdict when no date says otherwise. */
  readonly verdict: StandingOnly;
}

const withoutStatus: StatusReading = {
  list: 'active',
  verdict: standing('active', 'employed by the dates, no status is configured'),
};

function judgeDates(said: StatusReading, hired: string, left: string, today: string): StandingOnly {
  const isHiredLater = hired !== '' && today < hired;
  if (said.list === 'leaver') {
    if (left === '' || left < today) return said.verdict;
    if (isHiredLater) return standing('future', `hired for ${hired}, today is ${today}`);
    return standing('active', `${said.verdict.reason}, but the last day of work is ${left} and today is ${today}`);
  }
  if (isHiredLater) return standing('future', `hired for ${hired}, today is ${today}`);
  if (left === '' || today <= left) return said.verdict;
  if (hired > left) return standing('active', `hired again on ${hired}, after the last day of work ${left}`);
  return standing('leaver', `the last day of work was ${left}, today is ${today}`);
}

/** Distinct status values whose reading is remembered; a column of many more is not a status. */
const rememberedStatuses = 1000;

function compileStatus(settings: LifecycleSettings, name: string): (fields: Fields) => StatusReading {
  const active = new Set(settings.active.map(statusKey));
  const leaver = new Set(settings.leaver.map(statusKey));
  const both = settings.leaver.find((text) => active.has(statusKey(text)));
  if (both !== undefined) throw new RangeError(`status ${JSON.stringify(both)} is in both active and leaver`);
  const read = compileSourcePath(name);
  const remembered = new Map<string, StatusReading>();
  const judge = (text: string): StatusReading => {
    const key = statusKey(text);
    if (key === '') return neither(`${name} is blank`);
    const quoted = `${name} ${JSON.stringify(text)}`;
    if (active.has(key)) return { list: 'active', verdict: standing('active', `${quoted} is in active`) };
    if (leaver.has(key)) return { list: 'leaver', verdict: standing('leaver', `${quoted} is in leaver`) };
    return neither(`${quoted} is in neither active nor leaver`);
  };
  return (fields) => {
    const reading = readText(read(fields));
    if (reading.kind === 'absent') return neither(`${name} is not visible`);
    if (reading.kind === 'refused') return neither(`${name} ${reading.reason}`);
    const known = remembered.get(reading.text);
    if (known !== undefined) return known;
    const judged = judge(reading.text);
    if (remembered.size < rememberedStatuses) remembered.set(reading.text, judged);
    return judged;
  };
}

function neither(reason: string): StatusReading {
  return { list: 'neither', verdict: standing('unknown', reason) };
}

/** Reads a date as a plain date; `''` when there is none. */
function dateReader(name: string | undefined, format: DateFormat): (fields: Fields) => string | StandingVerdict {
  if (name === undefined) return () => '';
  const read = compileSourcePath(name);
  return (fields) => {
    const reading = readText(read(fields));
    if (reading.kind === 'refused') return { kind: 'rejected', column: name, reason: reading.reason };
    if (reading.kind === 'absent' || reading.text === '') return '';
    return format.parse(reading.text) ?? { kind: 'rejected', column: name, reason: dateProblem(reading.text, format) };
  };
}

interface Days {
  readonly earliest: string;
  readonly latest: string;
}

interface Zone {
  /** The source field that holds the zone; undefined when the settings name the zone itself. */
  readonly column: string | undefined;
  /** Today in the record's zone, or in the outermost zones when it is blank; undefined when it does not exist. */
  days(fields: Fields, now: number): Days | undefined;
}

/** The zones in which a day begins last and first. */
const outermost = { earliest: 'Etc/GMT+12', latest: 'Etc/GMT-14' } as const;

function compileZone(setting: string | undefined): Zone {
  const zoneDays = createZoneDays();
  if (setting === undefined || isTimeZone(setting)) {
    const zone = setting ?? 'UTC';
    return { column: undefined, days: (_, now) => sameDay(zoneDays, zone, now) };
  }
  const read = compileSourcePath(setting);
  return {
    column: setting,
    days(fields, now) {
      const reading = readText(read(fields));
      if (reading.kind === 'refused') return undefined;
      if (reading.kind === 'text' && reading.text !== '') return sameDay(zoneDays, reading.text, now);
      const earliest = zoneDays.today(outermost.earliest, now);
      const latest = zoneDays.today(outermost.latest, now);
      return earliest === undefined || latest === undefined ? undefined : { earliest, latest };
    },
  };
}

function sameDay(zoneDays: ZoneDays, zone: string, now: number): Days | undefined {
  const today = zoneDays.today(zone, now);
  return today === undefined ? undefined : { earliest: today, latest: today };
}

function statusKey(text: string): string {
  return text.normalize('NFC').trim().toLowerCase();
}

function standing(value: Standing, reason: string): StandingOnly {
  return { kind: 'standing', standing: value, reason };
}

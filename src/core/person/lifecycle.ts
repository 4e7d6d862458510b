import { countOf } from '../run/formats.ts';
import { type CellTrouble, NotedText, Refusal } from '../run/refusal.ts';
import type { LeavesBy, LifecycleSettings, RecordValue } from '../run/settings.ts';
import { compileCell, plainCells } from './cell.ts';
import type { CompiledExpression, ExpressionCompiler } from './field-rule.ts';
import { openRecordInputs, type RecordInput } from './field-rule.ts';
import type { FieldValues } from './fields.ts';
import type { Standing } from './person.ts';
import {
  compileDateFormat,
  type DateFormat,
  type DayOf,
  dateProblem,
  isoDatePattern,
  otherOrder,
  utcDayOf,
} from './plain-date.ts';
import { collapseBreaks, readText } from './text.ts';
import { compileZone, type Days, type EmployeeZone } from './time-zone.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The standing of the employee and its reason: a sentence for `why` and for findings, without values of the row. */
export interface StandingVerdict {
  readonly standing: Standing;
  readonly reason: string;
  /** Cells that cannot be read. The verdict ignores them. */
  readonly troubles?: readonly CellTrouble[];
  /** Why no account may be created or enabled for the person. */
  readonly refusesStart?: string;
  /** The last day of work, if there is one. */
  readonly leaves?: string;
  /** The time zone in which that day ends. Absent: its end does not make the person a leaver. */
  readonly leavesIn?: string;
  /** Only that date shows that the person left. */
  readonly leavesByDate?: true;
  /** The first day of work, if there is one. */
  readonly hires?: string;
  /** With day and month exchanged, that day has not come. */
  readonly hiresLater?: true;
}

type LifecycleKey = 'status' | 'hireDate' | 'leaveDate' | 'timezone';

export interface Lifecycle {
  /** The source fields that are read, as written in the settings. */
  readonly reads: readonly string[];
  /** The source fields that each key reads. */
  readonly readers: readonly (readonly [key: LifecycleKey, reads: readonly string[]])[];
  /** Expressions to evaluate on each record before `judge` and `dayOf`, which get their results in this order. */
  readonly expressions: readonly CompiledExpression[];
  /** Judges one record at `now` (epoch ms). `mapped`: its fields for the platform, whose dates are evidence too. */
  judge(fields: Fields, now: number, computed?: readonly unknown[], mapped?: FieldValues): StandingVerdict;
  /** Returns the function that gives the employee's day of a date with a time and a zone. */
  dayOf(fields: Fields, computed: readonly unknown[]): DayOf;
}

/**
 * Compiles the lifecycle settings. *Today* is the day in the employee's own time zone; the leave date is the last day
 * of work. A status that is blank, not visible or in neither list makes the standing unknown. Whether a person has
 * left:
 *
 * | status         | leave date           | absent  | status | date  | first | last  |  <- `leavesBy`
 * |----------------|----------------------|---------|--------|-------|-------|-------|
 * | leaver         | past, none           | left    | left   | left  | left  | left  |
 * | leaver         | today, future        | stays * | left   | stays | left  | stays |
 * | active         | past                 | left    | stays  | left  | left  | stays |
 * | not configured | past                 | left    | -      | -     | -     | -     |
 * | other          | today, future, none  | stays   | stays  | stays | stays | stays |
 *
 * `*` No account is created or enabled while the status means that the person left. So a leave date that HR moves to
 * the future restores no account.
 *
 * A past leave date before the hire date is stale (hired again) from the hire date on, and counts as none. Until then
 * the person has left. A person who stays is *future* before the hire date, and *active* from that day. Without
 * `hireDate`, a mapped `orgEntryDate` shows only which leave dates are stale.
 *
 * A leave date is unreadable if the status is active and other dates of the row contradict it: the person was a child on
 * that day, or began decades later. Programs write such dates for an empty cell.
 *
 * The derived status `prehire`, in neither list, is *future*, unless the last day of work has passed.
 *
 * An unreadable hire or leave date counts as none, and no account is created or enabled. The standing is unknown when
 * only a past leave date shows that the person left, and the hire date is unreadable.
 *
 * Status values compare trimmed and without case; where none is equal, without accents and marks around them. A row with a blank or unknown zone is judged for the first and the
 * last zone on earth: where both agree that is the verdict, else the standing is unknown. Without settings every
 * employee is active. Throws RangeError for contradictory settings.
 */
export function compileLifecycle(
  settings: LifecycleSettings | undefined,
  compiler?: ExpressionCompiler,
  nulls: ReadonlySet<string> = new Set(),
): Lifecycle {
  if (settings === undefined) {
    const everyone = standing('active', 'no lifecycle is configured: everyone in the source is active');
    return { reads: [], readers: [], expressions: [], judge: () => everyone, dayOf: () => utcDayOf };
  }
  const { leavesBy, dateTimes = 'auto' } = settings;
  if (leavesBy !== undefined && (settings.status === undefined || settings.leaveDate === undefined)) {
    throw new RangeError('leavesBy chooses between status and leaveDate, so both must be configured');
  }
  const inputs = openRecordInputs(compiler);
  const inputOf = (key: LifecycleKey, value: RecordValue | undefined): RecordInput | undefined =>
    value === undefined ? undefined : inputs.compile(`lifecycle.${key}`, value);
  const statusInput = inputOf('status', settings.status);
  const hireInput = inputOf('hireDate', settings.hireDate);
  const leaveInput = inputOf('leaveDate', settings.leaveDate);
  const status = statusInput === undefined ? undefined : compileStatus(settings, statusInput, nulls);
  const format = compileDateFormat(settings.dateFormat ?? isoDatePattern, 'work');
  const hireDate = dateReader(hireInput, format, nulls);
  const leaveFormat = compileDateFormat(settings.leaveDateFormat ?? format.pattern, 'work');
  const leaveDate = dateReader(leaveInput, leaveFormat, nulls);
  const zone = compileZone(settings.timezone, dateTimes, inputs);
  const readers = [
    ['status', statusInput?.reads ?? []],
    ['hireDate', hireInput?.reads ?? []],
    ['leaveDate', leaveInput?.reads ?? []],
    ['timezone', zone.reads],
  ] as const;
  return {
    reads: [...new Set(readers.flatMap(([, reads]) => reads))],
    readers,
    expressions: inputs.expressions,
    dayOf: zone.dayOf,
    judge(fields, now, computed = nothing, mapped = {}) {
      const said = status?.(fields, computed) ?? withoutStatus;
      const days = zone.days(fields, now, computed);
      const place = format.isInstant || leaveFormat.isInstant ? zone.dayOf(fields, computed) : utcDayOf;
      const hired = hireDate(fields, computed, place);
      const entered = hireInput === undefined ? (mapped.orgEntryDate ?? '') : readable(hired);
      const last = leaveDate(fields, computed, place);
      const isRefuted = said.list === 'active' && isNoLastDay(last, { entered, born: mapped.birthDate }, days.latest);
      const left = isRefuted ? noLastDay : last;
      const dates = { hired: readable(hired), entered, left: readable(left), leavesBy };
      const judged = judgeDays(said, dates, days, zone);
      const isDated = typeof left === 'string' && left !== '';
      const ends =
        isDated && endsWork(said, judged, { ...dates, left }) ? { leavesIn: zone.nameOf(fields, computed) } : {};
      const dated = isDated ? { ...judged, ...datedBy(said, judged, left), ...ends } : judged;
      const verdict = typeof hired === 'string' && hired !== '' ? { ...dated, ...hiredBy(judged, hired, days) } : dated;
      const contradiction = contradictionOf(said, verdict, dates, days);
      if (typeof hired === 'string' && typeof left === 'string' && days.refusal === undefined && !contradiction) {
        return verdict;
      }
      const troubles = [
        ...troubleOf('hireDate', hireInput?.name, hired),
        ...troubleOf('leaveDate', leaveInput?.name, contradiction ?? left),
        ...troubleOf('timezone', zone.column, days.refusal),
      ];
      const why = troubles
        .filter(({ field }) => field !== 'timezone')
        .map(({ column, reason }) => `${column} ${reason}`);
      const refuses = why.length === 0 ? {} : { refusesStart: why.join('; ') };
      if (typeof hired !== 'string' && verdict.standing === 'leaver' && said.list !== 'leaver') {
        const reason = `${verdict.reason}, but ${hireInput?.name ?? 'the hire date'} cannot be read, so the person may have been hired again`;
        return { ...standing('unknown', reason), troubles, ...refuses };
      }
      return { ...verdict, troubles, ...refuses };
    },
  };
}

/** The results of a lifecycle without expressions. */
const nothing: readonly unknown[] = [];

interface StatusReading {
  readonly list: 'active' | 'leaver' | 'prehire' | 'neither';
  /** The verdict when no date changes it. */
  readonly verdict: StandingVerdict;
}

const withoutStatus: StatusReading = {
  list: 'active',
  verdict: standing('active', 'employed by the dates, no status is configured'),
};

/** Plain dates, `''` for none. */
interface Dates {
  readonly hired: string;
  /** The day of entry, which is no reason to wait for it: the hire date, or else the mapped `orgEntryDate`. */
  readonly entered: string;
  readonly left: string;
  readonly leavesBy: LeavesBy | undefined;
}

function judgeDays(said: StatusReading, dates: Dates, days: Days, zone: EmployeeZone): StandingVerdict {
  if (said.list === 'neither') return said.verdict;
  const earliest = judgeDates(said, dates, days.earliest);
  if (days.earliest === days.latest) return earliest;
  const latest = judgeDates(said, dates, days.latest);
  if (latest.standing === earliest.standing) return earliest;
  const problem = days.refusal === undefined ? 'is blank' : 'does not exist';
  return standing(
    'unknown',
    `${zone.column} ${problem}, and whether the person is active today depends on the time zone`,
  );
}

function judgeDates(said: StatusReading, { hired, entered, left, leavesBy }: Dates, today: string): StandingVerdict {
  const isPast = left !== '' && left < today;
  const isStale = isPast && left < entered && entered <= today;
  const says = left === '' || isStale ? 'none' : isPast ? 'left' : 'stays';
  const { list, verdict } = said;
  if (hasLeft(list, says, leavesBy)) {
    if (list !== 'leaver') return standing('leaver', 'the last day of work has passed');
    return says === 'stays'
      ? standing('leaver', `${verdict.reason}, although the last day of work has not passed`)
      : verdict;
  }
  if (hired !== '' && today < hired) return standing('future', 'the hire date is in the future');
  if (list === 'prehire') return verdict;
  if (isStale) return standing('active', 'hired again after the last day of work');
  if (list === 'leaver') {
    const reason = `${verdict.reason}, but the last day of work has not passed`;
    if (leavesBy !== undefined) return standing('active', reason);
    return { ...standing('active', reason), refusesStart: `${verdict.reason}, and lifecycle.leavesBy is not set` };
  }
  return says === 'left' ? standing('active', `${verdict.reason}, although the last day of work has passed`) : verdict;
}

function hasLeft(
  list: StatusReading['list'],
  says: 'left' | 'stays' | 'none',
  leavesBy: LeavesBy | undefined,
): boolean {
  const byStatus = list === 'leaver';
  switch (leavesBy) {
    case 'status':
      return byStatus;
    case 'first':
      return byStatus || says === 'left';
    case 'last':
      return byStatus && says !== 'stays';
    case 'date':
    case undefined:
      return says === 'none' ? byStatus : says === 'left';
  }
}

/** Name of the field that holds the status which Rollcall derives, whatever the HR system. */
export const statusField = 'rollcallStatus';

/** The derived status of a person whose first day has not come: a word of ours, which no configuration must name. */
export const prehire = 'prehire';

/** Maximum number of distinct status values that are cached. A column with many more values is not a status. */
const rememberedStatuses = 1000;

function compileStatus(
  settings: LifecycleSettings,
  { name, reads, get }: RecordInput,
  nulls: ReadonlySet<string>,
): (fields: Fields, computed: readonly unknown[]) => StatusReading {
  // A reason quotes the word of the configuration, never the value of the row.
  const active = new Map(settings.active.map((text) => [statusKey(text), text]));
  const leaver = new Map(settings.leaver.map((text) => [statusKey(text), text]));
  const both = settings.leaver.find((text) => active.has(statusKey(text)));
  if (both !== undefined) throw new RangeError(`status ${JSON.stringify(both)} is in both active and leaver`);
  const [looseActive, looseLeaver] = [byLooseKey(settings.active), byLooseKey(settings.leaver)];
  const isDerived = reads.includes(statusField);
  const readCell = compileCell('status', nulls);
  const remembered = new Map<string, StatusReading>();
  const judge = (raw: string): StatusReading => {
    const key = statusKey(raw);
    let [here, gone] = [active.get(key), leaver.get(key)];
    if (here === undefined && gone === undefined) {
      const cell = readCell(raw);
      if (cell instanceof Refusal) return neither(`${name} ${cell.reason}`);
      const loose = looseKey(cell instanceof NotedText ? cell.text : cell);
      if (cell === '' || loose === '') return neither(`${name} is blank`);
      [here, gone] = [looseActive.get(loose), looseLeaver.get(loose)];
      if (here !== undefined && gone !== undefined) [here, gone] = [undefined, undefined];
    }
    if (here !== undefined) {
      return { list: 'active', verdict: standing('active', `${name} is ${JSON.stringify(here)}`) };
    }
    if (gone !== undefined) {
      return { list: 'leaver', verdict: standing('leaver', `${name} is ${JSON.stringify(gone)}`) };
    }
    if (isDerived && key === prehire) {
      return { list: 'prehire', verdict: standing('future', `${name} is "${prehire}"`) };
    }
    return neither(`${name} has a value that is in neither active nor leaver (${classOf(raw)})`);
  };
  return (fields, computed) => {
    const value = get(fields, computed);
    if (value instanceof Refusal) return neither(`${name}: ${value.reason}`);
    const reading = readText(value);
    if (reading.kind === 'absent') return neither(`${name} is not visible`);
    if (reading.kind === 'refused') return neither(`${name} ${reading.refusal.reason}`);
    const known = remembered.get(reading.text);
    if (known !== undefined) return known;
    const judged = judge(reading.text);
    if (remembered.size < rememberedStatuses) remembered.set(reading.text, judged);
    return judged;
  };
}

/** Tells unknown values apart without showing them. */
function classOf(text: string): string {
  if (/^\d+$/.test(text)) return `a number of ${countOf(text.length, 'digit')}`;
  const words = text.split(/\s+/).length;
  return `${words === 1 ? 'a word' : `${words} words`}, ${countOf([...text].length, 'character')}`;
}

function neither(reason: string): StatusReading {
  return { list: 'neither', verdict: standing('unknown', reason) };
}

type DateReader = (fields: Fields, computed: readonly unknown[], dayOf: DayOf) => string | Refusal;

/** Compiles a reader that returns a plain date, or `''` when there is none. */
function dateReader(input: RecordInput | undefined, format: DateFormat, nulls: ReadonlySet<string>): DateReader {
  if (input === undefined) return () => '';
  const readCell = compileCell('date', nulls);
  const isPlain = nulls.size === 0 && format.pattern === isoDatePattern;
  return (fields, computed, dayOf) => {
    const value = input.get(fields, computed);
    if (value === '' || (isPlain && typeof value === 'string' && plainCells.date.test(value))) return value;
    if (value instanceof Refusal) return value;
    const reading = readText(value);
    if (reading.kind === 'refused') return reading.refusal;
    const cell = reading.kind === 'absent' ? '' : readCell(reading.text);
    if (cell === '' || cell instanceof Refusal) return cell;
    const text = typeof cell === 'string' ? cell : cell.text;
    const date = format.parse(text, dayOf);
    if (date !== undefined) return date;
    return new Refusal(format.isImplausible(text) === 'late' ? 'far-date' : 'not-a-date', dateProblem(text, format));
  };
}

/** A year far ahead is no date to act on, but the person was not to leave today. */
const someDayAhead = '9999-12-30';

function readable(date: string | Refusal): string {
  if (typeof date === 'string') return date;
  return date.kind === 'far-date' ? someDayAhead : '';
}

/** Whether the person has left, or will have after the last day of work, if the record stays as it is. */
function endsWork(said: StatusReading, { standing: judged }: StandingVerdict, dates: Dates): boolean {
  return judged === 'leaver' || (judged === 'active' && judgeDates(said, dates, someDayAhead).standing === 'leaver');
}

function datedBy(said: StatusReading, { standing: judged }: StandingVerdict, leaves: string): Partial<StandingVerdict> {
  return judged === 'leaver' && said.list !== 'leaver' ? { leaves, leavesByDate: true } : { leaves };
}

function hiredBy({ standing: judged }: StandingVerdict, hires: string, { latest }: Days): Partial<StandingVerdict> {
  // A person who began in an earlier year began in any order.
  const other = judged === 'active' && hires.slice(0, 4) >= latest.slice(0, 4) ? otherOrder(hires) : undefined;
  return other !== undefined && other > latest ? { hires, hiresLater: true } : { hires };
}

/** Years: younger people do not work, and longer breaks do not end with a return. */
const [tooYoung, longestBreak] = [14, 25];

/** Returns whether other dates of the row show that a person who works here did not leave on this day. */
function isNoLastDay(
  left: string | Refusal,
  { entered, born = '' }: { readonly entered: string; readonly born: string | undefined },
  today: string,
): boolean {
  if (typeof left !== 'string' || left === '') return false;
  const worksSince = entered <= today && yearsFrom(left, entered) > longestBreak;
  return worksSince || (born !== '' && yearsFrom(born, left) < tooYoung);
}

/** Returns the full years between two plain dates. */
function yearsFrom(day: string, other: string): number {
  return Number(other.slice(0, 4)) - Number(day.slice(0, 4)) - (other.slice(4) < day.slice(4) ? 1 : 0);
}

const noLastDay = new Refusal(
  'not-a-date',
  'is contradicted by the other dates of the row (an empty cell may have become a date)',
);

/** Returns why the status and the date cannot both be meant: the person left, and the last day is years ahead. */
function contradictionOf(
  { list }: StatusReading,
  verdict: StandingVerdict,
  { left, leavesBy }: Dates,
  { latest }: Days,
): Refusal | undefined {
  if (list !== 'leaver' || leavesBy !== undefined || verdict.standing === 'leaver' || left === someDayAhead) return;
  const aYearAhead = `${Number(latest.slice(0, 4)) + 1}${latest.slice(4)}`;
  return left > aYearAhead ? yearsAhead : undefined;
}

const yearsAhead = new Refusal('status-and-date', 'is more than a year ahead, but the status says left');

function troubleOf(
  field: CellTrouble['field'],
  column: string | undefined,
  found: string | Refusal | undefined,
): CellTrouble[] {
  if (column === undefined || found === undefined || typeof found === 'string') return [];
  return [{ field, column, kind: found.kind, reason: found.reason }];
}

function statusKey(text: string): string {
  return collapseBreaks(text.normalize('NFC').trim()).toLowerCase();
}

function byLooseKey(statuses: readonly string[]): ReadonlyMap<string, string> {
  return new Map(statuses.map((text) => [looseKey(text), text]));
}

/** Returns a status without what programs change: accents, case of any language, marks around it, and `1.0` for 1. */
function looseKey(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').replaceAll('\u0131', 'i').toLowerCase();
  return plain.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '').replace(/^0*(\d+?)(?:[.,]0+)?$/, '$1');
}

function standing(value: Standing, reason: string): StandingVerdict {
  return { standing: value, reason };
}

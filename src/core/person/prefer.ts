import { Refusal } from '../run/refusal.ts';
import type { PreferRule } from '../run/settings.ts';
import type { CompiledExpression, ExpressionCompiler } from './field-rule.ts';
import { castToBoolean, openRecordInputs } from './field-rule.ts';
import type { Person, RejectedPerson } from './person.ts';
import { compileDateFormat, type DayOf, isoDatePattern, utcDate } from './plain-date.ts';
import { readText } from './text.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The time for which records are ranked (epoch ms), and the day of an instant for the person. */
export interface RankTime {
  readonly dayOf: DayOf;
  readonly now: number;
}

/** The rules of `prefer`, compiled. */
export interface Preference {
  readonly reads: readonly string[];
  /** Expressions to evaluate on each record. Their results follow those of the lifecycle. */
  readonly expressions: readonly CompiledExpression[];
  /**
   * Returns the rank of a record: the later one in order of text counts. Each rule has as many characters in every
   * rank. `?` stands for what cannot be evaluated.
   */
  rankOf(fields: Fields, computed: readonly unknown[], { dayOf, now }: RankTime): string;
}

/**
 * Compiles the rules of `prefer`. `start`: number of results that precede those of its expressions; `dateFormat`: the
 * format of dates for which no other is given. Throws RangeError, or what the compiler throws.
 */
export function compilePrefer(
  rules: readonly PreferRule[],
  compiler: ExpressionCompiler,
  { start, dateFormat = isoDatePattern }: { readonly start: number; readonly dateFormat: string | undefined },
): Preference {
  const inputs = openRecordInputs(compiler, start);
  const ranks = rules.map((rule, i): { reads: readonly string[]; rank: Preference['rankOf'] } => {
    if (rule.kind === 'expression') {
      const { reads, get } = inputs.compile(`prefer[${i}]`, rule);
      return { reads, rank: (fields, computed) => truthRank(get(fields, computed)) };
    }
    const format = compileDateFormat(rule.format ?? dateFormat);
    const { reads, get } = inputs.compile(`prefer[${i}].latest`, rule.value);
    const rank: Preference['rankOf'] = (fields, computed, { dayOf, now }) => {
      const reading = readText(get(fields, computed));
      if (reading.kind === 'text' && reading.text === '') return noDate;
      // A date that is not visible may be the latest one.
      const date = reading.kind === 'text' ? format.parse(reading.text, dayOf) : undefined;
      if (date === undefined) return unreadableDate;
      const today = dayOf({ at: now, written: utcDate(now), isMidnight: false }) ?? utcDate(now);
      return rule.future !== true && date > today ? futureRank(date) : date.padEnd(10, '0');
    };
    return { reads, rank };
  });
  return {
    reads: [...new Set(ranks.flatMap(({ reads }) => reads))],
    expressions: inputs.expressions,
    rankOf: (fields, computed, time) => ranks.map(({ rank }) => rank(fields, computed, time)).join(''),
  };
}

const noDate = '0'.repeat(10);
const unreadableDate = '?'.repeat(10);

/** A record that takes effect after today counts after all others; of several, the next one comes first. */
function futureRank(date: string): string {
  return `-${date.replace(/\d/g, (digit) => `${9 - Number(digit)}`).replaceAll('-', '')}-`;
}

/** Returns the day after today from which a record counts, where `prefer` knows of one. */
export function comingDay({ rank = '' }: Person): string | undefined {
  const [, turned] = /-(\d{8})-/.exec(rank) ?? [];
  const day = turned?.replace(/\d/g, (digit) => `${9 - Number(digit)}`);
  return day?.replace(/(.{4})(..)(..)/, '$1-$2-$3');
}

function truthRank(result: unknown): string {
  if (result instanceof Refusal) return '?';
  return castToBoolean(result) ? '1' : '0';
}

/**
 * Which of two records of one person counts. `tie`: no rule tells them apart. `unsure`: one of them cannot be judged.
 *
 * | first        | second       | counts                                        |
 * |--------------|--------------|-----------------------------------------------|
 * | rejected     | any          | unsure: whether it is in scope is not known   |
 * | in scope     | out of scope | the one in scope                              |
 * | out of scope | out of scope | the first; its data is not used               |
 * | both left    |              | the first; what else they say does not matter |
 * | in scope     | in scope     | the first, if both say the same in all that   |
 * |              |              | is read; else by `prefer`; without it, a tie  |
 */
export function preferred(
  first: Person | RejectedPerson,
  second: Person | RejectedPerson,
): 'first' | 'second' | 'tie' | 'unsure' {
  if (first.kind === 'rejected' || second.kind === 'rejected') return 'unsure';
  if (!second.isInScope) return 'first';
  if (!first.isInScope) return 'second';
  if (first.standing === 'leaver' && second.standing === 'leaver') return 'first';
  const [a = '', b = ''] = [first.rank, second.rank];
  if (a === b && whatItSays(first) === whatItSays(second)) return 'first';
  for (let i = 0; i < a.length; i += 1) {
    if (a[i] === '?' || b[i] === '?') return 'unsure';
    if (a[i] !== b[i]) return (a[i] as string) > (b[i] as string) ? 'first' : 'second';
  }
  return 'tie';
}

/**
 * Returns whether a record shows that the person left, of a later day than the one that counts and shows that they work:
 * by the first date of `prefer`, which other rules came before.
 */
export function leftLater(rules: readonly PreferRule[], counts: Person, other: Person): boolean {
  const first = rules.findIndex(({ kind }) => kind !== 'expression');
  if (first === -1 || counts.standing !== 'active' || other.standing !== 'leaver' || !other.isInScope) return false;
  // Each expression before it is one character of the rank.
  const [day = '', later = ''] = [counts, other].map(({ rank }) => rank?.slice(first, first + noDate.length));
  return /^[1-9]/.test(day) && /^[1-9]/.test(later) && day < later;
}

/** Returns a text of all that is read of a record. Records that differ only in what is not read have the same. */
export function whatItSays(person: Person): string {
  const { at: _, standingReason: __, hires: ___, leavesIn: ____, earlier: _____, ...read } = person;
  return JSON.stringify(Object.entries(read).sort());
}

/**
 * Returns the record that counts of all records of one person; undefined when none does, because they contradict each
 * other. `records` must not be empty.
 */
export function countingRecord(records: readonly (Person | RejectedPerson)[]): Person | undefined {
  let counts = records[0];
  let isTied = false;
  for (const record of records.slice(1)) {
    const which = counts === undefined ? 'unsure' : preferred(counts, record);
    if (which === 'unsure') return undefined;
    if (which === 'second') [counts, isTied] = [record, false];
    if (which === 'tie') isTied = true;
  }
  if (counts?.kind !== 'person' || isTied) return undefined;
  const outside = records.filter((record) => record.kind === 'person' && !record.isInScope && record !== counts);
  const has = (standing: Person['standing']) =>
    outside.some((one) => one.kind === 'person' && one.standing === standing);
  return withOutside(counts, { works: has('active'), isUnknown: has('unknown') });
}

/** What the records of a person who are out of scope show, beside the one that counts. */
export interface OutsideRecords {
  /** One of them shows that the person works. */
  readonly works: boolean;
  /** The standing of one of them is not known. */
  readonly isUnknown: boolean;
}

/**
 * Judges the record that counts by those that are out of scope. A person who left in scope and works out of scope has
 * not left: the person is out of scope, as where the HR system has one record that was moved. Returns undefined when it
 * is not known whether the person works.
 */
export function withOutside(person: Person, { works, isUnknown }: OutsideRecords): Person | undefined {
  if (!person.isInScope || person.standing !== 'leaver') return person;
  if (works) {
    const standingReason = `${person.standingReason}, but another record of the person, out of scope, is active`;
    return { ...person, isInScope: false, standing: 'active', standingReason };
  }
  return isUnknown ? undefined : person;
}

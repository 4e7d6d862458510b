import { compileDateFormat } from '../person/plain-date.ts';
import { countOf } from '../run/formats.ts';
import type { Column } from './column.ts';
import { type KnownNames, statusMeaning } from './known-names.ts';
import type { Joined, ProposedField } from './propose-mapping.ts';
import type { SampleRow, Survey } from './survey.ts';

/** What a status says of a person, and what the platform says of people who have it. */
export interface ProposedStatus {
  readonly value: string;
  readonly meaning: 'active' | 'leaver' | 'unknown';
  readonly people: number;
  readonly evidence: string;
}

export interface ProposedDate {
  readonly path: string;
  readonly certainty: 'sure' | 'unsure';
  readonly evidence: string;
}

export interface ProposedLifecycle {
  readonly status:
    | { readonly path: string; readonly certainty: 'sure' | 'unsure'; readonly evidence: string }
    | undefined;
  readonly statuses: readonly ProposedStatus[];
  readonly hireDate: ProposedDate | undefined;
  readonly leaveDate: ProposedDate | undefined;
  /** Absent: ISO. */
  readonly dateFormat: string | undefined;
}

interface Standing {
  readonly enabled: number;
  readonly disabled: number;
  readonly absent: number;
  /** How many have a last day of work that has passed. */
  readonly ended: number;
}

/** Proposes who works here and who left. Undefined where no column says so. */
export function proposeLifecycle(
  survey: Survey,
  fields: readonly ProposedField[],
  joined: readonly Joined[],
  names: KnownNames,
): ProposedLifecycle | undefined {
  const taken = new Set(
    fields.filter(({ certainty }) => certainty === 'sure').flatMap(({ rule }) => ('from' in rule ? [rule.from] : [])),
  );
  const free = survey.columns.filter(({ path }) => !taken.has(path));
  const users = new Map(joined.map(({ row, user }) => [row, user]));
  const entry = fields.find(({ field }) => field === 'orgEntryDate');
  const hire =
    entry !== undefined && 'from' in entry.rule
      ? survey.columns.find(({ path }) => 'from' in entry.rule && path === entry.rule.from)
      : undefined;
  const leave = leaveOf(free, names);
  const status = statusOf(free, survey.sample, { users, hasEnded: compileEnded(leave, survey.today) }, names);
  if (status === undefined && hire === undefined && leave === undefined) return undefined;
  const formats = [
    formatOf(leave),
    entry !== undefined && 'from' in entry.rule ? (entry.rule.format ?? 'yyyy-MM-dd') : undefined,
  ];
  const format = formats.find((one) => one !== undefined) ?? 'yyyy-MM-dd';
  // One format serves both dates. A leave date decides more than a hire date.
  const hasHire =
    hire !== undefined &&
    entry !== undefined &&
    (leave === undefined || formats[0] === undefined || formats[0] === formats[1]);
  return {
    status: status?.field,
    statuses: status?.statuses ?? [],
    hireDate: hasHire
      ? {
          path: hire.path,
          certainty: entry.certainty === 'sure' ? 'sure' : 'unsure',
          evidence: 'no account before this day',
        }
      : undefined,
    leaveDate: leave === undefined ? undefined : describeLeave(leave, names),
    dateFormat: format === 'yyyy-MM-dd' ? undefined : format,
  };
}

function leaveOf(columns: readonly Column[], names: KnownNames): Column | undefined {
  return columns
    .filter(
      (column) =>
        names.like('leaveDate', column.path) >= 1 &&
        (column.dates !== undefined || column.filled === 0 || column.words === 0),
    )
    .toSorted((a, b) => names.like('leaveDate', b.path) - names.like('leaveDate', a.path))
    .at(0);
}

function formatOf(column: Column | undefined): string | undefined {
  const formats = column?.dates?.formats ?? [];
  return formats.length === 1 ? formats[0] : undefined;
}

/** Returns whether a row has a last day of work that has passed, whatever the order of day and month. */
function compileEnded(column: Column | undefined, today: string): (row: SampleRow) => boolean {
  const formats = (column?.dates?.formats ?? []).map((pattern) => compileDateFormat(pattern, 'work'));
  if (column === undefined || formats.length === 0) return () => false;
  return (row) => {
    const text = row[column.path];
    const dates = text === undefined ? [] : formats.map(({ parse }) => parse(text));
    return dates.length > 0 && dates.every((date) => date !== undefined && date !== '' && date < today);
  };
}

function describeLeave({ path, dates, filled }: Column, names: KnownNames): ProposedDate {
  const fits =
    dates === undefined
      ? filled === 0
        ? 'no cell has a value'
        : 'no cell is a date of our time'
      : countOf(dates.fits, 'date');
  const isSure =
    dates !== undefined && dates.formats.length === 1 && dates.others === 0 && names.like('leaveDate', path) > 1;
  return { path, certainty: isSure ? 'sure' : 'unsure', evidence: `the last day of work, by its name; ${fits}` };
}

function statusOf(columns: readonly Column[], sample: readonly SampleRow[], evidence: Evidence, names: KnownNames) {
  let found:
    | { readonly column: Column; readonly statuses: readonly ProposedStatus[]; readonly score: number }
    | undefined;
  for (const column of columns) {
    if (column.values === undefined || column.values.size === 0 || column.dates !== undefined) continue;
    const statuses = statusesOf(column, column.values, sample, evidence);
    const said = statuses.filter(({ meaning }) => meaning !== 'unknown');
    const people = said.reduce((sum, one) => sum + one.people, 0);
    const like = names.like('status', column.path);
    const hasBoth =
      said.some(({ meaning }) => meaning === 'leaver') && said.some(({ meaning }) => meaning === 'active');
    // Without a status all people count as active, so a column that is called so counts, whatever its words.
    if ((like <= 1 && !said.some(({ meaning }) => meaning === 'active')) || (like === 0 && !hasBoth)) continue;
    const score = like + (hasBoth ? 1.5 : 0) + people / Math.max(1, column.filled);
    if (
      score < 1.8 ||
      (found !== undefined && (score < found.score || (score === found.score && column.path > found.column.path)))
    )
      continue;
    found = { column, statuses, score };
  }
  if (found === undefined) return undefined;
  const { column, statuses } = found;
  const unknown = statuses.filter(({ meaning }) => meaning === 'unknown').length;
  const like = names.like('status', column.path);
  const says = [
    like > 0 ? 'by its name and values' : 'by its values',
    unknown === 0 ? undefined : `${countOf(unknown, 'value is', 'values are')} in neither list, which changes nothing`,
  ].filter((text) => text !== undefined);
  const certainty = like > 0 && unknown === 0 ? ('sure' as const) : ('unsure' as const);
  return { field: { path: column.path, certainty, evidence: says.join('; ') }, statuses };
}

/** What rows say of a person besides the status. */
interface Evidence {
  readonly users: ReadonlyMap<SampleRow, Joined['user']>;
  hasEnded(row: SampleRow): boolean;
}

function statusesOf(
  { path, filled }: Column,
  values: ReadonlyMap<string, number>,
  sample: readonly SampleRow[],
  { users, hasEnded }: Evidence,
): readonly ProposedStatus[] {
  const standings = new Map<string, { -readonly [Key in keyof Standing]: Standing[Key] }>();
  for (const row of sample) {
    const value = row[path];
    if (value === undefined) continue;
    const standing = standings.get(value) ?? { enabled: 0, disabled: 0, absent: 0, ended: 0 };
    const user = users.get(row);
    standing[user === undefined ? 'absent' : user.enabled ? 'enabled' : 'disabled'] += 1;
    if (hasEnded(row)) standing.ended += 1;
    standings.set(value, standing);
  }
  return [...values]
    .toSorted(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
    .map(([value, people]) => {
      const isMost = people * 3 >= filled * 2;
      return judge({ value, people, path, isMost, isCompared: users.size > 0 }, standings.get(value));
    });
}

/**
 * Returns what a status means: what its word says, unless its people are disabled; else *left*, if its people are disabled
 * or their last days have passed. That accounts are enabled proves nothing before a first sync, when leavers still have
 * theirs, so it confirms only the word of most people.
 */
function judge(
  {
    value,
    people,
    path,
    isMost,
    isCompared,
  }: {
    readonly value: string;
    readonly people: number;
    readonly path: string;
    readonly isMost: boolean;
    readonly isCompared: boolean;
  },
  found: Standing | undefined,
): ProposedStatus {
  const word = statusMeaning(value, path);
  const standing = isCompared ? found : undefined;
  const known = (standing?.enabled ?? 0) + (standing?.disabled ?? 0);
  const share = known < 3 ? undefined : (standing?.enabled ?? 0) / known;
  const isGone = share !== undefined && share <= 0.1;
  const sampled = (found?.enabled ?? 0) + (found?.disabled ?? 0) + (found?.absent ?? 0);
  const ended = found?.ended ?? 0;
  const hasEnded = ended > 0 && ended >= sampled * 0.9;
  // A letter or a digit alone means something else in each company.
  const isWeak = value.length < 2 && !/^stat2$/i.test(path);
  const isConfirmed = isMost && share !== undefined && share >= 0.9;
  const shown = isGone || hasEnded ? 'leaver' : isConfirmed ? 'active' : 'unknown';
  const against = word === 'active' && !isWeak && shown === 'leaver';
  const meaning = against ? 'unknown' : word !== undefined && !isWeak ? word : shown;
  const platform =
    standing === undefined
      ? undefined
      : [
          countOf(standing.enabled, 'enabled', 'enabled'),
          ...(standing.disabled === 0 ? [] : [`${standing.disabled} disabled`]),
          ...(standing.absent === 0 ? [] : [`${standing.absent} not there`]),
        ].join(', ');
  const says = [
    countOf(people, 'person', 'people'),
    platform === undefined ? undefined : `on the platform ${platform}`,
    ended === 0 ? undefined : `${countOf(ended, 'last day of work has', 'last days of work have')} passed`,
    against ? 'the word and the rest disagree' : undefined,
    meaning === 'unknown' ? 'UNSURE: put it into one of the lists' : undefined,
  ].filter((text) => text !== undefined);
  return { value, meaning, people, evidence: says.join('; ') };
}

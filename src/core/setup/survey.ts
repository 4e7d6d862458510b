import { compileCell, noValue } from '../person/cell.ts';
import type { User } from '../person/fields.ts';
import { utcDate } from '../person/plain-date.ts';
import { normalText, readText } from '../person/text.ts';
import { NotedText, Refusal } from '../run/refusal.ts';
import { type Column, openColumn } from './column.ts';
import { bareName } from './forms.ts';

/** What one read of a source shows, and the users of the platform beside it. */
export interface Survey {
  /** The day of the survey in UTC. */
  readonly today: string;
  readonly rows: number;
  /** Rows that equal an earlier one in all columns, so they name no second person. */
  readonly twins: number;
  readonly columns: readonly Column[];
  /** The records have more fields than were looked at. */
  readonly isCut: boolean;
  /** Records evenly over the whole read, all of them in a short one: texts by path, without blank ones. */
  readonly sample: readonly SampleRow[];
  readonly platform: SurveyedPlatform | undefined;
}

export type SampleRow = Readonly<Record<string, string>>;

export interface SurveyedPlatform {
  readonly users: readonly User[];
  /** The platform has more users than were looked at. */
  readonly isCut: boolean;
  /** Place of the user in `users` whose identification is the text, in any form that only one user has. */
  find(text: string): number | undefined;
  /** The same by e-mail in lower case. */
  readonly byEmail: ReadonlyMap<string, number>;
  /** The users whose identification, in any form, or e-mail the cells of a column are, over the whole read. */
  readonly named: ReadonlyMap<string, ReadonlySet<number>>;
  readonly mailed: ReadonlyMap<string, ReadonlySet<number>>;
}

/** Memory is bounded by these, whatever the size of both sides. */
const mostUsers = 200_000;
const mostColumns = 300;
const mostSampled = 4_000;
const deepest = 4;
const mostMembers = 2;

/** Opens a survey. `hasPlatform`: users are seen before the records. Pure: the same input gives the same survey. */
export function openSurvey(hasPlatform: boolean, now: number) {
  const users: User[] = [];
  const byName = new Map<string, number>();
  const byBareName = new Map<string, number | undefined>();
  const find = (text: string): number | undefined => byName.get(text) ?? byBareName.get(bareName(text));
  const byEmail = new Map<string, number>();
  const named = new Map<string, Set<number>>();
  const mailed = new Map<string, Set<number>>();
  const columns = new Map<string, ReturnType<typeof openColumn>>();
  const readCell = compileCell('text', new Set());
  let sample: SampleRow[] = [];
  const whole = openColumn('', '');
  let [rows, step] = [0, 1];
  let areUsersCut = false;
  let areColumnsCut = false;

  const columnAt = (path: string, term: string) => {
    const known = columns.get(path);
    if (known !== undefined || columns.size === mostColumns) {
      areColumnsCut ||= known === undefined;
      return known;
    }
    const column = openColumn(path, term);
    columns.set(path, column);
    return column;
  };
  const seeCell = ([path, term, value]: Cell, row: Record<string, string>): void => {
    const column = columnAt(path, term);
    if (column === undefined) return;
    const text = cellText(value, readCell);
    if (text === undefined) column.refuse();
    else if (text !== '') {
      column.see(text);
      row[path] = text;
      count(named, path, find(text));
      count(mailed, path, byEmail.get(text.toLowerCase()));
    }
  };

  return {
    seeUser(user: User) {
      areUsersCut ||= users.length === mostUsers;
      if (areUsersCut) return;
      byName.set(user.identification, users.length);
      const bare = bareName(user.identification);
      byBareName.set(bare, byBareName.has(bare) ? undefined : users.length);
      const { email = '' } = user.fields;
      if (email !== '') byEmail.set(email.toLowerCase(), users.length);
      users.push(user);
    },
    /** Users must be seen before. */
    see(fields: Readonly<Record<string, unknown>>) {
      const row: Record<string, string> = Object.create(null);
      for (const cell of flat(fields)) seeCell(cell, row);
      whole.see(JSON.stringify(row));
      if (rows % step === 0) sample.push(row);
      rows += 1;
      if (sample.length <= mostSampled) return;
      sample = sample.filter((_, index) => index % 2 === 0);
      step *= 2;
    },
    result: () => ({
      today: utcDate(now),
      rows,
      twins: whole.result().repeated ?? 0,
      columns: [...columns.values()].map((column) => column.result()),
      isCut: areColumnsCut,
      sample,
      platform: hasPlatform ? { users, isCut: areUsersCut, find, byEmail, named, mailed } : undefined,
    }),
  };
}

function count(found: Map<string, Set<number>>, path: string, user: number | undefined): void {
  if (user === undefined) return;
  const known = found.get(path);
  if (known === undefined) found.set(path, new Set([user]));
  else known.add(user);
}

/** Returns `''` for no value; undefined for a cell that cannot be used. */
function cellText(value: unknown, readCell: ReturnType<typeof compileCell>): string | undefined {
  const reading = readText(value);
  if (reading.kind === 'absent') return '';
  if (reading.kind === 'refused') return undefined;
  const cell = readCell(reading.text);
  if (cell instanceof Refusal) return cell === noValue ? '' : undefined;
  return normalText((cell instanceof NotedText ? cell.text : cell).replace(/\s+/g, ' '));
}

type Cell = readonly [path: string, term: string, value: unknown];

/** Yields the fields of a record by path. Only the first members of a list have a path that a mapping should use. */
function* flat(fields: Readonly<Record<string, unknown>>, above: readonly string[] = []): Generator<Cell> {
  for (const [name, value] of Object.entries(fields)) {
    const names = [...above, name];
    if (Array.isArray(fields) && Number(name) >= mostMembers) return;
    const isPlain = typeof value !== 'object' || value === null || value instanceof Refusal;
    const term = names
      .map((one) => `\`${one}\``)
      .join('.')
      .replace(/\.`(\d+)`/g, '[$1]');
    if (isPlain) yield [names.join('.'), typeof value === 'number' ? `$string(${term})` : term, value];
    else if (names.length < deepest) yield* flat(value as Record<string, unknown>, names);
  }
}

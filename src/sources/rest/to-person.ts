import { statusField } from '../../core/person/lifecycle.ts';
import { compileSourcePath, compileVisibility } from '../../core/person/source-path.ts';
import { isRecord } from '../../drivers/http/json-text.ts';
import type { Source } from '../../ports/source.ts';
import type { Fields } from '../kit/pages.ts';
import { dayOf, type EmploymentStatus, plainDate, wordOf } from '../kit/status.ts';
import type { RestConfig, StatusSettings } from './config.ts';
import type { FieldSettings } from './list-config.ts';
import { compileListPath } from './paging.ts';

/**
 * Builds the record of one item: removes hidden fields, adds names and what picks read, derives the status, and turns the
 * key into text.
 */
export type ShapeRecord = (item: Fields, answer: unknown, today: string) => Fields;

export function compileShape({ fields, hidden, status, key }: RestConfig): ShapeRecord {
  const picks = Object.entries(fields).map(([name, settings]) => ({ name, pick: compilePick(settings) }));
  const inputs = Object.values(fields).map(compilePickInputs);
  const readHidden = hidden === undefined ? () => [] : compileHidden(hidden);
  const derive = status === undefined ? undefined : compileStatus(status);
  return (item, answer, today) => {
    let seen: Fields = item;
    for (const name of readHidden(answer, item)) seen = without(seen, name.split('.'));
    const shaped: Record<string, unknown> = { ...seen };
    for (const shownBy of inputs) for (const name of shownBy(seen)) shaped[name] = true;
    for (const { name, pick } of picks) {
      const value = pick(seen);
      if (value === undefined) delete shaped[name];
      else shaped[name] = value;
    }
    for (const name of key) if (typeof shaped[name] === 'number') shaped[name] = String(shaped[name]);
    if (derive !== undefined) shaped[statusField] = derive(shaped, today);
    return shaped;
  };
}

/** Compiles one entry of `fields`. Undefined: not visible; null: known to be empty. */
function compilePick(settings: FieldSettings): (fields: Fields) => unknown {
  const read = compileSourcePath(settings.from);
  const choose = compileChoice(settings);
  const table = 'table' in settings ? settings.table : undefined;
  return (fields) => {
    const found = choose(read(fields));
    if (table !== undefined && found !== undefined && found !== null && found !== '') {
      // A code that was added since is no reason to clear a field.
      const code = asText(found).trim();
      return Object.hasOwn(table, code) ? table[code] : undefined;
    }
    return settings.date ? plainDate(found) : found;
  };
}

function compileChoice(settings: FieldSettings): (value: unknown) => unknown {
  if (!('where' in settings || 'prefer' in settings || 'latest' in settings || 'take' in settings))
    return (value) => value;
  const { where, prefer, latest, take } = settings;
  const isMeant = compileCondition(where ?? {});
  const isPreferred = compileCondition(prefer ?? {});
  const order = latest === undefined ? undefined : compileSourcePath(latest);
  const inside = take === undefined ? (one: Fields) => one : compileSourcePath(take);
  return (value) => {
    if (value === undefined || value === null) return value;
    const meant = (Array.isArray(value) ? value : [value]).filter(isRecord).filter(isMeant);
    const preferred = meant.filter(isPreferred);
    const rest = preferred.length > 0 ? preferred : meant;
    const [first] =
      order === undefined ? rest : rest.toSorted((a, b) => (asText(order(a)) < asText(order(b)) ? 1 : -1));
    return first === undefined ? null : inside(first);
  };
}

/** Compiles whether all paths of a record hold the given texts. */
export function compileCondition(
  condition: Readonly<Record<string, string | number | boolean>>,
): (fields: Fields) => boolean {
  const parts = Object.entries(condition).map(([path, text]) => ({
    read: compileSourcePath(path),
    text: String(text),
  }));
  return (fields) => parts.every(({ read, text }) => asText(read(fields)) === text);
}

/** Returns the names of hidden fields, from texts or objects with a `name`. */
function compileHidden(path: string): (answer: unknown, item: Fields) => readonly string[] {
  const read = compileListPath(path);
  const names = (list: unknown): readonly string[] =>
    (Array.isArray(list) ? list : [])
      .map((one) => (isRecord(one) ? one.name : one))
      .filter((name) => typeof name === 'string');
  return (answer, item) => [...names(read(answer)), ...names(read(item))];
}

function without(fields: Fields, [step = '', ...deeper]: readonly string[]): Fields {
  const { [step]: found, ...others } = fields;
  if (deeper.length === 0) return others;
  return isRecord(found) ? { ...fields, [step]: without(found, deeper) } : fields;
}

function asText(value: unknown): string {
  return String(value ?? '');
}

/** What each derived field of a record reads: the status, and every pick from a list. */
export function derivedInputs({
  fields,
  status,
}: Pick<RestConfig, 'fields' | 'status'>): NonNullable<Source['derives']> {
  const ofPicks = new Map(Object.entries(fields).map(([name, settings]) => [name, pickInputs(settings)]));
  const paths = [status?.from, status?.hireDate, status?.terminationDate].filter((path) => path !== undefined);
  const ofStatus = paths.flatMap((path) => [path, ...(ofPicks.get(path.split('.', 1).join()) ?? [])]);
  return { ...Object.fromEntries(ofPicks), [statusField]: ofStatus };
}

/**
 * Compiles the status of a record on a day. The first row that matches:
 *
 * | raw status                    | hire date | last day  | status     |
 * |-------------------------------|-----------|-----------|------------|
 * | not in `map`, blank, unseen   | any       | any       | unknown    |
 * | active, leave, suspended      | to come   | past      | terminated |
 * | active                        | to come   | any other | prehire    |
 * | active, leave, suspended      | before it | past      | terminated |
 * | active, leave, suspended      | not shown | past      | unknown    |
 * | anything else in `map`        | any       | any       | as mapped  |
 * | not configured                | to come   | not past  | prehire    |
 * | not configured                | any but * | past      | terminated |
 * | not configured                | any       | not shown | unknown    |
 * | not configured                | any       | other     | active     |
 *
 * (*) A hire date after the last day that has come: hired again, the last day is an old one. A date that cannot be understood makes it
 * unknown, unless the raw status says `terminated`.
 */
export function compileStatus(settings: StatusSettings): (fields: Fields, today: string) => EmploymentStatus {
  const readRaw = settings.from === undefined ? undefined : compileSourcePath(settings.from);
  const map = new Map(Object.entries(settings.map).map(([raw, status]) => [wordOf(raw), status]));
  const hired = dateReader(settings.hireDate);
  const left = dateReader(settings.terminationDate);
  return (fields, today) => {
    const status = readRaw === undefined ? 'active' : (map.get(wordOf(readRaw(fields))) ?? 'unknown');
    const [first, last] = [hired(fields), left(fields)];
    if (first === 'unreadable' || last === 'unreadable') return status === 'terminated' ? status : 'unknown';
    const works = status === 'active' || status === 'leave' || status === 'suspended';
    const began = first ?? '';
    if (works && last !== undefined && last !== '' && last < today && (began <= last || began > today)) {
      // A date may belong to a former employment, so it casts doubt on the status but does not override it.
      return readRaw !== undefined && began === '' ? 'unknown' : 'terminated';
    }
    if (status === 'active' && began > today) return 'prehire';
    return readRaw === undefined && last === undefined ? 'unknown' : status;
  };
}

/** Returns a plain date, `''` for none, undefined where it is not shown. */
function dateReader(path: string | undefined): (fields: Fields) => string | undefined {
  if (path === undefined) return () => undefined;
  const read = compileSourcePath(path);
  return (fields) => {
    const date = plainDate(read(fields));
    if (date === undefined) return undefined;
    if (date === null) return '';
    return dayOf(date) || 'unreadable';
  };
}

/**
 * Names what a pick reads inside the elements of its list: `employments[].start_date`. A right to one of them that is
 * withdrawn shows nowhere else: no element matches `where`, which looks as if there were none, or another
 * element is chosen.
 */
export function pickInputs(settings: FieldSettings): readonly string[] {
  return innerPaths(settings).map((path) => nameOf(settings, path));
}

/** Compiles which of these inputs the elements of one record show, by name. */
export function compilePickInputs(settings: FieldSettings): (fields: Fields) => readonly string[] {
  const read = compileSourcePath(settings.from);
  const inputs = innerPaths(settings).map((path) => ({ name: nameOf(settings, path), isIn: compileVisibility(path) }));
  if (inputs.length === 0) return () => [];
  return (fields) => {
    const found = read(fields);
    const elements = (Array.isArray(found) ? found : [found]).filter(isRecord);
    return inputs.filter(({ isIn }) => elements.some((element) => isIn(element))).map(({ name }) => name);
  };
}

function innerPaths(settings: FieldSettings): readonly string[] {
  const { where = {}, prefer = {}, latest, take }: Partial<Extract<FieldSettings, { take?: unknown }>> = settings;
  const single = [latest, take].filter((path) => path !== undefined);
  return [...new Set([...Object.keys(where), ...Object.keys(prefer), ...single])];
}

function nameOf({ from }: FieldSettings, path: string): string {
  return `${from}[].${path}`;
}

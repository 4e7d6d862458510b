import { statusField } from '../../core/person/lifecycle.ts';
import { compileSourcePath } from '../../core/person/source-path.ts';
import { isRecord } from '../../drivers/http/json-text.ts';
import { plainDate } from '../kit/status.ts';
import type { Fields } from '../kit/tally.ts';
import type { RestConfig } from './config.ts';
import type { FieldSettings } from './list-config.ts';
import { compileListPath } from './paging.ts';
import { compilePickInputs, compileStatus } from './status.ts';

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

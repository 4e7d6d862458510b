import { isRecord } from '../../drivers/http/json-text.ts';
import { plainDate, statusField } from '../kit/status.ts';
import type { Fields } from '../kit/tally.ts';
import { lifecycleReader, type StatusMeanings } from './status.ts';

type Tree = Record<string, unknown>;

/**
 * Compiles how an employee becomes a record. HiBob returns a field in up to three forms: `"work": {"title": …}`, the
 * slash key `"/work/title": {"value": …}`, and fields of `root` at the top. A record has each under one name, the
 * field's id (`work.title`, `root.email`), and dots reach inside; `id` and `email` stay at the top, too. The names
 * from `APPEND` are in `humanReadable`. A field that HiBob omits is absent; ids are text; a "no date" value is null.
 */
export function personReader(meanings: StatusMeanings, today: string): (employee: Fields) => Fields {
  const readStatus = lifecycleReader(meanings, today);
  return (employee) => {
    const person: Tree = {};
    const root: Tree = {};
    for (const [name, value] of Object.entries(employee)) {
      if (name.startsWith('/')) continue;
      if (isRecord(value)) person[name] = name === 'humanReadable' ? value : plain(value);
      else root[name] = plainLeaf(name, value);
    }
    person.root = { ...(isRecord(person.root) ? person.root : {}), ...root };
    for (const [name, cell] of Object.entries(employee)) {
      if (name.startsWith('/') && isRecord(cell) && Object.hasOwn(cell, 'value')) {
        plant(person, name.slice(1).split('/'), cell.value);
      }
    }
    const top = { ...root, ...person };
    for (const name of ['id', 'email']) {
      if (isRecord(person.root) && Object.hasOwn(person.root, name)) Object.assign(top, { [name]: person.root[name] });
    }
    const status = readStatus(person);
    return status === undefined ? top : { ...top, [statusField]: status };
  };
}

/**
 * Sets a value where the nested form has none. The nested value takes precedence, because both have the same source.
 */
function plant(tree: Tree, steps: readonly string[], value: unknown): void {
  const [first, ...rest] = steps;
  if (first === undefined || first === '' || first === '__proto__') return;
  if (rest.length === 0) {
    if (!Object.hasOwn(tree, first)) tree[first] = isRecord(value) ? plain(value) : plainLeaf(first, value);
    return;
  }
  if (!Object.hasOwn(tree, first)) tree[first] = {};
  const inner = tree[first];
  if (isRecord(inner)) plant(inner as Tree, rest, value);
}

function plain(fields: Fields): Tree {
  const entries = Object.entries(fields).map(([name, value]) => [
    name,
    isRecord(value) ? plain(value) : plainLeaf(name, value),
  ]);
  return Object.fromEntries(entries);
}

function plainLeaf(name: string, value: unknown): unknown {
  if (typeof value === 'number') return /^id$|Id$/.test(name) ? String(value) : value;
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? plainDate(value) : value;
}

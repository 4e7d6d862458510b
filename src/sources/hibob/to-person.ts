import { statusField } from '../../core/person/lifecycle.ts';
import { compileSourcePath } from '../../core/person/source-path.ts';
import { isRecord } from '../../drivers/http/json-text.ts';
import type { Fields } from '../kit/pages.ts';
import { dayOf, type EmploymentStatus, plainDate } from '../kit/status.ts';

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

/** Meaning of lifecycle statuses, by name. */
type StatusMeanings = Readonly<Record<string, EmploymentStatus>>;

export const statusInputs: readonly string[] = [
  'internal.lifecycleStatus',
  'internal.status',
  'work.startDate',
  'internal.terminationDate',
];

/**
 * Compiles the status of a person on a day; undefined when neither status is visible. The first row that matches:
 *
 * | lifecycle status        | status     | dates                     | is         |
 * |-------------------------|------------|---------------------------|------------|
 * | named in `meanings`     | any        | any                       | as named   |
 * | hired                   | any        | any                       | prehire    |
 * | terminated              | Active     | any                       | unknown    |
 * | terminated              | any other  | any                       | terminated |
 * | any other               | Inactive   | terminated, to this day   | terminated |
 * | any other               | Inactive   | any                       | unknown    |
 * | holds the word leave    | any other  | any                       | leave      |
 * | employed                | any other  | any                       | active     |
 * | not visible, or empty   | Active     | starts after today        | prehire    |
 * | not visible, or empty   | Active     | any other                 | active     |
 *
 * Everything else is unknown: a lifecycle status of the company's own means what `meanings` says, or nothing.
 */
export function lifecycleReader(
  meanings: StatusMeanings,
  today: string,
): (person: Readonly<Record<string, unknown>>) => EmploymentStatus | undefined {
  const own = new Map(Object.entries(meanings).map(([name, meaning]) => [word(name), meaning]));
  const [readLifecycle, readStatus, readStart, readEnd] = statusInputs.map(compileSourcePath);
  return (person) => {
    const [lifecycle, status] = [readLifecycle?.(person), readStatus?.(person)];
    if (lifecycle === undefined && status === undefined) return undefined;
    const [stage, state] = [word(lifecycle), word(status)];
    const named = own.get(stage);
    if (named !== undefined) return named;
    if (stage === 'hired') return 'prehire';
    if (stage === 'terminated') return state === 'active' ? 'unknown' : 'terminated';
    if (state === 'inactive') {
      const left = dayOf(plainDate(readEnd?.(person)));
      return left !== '' && left <= today ? 'terminated' : 'unknown';
    }
    if (/\bleave\b/.test(stage)) return 'leave';
    if (stage === 'employed') return 'active';
    if (stage !== '' || state !== 'active') return 'unknown';
    return dayOf(plainDate(readStart?.(person))) > today ? 'prehire' : 'active';
  };
}

/** `Garden Leave`, `garden_leave` and `gardenLeave` are the same status. */
function word(value: unknown): string {
  return String(value ?? '')
    .trim()
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[\s_-]+/g, ' ')
    .toLowerCase();
}

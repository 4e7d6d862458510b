import { compileSourcePath } from '../../core/person/source-path.ts';
import { countOf } from '../../core/run/count-of.ts';
import type { SourceIo } from '../../ports/source.ts';
import { readConfirmed } from '../kit/confirm-end.ts';
import type { SourceClient } from '../kit/http/source-client.ts';
import type { JoinSettings } from './list-schema.ts';
import { type Fields, type List, nameOf, openListReader } from './read-list.ts';

/** The records of a second list, to be added to the employees. */
export interface Joined {
  /** Why the second list is not complete. */
  readonly doubts: readonly string[];
  /** Returns the employee with the matching record; undefined when there is none. */
  complete(fields: Fields): Fields | undefined;
  /** Reason for the read when an employee has no matching record. */
  readonly missing: string;
  /** Returns reasons for the end of a full read, when each record of the second list should have had an employee. */
  remainder(): readonly string[];
}

/** Reads all lists of `join`, one after the other. A later one may refer to fields of an earlier one. */
export async function readAllJoined(
  joins: readonly JoinSettings[],
  main: List,
  client: SourceClient,
  io: SourceIo,
): Promise<Joined[]> {
  const all: Joined[] = [];
  for (const join of joins) all.push(await readJoined(join, main, client, io));
  return all;
}

/**
 * Reads the whole second list, twice where nothing else shows that a record was missed between two pages: each employee
 * must have a record, unless it is optional. Keeps only the fields of `keep`, because others may be private, and all of it is in
 * memory.
 */
async function readJoined(join: JoinSettings, main: List, client: SourceClient, io: SourceIo): Promise<Joined> {
  const list: List = {
    ...main,
    path: join.path,
    query: join.query,
    items: join.items,
    record: join.record,
    total: join.total,
    paging: join.paging ?? main.paging,
  };
  const keyOf = compileKey(join.key);
  // The records of one employee differ in other fields than the key.
  const identity = join.list ? (fields: Fields) => JSON.stringify(fields) : keyOf;
  const unmet = new Set<string>();
  const found = new Map<string, Fields[]>();
  const keep = (fields: Fields): Fields =>
    Object.fromEntries(join.keep.flatMap((name) => (Object.hasOwn(fields, name) ? [[name, fields[name]]] : [])));
  const open = () => {
    const reader = openListReader(list, client);
    const maySlip = () => reader.maySlip?.() === true && (join.optional || join.list);
    return { ...reader, key: identity, maySlip };
  };
  const read = readConfirmed(open, io);
  let next = await read.next();
  for (; next.done !== true; next = await read.next()) {
    for (const { fields } of next.value.records) {
      const key = keyOf(fields);
      if (key === undefined) continue;
      if (join.list) found.set(key, [...(found.get(key) ?? []), keep(fields)]);
      else found.set(key, [keep(fields)]);
      if (join.each) unmet.add(key);
    }
  }
  const end = next.value;
  const name = nameOf(list);
  const byOf = compileKey(join.by);
  return {
    doubts: end.complete ? [] : end.reasons.map((reason) => `${name}: ${reason}`),
    missing: `some records of ${nameOf(main)} have no counterpart in ${name}: they are returned without it (\`join.optional: true\` if that is normal)`,
    remainder: () =>
      unmet.size === 0
        ? []
        : [
            `${countOf(unmet.size, 'record', 'records')} of ${name} ${unmet.size === 1 ? 'belongs' : 'belong'} to no employee of ${nameOf(main)}: an employee may be missing between two pages (\`join.each: false\` if that is normal)`,
          ],
    complete(fields) {
      const key = byOf(fields) ?? '';
      const others = found.get(key);
      unmet.delete(key);
      if (others === undefined && !join.optional) return undefined;
      // An employee without a record has none: this is known, because the list was read to its end.
      return { ...fields, [join.as]: join.list ? (others ?? []) : (others?.[0] ?? null) };
    },
  };
}

/** Compiles a key of one or more parts. Returns undefined where a part is missing. */
export function compileKey(paths: readonly string[]): (fields: Fields) => string | undefined {
  const reads = paths.map(compileSourcePath);
  return (fields) => {
    const parts = reads.map((read) => read(fields));
    if (parts.some((part) => part === undefined || part === null || part === '')) return undefined;
    return parts.map(String).join('\u0000');
  };
}

import { countOf } from '../../core/count-of.ts';
import { compileSourcePath } from '../../core/source-path.ts';
import type { SourceIo } from '../../ports/source.ts';
import type { SourceClient } from '../../source-kit/http/source-client.ts';
import { readPages } from '../../source-kit/pages.ts';
import type { JoinSettings } from './list-schema.ts';
import { type Fields, type List, nameOf, openListReader } from './read-list.ts';

/** The records of a second list, to be added to the employees. */
export interface Joined {
  /** Why the second list is not complete. */
  readonly doubts: readonly string[];
  /** Returns the employee with the matching record; undefined when there is none. */
  complete(fields: Fields): Fields | undefined;
  readonly missing: string;
  /** Returns reasons for the end of a full read, when each record of the second list should have had an employee. */
  remainder(): readonly string[];
}

/**
 * Reads the whole second list. Keeps only the fields of `keep`, because others may be private, and all of it is in
 * memory.
 */
export async function readJoined(join: JoinSettings, main: List, client: SourceClient, io: SourceIo): Promise<Joined> {
  const list: List = {
    ...main,
    path: join.path,
    query: join.query,
    items: join.items,
    record: join.record,
    total: join.total,
    paging: join.paging ?? main.paging,
  };
  const reader = openListReader(list, client);
  const keyOf = compileKey(join.key);
  const unmet = new Set<string>();
  const found = new Map<string, Fields>();
  const keep = (fields: Fields): Fields =>
    Object.fromEntries(join.keep.flatMap((name) => (Object.hasOwn(fields, name) ? [[name, fields[name]]] : [])));
  const reading = readPages({ ...reader, key: keyOf }, io);
  for (let next = await reading.next(); ; next = await reading.next()) {
    if (next.done === true) {
      const name = nameOf(list);
      const reasons = next.value.complete ? [] : next.value.reasons;
      const byOf = compileKey(join.by);
      return {
        doubts: reasons.map((reason) => `${name}: ${reason}`),
        missing: `some records of ${nameOf(main)} have no counterpart in ${name}: they are returned without it`,
        remainder: () =>
          unmet.size === 0
            ? []
            : [
                `${countOf(unmet.size, 'record', 'records')} of ${name} ${unmet.size === 1 ? 'belongs' : 'belong'} to no employee of ${nameOf(main)}: an employee may be missing between two pages (\`join.each: false\` if that is normal)`,
              ],
        complete(fields) {
          const key = byOf(fields) ?? '';
          const other = found.get(key);
          unmet.delete(key);
          return other === undefined ? undefined : { ...fields, [join.as]: other };
        },
      };
    }
    for (const { fields } of next.value.records) {
      const key = keyOf(fields);
      if (key === undefined) continue;
      found.set(key, keep(fields));
      if (join.each) unmet.add(key);
    }
  }
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

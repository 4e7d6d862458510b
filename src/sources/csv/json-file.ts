import { compileSourcePath } from '../../core/person/source-path.ts';
import { RollcallError } from '../../core/run/errors.ts';
import { isRecord } from '../../drivers/http/json-text.ts';
import { readJsonText } from '../kit/http/read-json.ts';
import type { CsvFile } from './csv-file.ts';

/** Names the document itself in `items`. */
const wholeDocument = '.';

/** Reads a JSON file as a whole: one text, or one on each line. Throws `SOURCE_UNAVAILABLE` without quoting it. */
export async function readJsonFile({ name, next }: CsvFile, head: readonly Buffer[] = []): Promise<unknown> {
  const chunks = [...head];
  for (let bytes = await next(); bytes !== undefined; bytes = await next()) chunks.push(bytes);
  try {
    return readJsonText(Buffer.concat(chunks));
  } catch {
    throw unusable(`${name} is not complete JSON: it is cut off, or has another format. Export it again`);
  }
}

/** Returns the list of people at a path; some of it may be no objects. Throws `SOURCE_UNAVAILABLE` where there is none. */
export function listAt(document: unknown, items: string, name: string): readonly unknown[] {
  const found = items === wholeDocument || !isRecord(document) ? document : compileSourcePath(items)(document);
  if (isList(found)) return found;
  throw unusable(`${name} has no list of objects at ${items}: correct source.items`);
}

/** Finds the list of objects with the most members, however deep it stands. */
export function findList(document: unknown, path: readonly string[] = []): { path: string; size: number } | undefined {
  if (isList(document)) {
    const size = document.filter(isRecord).reduce((sum, one) => sum + Object.keys(one).length, 0);
    return size === 0 ? undefined : { path: path.join('.') || wholeDocument, size };
  }
  if (!isRecord(document)) return undefined;
  const lists = Object.entries(document).flatMap(([key, value]) => findList(value, [...path, key]) ?? []);
  return lists.toSorted((a, b) => b.size - a.size)[0];
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && (value.length === 0 || value.some(isRecord));
}

function unusable(message: string): RollcallError {
  return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE' });
}

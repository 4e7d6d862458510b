import { isRecord } from '../../drivers/http/json-text.ts';
import type { ReadRequest } from '../../ports/source.ts';
import type { SourceClient } from '../kit/http/source-client.ts';
import { type List, type ListReader, nameOf, openListReader, urlOf } from './read-list.ts';
import type { DeltaSettings, Lookup } from './schema.ts';

/** For more people than this, reading all employees needs fewer requests. */
const maxLookups = 50;

/** Characters that may end a text in a filter language. People with them are found by reading all employees. */
const unsafe = /['"\\{}]|\p{Cc}/u;

/** Returns one reader per requested person. Undefined when all employees must be read and filtered instead. */
export function openLookups(
  point: Readonly<Record<string, Lookup>>,
  list: List,
  request: Extract<ReadRequest, { kind: 'point' }>,
  client: SourceClient,
): readonly ListReader[] | undefined {
  const { identifications, field } = request;
  const way = Object.hasOwn(point, field) ? point[field] : undefined;
  if (way === undefined || identifications.length > maxLookups) return undefined;
  if (identifications.some((one) => unsafe.test(one) || one.trim() === '')) return undefined;
  return identifications.map((value) => openLookup(way, list, value, client));
}

function openLookup({ query, path }: Lookup, list: List, value: string, client: SourceClient): ListReader {
  const filled = fill(query ?? {}, '{value}', value);
  if (path === undefined) return openListReader({ ...list, query: { ...list.query, ...filled } }, client);
  return {
    first: { query: {}, body: {} },
    async page() {
      const { baseUrl, headers } = list;
      const url = urlOf(
        baseUrl,
        path.replaceAll('{value}', () => encodeURIComponent(value)),
        { ...list.query, ...filled },
      );
      const name = nameOf({ baseUrl, method: 'GET', path });
      const { value: answer } = await client.jsonAnswer({ name, url, headers, answers: [404] });
      // A 404 has no value.
      const people = isRecord(answer) && Object.keys(answer).length > 0 ? [answer] : [];
      return { people, answer, next: { kind: 'end', why: 'one answer' }, isLast: true };
    },
  };
}

/** The vendor's day may be up to twelve hours behind UTC, and changes of the day itself may be excluded. */
const dayAroundMs = 2 * 86_400_000;

/** Returns the parameters that request changes since an instant (ISO 8601). */
export function sinceQuery({ query, format, overlap }: DeltaSettings, since: string): Readonly<Record<string, string>> {
  const at = Date.parse(since) - overlap;
  const iso = new Date(at).toISOString();
  const written = {
    iso: iso.replace('.000Z', 'Z'),
    date: new Date(at - dayAroundMs).toISOString().slice(0, 10),
    'epoch-seconds': String(Math.floor(at / 1000)),
    'epoch-ms': String(at),
  }[format];
  return fill(query, '{since}', written);
}

/** Replaces every placeholder in the parameters by a value. */
export function fill(
  query: Readonly<Record<string, string>>,
  mark: string,
  value: string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(query).map(([name, template]) => [name, template.replaceAll(mark, () => value)]),
  );
}

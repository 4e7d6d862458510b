import { isRecord } from '../../drivers/http/json-text.ts';
import type { ReadRequest } from '../../ports/source.ts';
import type { SourceClient } from '../kit/http/source-client.ts';
import type { DeltaSettings, Lookup, PartSettings } from './config.ts';
import type { Place } from './paging.ts';
import { type List, type ListPage, type ListReader, nameOf, openListReader, urlOf } from './read-list.ts';

const dayMs = 86_400_000;

/**
 * Returns the lists that together hold all employees: one for each value, or for each window of days up to `ahead`
 * from now.
 */
export function partLists(parts: PartSettings, list: List, now: number): readonly List[] {
  const { query, of, windows } = parts;
  const filled = of?.map((part) => fill(query, '{part}', part)) ?? [];
  if (windows !== undefined) {
    const end = now + windows.ahead;
    for (let from = Date.parse(windows.from); from <= end; from += windows.days * dayMs) {
      const until = from + windows.days * dayMs;
      const marks = { '{from}': day(from), '{to}': day(until - dayMs), '{until}': day(until) };
      filled.push(Object.entries(marks).reduce((under, [mark, value]) => fill(under, mark, value), query));
    }
  }
  return filled.map((part) => ({ ...list, query: { ...list.query, ...part } }));
}

function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/**
 * Reads several lists as one. Each is read to its own end and checked against its own total. No person may be in two
 * of them. A part without people is valid.
 */
export function openPartsReader(lists: readonly List[], client: SourceClient): ListReader {
  let at = -1;
  let part = nextPart();
  let maySlip = false;

  function nextPart(): Part | undefined {
    at += 1;
    const list = lists[at];
    return list === undefined ? undefined : openPart(openListReader(list, client), at, lists.length);
  }

  return {
    first: part?.first ?? { query: {}, body: {} },
    maySlip: () => maySlip,
    async page(from) {
      let place = from;
      const doubts: string[] = [];
      for (;;) {
        if (part === undefined) throw new RangeError('a list of parts without a part was asked for a page');
        const { page, isOver } = await part.read(place);
        doubts.push(...(page.doubts ?? []));
        if (!isOver) return { ...page, doubts };
        maySlip ||= part.maySlip();
        part = nextPart();
        if (part === undefined) {
          const why = `each of ${lists.length} parts was read to its end`;
          return { ...page, doubts, next: { kind: 'end', why }, isLast: true };
        }
        place = part.first;
        // A part without people has no page, so the next part follows at once.
        if (page.people.length === 0) continue;
        return { ...page, doubts, next: { kind: 'more', place, id: `part ${at + 1}` }, isLast: false };
      }
    },
  };
}

interface Part {
  readonly first: Place;
  maySlip(): boolean;
  read(place: Place): Promise<{ readonly page: ListPage; readonly isOver: boolean }>;
}

function openPart(reader: ListReader, at: number, parts: number): Part {
  let pages = 0;
  let rows = 0;
  let isProbe = false;
  let lastTotal: number | undefined;
  return {
    first: reader.first,
    maySlip: () => reader.maySlip?.() === true,
    async read(place) {
      pages += 1;
      const { total = lastTotal, ...page } = await reader.page(place, pages);
      const doubts = [...(page.doubts ?? [])];
      const which = `part ${at + 1} of ${parts}`;
      if (lastTotal !== undefined && total !== lastTotal)
        doubts.push(`the total of ${which} changed between two pages`);
      lastTotal = total;
      rows += page.people.length;
      const { next } = page;
      const isOver = next.kind === 'end' || (page.people.length === 0 && (isProbe || next.kind === 'perhaps-end'));
      if (isOver && total !== undefined && total !== rows) {
        doubts.push(`the source reports a total of ${total} for ${which}, but returned ${rows}`);
      }
      isProbe = next.kind === 'perhaps-end';
      // Places of two parts may be equal.
      const apart = next.kind === 'end' ? next : { ...next, id: `part ${at + 1}: ${next.id}` };
      return { page: { ...page, doubts, next: apart }, isOver };
    },
  };
}

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
      return { people, answer, isOnly: true as const, next: { kind: 'end', why: 'one answer' }, isLast: true };
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
function fill(query: Readonly<Record<string, string>>, mark: string, value: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(query).map(([name, template]) => [name, template.replaceAll(mark, () => value)]),
  );
}

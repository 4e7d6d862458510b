import type { SourceClient } from '../kit/http/source-client.ts';
import type { Place } from './paging/paging.ts';
import { fill } from './part-reads.ts';
import { type List, type ListPage, type ListReader, openListReader } from './read-list.ts';
import type { PartSettings } from './schema.ts';

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

import { compileSourcePath } from '../../core/person/source-path.ts';
import { isRecord } from '../../drivers/http/json-text.ts';
import { countIn } from '../kit/pages.ts';
import type { PagingSettings } from './list-config.ts';

/** The part of a request that identifies a page. */
export interface Place {
  readonly query: Readonly<Record<string, string>>;
  /** Values by path within the body. */
  readonly body: Readonly<Record<string, string | number>>;
  /** A whole address from the server; query and body are then empty. */
  readonly url?: string;
}

/** What a style knows about the page that was just read. */
export interface PageFacts {
  readonly answer: unknown;
  /** Values of `Link` headers. */
  readonly links: readonly string[];
  /** Address of the page, to resolve relative addresses. */
  readonly url: string;
  /** People on this page, as the server returned them. */
  readonly people: readonly unknown[];
  /** Distinct people so far, including this page. */
  readonly rows: number;
  readonly total: number | undefined;
}

export type NextPlace =
  | { readonly kind: 'end'; readonly why: string }
  | { readonly kind: 'more' | 'perhaps-end'; readonly place: Place }
  /** The answer contradicts itself: the read ends and is incomplete. */
  | { readonly kind: 'lost'; readonly reason: string };

/** One style of paging, as pure functions. */
export interface Paging {
  readonly first: Place;
  /** How many people each page repeats from the previous one. Default: 0. */
  readonly overlap?: number;
  /**
   * Places are numbers, or texts that may stand for numbers. When a person is deleted meanwhile, later ones move up,
   * and one can be missed between two pages.
   */
  readonly canSlip?: boolean;
  next(facts: PageFacts, from: Place): NextPlace;
}

export function openPaging(settings: PagingSettings, hasTotal: boolean): Paging {
  switch (settings.style) {
    case 'none':
      return { first: inQuery({}), next: () => ({ kind: 'end', why: 'one answer holds all employees' }) };
    case 'offset': {
      // Continues by the number of people received, not requested, because servers reduce limits silently. With
      // `overlap` each page starts with the last person of the previous one.
      const { size, start, offset, limit, overlap = hasTotal ? 0 : 1 } = settings;
      const at = (rows: number) => inQuery({ [offset]: start + rows, [limit]: size });
      return { ...counting(settings, at(0), ({ rows }) => at(Math.max(0, rows - overlap))), overlap };
    }
    case 'page': {
      const at = pagesOf(settings);
      return counting(settings, at(settings.start), (_, { query }) => at(Number(query[settings.page]) + 1));
    }
    case 'page-in-body': {
      const { size, start, page, perPage } = settings;
      const at = (number: number): Place => ({ query: {}, body: { [page]: number, [perPage]: size } });
      return counting(settings, at(start), (_, { body }) => at(Number(body[page]) + 1));
    }
    case 'start-index': {
      // SCIM's index paging (RFC 7644, 3.4.2.4): the first person is number 1.
      const { size, startIndex, count } = settings;
      const at = (rows: number) => inQuery({ [startIndex]: rows + 1, [count]: size });
      return counting(settings, at(0), ({ rows }) => at(rows));
    }
    case 'total-pages':
      return byTotalPages(settings);
    case 'cursor':
      return byCursor(settings);
    case 'after-id':
      return afterId(settings);
    case 'next-link': {
      const read = compileListPath(settings.next);
      return linked(settings, ({ answer, url }) => {
        const link = read(answer);
        if (isNothing(link)) return { kind: 'end', why: 'no next link' };
        return typeof link === 'string' ? placeOf(link, url) : notUnderstood(settings.next);
      });
    }
    case 'link-header':
      return linked(settings, ({ links, url }) => {
        const next = nextLink(links);
        return next === undefined ? { kind: 'end', why: 'no Link header names a next page' } : placeOf(next, url);
      });
  }
}

type PagingOf<S extends PagingSettings['style']> = Extract<PagingSettings, { style: S }>;

function inQuery(query: Readonly<Record<string, string | number>>): Place {
  return { query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])), body: {} };
}

function pagesOf({ size, page, perPage }: PagingOf<'page' | 'total-pages'>): (number: number) => Place {
  return (number) => inQuery({ [page]: number, [perPage]: size });
}

/** A style that counts people or pages. `after` is the place that follows a page. */
function counting(
  { size, lastPage }: Pick<PagingOf<'page'>, 'size' | 'lastPage'>,
  first: Place,
  after: (facts: PageFacts, from: Place) => Place,
): Paging {
  return { first, canSlip: true, next: (facts, from) => countedNext(facts, size, lastPage, after(facts, from)) };
}

/**
 * The rule of all counting styles: a page that is not full may be the last one, and the next one must be empty. Where
 * servers refuse requests beyond the end, the total decides.
 */
function countedNext(
  { people: { length: count }, rows, total }: PageFacts,
  size: number,
  lastPage: 'empty' | 'total',
  place: Place,
): NextPlace {
  if (lastPage === 'total') {
    if (total === undefined) return { kind: 'lost', reason: 'the answer has no total, which should mark the end' };
    if (rows >= total) return { kind: 'end', why: `the total of ${total} is reached` };
    if (count === 0) return { kind: 'lost', reason: `a page was empty before the total of ${total} was reached` };
  }
  return { kind: count < size ? 'perhaps-end' : 'more', place };
}

/** Numbered pages, with the number of pages in each answer. No page beyond it is requested. */
function byTotalPages(settings: PagingOf<'total-pages'>): Paging {
  const { start, page, pages } = settings;
  const at = pagesOf(settings);
  const read = compileListPath(pages);
  return {
    first: at(start),
    canSlip: true,
    next({ answer }, { query }) {
      const last = countIn(read(answer));
      if (last === undefined) return { kind: 'lost', reason: `the answer has no number of pages at ${pages}` };
      const number = Number(query[page]);
      if (number - start + 1 >= last) return { kind: 'end', why: `page ${number - start + 1} of ${last} was the last` };
      return { kind: 'more', place: at(number + 1) };
    },
  };
}

/** An opaque cursor from the answer, sent back in the query or in the body. */
function byCursor(settings: PagingOf<'cursor'>): Paging {
  const { size, cursor, limit, next, stable } = settings;
  const readNext = compileListPath(next);
  const readMore = moreReader(settings);
  const at = (value?: string): Place => {
    const parameters = { [limit]: size, ...(value === undefined ? {} : { [cursor]: value }) };
    return settings.in === 'body' ? { query: {}, body: parameters } : inQuery(parameters);
  };
  return {
    first: at(),
    canSlip: !stable,
    next({ answer }) {
      const more = readMore(answer);
      if (more === false) return noFurtherPage;
      const value = readNext(answer);
      if (isCursor(value)) return { kind: 'more', place: at(String(value)) };
      if (more === true) return { kind: 'lost', reason: 'the answer reports another page, but has no cursor for it' };
      return isNothing(value) ? { kind: 'end', why: 'no next cursor' } : notUnderstood(next);
    },
  };
}

/** Continues after the id of the last person, so no person can be missed between two pages. */
function afterId(settings: PagingOf<'after-id'>): Paging {
  const { size, after, limit, id } = settings;
  const readId = compileSourcePath(id);
  const readNext = settings.next === undefined ? () => undefined : compileListPath(settings.next);
  const readMore = moreReader(settings);
  const at = (value?: string) => inQuery({ [limit]: size, ...(value === undefined ? {} : { [after]: value }) });
  return {
    first: at(),
    next(facts, from) {
      const more = readMore(facts.answer);
      if (more === false) return noFurtherPage;
      // A last person without an id comes again on the next page.
      const ids = facts.people.map((person) => (isRecord(person) ? readId(person) : undefined));
      const value = readNext(facts.answer) ?? ids.findLast(isCursor);
      if (isCursor(value)) {
        if (more === true) return { kind: 'more', place: at(String(value)) };
        return countedNext(facts, size, 'empty', at(String(value)));
      }
      if (more === true) return { kind: 'lost', reason: 'the answer reports another page, but not after which person' };
      if (ids.length > 0) return { kind: 'lost', reason: `nobody on a page has ${id}` };
      return { kind: 'perhaps-end', place: from };
    },
  };
}

/** Compiles what an answer says of a further page; undefined where it says nothing. */
function moreReader({ hasMore }: { readonly hasMore?: string | undefined }): (answer: unknown) => unknown {
  return hasMore === undefined ? () => undefined : compileListPath(hasMore);
}

const noFurtherPage = { kind: 'end', why: 'the answer reports no further page' } as const;

function isCursor(value: unknown): value is string | number {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

/** A style in which the server names the address of the next page. */
function linked({ stable }: { readonly stable: boolean }, next: (facts: PageFacts) => NextPlace): Paging {
  return { first: inQuery({}), canSlip: !stable, next };
}

/** Values that APIs use when no page follows. */
function isNothing(next: unknown): boolean {
  return next === undefined || next === null || next === '' || next === false;
}

/** A next page exists, but in a form that the style cannot read, for example an object around the address. */
function notUnderstood(path: string): NextPlace {
  return { kind: 'lost', reason: `the reference to the next page, at ${path}, has an unknown form` };
}

/** Returns the place of an address, resolved against the page that named it (RFC 3986, 5). */
export function placeOf(link: string, base: string): NextPlace {
  if (!URL.canParse(link, base)) return { kind: 'lost', reason: 'the next link is not an address' };
  return { kind: 'more', place: { query: {}, body: {}, url: new URL(link, base).href } };
}

const link = /<([^>]*)>((?:"(?:[^"\\]|\\.)*"|[^",])*)/g;
const parameter = /;\s*([^\s=;,"]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/g;

/** Returns the target of the first `Link: <…>; rel="next"` (RFC 8288, 3). Relations ignore case. */
export function nextLink(headers: readonly string[]): string | undefined {
  for (const [, target, parameters = ''] of headers.join(',').matchAll(link)) {
    for (const [, name = '', quoted, plain] of parameters.matchAll(parameter)) {
      if (name.toLowerCase() !== 'rel') continue;
      const relations = (quoted ?? plain ?? '').toLowerCase().split(/\s+/);
      if (relations.includes('next')) return target;
      // RFC 8288, 3.3: only the first `rel` of a link counts.
      break;
    }
  }
  return undefined;
}

/** Compiles a path into an answer; `.` is the answer itself. */
export function compileListPath(path: string): (answer: unknown) => unknown {
  if (path === '.') return (answer) => answer;
  const read = compileSourcePath(path);
  return (answer) => (isRecord(answer) ? read(answer) : undefined);
}

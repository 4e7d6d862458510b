/** Where a page is, as the part of the request that tells pages apart. */
export interface Place {
  readonly query: Readonly<Record<string, string>>;
  /** By path within the body. */
  readonly body: Readonly<Record<string, string | number>>;
  /** A whole address that the server gave; query and body are then nothing. */
  readonly url?: string;
}

/** What a style may know of the page that was just read. */
export interface PageFacts {
  readonly answer: unknown;
  /** Values of `Link` headers. */
  readonly links: readonly string[];
  /** Where the page was read, to resolve relative addresses. */
  readonly url: string;
  /** People on this page, as the server gave them. */
  readonly count: number;
  /** People so far, this page included, each once. */
  readonly rows: number;
  /** The last person of this page; undefined on an empty one. */
  readonly last: Readonly<Record<string, unknown>> | undefined;
  readonly total: number | undefined;
}

export type NextPlace =
  | { readonly kind: 'end'; readonly why: string }
  | { readonly kind: 'more' | 'perhaps-end'; readonly place: Place }
  /** The answer contradicts itself: the read ends and proves nothing. */
  | { readonly kind: 'lost'; readonly reason: string };

/** One style of paging: pure. */
export interface Paging {
  readonly first: Place;
  /** How many people each page repeats from the one before. */
  readonly overlap: number;
  /** Places are numbers: when somebody is deleted meanwhile, those behind move up, and one slips between two pages. */
  readonly isCounted?: true;
  next(facts: PageFacts, from: Place): NextPlace;
}

/** A place in the query. */
export function inQuery(query: Readonly<Record<string, string | number>>): Place {
  return { query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])), body: {} };
}

/** What APIs write where nothing follows. */
export function isNothing(next: unknown): boolean {
  return next === undefined || next === null || next === '' || next === false;
}

/** Something follows, but not in the form that the style has: an object around the address, for example. */
export function notUnderstood(path: string): NextPlace {
  return { kind: 'lost', reason: `what leads to the next page, at ${path}, cannot be understood` };
}

/**
 * The rule of all styles that count: a page that is not full is perhaps the last one, and the one after it must be
 * empty. Where servers refuse to be asked beyond their end, the total says it.
 */
export function countedNext(
  { count, rows, total }: PageFacts,
  size: number,
  lastPage: 'empty' | 'total',
  place: Place,
): NextPlace {
  if (lastPage === 'total') {
    if (total === undefined)
      return { kind: 'lost', reason: 'the answer holds no total, which should say where it ends' };
    if (rows >= total) return { kind: 'end', why: `the total of ${total} is reached` };
    if (count === 0) return { kind: 'lost', reason: `a page was empty before the total of ${total} was reached` };
  }
  return { kind: count < size ? 'perhaps-end' : 'more', place };
}

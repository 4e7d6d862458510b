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
  readonly count: number;
  /** Distinct people so far, including this page. */
  readonly rows: number;
  /** The last person of this page; undefined on an empty one. */
  readonly last: Readonly<Record<string, unknown>> | undefined;
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
  readonly canSlip?: true;
  next(facts: PageFacts, from: Place): NextPlace;
}

/** Returns a place in the query. */
export function inQuery(query: Readonly<Record<string, string | number>>): Place {
  return { query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])), body: {} };
}

/** Values that APIs use when no page follows. */
export function isNothing(next: unknown): boolean {
  return next === undefined || next === null || next === '' || next === false;
}

/** A next page exists, but in a form that the style cannot read, for example an object around the address. */
export function notUnderstood(path: string): NextPlace {
  return { kind: 'lost', reason: `the reference to the next page, at ${path}, has an unknown form` };
}

/**
 * The rule of all counting styles: a page that is not full may be the last one, and the next one must be empty. Where
 * servers refuse requests beyond the end, the total decides.
 */
export function countedNext(
  { count, rows, total }: PageFacts,
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

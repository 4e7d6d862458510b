import type { ZodType } from 'zod';
import { PlatformError, RollcallError } from '../../core/run/errors.ts';
import { jsonBy } from '../answer.ts';
import type { PlatformClient } from '../client.ts';
import { type CallDetails, contractCall } from '../contract-call.ts';
import type { QueryValue } from '../operation.ts';
import { type OperationId, operationOf } from '../table/operations.ts';
import { type Paging, pagingOf } from '../table/parameters.ts';

/** One page of any list. */
export interface ListPage<T, P = unknown> {
  readonly items: readonly T[];
  /** The answer's `page`, whose members differ by endpoint (contract, "Conventions"). */
  readonly page: P;
  /** Total number of items. Undefined where the endpoint does not report it (goals). */
  readonly total: number | undefined;
}

/** Items per page that a walk over a whole list requests. */
export const walkSize = 100;

/** Enough for 5 million items in pages of 500. A longer list repeats itself. */
const maxPages = 10_000;

type Page<T> = Omit<ListPage<T>, 'page'>;

/**
 * Yields the pages of a list. With a total it ends after that many items; an earlier empty or repeated page throws
 * `PLATFORM_ANSWER_INVALID`, because the list would be cut. Without a total it ends on a page that is shorter than
 * the first, empty or repeated (by `keyOf`), so a platform that ignores page numbers cannot cause an endless loop. A
 * first page shorter than requested proves nothing, because the contract does not show the largest page size. One
 * more page is read; 404 past the end is also an end. Empty and repeated pages are not yielded.
 */
export async function* everyPage<T, Shown extends Page<T>>(
  { first }: Pick<Paging, 'first'>,
  read: (page: number) => Promise<Shown>,
  keyOf: (item: T) => string,
): AsyncGenerator<Shown, void> {
  let seen = 0;
  let hasNoTotal = false;
  let before: string | undefined;
  let real = 0;
  for (let turn = 0; turn < maxPages; turn++) {
    const page = await read(first + turn).catch((error: unknown) => {
      if (hasNoTotal && error instanceof PlatformError && error.status === 404) return undefined;
      throw error;
    });
    if (page === undefined) return;
    const { items, total } = page;
    hasNoTotal = total === undefined;
    if (turn === 0) real = items.length;
    const keys = items.map(keyOf).join('\n');
    const isStuck = items.length === 0 || keys === before;
    if (!isStuck) yield page;
    else if (total !== undefined && seen < total) throw cutList(seen, total);
    if (isStuck) return;
    before = keys;
    seen += items.length;
    if (total === undefined ? items.length < real : seen >= total) return;
  }
  throw cutList(seen, Number.POSITIVE_INFINITY);
}

/** Yields every item of a list, page by page, as `everyPage` reads them. */
export async function* everyItem<T>(
  paging: Pick<Paging, 'first'>,
  read: (page: number) => Promise<Page<T>>,
  keyOf: (item: T) => string,
): AsyncGenerator<T, void> {
  for await (const { items } of everyPage(paging, read, keyOf)) yield* items;
}

function cutList(seen: number, total: number): RollcallError {
  const all = Number.isFinite(total) ? `${total}` : 'endlessly many';
  const message = `the platform returned ${seen} of ${all} list items and then no new ones. Try again; the list may have changed.`;
  return new RollcallError(message, { code: 'PLATFORM_ANSWER_INVALID', retry: 'backoff' });
}

/** What distinguishes one list of the contract from another. */
export interface ListParts<T, P, Q> {
  readonly id: OperationId;
  /** Schema of the answer. */
  readonly answer: ZodType<{ result: T[]; page: P }>;
  /** A text that differs between two items. */
  readonly keyOf: (item: T) => string;
  readonly totalOf: (page: P) => number | undefined;
  /** Path parameters, or another place for the query. Default: the query alone. */
  readonly details?: (query: Q) => Omit<CallDetails<never>, 'answer'>;
}

/** A list of the contract, by one operation. `Walk` is a query without the number of a page. */
export interface PagedList<T, P, Q, Walk = Q> {
  /** Returns one page. */
  page(query: Q, signal?: AbortSignal): Promise<ListPage<T, P>>;
  /** Yields every page, of 100 items by default. An empty or repeated page is not yielded, so an empty list has none. */
  pages(query: Walk, signal?: AbortSignal): AsyncGenerator<ListPage<T, P>, void>;
  /** Yields every item that matches, as `pages` reads them. */
  list(query: Walk, signal?: AbortSignal): AsyncGenerator<T, void>;
}

/** Opens a list by the table of operations: names of its page parameters, number of the first page, path, token. */
export function openList<T, P, Q extends Readonly<Record<string, QueryValue>>>(
  client: PlatformClient,
  { id, answer, keyOf, totalOf, details = (query) => ({ query }) }: ListParts<T, P, Q>,
): PagedList<T, P, Q> {
  const paging = pagingOf(operationOf(id));
  if (paging === undefined) throw new RangeError(`${id} is not read page by page`);
  const { pageName, sizeName } = paging;
  const page: PagedList<T, P, Q>['page'] = async (query, signal) => {
    const call = contractCall(id, { ...details(query), answer: jsonBy(answer) });
    const shown = await client.request(call, signal);
    return { items: shown.result, total: totalOf(shown.page), page: shown.page };
  };
  const pages: PagedList<T, P, Q>['pages'] = (query, signal) => {
    const size = query[sizeName] ?? walkSize;
    const read = (number: number) => page({ ...query, [pageName]: number, [sizeName]: size }, signal);
    return everyPage(paging, read, keyOf);
  };
  return {
    page,
    pages,
    async *list(query, signal) {
      for await (const { items } of pages(query, signal)) yield* items;
    },
  };
}

import type { z } from 'zod';
import { PlatformError, RollcallError } from '../../core/run/errors.ts';
import { AnswerInvalid, exactValue, isRecord } from '../../drivers/http/json-text.ts';
import type { Paging } from '../table/parameters.ts';
import type { manyResults } from '../table/wire.ts';
import { type AnswerReader, parseBy, placesOf, type QueryValue } from './operation.ts';

export interface ListPage<T, P = unknown> {
  readonly items: readonly T[];
  /** The answer's `page`, whose members differ by endpoint (contract, "Conventions"). */
  readonly page: P;
  /** Total number of items. Undefined where the endpoint does not report it (goals). */
  readonly total: number | undefined;
  /** Items that do not match the contract. They are left out of `items`, and affect no other item. */
  readonly unread: readonly UnreadItem[];
}

/** An item that cannot be read, by what it has. */
export interface UnreadItem {
  /** Its `id`, `identification` or `code`. Undefined: it has none. */
  readonly id: string | undefined;
  /** The places that do not match: `sender.identification: invalid_type`. */
  readonly fault: string;
}

type Page<T> = Pick<ListPage<T>, 'items' | 'total'> & Partial<Pick<ListPage<T>, 'unread'>>;

export type Query = Readonly<Record<string, QueryValue>>;

/** Items per page that a walk over a whole list requests. */
const walkSize = 100;

/** Enough for 5 million items in pages of 500. A longer list repeats itself. */
const maxPages = 10_000;

/** Returns the page that a list answered with. What is not there counts as an empty page. */
export function readListPage(body: unknown): ListPage<unknown> {
  const { result, page } = isRecord(body) ? body : {};
  const total = isRecord(page) && typeof page.totalElements === 'number' ? page.totalElements : undefined;
  return { items: Array.isArray(result) ? result : [], page, total, unread: [] };
}

/** Returns a reader of a list by its schema. One item that does not match is named in `unread`; the others are read. */
export function listBy(response: z.ZodType): AnswerReader<ListPage<unknown>> {
  const { result, page } = (response as ReturnType<typeof manyResults>).shape;
  return {
    expects: 'json',
    read(answer) {
      const body = exactValue(answer);
      if (!isRecord(body)) throw new AnswerInvalid('the body is no object');
      return { ...readListPage({ page: parseBy(page, body.page) }), ...readItems(result, body.result) };
    },
  };
}

/** Reads the items that match the schema of a list, and names the others. */
export function readItems(list: z.ZodArray, value: unknown): Pick<ListPage<unknown>, 'items' | 'unread'> {
  if (!Array.isArray(value)) throw new AnswerInvalid('the list is no list');
  const items: unknown[] = [];
  const unread: UnreadItem[] = [];
  for (const item of value) {
    const parsed = (list.element as z.ZodType).safeParse(item);
    if (parsed.success) items.push(parsed.data);
    else unread.push({ id: idOf(item), fault: placesOf(parsed.error) });
  }
  return { items, unread };
}

/** Goals have a code, leaders an identification, all others an id. */
function idOf(item: unknown): string | undefined {
  const names = isRecord(item) ? [item.id, item.identification, item.code] : [];
  const id = names.find((one) => typeof one === 'string' || typeof one === 'number');
  return id === undefined ? undefined : String(id);
}

/** Yields the pages of a list, of 100 items by default, as `everyPage` reads them. */
export function walkPages<Shown extends Page<unknown>>(
  paging: Paging,
  query: Query,
  read: (query: Query) => Promise<Shown>,
): AsyncGenerator<Shown, void> {
  const size = query[paging.sizeName] ?? walkSize;
  return everyPage(paging, (page) => read({ ...query, [paging.pageName]: page, [paging.sizeName]: size }));
}

/**
 * Yields the pages of a list. With a total it ends after that many items; an earlier empty or repeated page throws
 * `PLATFORM_ANSWER_INVALID`, because the list would be cut. Without a total it ends on a page that is shorter than
 * the first, empty or repeated, so a platform that ignores page numbers cannot cause an endless loop. A first page
 * shorter than requested proves nothing, because the contract does not show the largest page size. One more page is
 * read; 404 past the end is also an end. Empty and repeated pages are not yielded.
 */
export async function* everyPage<Shown extends Page<unknown>>(
  { first }: Pick<Paging, 'first'>,
  read: (page: number) => Promise<Shown>,
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
    const { items, total, unread = [] } = page;
    hasNoTotal = total === undefined;
    const length = items.length + unread.length;
    if (turn === 0) real = length;
    const text = JSON.stringify([items, unread]);
    const isStuck = length === 0 || text === before;
    if (!isStuck) yield page;
    else if (total !== undefined && seen < total) throw cutList(seen, total);
    if (isStuck) return;
    before = text;
    seen += length;
    if (total === undefined ? length < real : seen >= total) return;
  }
  throw cutList(seen, Number.POSITIVE_INFINITY);
}

export async function* itemsOf<T>(pages: AsyncIterable<Pick<ListPage<T>, 'items'>>): AsyncGenerator<T, void> {
  for await (const { items } of pages) yield* items;
}

function cutList(seen: number, total: number): RollcallError {
  const all = Number.isFinite(total) ? `${total}` : 'endlessly many';
  const message = `the platform returned ${seen} of ${all} list items and then no new ones. Try again; the list may have changed.`;
  return new RollcallError(message, { code: 'PLATFORM_ANSWER_INVALID', retry: 'backoff' });
}

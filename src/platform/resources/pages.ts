import { PlatformError, RollcallError } from '../../core/errors.ts';

/** One page of any list. */
export interface ListPage<T, P = unknown> {
  readonly items: readonly T[];
  /** The answer's `page`, whose members differ by endpoint (contract, "Conventions"). */
  readonly page: P;
  /** Total number of items. Undefined where the endpoint does not report it (goals). */
  readonly total: number | undefined;
}

/** The three ways in which the contract counts pages: feedback and evaluations, leaders, goals. */
export interface Paging {
  /** Number of the first page: 1 for leaders, else 0. */
  readonly first: 0 | 1;
  readonly size: number;
}

/** Enough for 5 million items in pages of 500. A list that goes on longer repeats itself. */
const maxPages = 10_000;

/**
 * Yields every item of a list. With a total it ends after that many items; an earlier empty or repeated page throws
 * `PLATFORM_ANSWER_INVALID`, because the list would be cut. Without a total it ends on a page that is shorter than
 * the first, empty or repeated (by `keyOf`), so a platform that ignores page numbers cannot cause an endless loop. A
 * first page shorter than requested proves nothing, because the contract does not show the largest page size. One
 * more page is read; 404 past the end is also an end.
 */
export async function* everyItem<T>(
  paging: Paging,
  read: (page: number) => Promise<Omit<ListPage<T>, 'page'>>,
  keyOf: (item: T) => string,
): AsyncGenerator<T, void> {
  let seen = 0;
  let hasNoTotal = false;
  let before: string | undefined;
  let real = 0;
  for (let turn = 0; turn < maxPages; turn++) {
    const page = await read(paging.first + turn).catch((error: unknown) => {
      if (hasNoTotal && error instanceof PlatformError && error.status === 404) return undefined;
      throw error;
    });
    if (page === undefined) return;
    const { items, total } = page;
    hasNoTotal = total === undefined;
    if (turn === 0) real = items.length;
    const keys = items.map(keyOf).join('\n');
    const isStuck = items.length === 0 || keys === before;
    if (!isStuck) yield* items;
    else if (total !== undefined && seen < total) throw cutList(seen, total);
    if (isStuck) return;
    before = keys;
    seen += items.length;
    if (total === undefined ? items.length < real : seen >= total) return;
  }
  throw cutList(seen, Number.POSITIVE_INFINITY);
}

function cutList(seen: number, total: number): RollcallError {
  const all = Number.isFinite(total) ? `${total}` : 'endlessly many';
  const message = `the platform gave ${seen} of ${all} list items and then no new ones. Try again; the list may have changed.`;
  return new RollcallError(message, { code: 'PLATFORM_ANSWER_INVALID', retry: 'backoff' });
}

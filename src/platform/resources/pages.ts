import { RollcallError } from '../../core/errors.ts';

/** One page of any list, whatever its `page` looks like. */
export interface ListPage<T> {
  readonly items: readonly T[];
  /** How many there are in all; undefined where the endpoint does not say (goals). */
  readonly total: number | undefined;
}

/** The three ways in which the contract counts pages: feedback and evaluations, leaders, goals. */
export interface Paging {
  /** Number of the first page: 1 for leaders, else 0. */
  readonly first: 0 | 1;
  readonly size: number;
}

/** Enough for 5 million items of 500; a list that goes on longer repeats itself. */
const maxPages = 10_000;

/**
 * Every item of a list, page by page. With a total it ends when that many came; an empty or repeated page before that
 * throws `PLATFORM_ANSWER_INVALID`, because the list would be cut. Without a total it ends on a short, an empty or a
 * repeated page (by `keyOf`), so that a platform which takes no page number does not keep it going for ever.
 */
export async function* everyItem<T>(
  paging: Paging,
  read: (page: number) => Promise<ListPage<T>>,
  keyOf: (item: T) => string,
): AsyncGenerator<T, void> {
  let seen = 0;
  let before: string | undefined;
  for (let turn = 0; turn < maxPages; turn++) {
    const { items, total } = await read(paging.first + turn);
    const keys = items.map(keyOf).join('\n');
    const isStuck = items.length === 0 || keys === before;
    if (!isStuck) yield* items;
    else if (total !== undefined && seen < total) throw cutList(seen, total);
    if (isStuck) return;
    before = keys;
    seen += items.length;
    if (total === undefined ? items.length < paging.size : seen >= total) return;
  }
}

function cutList(seen: number, total: number): RollcallError {
  const message = `the platform gave ${seen} of ${total} list items and then nothing new. Try again; the list may have changed.`;
  return new RollcallError(message, { code: 'PLATFORM_ANSWER_INVALID', retry: 'backoff' });
}

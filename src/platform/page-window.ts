import type { UserPage } from './user-record.ts';

/** Reads pages ahead and returns them in order. Holds at most `ahead` pages. */
export interface PageWindow {
  /** Returns page `index`, and starts to read the pages after it up to `last`. */
  get(index: number, last: number): Promise<UserPage>;
  /** Discards what was read ahead, because it may be outdated. Must be called at the end. */
  reset(): void;
}

/** `read` must obey its signal, which aborts on `reset` and with the outer signal. */
export function openPageWindow(
  read: (index: number, signal: AbortSignal) => Promise<UserPage>,
  ahead: number,
  outer: AbortSignal,
): PageWindow {
  let stop = new AbortController();
  let signal = AbortSignal.any([outer, stop.signal]);
  const pages = new Map<number, Promise<UserPage>>();
  const begin = (index: number): Promise<UserPage> => {
    const page = read(index, signal);
    // Its failure belongs to the caller that requests the page. Until then it must not count as unhandled.
    page.catch(() => {});
    pages.set(index, page);
    return page;
  };
  return {
    get(index, last) {
      const page = pages.get(index) ?? begin(index);
      pages.delete(index);
      for (let next = index + 1; next <= last && next < index + ahead; next++) {
        if (!pages.has(next)) begin(next);
      }
      return page;
    },
    reset() {
      pages.clear();
      stop.abort();
      stop = new AbortController();
      signal = AbortSignal.any([outer, stop.signal]);
    },
  };
}

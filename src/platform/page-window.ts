import type { UserPage } from './user-record.ts';

/** Reads pages ahead and returns them in order. Holds at most `ahead` pages. */
export interface PageWindow {
  /** Returns page `index`, and starts to read the pages after it up to `last`. */
  get(index: number, last: number): Promise<UserPage>;
  /** Discards what was read ahead, because it may be outdated. */
  reset(): void;
  /** Must be called exactly once. */
  close(): void;
}

/** `read` must obey its signal, which aborts on `reset`, on `close` and with the outer signal. */
export function openPageWindow(
  read: (index: number, signal: AbortSignal) => Promise<UserPage>,
  ahead: number,
  outer: AbortSignal,
): PageWindow {
  let stop = new AbortController();
  const pages = new Map<number, Promise<UserPage>>();
  const onAbort = (): void => stop.abort(outer.reason);
  outer.addEventListener('abort', onAbort);
  const begin = (index: number): Promise<UserPage> => {
    const page = read(index, stop.signal);
    // Its failure belongs to the caller that requests the page. Until then it must not count as unhandled.
    page.catch(() => {});
    pages.set(index, page);
    return page;
  };
  const reset = (): void => {
    pages.clear();
    stop.abort();
    stop = new AbortController();
    if (outer.aborted) onAbort();
  };
  if (outer.aborted) onAbort();
  return {
    get(index, last) {
      const page = pages.get(index) ?? begin(index);
      pages.delete(index);
      for (let next = index + 1; next <= last && next < index + ahead; next++) {
        if (!pages.has(next)) begin(next);
      }
      return page;
    },
    reset,
    close() {
      reset();
      outer.removeEventListener('abort', onAbort);
    },
  };
}

import type { ChangeQuery, PlannedChange } from '../../ports/store.ts';
import type { App } from '../app.ts';

const pageSize = 500;

/** Yields every change of a plan, page by page from the store, so that memory holds one page only. */
export async function* everyChange(
  planId: string,
  filter: Omit<ChangeQuery, 'limit'>,
  app: Pick<App, 'changes'>,
  signal: AbortSignal,
): AsyncGenerator<readonly PlannedChange[]> {
  let { after } = filter;
  for (;;) {
    signal.throwIfAborted();
    const page = await app.changes(planId, { ...filter, limit: pageSize, ...(after === undefined ? {} : { after }) });
    if (page.length > 0) yield page;
    if (page.length < pageSize) return;
    after = page.at(-1)?.identification;
  }
}

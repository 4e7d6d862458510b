import { compileListPath } from '../answer-path.ts';
import { inQuery, isNothing, notUnderstood, type Paging, type Place } from './paging.ts';
import type { PagingOf } from './schema.ts';

/** An opaque cursor from the answer, sent back in the query or in the body. */
export function byCursor(settings: PagingOf<'cursor'>): Paging {
  const { size, cursor, limit, next } = settings;
  const readNext = compileListPath(next);
  const readMore = settings.hasMore === undefined ? undefined : compileListPath(settings.hasMore);
  const at = (value?: string): Place => {
    const parameters = { [limit]: size, ...(value === undefined ? {} : { [cursor]: value }) };
    return settings.in === 'body' ? { query: {}, body: parameters } : inQuery(parameters);
  };
  return {
    first: at(),
    ...(settings.stable ? {} : { canSlip: true }),
    next({ answer }) {
      const more = readMore?.(answer);
      if (more === false) return { kind: 'end', why: 'the answer reports no further page' };
      const value = readNext(answer);
      if ((typeof value === 'string' && value !== '') || typeof value === 'number') {
        return { kind: 'more', place: at(String(value)) };
      }
      if (more === true) return { kind: 'lost', reason: 'the answer reports another page, but has no cursor for it' };
      return isNothing(value) ? { kind: 'end', why: 'no next cursor' } : notUnderstood(next);
    },
  };
}

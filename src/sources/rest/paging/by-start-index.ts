import { countedNext, inQuery, type Paging } from './paging.ts';
import type { PagingOf } from './schema.ts';

/** SCIM's index paging (RFC 7644, 3.4.2.4): the first person is number 1. */
export function byStartIndex({ size, startIndex, count, lastPage }: PagingOf<'start-index'>): Paging {
  const at = (rows: number) => inQuery({ [startIndex]: rows + 1, [count]: size });
  return {
    first: at(0),
    canSlip: true,
    next: (facts) => countedNext(facts, size, lastPage, at(facts.rows)),
  };
}

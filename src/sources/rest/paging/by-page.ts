import { countedNext, inQuery, type Paging, type Place } from './paging.ts';
import type { PagingOf } from './schema.ts';

/** Numbered pages, in the query. */
export function byPage({ size, start, page, perPage, lastPage }: PagingOf<'page'>): Paging {
  const at = (number: number) => inQuery({ [page]: number, [perPage]: size });
  return {
    first: at(start),
    canSlip: true,
    next: (facts, from) => countedNext(facts, size, lastPage, at(Number(from.query[page]) + 1)),
  };
}

/** Numbered pages, in the body of a POST. */
export function byPageInBody({ size, start, page, perPage, lastPage }: PagingOf<'page-in-body'>): Paging {
  const at = (number: number): Place => ({ query: {}, body: { [page]: number, [perPage]: size } });
  return {
    first: at(start),
    canSlip: true,
    next: (facts, from) => countedNext(facts, size, lastPage, at(Number(from.body[page]) + 1)),
  };
}

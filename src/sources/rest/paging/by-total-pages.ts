import { countIn } from '../../kit/told-count.ts';
import { compileListPath } from '../answer-path.ts';
import { inQuery, type Paging } from './paging.ts';
import type { PagingOf } from './schema.ts';

/** Numbered pages, with the number of pages in each answer. No page beyond it is requested. */
export function byTotalPages({ size, start, page, perPage, pages }: PagingOf<'total-pages'>): Paging {
  const at = (number: number) => inQuery({ [page]: number, [perPage]: size });
  const read = compileListPath(pages);
  return {
    first: at(start),
    canSlip: true,
    next({ answer }, from) {
      const last = countIn(read(answer));
      if (last === undefined) return { kind: 'lost', reason: `the answer has no number of pages at ${pages}` };
      const number = Number(from.query[page]);
      if (number - start + 1 >= last) return { kind: 'end', why: `page ${number - start + 1} of ${last} was the last` };
      return { kind: 'more', place: at(number + 1) };
    },
  };
}

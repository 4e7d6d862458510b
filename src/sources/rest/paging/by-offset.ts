import { countedNext, inQuery, type Paging } from './paging.ts';
import type { PagingOf } from './schema.ts';

/**
 * Offset and limit. Continues by the number of people received, not requested, because servers reduce limits
 * silently. With `overlap` each page starts with the last person of the previous one.
 */
export function byOffset(settings: PagingOf<'offset'>, hasTotal: boolean): Paging {
  const { size, start, lastPage, offset, limit } = settings;
  const overlap = settings.overlap ?? (hasTotal ? 0 : 1);
  const at = (rows: number) => inQuery({ [offset]: start + rows, [limit]: size });
  return {
    first: at(0),
    overlap,
    canSlip: true,
    next: (facts) => countedNext(facts, size, lastPage, at(Math.max(0, facts.rows - overlap))),
  };
}

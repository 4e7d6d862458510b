import { compileSourcePath } from '../../../core/person/source-path.ts';
import { compileListPath } from '../answer-path.ts';
import { countedNext, inQuery, type Paging } from './paging.ts';
import type { PagingOf } from './schema.ts';

/** Continues after the id of the last person, so no person can be missed between two pages. */
export function afterId(settings: PagingOf<'after-id'>): Paging {
  const { size, after, limit, id } = settings;
  const readId = compileSourcePath(id);
  const readNext = settings.next === undefined ? () => undefined : compileListPath(settings.next);
  const readMore = settings.hasMore === undefined ? () => undefined : compileListPath(settings.hasMore);
  const at = (value?: string) => inQuery({ [limit]: size, ...(value === undefined ? {} : { [after]: value }) });
  return {
    first: at(),
    next(facts, from) {
      const more = readMore(facts.answer);
      if (more === false) return { kind: 'end', why: 'the answer reports no further page' };
      const value = readNext(facts.answer) ?? (facts.last === undefined ? undefined : readId(facts.last));
      if ((typeof value === 'string' && value !== '') || typeof value === 'number') {
        if (more === true) return { kind: 'more', place: at(String(value)) };
        return countedNext(facts, size, 'empty', at(String(value)));
      }
      if (more === true) return { kind: 'lost', reason: 'the answer reports another page, but not after which person' };
      if (facts.last !== undefined) return { kind: 'lost', reason: `the last person of a page has no ${id}` };
      return { kind: 'perhaps-end', place: from };
    },
  };
}

import { compileListPath } from '../answer-path.ts';
import { inQuery, isNothing, type NextPlace, notUnderstood, type Paging } from './paging.ts';
import type { PagingOf } from './schema.ts';

/** The answer holds the address of the next page. */
export function byNextLink({ next, stable }: PagingOf<'next-link'>): Paging {
  const read = compileListPath(next);
  return {
    first: inQuery({}),
    ...(stable ? {} : { canSlip: true }),
    next({ answer, url }) {
      const link = read(answer);
      if (isNothing(link)) return { kind: 'end', why: 'no next link' };
      return typeof link === 'string' ? placeOf(link, url) : notUnderstood(next);
    },
  };
}

/** Returns the place of an address, resolved against the page that named it (RFC 3986, 5). */
export function placeOf(link: string, base: string): NextPlace {
  if (!URL.canParse(link, base)) return { kind: 'lost', reason: 'the next link is not an address' };
  return { kind: 'more', place: { query: {}, body: {}, url: new URL(link, base).href } };
}

import { placeOf } from './by-next-link.ts';
import { inQuery, type Paging } from './paging.ts';
import type { PagingOf } from './schema.ts';

/** `Link: <…>; rel="next"` (RFC 8288, 3). */
export function byLinkHeader({ stable }: PagingOf<'link-header'>): Paging {
  return {
    first: inQuery({}),
    ...(stable ? {} : { canSlip: true }),
    next({ links, url }) {
      const next = nextLink(links);
      return next === undefined ? { kind: 'end', why: 'no Link header names a next page' } : placeOf(next, url);
    },
  };
}

const link = /<([^>]*)>((?:"(?:[^"\\]|\\.)*"|[^",])*)/g;
const parameter = /;\s*([^\s=;,"]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/g;

/** Returns the target of the first link with the relation `next`. Relations are separated by spaces and ignore case. */
export function nextLink(headers: readonly string[]): string | undefined {
  for (const [, target, parameters = ''] of headers.join(',').matchAll(link)) {
    for (const [, name = '', quoted, plain] of parameters.matchAll(parameter)) {
      if (name.toLowerCase() !== 'rel') continue;
      const relations = (quoted ?? plain ?? '').toLowerCase().split(/\s+/);
      if (relations.includes('next')) return target;
      // RFC 8288, 3.3: only the first `rel` of a link counts.
      break;
    }
  }
  return undefined;
}

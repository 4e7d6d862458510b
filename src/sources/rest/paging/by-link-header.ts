import { placeOf } from './by-next-link.ts';
import { inQuery, type Paging } from './paging.ts';

/** `Link: <…>; rel="next"` (RFC 8288, 3). */
export function byLinkHeader(): Paging {
  return {
    first: inQuery({}),
    overlap: 0,
    next({ links, url }) {
      const link = nextLink(links);
      return link === undefined ? { kind: 'end', why: 'no Link header names a next page' } : placeOf(link, url);
    },
  };
}

/** The target of the first link whose relation is `next`; relations are listed with spaces and compare without case. */
export function nextLink(headers: readonly string[]): string | undefined {
  for (const [, target, parameters = ''] of headers.join(',').matchAll(/<([^>]*)>((?:"(?:[^"\\]|\\.)*"|[^",])*)/g)) {
    const [, quoted, plain] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters) ?? [];
    const relations = (quoted ?? plain ?? '').toLowerCase().split(/\s+/);
    if (relations.includes('next')) return target;
  }
  return undefined;
}

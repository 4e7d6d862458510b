import { afterId } from './after-id.ts';
import { byCursor } from './by-cursor.ts';
import { byLinkHeader } from './by-link-header.ts';
import { byNextLink } from './by-next-link.ts';
import { byOffset } from './by-offset.ts';
import { byPage, byPageInBody } from './by-page.ts';
import { byStartIndex } from './by-start-index.ts';
import { byTotalPages } from './by-total-pages.ts';
import { inQuery, type Paging } from './paging.ts';
import type { PagingSettings } from './schema.ts';

/** Returns the paging style that the settings name. */
export function openPaging(settings: PagingSettings, hasTotal: boolean): Paging {
  switch (settings.style) {
    case 'none':
      return { first: inQuery({}), next: () => ({ kind: 'end', why: 'one answer holds all employees' }) };
    case 'offset':
      return byOffset(settings, hasTotal);
    case 'page':
      return byPage(settings);
    case 'page-in-body':
      return byPageInBody(settings);
    case 'start-index':
      return byStartIndex(settings);
    case 'cursor':
      return byCursor(settings);
    case 'after-id':
      return afterId(settings);
    case 'next-link':
      return byNextLink(settings);
    case 'link-header':
      return byLinkHeader(settings);
    case 'total-pages':
      return byTotalPages(settings);
  }
}

import { z } from 'zod';
import { text } from '../../kit/http/settings.ts';

const parameter = (fallback: string, holds: string) =>
  text()
    .default(fallback)
    .meta({ description: `Name of the parameter that holds ${holds}.` });

const size = {
  size: z.int().min(2).max(10_000).default(100).meta({ description: 'People per request.' }),
};

/** Numbered pages, by parameters of the query. */
const numbered = {
  ...size,
  page: parameter('page', 'the number of the page'),
  perPage: parameter('per_page', 'the size of a page'),
  start: z.int().min(0).max(1).default(1).meta({ description: 'Number of the first page.' }),
};

const lastPage = z.enum(['empty', 'total']).default('empty').meta({
  description:
    'What ends the read. `empty`: an empty page, requested after the last one; safe where totals are wrong. `total`: only the total, for servers that refuse requests after the end.',
});

const next = (description: string) => text().meta({ description });
const hasMore = text().optional().meta({ description: 'Path of a boolean that says whether another page follows.' });

const stable = z.boolean().default(false).meta({
  description:
    'Whether the API promises that each page continues after a record. Then no record is missed when another one is deleted meanwhile. Without this promise and without `total`, the list is read twice.',
});

/** The section `paging` of a REST source. */
export const PagingSettings = z
  .discriminatedUnion('style', [
    z.strictObject({ style: z.literal('none') }).meta({ description: 'One answer holds all employees.' }),
    z.strictObject({
      style: z.literal('offset'),
      ...size,
      offset: parameter('offset', 'how many people to skip'),
      limit: parameter('limit', 'the size of a page'),
      start: z.int().min(0).default(0).meta({ description: 'Offset of the first person.' }),
      overlap: z.int().min(0).max(1).optional().meta({
        description:
          'People that each page repeats from the one before, which shows when a person is missed between two pages. Default: 1 without `total`, else 0.',
      }),
      lastPage,
    }),
    z.strictObject({
      style: z.literal('page'),
      ...numbered,
      lastPage,
    }),
    z.strictObject({
      style: z.literal('page-in-body'),
      ...numbered,
      page: numbered.page.meta({ description: 'Path within `body` of the number of the page.' }),
      perPage: parameter('pageSize', 'the size').meta({ description: 'Path within `body` of the size of a page.' }),
      lastPage,
    }),
    z.strictObject({
      style: z.literal('start-index'),
      ...size,
      startIndex: parameter('startIndex', 'the number of the first person, from 1'),
      count: parameter('count', 'the size of a page'),
      lastPage,
    }),
    z.strictObject({
      style: z.literal('cursor'),
      ...size,
      cursor: parameter('cursor', 'the cursor'),
      limit: parameter('limit', 'the size of a page'),
      in: z.enum(['query', 'body']).default('query').meta({ description: 'Where cursor and size are sent.' }),
      next: next('Path of the next cursor. Absent, null or empty: there is no next page.'),
      hasMore,
      stable,
    }),
    z.strictObject({
      style: z.literal('after-id'),
      ...size,
      after: parameter('after_id', 'the id of the last person'),
      limit: parameter('limit', 'the size of a page'),
      id: text().default('id').meta({ description: "Path of a person's id: that of the last one is sent." }),
      next: text().optional().meta({ description: 'Path of a value to send instead, if the answer has one.' }),
      hasMore,
    }),
    z.strictObject({
      style: z.literal('next-link'),
      next: next('Path of the address of the next page, absolute or relative. Absent, null or empty: no next page.'),
      stable,
    }),
    z
      .strictObject({ style: z.literal('link-header'), stable })
      .meta({ description: 'RFC 8288: `Link: <…>; rel="next"`.' }),
    z.strictObject({
      style: z.literal('total-pages'),
      ...numbered,
      pages: text().meta({ description: 'Path of the number of pages.' }),
    }),
  ])
  .meta({ description: 'How to request the next page.' });

export type PagingSettings = z.infer<typeof PagingSettings>;
export type PagingOf<S extends PagingSettings['style']> = Extract<PagingSettings, { style: S }>;

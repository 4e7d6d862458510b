import { z } from 'zod';
import { text } from '../kit/http/settings.ts';

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

export const path = (description: string, example: string) => text().meta({ description, examples: [example] });

const Parameter = z.union([z.string(), z.number(), z.boolean()]).transform(String);
export const Query = z.record(z.string(), Parameter);
export const BodyTemplate = z.record(z.string(), z.unknown());

const keyPath = z
  .union([text().transform((one) => [one]), z.array(text()).min(1)])
  .meta({ description: 'What identifies a record: a path, or several that together are unique.', examples: ['id'] });

/** Keys that describe a list and how to read it, for employees and joined records. */
export const listKeys = {
  path: z
    .string()
    .regex(/^(\/.*)?$/, 'must begin with /')
    .meta({ description: 'Added to `baseUrl`.', examples: ['/v1/people'] }),
  query: Query.default({}).meta({ description: 'Parameters of every request.' }),
  items: path(
    'Path of the list within an answer; `.` if the answer itself is the list. Each answer must have it.',
    'data',
  ),
  record: path('Path of the person within an item of the list.', 'node').optional(),
  key: keyPath,
  total: path(
    'Path of the number of people. Set it only if the number is exact: it must equal the number of returned people.',
    'meta.total',
  ).optional(),
  paging: PagingSettings,
};

const condition = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
  .meta({ description: 'Path within an element, and the text that it must hold.', examples: [{ type: 'work' }] });

/** One entry of the section `join`: another list, read completely, whose records are added to the employees. */
const OneJoin = z
  .strictObject({
    ...listKeys,
    paging: PagingSettings.optional().meta({ description: 'Default: as for the employees.' }),
    by: keyPath.meta({ description: "Paths in the employee's record, in the order of `key`." }),
    as: text().meta({ description: 'The field that takes the joined record.', examples: ['person'] }),
    each: z.boolean().default(false).meta({
      description:
        'Whether each joined record must belong to an employee. This shows that an employee was missed between two pages.',
    }),
    optional: z.boolean().default(false).meta({
      description:
        'Whether employees without a joined record are normal. `as` is then empty. Otherwise such a read is incomplete.',
    }),
    list: z.boolean().default(false).meta({
      description:
        'Whether several records may belong to one employee. `as` is then a list, from which `fields` picks.',
    }),
    keep: z.array(text()).min(1).meta({ description: 'The fields to keep. All of them are held in memory.' }),
  })
  .refine(({ by, key }) => by.length === key.length, { path: ['by'], message: 'must have as many paths as key' });
export type JoinSettings = z.infer<typeof OneJoin>;

/** The section `join`: one list, or several, which are added in this order. */
export const Joins = z
  .union([OneJoin.transform((one) => [one]), z.array(OneJoin).min(1)])
  .superRefine((joins, context) => {
    joins.forEach(({ as }, i) => {
      if (joins.findIndex((one) => one.as === as) === i) return;
      context.addIssue({
        code: 'custom',
        path: [i, 'as'],
        message: 'is the name of an earlier join; each needs its own',
      });
    });
  });

/** The section `ready`: an endpoint where the HR system reports whether its data is complete. */
export const ReadySettings = z.strictObject({
  path: listKeys.path,
  query: listKeys.query,
  items: listKeys.items,
  where: condition.meta({
    description: 'Path and text that select the element of the list.',
    examples: [{ model_name: 'Employee' }],
  }),
  expect: condition.meta({
    description: 'Paths, and the values that they must have before and after the read.',
    examples: [{ status: 'DONE' }],
  }),
  unchanged: z.array(text()).default([]).meta({ description: 'Paths whose value must be the same after the read.' }),
});
export type ReadySettings = z.infer<typeof ReadySettings>;

/** The section `fields.*`: another name for a value in the record. */
export const FieldSettings = z.union([
  text().transform((from) => ({ from, date: false })),
  z.strictObject({
    from: path('Path in the record.', 'start_date'),
    date: z
      .boolean()
      .default(false)
      .meta({ description: 'Takes the calendar date as written. Placeholder dates become empty.' }),
    where: condition.optional().meta({ description: 'For a list: only these elements.' }),
    prefer: condition.optional().meta({ description: 'For a list: these elements, or all if no element matches.' }),
    latest: text().optional().meta({ description: 'For a list: the element with the largest text at this path.' }),
    take: text()
      .optional()
      .meta({ description: 'Path within the selected element.', examples: ['value'] }),
    table: z
      .record(z.string(), text())
      .optional()
      .meta({
        description:
          'Text for each value, such as the names of a picklist. A value that is not in the table counts as not visible.',
        examples: [{ L1: 'Montevideo', L2: 'Madrid' }],
      }),
  }),
]);
export type FieldSettings = z.infer<typeof FieldSettings>;

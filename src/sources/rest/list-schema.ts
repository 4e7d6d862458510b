import { z } from 'zod';
import { PagingSettings } from './paging/schema.ts';

export const text = () => z.string().min(1);
export const path = (description: string, example: string) => text().meta({ description, examples: [example] });

const Parameter = z.union([z.string(), z.number(), z.boolean()]).transform(String);
export const Query = z.record(z.string(), Parameter);
export const BodyTemplate = z.record(z.string(), z.unknown());

const keyPath = z
  .union([text().transform((one) => [one]), z.array(text()).min(1)])
  .meta({ description: 'What tells records apart: a path, or several that together are unique.', examples: ['id'] });

/** Keys that describe a list and how to read it, for employees and joined records. */
export const listKeys = {
  path: z
    .string()
    .regex(/^(\/.*)?$/, 'must begin with /')
    .meta({ description: 'Added to `baseUrl`.', examples: ['/v1/people'] }),
  query: Query.default({}).meta({ description: 'Parameters of every request.' }),
  items: path('Path of the list within an answer; `.` where the answer itself is the list. It must be there.', 'data'),
  record: path('Path of the person within an item, where it lies deeper.', 'node').optional(),
  key: keyPath,
  total: path(
    'Path of how many people there are. Give it only where the number is exact: it must be the people that come.',
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
    as: text().meta({ description: 'The field under which the joined record is put.', examples: ['person'] }),
    each: z.boolean().default(false).meta({
      description:
        'Whether each joined record must belong to an employee: this shows when an employee is missed between two pages.',
    }),
    optional: z.boolean().default(false).meta({
      description:
        'Whether employees without a joined record are normal: `as` is then empty. Otherwise such a read is not complete.',
    }),
    list: z.boolean().default(false).meta({
      description:
        'Whether several records may belong to one employee: `as` is then their list, from which `fields` picks.',
    }),
    keep: z.array(text()).min(1).meta({ description: 'The fields to keep: all of them are held in memory.' }),
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
  where: condition.meta({ description: 'Which element of the list is meant.', examples: [{ model_name: 'Employee' }] }),
  expect: condition.meta({
    description: 'What it must say before and after the read.',
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
      .meta({ description: 'Take the calendar date as written; dates that mean none are empty.' }),
    where: condition.optional().meta({ description: 'Of a list: only these elements.' }),
    prefer: condition
      .optional()
      .meta({ description: 'Of a list: these elements, or all where there are none of them.' }),
    latest: text().optional().meta({ description: 'Of a list: the element with the largest text here.' }),
    take: text()
      .optional()
      .meta({ description: 'Path within the element that was found.', examples: ['value'] }),
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

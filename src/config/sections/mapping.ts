import { z } from 'zod';
import { type FieldName, maxCsvCustomField, type PlainFieldName } from '../../core/person/fields.ts';
import { type FieldRule, type MappingSettings, transforms } from '../../core/run/settings.ts';
import { dateFormat, text } from './values.ts';

const ruleKeys = {
  from: text()
    .optional()
    .meta({
      description: 'The source field with the value. Dots reach nested fields (`work.email`).',
      examples: ['work_email'],
    }),
  value: z
    .string()
    .optional()
    .meta({ description: 'The same value for all employees.', examples: ['Acme UY'] }),
  expression: text()
    .optional()
    .meta({ description: 'A JSONata expression over the source record.', examples: ["first & ' ' & last"] }),
  transform: z
    .array(z.enum(transforms))
    .default([])
    .meta({ description: 'Transforms of the value, applied in this order.', examples: [['trim', 'lowercase']] }),
  format: dateFormat()
    .optional()
    .meta({
      description: 'Format of this date in the source; only for orgEntryDate and birthDate. Absent: `yyyy-MM-dd`.',
      examples: ['dd/MM/yyyy'],
    }),
  whenEmpty: z
    .enum(['keep', 'clear'])
    .default('keep')
    .meta({
      description:
        "Keeps or clears the platform's value when the source value is empty. An unreadable value always keeps it.",
      examples: ['clear'],
    }),
};

const fieldRule = z
  .union(
    [
      text(),
      z
        .strictObject(ruleKeys)
        .refine(
          ({ from, value, expression }) => [from, value, expression].filter((it) => it !== undefined).length === 1,
          {
            error: 'needs exactly one of from, value, expression',
          },
        ),
    ],
    { error: (issue) => (issue.input === undefined ? 'is required' : ruleSentence) },
  )
  .transform(toFieldRule)
  .meta({ id: 'fieldRule' });

const ruleSentence = "must be a source field's name (text) or a mapping with one of from, value, expression";

function toFieldRule(input: string | z.output<z.ZodObject<typeof ruleKeys>>): FieldRule {
  if (typeof input === 'string') {
    return { kind: 'from', path: input, transform: [], format: undefined, whenEmpty: 'keep' };
  }
  const { from, value, expression, transform, format, whenEmpty } = input;
  const rest = { transform, format, whenEmpty };
  if (expression !== undefined) return { kind: 'expression', expression, ...rest };
  return value === undefined ? { kind: 'from', path: from ?? '', ...rest } : { kind: 'value', value, ...rest };
}

const customFields = z.record(
  z.string().regex(/^([1-9]|[1-5]\d|60)$/, {
    error: `must be the number of a custom field, 1 to ${maxCsvCustomField}`,
  }),
  fieldRule,
);

/** The fields of core's table. */
const plainFields = {
  firstName: field('First name. Blank keeps it, and no account is created.', 'first_name'),
  lastName: field('Last name. Blank keeps it, and no account is created.', 'last_name'),
  email: field('E-mail address.', { from: 'work_email', transform: ['trim', 'lowercase'] }).optional(),
  area: field('Area.', 'department').optional(),
  orgEntryDate: field('Date of joining.', { from: 'hire_date', format: 'dd/MM/yyyy' }).optional(),
  job: field('Job title. Write-only: the platform never returns it.', 'title').optional(),
  phoneNumber: field('Phone number. Write-only: the platform never returns it.', {
    from: 'phone',
    whenEmpty: 'clear',
  }).optional(),
  seniority: field('Seniority. Write-only: the platform never returns it.', {
    expression: "$number(level) > 5 ? 'Senior' : 'Junior'",
  }).optional(),
  project: field('Project.', 'project').optional(),
  account: field('Account.', { value: 'Acme UY' }).optional(),
  birthDate: field('Date of birth.', 'birth_date').optional(),
  office: field('Office. Written by CSV only.', 'site').optional(),
} satisfies Readonly<Record<PlainFieldName, z.ZodType>>;

/** `syncs.<name>.mapping`. Every create carries identification, firstName and lastName (contract, "User write payload"). */
const mappingShape = {
  identification: field("The user's key on the platform. Case matters. A row without it is rejected.", 'employee_id'),
  ...plainFields,
  customFields: customFields.optional().meta({
    description: 'Custom fields by number. From 31 on they are written by CSV only.',
    examples: [{ 1: 'cost_center', 2: 'manager_email' }],
  }),
};

function field(description: string, example: unknown) {
  return fieldRule.meta({ description, examples: [example] });
}

export const mapping = z.strictObject(mappingShape).transform(toMappingSettings);

type MappingInput = z.output<z.ZodObject<typeof mappingShape>>;

function toMappingSettings({ identification, customFields: custom, ...plain }: MappingInput): MappingSettings {
  const numbered = Object.entries(custom ?? {}).map(([key, rule]) => [`customField${key}`, rule] as const);
  const named = Object.entries(plain).filter(([, rule]) => rule !== undefined);
  const fields = Object.fromEntries([...named, ...numbered]) as Partial<Record<FieldName, FieldRule>>;
  return { identification, fields };
}

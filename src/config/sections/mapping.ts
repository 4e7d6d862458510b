import { z } from 'zod';
import { type FieldName, maxCsvCustomField, type PlainFieldName } from '../../core/person/fields.ts';
import { dateTimeRules } from '../../core/person/plain-date.ts';
import { given } from '../../core/run/given.ts';
import {
  type FieldRule,
  type LeaderRule,
  leavesBy,
  type MappingSettings,
  type PreferRule,
  transforms,
} from '../../core/run/settings.ts';
import { dateFormat, documented, recordValue, text } from './values.ts';

const statuses = z.array(text()).default([]);

/** `syncs.<name>.lifecycle`: core/settings `LifecycleSettings`. */
export const lifecycle = z
  .strictObject({
    status: documented(
      recordValue().optional(),
      "The source field with the employee's status, or an expression.",
      'status',
      { expression: "contract.ended ? 'left' : contract.state" },
    ),
    active: documented(
      statuses,
      'Statuses of active employees. Case does not matter. A status in neither list changes nothing and protects the employee.',
      ['active', 'leave'],
    ),
    leaver: documented(statuses, 'Statuses of employees who left.', ['terminated']),
    hireDate: documented(
      recordValue().optional(),
      'The source field with the first day of work, or an expression. The user is not created before it.',
      'hire_date',
    ),
    leaveDate: documented(
      recordValue().optional(),
      'The source field with the last day of work, or an expression. After it the employee is a leaver.',
      'end_date',
    ),
    leavesBy: documented(
      z.enum(leavesBy).optional(),
      'Decides when status and leave date disagree: `status`, `date`, `first` (one suffices) or `last` (both). Absent: see docs/sources/README.md.',
      'first',
    ),
    dateFormat: documented(
      dateFormat().optional(),
      "Format of these two dates in the source: letters such as `dd/MM/yyyy` or `yyyy-MM-dd'T'HH:mm:ssXXX`, or `epoch-seconds`, `epoch-ms`, `sheet-days` (spreadsheets), `filetime` (Active Directory), `json-date` (`/Date(…)/`). Absent: `yyyy-MM-dd`.",
      'dd/MM/yyyy',
      "yyyy-MM-dd'T'HH:mm:ssXXX",
    ),
    leaveDateFormat: documented(
      dateFormat().optional(),
      'Format of `leaveDate`, if it differs. Absent: `dateFormat`.',
      'MM/dd/yyyy',
    ),
    timezone: documented(
      recordValue().optional(),
      "A source field with the employee's time zone (IANA or Windows name), a fixed time zone, or an expression. It decides the current date, and the day of dates with a time and a zone, also in `mapping`. Absent: UTC.",
      'America/Montevideo',
    ),
    dateTimes: documented(
      z.enum(dateTimeRules).optional(),
      "The day of a date with a time and a zone, also in `mapping`. `written`: always as written. `local`: always in the employee's time zone. `auto` (default): midnight as written, any other time in the time zone.",
      'local',
    ),
  })
  .superRefine((found, ctx) => {
    const { status, active, leaver, hireDate, leaveDate } = found;
    const add = (path: (string | number)[], message: string) => ctx.addIssue({ code: 'custom', path, message });
    if (status === undefined && hireDate === undefined && leaveDate === undefined) {
      add([], 'is empty; name a source field in status, hireDate or leaveDate, or delete lifecycle');
    }
    if (found.leavesBy !== undefined && (status === undefined || leaveDate === undefined)) {
      add(['leavesBy'], 'chooses between status and leaveDate; name both, or delete this key');
    }
    if (status === undefined && active.length + leaver.length > 0) {
      add([], 'lists statuses, but no source field; name it in status');
    }
    if (status !== undefined && active.length === 0) {
      add(['active'], 'lists no status, so no employee would ever be active');
    }
    const lower = active.map(fold);
    for (const [i, word] of leaver.entries()) {
      if (lower.includes(fold(word)))
        add(['leaver', i], 'is also listed in active; a status can mean only one of the two');
    }
  })
  .transform(
    ({ status, active, leaver, hireDate, leaveDate, leavesBy: decides, dateFormat: format, timezone, ...others }) => ({
      status,
      active,
      leaver,
      hireDate,
      leaveDate,
      leavesBy: decides,
      dateFormat: format,
      timezone,
      ...given(others),
    }),
  );

function fold(status: string): string {
  return status.normalize('NFC').trim().toLowerCase();
}

const ruleKeys = {
  from: documented(
    text().optional(),
    'The source field with the value. Dots reach nested fields (`work.email`).',
    'work_email',
  ),
  value: documented(z.string().optional(), 'The same value for all employees.', 'Acme UY'),
  expression: documented(
    text().optional(),
    'A JSONata expression over the source record. A name with spaces needs backticks.',
    "first & ' ' & last",
  ),
  transform: documented(z.array(z.enum(transforms)).default([]), 'Transforms of the value, applied in this order.', [
    'trim',
    'lowercase',
  ]),
  format: documented(
    dateFormat().optional(),
    'Format of this date in the source; only for orgEntryDate and birthDate. Absent: `yyyy-MM-dd`.',
    'dd/MM/yyyy',
  ),
  whenEmpty: documented(
    z.enum(['keep', 'clear']).default('keep'),
    "Keeps or clears the platform's value when the source value is empty. An unreadable value always keeps it.",
    'clear',
  ),
  write: documented(
    z.enum(['always', 'onCreate', 'ifEmpty']).default('always'),
    'When the field is written. `onCreate`: only when the account is created. `ifEmpty`: only if the platform shows no value; for a write-only field, if the ledger has none.',
    'onCreate',
  ),
  keepLocalEdits: documented(
    z.boolean().default(false),
    "Keeps a value that was edited on the platform until the source's value changes. Before the first write, an existing value is kept and an empty field is filled.",
    true,
  ),
};

const hasOneOrigin = ({ from, value, expression }: { from?: unknown; value?: unknown; expression?: unknown }) =>
  [from, value, expression].filter((it) => it !== undefined).length === 1;
const origins = { error: 'needs exactly one of from, value, expression' };

const fieldRule = z
  .union(
    [
      text(),
      z
        .strictObject(ruleKeys)
        .refine(hasOneOrigin, origins)
        .refine(({ write, keepLocalEdits }) => write === 'always' || !keepLocalEdits, {
          path: ['keepLocalEdits'],
          error: 'has no effect with write: onCreate or ifEmpty, which never overwrite a value; remove one of the two',
        })
        .refine(({ write, whenEmpty }) => write === 'always' || whenEmpty === 'keep', {
          path: ['whenEmpty'],
          error:
            'cannot be clear with write: onCreate or ifEmpty, which never overwrite a value; remove one of the two',
        }),
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
  const { from, value, expression, transform, format, whenEmpty, write, keepLocalEdits } = input;
  const kept = keepLocalEdits ? ({ write: 'keepLocalEdits' } as const) : {};
  const rest = { transform, format, whenEmpty, ...(write === 'always' ? kept : { write }) };
  if (expression !== undefined) return { kind: 'expression', expression, ...rest };
  return value === undefined ? { kind: 'from', path: from ?? '', ...rest } : { kind: 'value', value, ...rest };
}

const { format: _format, write: _write, keepLocalEdits: _kept, ...originKeys } = ruleKeys;
const leaderKeys = {
  ...originKeys,
  by: documented(
    z.enum(['identification', 'email']).default('identification'),
    "What the value is: the leader's `identification`, or the `email` of an employee in the same source.",
    'email',
  ),
  whenEmpty: documented(
    z.enum(['keep', 'clear']).default('keep'),
    'Keeps or removes the leader when the source value is empty. `clear` removes only a leader that this sync set.',
    'clear',
  ),
  takeOver: documented(
    z.boolean().default(false),
    'Also replaces leaders that were set by hand, and removes secondary ones that the source does not name. Otherwise they are kept.',
    true,
  ),
};

const leaderRule = z
  .union([text(), z.strictObject(leaderKeys).refine(hasOneOrigin, origins)], { error: ruleSentence })
  .transform((input): LeaderRule => {
    if (typeof input === 'string') return { ...toFieldRule(input), by: 'identification', takeOver: false };
    const { by, takeOver, ...rule } = input;
    return { ...toFieldRule({ ...rule, format: undefined, write: 'always', keepLocalEdits: false }), by, takeOver };
  })
  .meta({ id: 'leaderRule' });

const customFields = z.record(
  z.string().regex(/^([1-9]|[1-5]\d|60)$/, {
    error: `must be the number of a custom field, 1 to ${maxCsvCustomField}`,
  }),
  fieldRule,
);

/** The fields of core's table. */
const plainFields = {
  firstName: field('First name. A blank value keeps the name on the platform, and creates no account.', 'first_name'),
  lastName: field('Last name. A blank value keeps the name on the platform, and creates no account.', 'last_name'),
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
  customFields: documented(
    customFields.optional(),
    'Custom fields by number. From 31 on they are written by CSV only.',
    { 1: 'cost_center', 2: 'manager_email' },
  ),
  manager: documented(
    leaderRule.optional(),
    'The main leader: the source field with their identification, or a rule. Set after users are created and updated. Absent: the sync changes no main leader.',
    'manager_id',
    { from: 'manager_email', by: 'email', whenEmpty: 'clear' },
  ),
  secondaryLeaders: documented(
    z.array(leaderRule).min(1).optional(),
    'The secondary leaders: source fields or rules as of `manager`. Absent: the sync changes no secondary leaders.',
    ['dotted_line_1', { from: 'mentor_email', by: 'email' }],
  ),
};

function field(description: string, example: unknown) {
  return fieldRule.meta({ description, examples: [example] });
}

export const mapping = z.strictObject(mappingShape).transform((input): MappingSettings => {
  const { identification, customFields: custom, manager, secondaryLeaders, ...plain } = input;
  const numbered = Object.entries(custom ?? {}).map(([key, rule]) => [`customField${key}`, rule] as const);
  const named = Object.entries(plain).filter(([, rule]) => rule !== undefined);
  const fields = Object.fromEntries([...named, ...numbered]) as Partial<Record<FieldName, FieldRule>>;
  if (manager === undefined && secondaryLeaders === undefined) return { identification, fields };
  return { identification, fields, leaders: { ...given({ manager }), secondary: secondaryLeaders ?? [] } };
});

const latestRule = z.strictObject({
  latest: documented(
    recordValue(),
    'A date field: the record with the latest date counts. A blank date is the earliest.',
    'hire_date',
  ),
  format: documented(
    dateFormat().optional(),
    'Its format in the source. Absent: `lifecycle.dateFormat`.',
    'dd/MM/yyyy',
  ),
  future: documented(
    z.boolean().optional(),
    'Whether a date after today may be the latest. Absent: `false`, so a record that takes effect later does not count yet.',
    true,
  ),
});

const sentence = 'must be a condition (text), a mapping with latest, or a list of these';

const rule = z
  .union([text(), latestRule], { error: sentence })
  .transform(
    (written): PreferRule =>
      typeof written === 'string'
        ? { kind: 'expression', expression: written }
        : { kind: 'latest', value: written.latest, format: written.format, ...given({ future: written.future }) },
  );

/** `syncs.<name>.prefer`: core/settings `PreferRule`. */
export const prefer = documented(
  z.union([z.array(rule).min(1), rule.transform((one) => [one])], { error: sentence }).optional(),
  'Which record counts when several records in `scope` name one person. A condition that the record meets, `latest` with a date, or a list of both: the first rule with a result decides. Absent, or without a result: the user is not changed, and the outcome names the person.',
  "status = 'active'",
  ["status = 'active'", { latest: 'hire_date' }],
);

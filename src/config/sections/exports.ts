import { z } from 'zod';
import { exportedLists, shownPeople } from '../../core/run/exports.ts';
import { must } from '../../core/run/problem-words.ts';
import type { Secret } from '../secret.ts';
import { address, addressFault } from './alerts.ts';
import { schedule } from './sync.ts';
import { documented, duration, name, secretText, text, uniqueList, wholeNumber } from './values.ts';

/** Where an export writes. */
export type ExportPlace =
  | { readonly kind: 'csv' | 'jsonl'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: Secret; readonly table: string };

const tablePattern = /^[a-z_][a-z0-9_]{0,62}(\.[a-z_][a-z0-9_]{0,62})?$/;

const to = z
  .strictObject({
    kind: documented(
      z.enum(['csv', 'jsonl', 'postgres']),
      'Files of CSV with a header, files of JSON lines, or a table of PostgreSQL.',
      'csv',
    ),
    path: documented(
      text().optional(),
      'For `csv` and `jsonl`: the folder of the files, from the folder of this file. It is created.',
      './exports/feedback',
    ),
    url: documented(
      secretText()
        .refine((url) => /^postgres(ql)?:\/\/./.test(url.reveal()), {
          error: 'must be postgres://user:password@host/database',
        })
        .optional(),
      'For `postgres`: the database. Over a network the connection is encrypted and the server verified, unless the url has another `sslmode`.',
      `\${env:WAREHOUSE_URL}`,
    ),
    table: documented(
      z
        .string()
        .regex(tablePattern, { error: must('must be table or schema.table, of a-z, 0-9 and _') })
        .optional(),
      'For `postgres`: the table, of this export alone. It is created when it does not exist.',
      'feedback',
    ),
  })
  .transform(({ kind, path, url, table }, ctx): ExportPlace => {
    const [needs, not] = kind === 'postgres' ? [{ url, table }, { path }] : [{ path }, { url, table }];
    for (const [key, value] of Object.entries(needs))
      if (value === undefined) ctx.addIssue({ code: 'custom', path: [key], message: `is required with kind: ${kind}` });
    for (const [key, value] of Object.entries(not))
      if (value !== undefined) ctx.addIssue({ code: 'custom', path: [key], message: `does not go with kind: ${kind}` });
    return kind === 'postgres' && url !== undefined
      ? { kind, url, table: table ?? '' }
      : { kind: kind === 'jsonl' ? kind : 'csv', path: path ?? '' };
  });

/** The keys of an export. */
export const exportShape = {
  connection: documented(text(), 'The connection whose platform is read.', 'acme'),
  what: documented(
    z.enum(exportedLists),
    'What is written: the feedback or the evaluations of the community.',
    'feedback',
  ),
  schedule: documented(schedule.optional(), 'When the export runs. Absent: only on request.', { cron: '0 5 * * *' }),
  to: documented(to, 'Where it is written.', { kind: 'csv', path: './exports/feedback' }),
  from: documented(
    z.iso
      .date({ error: must('must be a day such as 2026-01-31') })
      .transform((day) => Date.parse(`${day}T00:00:00Z`))
      .optional(),
    'The first day (UTC) of which items are read. Absent: all.',
    '2026-01-01',
  ),
  overlap: documented(
    duration('0s', '31d').prefault('1h'),
    'How far a pass reads back before the end of the last one. Items that the platform shows later than that are not found by a schedule.',
    '1h',
  ),
  people: documented(
    z.enum(shownPeople).default('identifications'),
    'What is written of sender, recipient, evaluator and evaluee. `full`: identification, name and place in the organization.',
    'none',
  ),
  comments: documented(
    z.boolean().default(false),
    '`true`: free text is written. It is personal data about both people.',
    true,
  ),
};

export type ExportInput = z.output<z.ZodObject<typeof exportShape>>;

/** One report of people, and to whom it goes. */
export interface MailSettings {
  readonly what: 'leavers' | 'joiners';
  /** Only people of this sync. Absent: of all. */
  readonly sync?: string | undefined;
  readonly schedule: z.output<typeof schedule>;
  /** So many whole days (UTC) before the day of the slot. */
  readonly days: number;
  readonly url: Secret;
  readonly from: string;
  readonly to: readonly string[];
  readonly insecure: boolean;
}

const mailedReport = z
  .strictObject({
    what: documented(z.enum(['leavers', 'joiners']), 'Who is reported: people who left, or who joined.', 'leavers'),
    sync: documented(text().optional(), 'Only people of this sync. Absent: of all syncs.', 'people'),
    schedule: documented(schedule, 'When the e-mail is sent.', { cron: '0 7 * * 1', timezone: 'America/Montevideo' }),
    days: documented(
      wholeNumber(1, 366).default(7),
      'How many days the report covers: the whole days (UTC) before the day on which it is sent.',
      7,
    ),
    url: documented(
      secretText(),
      'The mail server: `smtps://user:password@host:465`, or `smtp://host:587` with STARTTLS.',
      `\${env:MAIL_URL}`,
    ),
    from: documented(address(), 'The sender.', 'rollcall@example.com'),
    to: documented(
      uniqueList(address()),
      'The recipients. They get names, e-mails and reasons of people, so they need the right to see them.',
      ['hr@example.com'],
    ),
    insecure: documented(
      z.boolean().default(false),
      '`true`: the connection need not be encrypted, and its certificate is not verified.',
      true,
    ),
  })
  .superRefine(({ url, insecure }, ctx) => {
    const fault = addressFault(url.reveal(), 'email', insecure);
    if (fault !== undefined) ctx.addIssue({ code: 'custom', path: ['url'], message: fault });
  })
  .transform((settings): MailSettings => settings);

export const reports = documented(
  z.record(name(), mailedReport).prefault({}),
  'Reports of leavers or joiners that are sent by e-mail, each under a name of your choice. See [how-to/report-leavers.md](how-to/report-leavers.md).',
  {
    weekly: {
      what: 'leavers',
      schedule: { cron: '0 7 * * 1' },
      url: `\${env:MAIL_URL}`,
      from: 'rollcall@example.com',
      to: ['hr@example.com'],
    },
  },
);

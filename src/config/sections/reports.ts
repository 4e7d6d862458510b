import { z } from 'zod';
import type { Language } from '../../core/person/corrections.ts';
import type { Secret } from '../secret.ts';
import { address, addressFault } from './alerts.ts';
import { schedule } from './sync.ts';
import { documented, name, secretText, text, uniqueList, wholeNumber } from './values.ts';

/** One report of people, and to whom it goes. */
export interface MailSettings {
  readonly what: 'leavers' | 'joiners' | 'data-quality';
  readonly language: Language;
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
    what: documented(
      z.enum(['leavers', 'joiners', 'data-quality']),
      'The content: people who left, people who joined, or the records of `sync` that HR must correct.',
      'leavers',
    ),
    language: documented(z.enum(['en', 'es']).default('en'), 'The language of `data-quality`.', 'es'),
    sync: documented(text().optional(), 'Only people of this sync. Absent: of all syncs.', 'people'),
    schedule: documented(schedule, 'When the e-mail is sent.', { cron: '0 7 * * 1', timezone: 'America/Montevideo' }),
    days: documented(
      wholeNumber(1, 366).default(7),
      'How many days the report covers: the whole days (UTC) before the day on which it is sent.',
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
      '`true`: allows an unencrypted connection, and does not verify the certificate.',
      true,
    ),
  })
  .superRefine(({ what, sync, url, insecure }, ctx) => {
    if (what === 'data-quality' && sync === undefined) {
      ctx.addIssue({ code: 'custom', path: ['sync'], message: 'is needed for data-quality: name the sync' });
    }
    const fault = addressFault(url.reveal(), 'email', insecure);
    if (fault !== undefined) ctx.addIssue({ code: 'custom', path: ['url'], message: fault });
  })
  .transform((settings): MailSettings => settings);

export const reports = documented(
  z.record(name(), mailedReport).prefault({}),
  'Reports of leavers or joiners, and lists for HR, that are sent by e-mail, each under a name of your choice. See [how-to/report-leavers.md](how-to/report-leavers.md).',
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

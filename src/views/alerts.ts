import { z } from 'zod';
import { type AlertsReport, severities } from '../ports/alerts.ts';
import { count, type Inner, instant, personal, toWire, viewOf } from './wire.ts';

const subject = z.object({ kind: z.enum(['sync', 'connection', 'source', 'deployment']), name: z.string() });
const severity = z.enum(severities);

export const alertList = z
  .object({
    open: z.array(
      z.object({
        subject,
        topic: z.string(),
        code: z.string().describe('See docs/codes.md'),
        severity,
        worst: severity.describe('The highest severity since it began'),
        summary: personal(z.string()),
        details: personal(z.array(z.string())),
        unaffected: z.string().nullable(),
        action: personal(z.string()).describe('The command to run'),
        count: count.nullable(),
        run: z.string().nullable(),
        since: instant,
        newsAt: instant.describe('When it began, got worse, or changed its reason'),
        acknowledged: z.object({ by: z.string(), at: instant }).nullable(),
      }),
    ),
    muted: z.array(z.object({ subject, until: instant, by: z.string() })),
    channels: z.array(
      z.object({
        name: z.string(),
        kind: z.string(),
        severities: z.array(severity),
        syncs: z.array(z.string()).nullable().describe('null: all'),
        afterMs: count.describe('How long a problem lasts before this channel gets it'),
        remindMs: count.nullable().describe('Time between two reminders; null: none'),
      }),
    ),
    notices: z
      .array(
        z.object({
          id: z.string(),
          at: instant,
          kind: z.string(),
          severity,
          subject,
          channel: z.string(),
          state: z.enum(['waiting', 'delivered', 'unconfirmed', 'given-up']),
          tries: count,
          endedAt: instant.nullable().describe('When it was delivered, given up, or sent without a confirmation'),
          error: z.string().nullable(),
        }),
      )
      .describe('The newest notices, one entry per channel'),
  })
  .meta({ id: 'AlertList' });

export const alertListView = viewOf(alertList, ({ standing, muted, channels, deliveries }: AlertsReport) => ({
  open: standing.map((one) => ({ ...one, acknowledged: one.acked })),
  muted,
  channels,
  notices: deliveries.map(({ notice, ...delivery }) => ({ ...notice, ...delivery })),
}));

export const quieted = z
  .object({
    subjects: z.array(z.object({ subject, open: count })),
    until: instant.nullable().describe('The end of the mute'),
  })
  .meta({ id: 'Quieted' });

export type QuietReport = Inner<z.output<typeof quieted>>;

export const quietedView = toWire(quieted);

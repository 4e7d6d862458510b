import { z } from 'zod';
import type { QuietReport } from '../../app/app.ts';
import { type AlertsReport, severities } from '../../ports/alerts.ts';
import { count, instant as instantSchema, signature } from '../schema.ts';
import { instant } from '../views.ts';

const subject = z.object({ kind: z.enum(['sync', 'connection', 'deployment']), name: z.string() });
const severity = z.enum(severities);

export const alertList = z.object({
  open: z.array(
    z.object({
      subject,
      topic: z.string(),
      code: z.string().meta({ description: 'See docs/codes.md' }),
      severity,
      worst: severity.meta({ description: 'The highest severity since it began' }),
      summary: z.string(),
      details: z.array(z.string()),
      unaffected: z.string().nullable(),
      action: z.string().meta({ description: 'The command to run' }),
      count: count.nullable(),
      run: z.string().nullable(),
      since: instantSchema,
      newsAt: instantSchema.meta({ description: 'When it began, got worse, or changed its reason' }),
      acknowledged: z.object({ by: z.string(), at: instantSchema }).nullable(),
    }),
  ),
  muted: z.array(z.object({ subject, until: instantSchema, by: z.string() })),
  channels: z.array(
    z.object({
      name: z.string(),
      kind: z.string(),
      severities: z.array(severity),
      syncs: z.array(z.string()).nullable().meta({ description: 'null: all' }),
    }),
  ),
  notices: z
    .array(
      z.object({
        id: z.string(),
        at: instantSchema,
        kind: z.string(),
        severity,
        subject,
        channel: z.string(),
        state: z.enum(['waiting', 'delivered', 'given-up']),
        tries: count,
        error: z.string().nullable(),
      }),
    )
    .meta({ description: 'The newest notices, one entry per channel' }),
});

export function alertListView({ standing, muted, channels, deliveries }: AlertsReport): z.output<typeof alertList> {
  return {
    open: standing.map((one) => ({
      subject: { ...one.subject },
      topic: one.topic,
      code: one.code,
      severity: one.severity,
      worst: one.worst,
      summary: one.summary,
      details: [...one.details],
      unaffected: one.unaffected ?? null,
      action: one.action,
      count: one.count ?? null,
      run: one.run ?? null,
      since: new Date(one.since).toISOString(),
      newsAt: new Date(one.newsAt).toISOString(),
      acknowledged: one.acked === undefined ? null : { by: one.acked.by, at: new Date(one.acked.at).toISOString() },
    })),
    muted: muted.map(({ until, by, ...rest }) => ({
      subject: { ...rest.subject },
      until: new Date(until).toISOString(),
      by,
    })),
    channels: channels.map(({ name, kind, severities: wanted, syncs }) => ({
      name,
      kind,
      severities: [...wanted],
      syncs: syncs === undefined ? null : [...syncs],
    })),
    notices: deliveries.map(({ notice, channel, state, tries, error = null }) => ({
      id: notice.id,
      at: new Date(notice.at).toISOString(),
      kind: notice.kind,
      severity: notice.severity,
      subject: { ...notice.subject },
      ...{ channel, state, tries, error },
    })),
  };
}

export const quietOrder = z.strictObject(signature).meta({ description: 'Reason, for the audit' });

export const muteOrder = z
  .strictObject({
    minutes: count.min(1).max(43_200).default(60).meta({ description: 'For how long; at most 30 days' }),
    ...signature,
  })
  .meta({ description: 'The duration and the reason' });

export const quieted = z.object({
  subjects: z.array(z.object({ subject, open: count })),
  until: instantSchema.nullable(),
});

export function quietedView({ subjects, until }: QuietReport): z.output<typeof quieted> {
  return {
    subjects: subjects.map(({ subject: about, open }) => ({ subject: { ...about }, open })),
    until: instant(until),
  };
}

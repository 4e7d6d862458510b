import { z } from 'zod';
import type { JudgedLeaver } from '../core/plan/leavers.ts';
import { count, type Inner, instant, personal, viewOf } from './wire.ts';

const leaver = z.object({
  sync: z.string(),
  identification: z.string(),
  state: z
    .enum(['future', 'counting', 'late', 'kept', 'done'])
    .describe(
      'future: the clock has not begun; late: the target is missed; kept: an operator decided to keep the account',
    ),
  saidAt: instant.describe('When a read first reported it'),
  leaves: z.iso.date().nullable().describe('The last day of work; null: HR gives none'),
  effectiveAt: instant.describe('The end of that day in the time zone of the person; without one, `saidAt`'),
  dueAt: instant.describe('When the target `leavers.within` ends'),
  run: z.string().nullable().describe('The run that disables, or holds the disable'),
  sentAt: instant.nullable(),
  seenAt: instant.nullable().describe('When the platform first showed that the account is not enabled'),
  lateSeconds: count.describe('Delay after the target; 0: in time'),
  ending: z.enum(['disabled', 'gone', 'withdrawn']).nullable().describe('withdrawn: HR no longer states it'),
  kept: z
    .object({ by: z.string(), why: personal(z.string().nullable()), until: instant.nullable() })
    .nullable()
    .describe('Who decided that the account stays enabled'),
  wait: z
    .object({ cause: z.string(), why: personal(z.string()), cure: z.string().describe('The command that resolves it') })
    .nullable(),
});

export const leaversSummary = z.object({
  sync: z.string(),
  dueToday: count.describe('Targets that end today, in UTC'),
  late: count,
  slowestSeconds: count.nullable().describe('The longest time from the start of the clock to disabled, this month'),
});

export const leaversPage = z
  .object({ at: instant, leavers: personal(z.array(leaver)), summaries: z.array(leaversSummary) })
  .meta({ id: 'LeaversPage' });

export interface LeaversSummary extends Omit<Inner<z.output<typeof leaversSummary>>, 'slowestSeconds'> {
  readonly slowestMs: number | undefined;
}

export interface LeaversReport {
  readonly at: number;
  readonly leavers: readonly JudgedLeaver[];
  readonly summaries: readonly LeaversSummary[];
}

const secondsOf = (ms: number): number => Math.ceil(ms / 1000);

export function leaversSummaryOf({ slowestMs, ...summary }: LeaversSummary) {
  return { ...summary, slowestSeconds: slowestMs === undefined ? null : secondsOf(slowestMs) };
}

export const leaversView = viewOf(leaversPage, ({ at, leavers, summaries }: LeaversReport) => ({
  at,
  leavers: leavers.map(({ lateMs, wait, planned, ...one }) => ({
    ...one,
    run: one.run ?? planned?.run,
    lateSeconds: secondsOf(lateMs),
    wait: wait && { ...wait, cure: wait.cure([one.identification]) },
  })),
  summaries: summaries.map(leaversSummaryOf),
}));

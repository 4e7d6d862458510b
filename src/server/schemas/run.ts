import { z } from 'zod';
import type { FoundFindings, RunPage } from '../../app/page.ts';
import { batch, count, finding, instant as instantSchema, phaseWord, runDetail } from '../schema.ts';
import { findingView, instant, runDetailView } from '../views.ts';

const cause = z.object({
  code: z.string(),
  message: z.string(),
  count,
  examples: z.array(finding).meta({ description: 'The first three, with their place in the source' }),
});

export const runWithTimes = runDetail.extend({
  timeline: z
    .array(z.object({ phase: phaseWord, startedAt: instantSchema, ms: count, isCurrent: z.boolean() }))
    .meta({ description: 'Time in each phase. Delivering and proving alternate, so their times are sums' }),
  findingCodes: z.array(z.object({ code: z.string(), count })),
  causes: z
    .array(cause)
    .meta({ description: 'Findings with equal code and text, the most frequent first; at most 200' }),
  batches: z.array(
    batch.extend({
      sentAt: instantSchema.nullable(),
      finalAt: instantSchema.nullable().meta({ description: 'When the file had its final status' }),
      final: z.string().nullable(),
      polls: count,
      parent: z.string().nullable().meta({ description: 'The batch from which this one was split' }),
      isParking: z.boolean(),
      states: z.record(z.string(), count).meta({ description: 'Its changes by state' }),
    }),
  ),
});

export function runWithTimesView({ report, timeline, byCode, causes, states }: RunPage): z.output<typeof runWithTimes> {
  const detail = runDetailView(report);
  const statesOf = Map.groupBy(states, ({ batch: id }) => id);
  return {
    ...detail,
    timeline: timeline.map(({ startedAt, ...time }) => ({ ...time, startedAt: new Date(startedAt).toISOString() })),
    findingCodes: byCode.map(({ code, count: findings }) => ({ code, count: findings })),
    causes: causes.map(({ examples, ...rest }) => ({ ...rest, examples: examples.map(findingView) })),
    batches: report.batches.map((one, i) => {
      const { sentAt, finalAt, final = null, polls, parent = null, isParking = false } = one;
      const own = statesOf.get(one.id) ?? [];
      return {
        ...(detail.batches[i] as z.output<typeof batch>),
        ...{ sentAt: instant(sentAt), finalAt: instant(finalAt), final, polls, parent, isParking },
        states: Object.fromEntries(own.map(({ state, count: changes }) => [state, changes])),
      };
    }),
  };
}

export const findingPage = z.object({
  findings: z.array(finding),
  next: z.string().nullable().meta({ description: 'The cursor of the next page; null: this is the last page' }),
});

export function findingPageView({ findings, next }: FoundFindings): z.output<typeof findingPage> {
  return { findings: findings.map(findingView), next: next === undefined ? null : String(next) };
}

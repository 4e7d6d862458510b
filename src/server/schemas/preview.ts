import { z } from 'zod';
import type { PreviewState } from '../../app/page.ts';
import type { Preview } from '../../ports/previews.ts';
import { budget, count, finding, instant, named, runSummary } from '../schema.ts';
import { budgetView, findingView, instant as instantOf } from '../views.ts';

const previewFacts = z.object({
  id: z.string(),
  sync: z.string(),
  users: z.array(z.string()).nullable().meta({ description: 'The named employees; null: all' }),
  requestedBy: z.string(),
  requestedAt: instant,
  expiresAt: instant.meta({ description: 'Time after which the preview is no longer available' }),
  state: z.enum(['waiting', 'working', 'done', 'failed']),
  startedAt: instant.nullable(),
  endedAt: instant.nullable(),
  reason: z.string().nullable().meta({ description: 'Why there is no plan; null unless it failed' }),
});

const previewReport = z.object({
  digest: z.string(),
  counts: runSummary.shape.counts,
  budget: budget.meta({ description: 'Estimated requests of a run that delivers this plan' }),
  budgetWithHeld: budget.meta({
    description: 'The same estimate including the changes that a guard would hold; null without such changes',
  }),
  facts: z.looseObject({}).meta({ description: 'What the read and the scan saw: rows, users, gaps' }),
  holds: z
    .array(z.object({ class: z.string(), reason: z.string(), count }))
    .meta({ description: 'What the guards of a run would hold' }),
  findings: z.array(finding).meta({ description: 'The first 1,000' }),
  failure: z
    .string()
    .nullable()
    .meta({ description: 'Why a run of this plan would fail; null: the run would not fail' }),
});

export const preview = previewFacts.extend({
  progress: z
    .object({ step: z.enum(['reading', 'scanning', 'planning']), done: count, total: count.nullable() })
    .nullable()
    .meta({ description: 'How far the work is: rows, users or people; null: not known' }),
  isDeploymentRunning: z
    .boolean()
    .meta({ description: 'false: nothing makes the preview until a deployment is started' }),
  report: previewReport.nullable().meta({ description: 'What a run would do; null until it is done' }),
});

export const previewList = z.object({ previews: z.array(previewFacts) });

export const previewOrder = z
  .strictObject({
    sync: z.string().min(1).max(63).meta({ description: 'Name of the sync' }),
    users: named.optional().meta({ description: 'Identifications; absent: all employees' }),
  })
  .meta({ description: 'What the preview is about' });

export function previewFactsView(one: Preview): z.input<typeof previewFacts> {
  const { id, sync, scope, by, state, reason } = one;
  return {
    id,
    sync,
    users: scope.kind === 'all' ? null : [...scope.identifications],
    requestedBy: by,
    requestedAt: new Date(one.requestedAt).toISOString(),
    expiresAt: new Date(one.expiresAt).toISOString(),
    state,
    startedAt: instantOf(one.startedAt),
    endedAt: instantOf(one.endedAt),
    reason: reason ?? null,
  };
}

export function previewView({ preview: one, isDeploymentRunning }: PreviewState): z.input<typeof preview> {
  const { report } = one;
  return {
    ...previewFactsView(one),
    progress: progressOf(one.progress),
    isDeploymentRunning,
    report:
      report === undefined
        ? null
        : {
            digest: report.digest,
            counts: report.counts,
            budget: budgetView(report.facts.budget),
            budgetWithHeld: budgetView(report.facts.budgetWithHeld),
            facts: { ...report.facts },
            holds: report.holds.map(({ class: held, reason, count: size }) => ({ class: held, reason, count: size })),
            findings: report.findings.map(findingView),
            failure: report.failure ?? null,
          },
  };
}

function progressOf(event: Preview['progress']): z.input<typeof preview>['progress'] {
  switch (event?.step) {
    case 'reading':
      return { step: 'reading', done: event.rows, total: null };
    case 'scanning':
      return { step: 'scanning', done: event.users, total: event.total ?? null };
    case 'planning':
      return { step: 'planning', done: event.decided, total: event.total };
    default:
      return null;
  }
}

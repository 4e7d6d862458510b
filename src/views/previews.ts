import { z } from 'zod';
import { changeClasses } from '../core/plan/change.ts';
import type { PlanReport, Preview } from '../ports/previews.ts';
import { budget } from './changes.ts';
import { finding, runSummary } from './runs.ts';
import { amounts, count, instant, personal, type Source, viewOf } from './wire.ts';

const previewFacts = z.object({
  id: z.string(),
  sync: z.string(),
  users: personal(z.array(z.string()).nullable()).describe('The named employees; null: all'),
  undoes: z
    .object({
      run: z.string(),
      only: z.array(z.enum(changeClasses)).nullable().describe('Only these classes; null: all'),
    })
    .nullable()
    .describe('What a run with this scope undoes; null: nothing'),
  mapping: personal(z.string().nullable()).describe('The mapping that the preview tries; null: the configured one'),
  requestedBy: z.string(),
  requestedAt: instant,
  expiresAt: instant.describe('Time after which the preview is no longer available'),
  state: z.enum(['waiting', 'working', 'done', 'failed']),
  startedAt: instant.nullable(),
  endedAt: instant.nullable(),
  reason: personal(z.string().nullable()).describe('Why there is no plan; null unless it failed'),
});

/** A plan that was only shown. `plan --json` prints it with its outcome and first changes. */
const shownPlan = z.object({
  id: z.string().describe('Id of the plan'),
  sync: z.string(),
  digest: z.string(),
  counts: runSummary.shape.counts,
  classes: amounts.describe('Changes by class, including those that a guard would hold'),
  budget: budget.describe('Estimated requests of a run that delivers this plan'),
  budgetWithHeld: budget.describe(
    'The same estimate including the changes that a guard would hold; null without such changes',
  ),
  facts: personal(z.looseObject({})).describe('What the read and the scan saw: rows, users, gaps'),
  holds: z
    .array(z.object({ class: z.string(), reason: personal(z.string()), count }))
    .describe('What the guards of a run would hold'),
  findings: personal(z.array(finding)).describe('The first 1,000'),
  failure: personal(z.string().nullable()).describe('Why a run of this plan would fail; null: the run would not fail'),
});

export const preview = previewFacts
  .extend({
    progress: z
      .object({ step: z.enum(['reading', 'scanning', 'planning']), done: count, total: count.nullable() })
      .nullable()
      .describe('How far the work is: rows, users or people; null: not known'),
    isDeploymentRunning: z.boolean().describe('false: nothing makes the preview until a deployment is started'),
    report: shownPlan.nullable().describe('What a run would do; null until it is done'),
  })
  .meta({ id: 'Preview' });

export const previewList = z.object({ previews: z.array(previewFacts) }).meta({ id: 'PreviewList' });

const planOf = (report: PlanReport) => ({
  ...report,
  budget: report.facts.budget,
  budgetWithHeld: report.facts.budgetWithHeld,
  facts: { read: report.read, ...report.facts },
});

export const planView = viewOf(shownPlan, planOf);

const factsOf = ({ scope, by, ...one }: Preview) => ({
  ...one,
  users: scope.kind === 'all' ? null : scope.identifications,
  undoes: scope.kind === 'all' ? undefined : scope.undoes,
  requestedBy: by,
});

export const previewListView = viewOf(previewList, (previews: readonly Preview[]) => ({
  previews: previews.map(factsOf),
}));

export interface PreviewState {
  readonly preview: Preview;
  /** False: nothing makes it until a deployment is started. */
  readonly isDeploymentRunning: boolean;
}

export const previewView = viewOf(preview, ({ preview: one, isDeploymentRunning }: PreviewState) => ({
  ...factsOf(one),
  progress: progressOf(one.progress),
  isDeploymentRunning,
  report: one.report && planOf(one.report),
}));

function progressOf(event: Preview['progress']): Source<z.output<typeof preview>['progress']> {
  switch (event?.step) {
    case 'reading':
      return { step: 'reading', done: event.rows };
    case 'scanning':
      return { step: 'scanning', done: event.users, total: event.total };
    case 'planning':
      return { step: 'planning', done: event.decided, total: event.total };
    default:
      return null;
  }
}

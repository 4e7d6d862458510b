import { z } from 'zod';
import type { Finding, FindingCode } from '../core/run/finding.ts';
import { countOf } from '../core/run/formats.ts';
import { batchStates, type ChangeState, countNames, outcomes, phases } from '../core/run/run.ts';
import { type Waiting, waitingWords } from '../core/run/waiting.ts';
import type { FindingCause, HeldEnd, PhaseTime } from '../ports/reports.ts';
import type { AuditEntry, Batch, HoldFacts, RawText, Run } from '../ports/store.ts';
import { budget } from './changes.ts';
import { amounts, count, instant, orNewer, personal, viewOf } from './wire.ts';

export const phaseWord = orNewer(phases);

const counts = z.object(
  Object.fromEntries(countNames.map((name) => [name, count])) as Record<(typeof countNames)[number], typeof count>,
);

export const waitingWire = z
  .object({
    for: z.string().describe('What the run waits for'),
    about: personal(z.string().nullable()).describe('Details, for example the batch or the last problem'),
    since: instant,
    until: instant.nullable().describe('End of the wait at the latest; null: no end is set'),
    setting: z.string().nullable().describe('The setting that sets the end'),
    // biome-ignore lint/suspicious/noThenProperty: it is a text, so no promise takes it for its own.
    then: z.string().describe('What follows the wait'),
    text: personal(z.string()).describe('The wait as one line'),
  })
  .nullable()
  .describe('What the run waits for now; null: it does not wait');

export function waitingOf(waiting: Waiting | undefined) {
  return waiting && { ...waiting, text: waitingWords(waiting) };
}

export const runSummary = z
  .object({
    id: z.string(),
    sync: z.string(),
    connection: z.string(),
    trigger: z.enum(['schedule', 'manual', 'resync', 'approval', 'retry', 'undo', 'webhook', 'leavers']),
    read: z
      .enum(['full', 'delta', 'point'])
      .nullable()
      .describe('Which employees were read: all, changed ones, or named ones; null: none yet'),
    users: count.nullable().describe('Number of named employees; null: all employees'),
    undoes: z.string().nullable().describe('The run that this run undoes; null: none'),
    phase: phaseWord,
    startedAt: instant,
    endedAt: instant.nullable(),
    outcome: orNewer(outcomes).nullable().describe('null until the run has ended'),
    reason: personal(z.string().nullable()),
    reasons: personal(z.array(z.string())).describe('All reasons of the outcome, that of `reason` first'),
    isSuccess: z.boolean().describe('The run ended successfully; true for a partial run if only HR records need a fix'),
    digest: z.string().nullable(),
    isCancelRequested: z.boolean(),
    waiting: waitingWire,
    counts,
  })
  .meta({ id: 'Run' });

const summaryOf = (run: Run) => ({
  ...run,
  waiting: run.phase === 'done' ? undefined : waitingOf(run.waiting),
  reasons: run.end?.reasons ?? (run.reason === undefined ? [] : [run.reason]),
  read: run.read?.kind,
  users: run.scope.kind === 'all' ? null : run.scope.identifications.length,
  undoes: run.scope.kind === 'all' ? undefined : run.scope.undoes?.run,
});

export const runView = viewOf(runSummary, summaryOf);

export const runPage = z
  .object({
    runs: z.array(runSummary),
    next: z.string().nullable().describe('The cursor of the next page; null: this is the last page'),
  })
  .meta({ id: 'RunPage' });

/** A run with the facts of its work. `runs --json` lists them. */
const runFacts = runSummary.extend({
  requests: amounts.describe('Requests to the platform so far, by purpose'),
  budget: budget.describe('Estimated requests of the run; null before its plan is made'),
  budgetWithHeld: budget.describe('The same estimate including the held changes; null without held changes'),
  facts: personal(z.looseObject({})).describe('Results of the read and the scan: rows, users, gaps'),
});

const factsOf = (run: Run) => ({
  ...summaryOf(run),
  budget: run.plan?.budget,
  budgetWithHeld: run.plan?.budgetWithHeld,
  facts: { read: run.read, ...run.plan, ...run.delivery, failure: run.end?.failure, problem: run.problem },
});

export const runFactsView = viewOf(runFacts, factsOf);

export const finding = z.object({
  code: z.string(),
  identification: personal(z.string().nullable()),
  at: z.string().nullable().describe('Position in the source'),
  message: personal(z.string()),
});

const batch = z.object({
  id: z.string(),
  number: count,
  kind: z.enum(['csv', 'direct', 'outbox', 'leaders']),
  size: count,
  state: orNewer(batchStates),
  fileId: z.string().nullable(),
  fileName: z.string().nullable(),
  status: z.string().nullable(),
  final: z.string().nullable().describe('The final status of the file'),
  reason: personal(z.string().nullable()),
});

export const hold = z.object({
  id: z.string(),
  class: z.string(),
  reason: personal(z.string()),
  count,
  heldAt: instant,
  expiresAt: instant,
  state: z
    .enum(['open', 'approved', 'rejected', 'decided', 'expired'])
    .describe('decided: some changes were approved and the others rejected'),
});

export const heldEnd = z.object({
  classes: z.array(z.string()),
  state: z
    .enum(['open', 'approved', 'rejected', 'ended', 'expired'])
    .describe('ended: an accepted read ended the reason; expired: not decided in time, or planned again'),
  by: z.string().nullable().describe('Who approved or rejected'),
  why: personal(z.string().nullable()).describe('The reason that they gave'),
  run: z.string().nullable().describe('The run that used the approval'),
  end: z.string().nullable().describe('State of the changes in that run'),
  count,
});

export const runDetail = runFacts.extend({
  reasonNow: personal(z.string().nullable()).describe('As reason; for a held run, what still waits'),
  isReadWaiting: z
    .boolean()
    .describe('A guard finds the read of the run suspicious, and an operator may accept it by an approval'),
  findings: z.array(finding),
  findingsInAll: count,
  batches: z.array(batch),
  holds: z.array(hold),
  heldEnds: z.array(heldEnd).describe('State of the held changes'),
});

/** Whether a process works on a run in progress, and what the run waits for. */
export interface RunWork {
  /**
   * No process works on the run. `at` (epoch ms): when the last one lost it after its death; undefined after a regular
   * stop.
   */
  readonly interrupted: { readonly at: number | undefined; readonly isQueued: boolean } | undefined;
  /** Files without a final status. They are polled until `untilMs` (epoch ms) at the latest. */
  readonly files: { readonly count: number; readonly untilMs: number } | undefined;
}

export interface RunReport {
  readonly run: Run;
  readonly findings: readonly Finding[];
  /** Total number of findings. `findings` holds only the first ones. */
  readonly findingsInAll: number;
  readonly batches: readonly Batch[];
  readonly holds: readonly HoldFacts[];
  /** State of the held changes. */
  readonly heldEnds: readonly HeldEnd[];
  /** Whether a guard doubts the read of this run, and an operator may accept it. */
  readonly isReadWaiting: boolean;
  /** The approvals and rejections of this run, newest first. */
  readonly verdicts: readonly AuditEntry[];
  /** Other runs that ended in the same call: interrupted ones, and the one about the leavers of this run. */
  readonly resumed: readonly Run[];
  /** Undefined for a run that has ended. */
  readonly work: RunWork | undefined;
}

const detailOf = ({ run, ...report }: RunReport) => ({
  ...factsOf(run),
  ...report,
  holds: report.holds.map((one) => ({ ...one, count: one.size })),
  reasonNow: reasonNow({ run, ...report }),
});

export const runDetailView = viewOf(runDetail, detailOf);

/** A run as the command that ran it reports it: also the runs that it finished first. */
export const runReportView = viewOf(runDetail.extend({ resumed: z.array(runFacts) }), (report: RunReport) => ({
  ...detailOf(report),
  resumed: report.resumed.map(factsOf),
}));

/** Returns the number of changes that still wait for an operator. */
export function openIn(ends: readonly HeldEnd[]): number {
  return ends.reduce((sum, { state, count: some }) => sum + (state === 'open' ? some : 0), 0);
}

/** Returns why the run ended so. For a held run, what has become of the held changes since. */
export function reasonNow({ run, heldEnds, isReadWaiting: isWaiting }: RunReport): string | undefined {
  const { outcome, reason, counts: sums, plan } = run;
  if (outcome !== 'held') return reason;
  if (sums.held === 0) {
    const why = plan?.doubt ?? 'the source looked wrong (see the findings)';
    return isWaiting || plan?.isReadDoubted !== true
      ? reason
      : `${why}. An operator accepted the read, or a later run read again`;
  }
  if (heldEnds.length === 0 || openIn(heldEnds) === sums.held) return reason;
  return `${heldWords(heldEnds)}${isWaiting && plan?.doubt !== undefined ? `; ${plan.doubt}` : ''}`;
}

/** Returns, for example, `2 changes need approval, 3 approved`. */
function heldWords(ends: readonly HeldEnd[]): string {
  const sums = new Map<HeldEnd['state'], number>();
  for (const { state, count: some } of ends) sums.set(state, (sums.get(state) ?? 0) + some);
  const waiting = sums.get('open') ?? 0;
  const rest = (['approved', 'rejected', 'ended', 'expired'] as const).filter((state) => sums.has(state));
  return [
    ...(waiting === 0 ? [] : [`${countOf(waiting, 'change needs', 'changes need')} approval`]),
    ...rest.map((state) => `${sums.get(state)} ${heldEndWords[state]}`),
  ].join(', ');
}

export const heldEndWords: Readonly<Record<HeldEnd['state'], string>> = {
  open: 'needs approval',
  approved: 'approved',
  rejected: 'rejected',
  ended: 'lapsed: the reason ended',
  expired: 'lapsed: expired, or planned again',
};

/** What the page of a run shows besides. */
export const runWithTimes = runDetail
  .extend({
    timeline: z
      .array(z.object({ phase: phaseWord, startedAt: instant, ms: count, isCurrent: z.boolean() }))
      .describe('Time in each phase. Delivering and reading back alternate, so their times are sums'),
    findingCodes: z.array(z.object({ code: z.string(), count })),
    causes: z
      .array(
        z.object({
          code: z.string(),
          message: personal(z.string()),
          count,
          examples: z.array(finding).describe('The first three findings, with their place in the source'),
        }),
      )
      .describe('Findings with equal code and text, the most frequent first; at most 200'),
    batches: z.array(
      batch.extend({
        sentAt: instant.nullable(),
        finalAt: instant.nullable().describe('When the file had its final status'),
        polls: count,
        parent: z.string().nullable().describe('The batch from which this one was split'),
        states: amounts.describe('Its changes by state'),
      }),
    ),
  })
  .meta({ id: 'RunDetail' });

export interface RunPage {
  readonly report: RunReport;
  readonly timeline: readonly PhaseTime[];
  readonly byCode: readonly { readonly code: FindingCode; readonly count: number }[];
  readonly causes: readonly FindingCause[];
  readonly states: readonly { readonly batch: string; readonly state: ChangeState; readonly count: number }[];
}

export const runWithTimesView = viewOf(runWithTimes, ({ report, byCode, states, ...page }: RunPage) => {
  const statesOf = Map.groupBy(states, ({ batch: id }) => id);
  return {
    ...detailOf(report),
    ...page,
    findingCodes: byCode,
    batches: report.batches.map((one) => ({
      ...one,
      states: Object.fromEntries((statesOf.get(one.id) ?? []).map(({ state, count: some }) => [state, some])),
    })),
  };
});

export const findingPage = z
  .object({
    findings: z.array(finding),
    next: z.string().nullable().describe('The cursor of the next page; null: this is the last page'),
  })
  .meta({ id: 'FindingPage' });

export interface FoundFindings {
  readonly findings: readonly Finding[];
  /** Send it as `after` for the next page; undefined: this is the last page. */
  readonly next: number | undefined;
}

export const findingPageView = viewOf(findingPage, ({ findings, next }: FoundFindings) => ({
  findings,
  next: next === undefined ? null : String(next),
}));

export const rawTextList = z
  .object({
    texts: z
      .array(z.object({ at: instant, about: z.string(), text: z.string() }))
      .describe('In the order of arrival; empty without `encryptionKey`'),
  })
  .meta({ id: 'RawTexts' });

export const rawTextListView = viewOf(rawTextList, (texts: readonly RawText[]) => ({ texts }));

export const runProgress = z
  .object({
    run: runSummary,
    batches: z.array(z.object({ state: batch.shape.state, batches: count, changes: count })),
  })
  .meta({ id: 'RunProgress' });

export type RunProgress = Pick<RunReport, 'run' | 'batches'>;

/** The batches of a run by state, in the order in which each state first occurs. */
export const runProgressView = viewOf(runProgress, ({ run, batches }: RunProgress) => ({
  run: summaryOf(run),
  batches: [...Map.groupBy(batches, ({ state }) => state)].map(([state, some]) => ({
    state,
    batches: some.length,
    changes: some.reduce((sum, { size }) => sum + size, 0),
  })),
}));

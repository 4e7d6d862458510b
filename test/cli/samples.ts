import { openStyle } from '../../src/cli/terminal.ts';
import { changeClasses } from '../../src/core/plan/change.ts';
import { noPlan } from '../../src/core/run/facts.ts';
import { noCounts } from '../../src/core/run/run.ts';
import { successOutcomes } from '../../src/ports/alerts.ts';
import type { PlanReport } from '../../src/ports/previews.ts';
import type { Batch, HoldFacts, PlannedChange, Run } from '../../src/ports/store.ts';
import type { RunReport } from '../../src/views/runs.ts';

export const plain = openStyle({ isTerminal: false, env: {}, config: undefined });

export const at = Date.UTC(2026, 10, 21, 19, 30);

export function sampleChange(patch: Partial<PlannedChange> = {}): PlannedChange {
  return {
    identification: '1003',
    kind: 'update',
    before: { userId: '7', enabled: true, fields: { area: 'Sales' } },
    after: { area: 'Finance' },
    changed: ['area'],
    classes: ['updates'],
    reason: 'differs in area',
    rule: 'active-update',
    episode: '0',
    hash: 'h',
    state: 'planned',
    stateReason: undefined,
    batch: undefined,
    isApproved: false,
    isRejected: false,
    isLeftOut: false,
    ...patch,
  };
}

const noClasses = Object.fromEntries(changeClasses.map((name) => [name, 0])) as PlanReport['classes'];

export function samplePlan(patch: Partial<PlanReport> = {}): PlanReport {
  return {
    id: 'plan_1',
    sync: 'people',
    digest: '3f2a9c1b4d5e6f708192a3b4',
    counts: { ...noCounts, update: 1 },
    classes: { ...noClasses, updates: 1 },
    read: { kind: 'full', at, fingerprint: 'f1' },
    facts: {
      ...noPlan,
      sourceRows: 1520,
      platformUsers: 1512,
      managedUsers: 1500,
      unchanged: 1499,
      unmanaged: 12,
    },
    findings: [],
    holds: [],
    failure: undefined,
    ...patch,
  };
}

export function sampleRun(patch: Partial<Run> = {}): Run {
  return {
    id: 'run_01',
    sync: 'people',
    connection: 'acme',
    trigger: 'manual',
    scope: { kind: 'all' },
    phase: 'done',
    startedAt: at,
    endedAt: at + 65_000,
    outcome: 'succeeded',
    reason: undefined,
    digest: '3f2a9c1b4d5e6f708192a3b4',
    counts: noCounts,
    read: undefined,
    plan: { ...noPlan, sourceRows: 520, platformUsers: 512, managedUsers: 500, unchanged: 488 },
    delivery: undefined,
    end: undefined,
    waiting: undefined,
    problem: undefined,
    requests: {},
    isCancelRequested: false,
    isSuccess: successOutcomes.some((outcome) => outcome === (patch.outcome ?? 'succeeded')),
    ...patch,
  };
}

const openEnd = { state: 'open', by: undefined, why: undefined, run: undefined, end: undefined } as const;

export function sampleReport(run: Partial<Run>, patch: Partial<RunReport> = {}): RunReport {
  const { holds = [] } = patch;
  const heldEnds = holds.map(({ class: held, size }) => ({ ...openEnd, classes: [held], count: size }));
  return {
    ...{ run: sampleRun(run), findings: [], findingsInAll: 0, batches: [], holds, resumed: [] },
    ...{ heldEnds, isReadWaiting: false, verdicts: [], work: undefined, ...patch },
  };
}

export function sampleBatch(patch: Partial<Batch>): Batch {
  return {
    id: 'batch_1',
    run: 'run_01',
    sync: 'people',
    connection: 'acme',
    number: 1,
    kind: 'csv',
    size: 8,
    state: 'settled',
    sentAt: at,
    fileId: '12',
    fileName: 'rollcall-people-1.csv',
    status: 'Processed',
    polls: 2,
    final: 'done',
    finalAt: at,
    reason: undefined,
    parent: undefined,
    ...patch,
  };
}

export const sampleHold: HoldFacts = {
  id: 'hold_1',
  sync: 'people',
  run: 'run_01',
  class: 'disables',
  reason: '7 disables: up to 5 in 24 hours need no approval (100 enabled managed users)',
  digest: 'd',
  size: 7,
  heldAt: at,
  expiresAt: at + 86_400_000,
  state: 'open',
};

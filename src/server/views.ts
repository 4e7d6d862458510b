import type { z } from 'zod';
import type { RequestReport, RunReport } from '../app/app.ts';
import type { HoldsReport } from '../app/holds.ts';
import { reasonNow } from '../app/reports.ts';
import type { RequestState, RunProgress } from '../app/request-result.ts';
import type { SyncState } from '../app/sync-view.ts';
import type { FieldValues } from '../core/person/fields.ts';
import type { Finding } from '../core/run/finding.ts';
import type { RequestBudget } from '../core/run/request-budget.ts';
import type { HeldEnd } from '../ports/reports.ts';
import type { AuditEntry, HoldFacts, PastChange, PlannedChange, Run } from '../ports/store.ts';
import type { TokenStatus } from '../ports/tokens.ts';
import type {
  auditPage,
  change,
  connectionList,
  finding,
  holdsPage,
  pastChanges,
  requested,
  requestState,
  runDetail,
  runProgress,
  runSummary,
  sync,
} from './schema.ts';
import type { heldEnd } from './schemas/held-end.ts';

type View<Schema extends z.ZodType> = z.output<Schema>;

/** Returns ISO 8601 in UTC, or null. */
export function instant(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}

export function runView(run: Run): View<typeof runSummary> {
  const { id, connection, trigger, scope, phase, startedAt, endedAt, outcome, reason, digest, counts, facts } = run;
  return {
    id,
    sync: run.sync,
    connection,
    trigger,
    read: facts.read?.kind ?? null,
    users: scope.kind === 'all' ? null : scope.identifications.length,
    phase,
    startedAt: new Date(startedAt).toISOString(),
    endedAt: instant(endedAt),
    outcome: outcome ?? null,
    reason: reason ?? null,
    digest: digest ?? null,
    isCancelRequested: run.isCancelRequested,
    counts: { ...counts },
  };
}

export function syncView(state: SyncState): View<typeof sync> {
  const { name, connection, policy, schedule, pause, freshAt, nextSlotAt, waiting, lastRun } = state;
  return {
    name,
    connection,
    policy,
    schedule: schedule ?? null,
    state: stateWord(state),
    pausedAt: instant(pause?.pausedAt),
    pausedBy: pause?.by ?? null,
    freshAt: instant(freshAt),
    nextSlotAt: instant(nextSlotAt),
    waiting,
    lastRun: lastRun === undefined ? null : runView(lastRun),
  };
}

function stateWord({ pause, lastRun, waiting }: SyncState): View<typeof sync>['state'] {
  if (lastRun !== undefined && lastRun.endedAt === undefined) return 'running';
  if (pause !== undefined) return 'paused';
  return waiting > 0 ? 'waiting' : 'idle';
}

export function runDetailView(report: RunReport): View<typeof runDetail> {
  const { run, findings, findingsInAll, batches, holds, heldEnds } = report;
  return {
    ...runView(run),
    requests: { ...run.requests },
    budget: budgetView(run.facts.budget),
    budgetWithHeld: budgetView(run.facts.budgetWithHeld),
    facts: { ...run.facts },
    findings: findings.map(findingView),
    findingsInAll,
    batches: batches.map(({ id, number, kind, size, state, fileId, fileName, status, reason }) => ({
      id,
      number,
      kind,
      size,
      state,
      fileId: fileId ?? null,
      fileName: fileName ?? null,
      status: status ?? null,
      reason: reason ?? null,
    })),
    holds: holds.map((hold) => ({ ...holdView(hold), count: hold.size })),
    heldEnds: heldEnds.map(heldEndView),
    reasonNow: reasonNow(report) ?? null,
  };
}

export function findingView({ code, identification, at, message }: Finding): View<typeof finding> {
  return { code, identification: identification ?? null, at: at ?? null, message };
}

export function budgetView(budget: RequestBudget | undefined): View<typeof runDetail>['budget'] {
  return budget === undefined ? null : { ...budget, purposes: { ...budget.purposes } };
}

export function heldEndView({ classes, by, run, end, ...others }: HeldEnd): View<typeof heldEnd> {
  return { ...others, classes: [...classes], by: by ?? null, run: run ?? null, end: end ?? null };
}

export function holdView({ id, class: held, reason, heldAt, expiresAt, state }: HoldFacts) {
  const [since, until] = [new Date(heldAt).toISOString(), new Date(expiresAt).toISOString()];
  return { id, class: held, reason, heldAt: since, expiresAt: until, state };
}

export function holdsView({ holds, reads }: HoldsReport): View<typeof holdsPage> {
  return {
    holds: holds.map(({ hold, budget, isApprovable, waiting, changes }) => ({
      ...holdView(hold),
      sync: hold.sync,
      run: hold.run,
      count: waiting,
      budget: budgetView(budget),
      isApprovable,
      changes: changes.map(changeView),
    })),
    reads: reads.map(({ startedAt, reason = null, ...read }) => ({
      ...read,
      reason,
      startedAt: new Date(startedAt).toISOString(),
    })),
  };
}

export function changeView(planned: PlannedChange): View<typeof change> {
  const { identification, kind, state, stateReason, reason, classes, changed, before, after, batch } = planned;
  return {
    identification,
    kind,
    state,
    stateReason: stateReason ?? null,
    reason,
    classes: [...classes],
    changed: [...changed],
    before: before === undefined ? null : valuesOf(before.fields),
    after: valuesOf(after),
    batch: batch ?? null,
    isApproved: planned.isApproved,
    hash: planned.hash,
  };
}

function valuesOf(fields: FieldValues): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

export function pastView(changes: readonly PastChange[]): View<typeof pastChanges> {
  return {
    history: changes.map((past) => ({ ...changeView(past), run: past.run, at: new Date(past.at).toISOString() })),
  };
}

/** The batches of a run by state, in the order in which each state first occurs. */
export function runProgressView({ run, batches }: RunProgress): View<typeof runProgress> {
  const states = [...new Set(batches.map(({ state }) => state))];
  return {
    run: runView(run),
    batches: states.map((state) => {
      const some = batches.filter((batch) => batch.state === state);
      return { state, batches: some.length, changes: some.reduce((sum, { size }) => sum + size, 0) };
    }),
  };
}

export function requestStateView({ trigger, state, run, result }: RequestState): View<typeof requestState> {
  const { id, sync: about, kind, requestedAt, scope } = trigger;
  return {
    id,
    sync: about,
    kind,
    requestedAt: new Date(requestedAt).toISOString(),
    users: scope.kind === 'users' ? scope.identifications.length : null,
    state,
    run: run === undefined ? null : runView(run),
    result: result === undefined ? null : { ...result, reason: result.reason ?? null },
  };
}

export function requestedView({ trigger, sync: about, isNew, run }: RequestReport): View<typeof requested> {
  return { trigger, sync: about, isNew, run: run ?? null };
}

export function connectionView(report: TokenStatus): Omit<View<typeof connectionList>['connections'][number], 'syncs'> {
  const { connection: name, state, generation = null, attempts, reason = null, advice } = report;
  const [issuedAt, expiresAt] = [instant(report.issuedAt), instant(report.expiresAt)];
  const retryAt = instant(report.retryAt);
  const token = { state, generation, issuedAt, expiresAt, attempts, retryAt, reason, advice };
  return { name, token, steps: [...stepsOf(state, name)] };
}

export function auditView(entry: AuditEntry): View<typeof auditPage>['entries'][number] {
  const { id, at, by, action, sync: about = null, connection = null, run = null, detail = null } = entry;
  const { reason = null, via = null } = entry;
  return { id, at: new Date(at).toISOString(), by, action, sync: about, connection, run, detail, reason, via };
}

/** Returns what an operator does so that a connection works again. */
function stepsOf(state: string, name: string): readonly string[] {
  const newToken = [
    'Create a new refresh token on the platform.',
    `Set connections.${name}.refreshToken to it, or write it to the file or secret that the key names.`,
    'Restart the processes, or send them SIGHUP: they read the configuration again.',
    `Check the result: rollcall token status ${name}`,
  ];
  switch (state) {
    case 'reauth-required':
      return newToken;
    case 'revoked':
      return [`To use the stored token again: rollcall token refresh ${name}. Otherwise:`, ...newToken];
    case 'restored':
      return [
        'The token comes from a backup. If no other deployment uses it, refresh it by hand.',
        `rollcall token refresh ${name}`,
      ];
    case 'sealed':
      return ['The token is sealed with another key: add that key to formerEncryptionKeys, or:', ...newToken];
    default:
      return [];
  }
}

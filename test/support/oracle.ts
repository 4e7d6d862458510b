import { afterEach, expect } from 'vitest';
import { findChanges, findRuns } from '../../src/app/runs.ts';
import { normalText } from '../../src/core/person/text.ts';
import type { ChangeKind } from '../../src/core/plan/change.ts';
import type { ChangeState } from '../../src/core/run/run.ts';
import type { PlannedChange, Run } from '../../src/ports/store.ts';
import type { EffectKind } from '../../src/sandbox/people/user-writes.ts';
import { type Office, takeOffices } from './office.ts';

const kindOfEffect: Readonly<Record<EffectKind, ChangeKind>> = {
  created: 'create',
  updated: 'update',
  enabled: 'enable',
  disabled: 'disable',
  removed: 'remove',
};

/** Call it once at the top of a file: after every test, what was promised is compared with what the platform logged. */
export function holdPromises(): void {
  afterEach(async () => {
    for (const office of takeOffices()) await checkPromises(office);
  });
}

/** Compares the sandbox's write log with the store (design, section 9: I1, I2, I5, I7). */
export async function checkPromises(office: Office): Promise<void> {
  const runs = await findRuns(office.app, { limit: 1000 });
  const plans = await Promise.all(
    runs.map(async (run) => ({ run, changes: await findChanges(office.app, run.id, { limit: 10_000 }) })),
  );
  nobodyActiveWasTaken(office, plans);
  everyWriteHasItsRow(office, plans);
  for (const plan of plans) {
    nothingWasTakenOnHalfARead(plan);
    if (plan.run.phase === 'done') everyRowEnded(plan);
  }
}

interface RunPlan {
  readonly run: Run;
  readonly changes: readonly PlannedChange[];
}

function nobodyActiveWasTaken(office: Office, plans: readonly RunPlan[]): void {
  const byRule = plans.flatMap(({ changes }) => changes.filter(({ reason }) => reason.startsWith('out of scope')));
  const outOfScope = new Set(byRule.map(({ identification }) => identification));
  for (const { n, identification: shown, kind, via } of office.sandbox.state.log) {
    const identification = normalText(shown);
    if (via === 'outside' || (kind !== 'disabled' && kind !== 'removed')) continue;
    if (outOfScope.has(identification)) continue;
    const active = office.sources.filter(({ logged }) => logged < n).at(-1)?.active ?? new Set();
    expect(active.has(identification), `I1: write ${n} ${kind} ${identification}, who is active`).toBe(false);
  }
}

/** A run has one row per user, so more writes than rows that went out means that something was repeated. */
function everyWriteHasItsRow(office: Office, plans: readonly RunPlan[]): void {
  const rows = new Map<string, number>();
  for (const { changes } of plans) {
    for (const { identification, kind, batch } of changes) {
      if (batch === undefined) continue;
      const key = `${kind} ${identification}`;
      rows.set(key, (rows.get(key) ?? 0) + 1);
    }
  }
  for (const { n, identification, kind, via } of office.sandbox.state.log) {
    if (via === 'outside') continue;
    const key = `${kindOfEffect[kind]} ${normalText(identification)}`;
    const left = rows.get(key) ?? 0;
    expect(left, `I2: write ${n} (${key}) has no row of a plan left`).toBeGreaterThan(0);
    rows.set(key, left - 1);
  }
}

function nothingWasTakenOnHalfARead({ run, changes }: RunPlan): void {
  const gaps = run.plan?.sourceGaps ?? [];
  if (gaps.length === 0) return;
  const proveLeavers = gaps.every((gap) => /ha(?:s|ve) no identification/.test(gap));
  for (const { identification, kind, reason } of changes) {
    if (kind !== 'disable' && kind !== 'remove') continue;
    const isProven = proveLeavers && !reason.startsWith('missing');
    expect(isProven, `I5: ${kind} of ${identification} from a read with gaps: ${gaps.join('; ')}`).toBe(true);
  }
  expect(['succeeded', 'nothing-to-do'], `I5: run with gaps ended ${run.outcome}`).not.toContain(run.outcome);
}

const endStates: readonly ChangeState[] = ['applied', 'failed', 'unverified', 'held', 'unresolved', 'exported'];

function everyRowEnded({ run, changes }: RunPlan): void {
  const isCutShort = run.outcome === 'failed' || run.outcome === 'cancelled' || run.outcome === 'partial';
  const count = (matches: (change: PlannedChange) => boolean): number => changes.filter(matches).length;
  for (const { identification, state, stateReason } of changes) {
    const isRejected = state === 'dropped' && /^(?:skipped|rejected)/.test(stateReason ?? '');
    const isEnded = endStates.includes(state) || isRejected || (state === 'dropped' && isCutShort);
    expect(isEnded, `I7: ${identification} of ${run.id} ended ${state}`).toBe(true);
    const needsReason = state === 'failed' || state === 'held' || state === 'unresolved';
    if (needsReason) expect(stateReason, `I7: ${identification} ${state} without a reason`).toBeTruthy();
  }
  const { counts, outcome } = run;
  for (const kind of ['create', 'update', 'enable', 'disable', 'remove'] as const) {
    expect(counts[kind], `I7: ${kind} count of ${run.id}`).toBe(
      count((change) => change.kind === kind && !change.isRejected),
    );
  }
  for (const state of ['applied', 'failed', 'unverified', 'held'] as const) {
    const found = count((change) => change.state === state);
    // What an earlier run left unresolved is decided later; the run's own report stays as it was.
    if (counts.unresolved === 0) expect(counts[state], `I7: ${state} count of ${run.id}`).toBe(found);
  }
  if (outcome === 'succeeded') {
    const left = changes.length - counts.held - count(({ state }) => state === 'dropped');
    expect(counts.applied + counts.unverified, 'I7: succeeded').toBe(left);
  }
  if (outcome === 'nothing-to-do') expect(counts.applied + counts.failed + counts.unresolved, 'I7').toBe(0);
  if (outcome === 'failed' || outcome === 'partial' || outcome === 'held') expect(run.reason).toBeTruthy();
}

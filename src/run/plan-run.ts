import { holdForMs } from '../core/guard/guard.ts';
import type { NewHold } from '../ports/store.ts';
import type { EngineIo, RunContext } from './engine-io.ts';
import { finishRun } from './finish-run.ts';
import type { Plan } from './plan-job.ts';
import { recordRun } from './recorder.ts';
import { budgetsOf, countedPlan } from './seal/request-budgets.ts';
import { writeBatches } from './seal/write-batches.ts';
import type { JobOutcome } from './work.ts';

/** Makes the run's plan and stores everything that delivery needs. Repeatable: it starts from the beginning. */
export async function planRun(context: RunContext, io: EngineIo): Promise<JobOutcome> {
  const { sync, signal, owned } = context;
  const { run } = owned;
  // Taken before the source is read: the plan is as old as what it was made from.
  const plannedAt = io.clock.now();
  const { plan, planning } = await countedPlan({ sync, scope: run.scope, signal }, recordRun(context, io), io);
  await io.store.holds.renew(owned, newHolds(context, plan, io), io.clock.now());
  const loads = plan.failure === undefined ? await writeBatches(context, io) : undefined;
  const budgets = loads === undefined ? {} : await budgetsOf({ plan, planning, sync, loads }, io);
  await io.store.runs.replaceFindings(owned, plan.findings);
  await io.store.runs.update(owned, {
    phase: 'delivering',
    phaseAt: io.clock.now(),
    digest: plan.digest,
    facts: {
      ...plan.facts,
      ...budgets,
      plannedAt,
      repeated: plan.repeated,
    },
    ...(plan.failure === undefined ? {} : { reason: plan.failure }),
  });
  io.checkpoint('plan-stored');
  return plan.failure === undefined ? { kind: 'next' } : finishRun(context, io);
}

function newHolds({ owned, sync }: RunContext, plan: Plan, io: EngineIo): NewHold[] {
  const heldAt = io.clock.now();
  const classes = new Map(plan.verdict.holds.map((hold) => [hold.class, hold.reason]));
  const emptied = plan.verdict.fields.map(({ reason }) => reason).join('; ');
  if (emptied !== '' && !classes.has('updates')) classes.set('updates', emptied);
  return [...classes].map(([name, reason]) => ({
    id: io.newId('hold'),
    sync: sync.settings.name,
    run: owned.run.id,
    class: name,
    reason,
    digest: plan.digest,
    hashes: io.store.plans.heldHashes(plan.id, name),
    heldAt,
    expiresAt: heldAt + holdForMs,
    state: 'open',
  }));
}

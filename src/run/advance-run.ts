import { holdForMs } from '../core/guard/guard.ts';
import type { ChangeClass } from '../core/plan/change.ts';
import { given } from '../core/run/given.ts';
import { isSameWait } from '../core/run/waiting.ts';
import type { NewHold } from '../ports/store.ts';
import { deliverNext, stop } from './deliver/deliver-next.ts';
import { whyStopped } from './deliver/plan-age.ts';
import type { EngineIo, RunContext } from './engine-io.ts';
import { closeRun } from './finish-run.ts';
import type { NextStep } from './next-step.ts';
import type { Plan } from './plan-job.ts';
import { proveNext } from './prove/prove-next.ts';
import { recordRun } from './recorder.ts';
import { countingRequests, notingProblem, tellWaiting, type UnstoredRequests } from './run-notes.ts';
import { budgetsOf, countedPlan } from './seal/request-budgets.ts';
import { writeBatches } from './seal/write-batches.ts';
import type { JobOutcome } from './work.ts';

/**
 * Advances a run by one step, and stores the phase that the run enters. Each verb reads the run's state from the store,
 * does one thing, and stores the result. A run that was killed continues from its stored phase.
 *
 *   phase              verb         does                                next phase
 *   reading, planning  planRun      reads the source, compares it with  delivering; done if no plan can be made
 *                                   the platform, decides, guards, and
 *                                   seals the plan
 *   delivering         deliverNext  sends the next batch                delivering; proving while a file is out or a
 *                                                                       proof is due; reading if nothing was sent for a
 *                                                                       day; done when everything is proven
 *   proving            proveNext    polls the file that is out, or      proving until the file ends and its changes are
 *                                   reads the wave back                 shown or given up; then delivering, or done
 *   done               –
 *
 * Throws errors that the runtime handles: it retries those with a retry, and ends the run with `failRun` for the
 * others.
 */
export function advanceRun(context: RunContext, io: EngineIo): Promise<JobOutcome> {
  return countingRequests(context, io, async (unstored) => {
    const { waiting, run: stored, ...next } = await notingProblem(context, io, () => takeStep(context, unstored, io));
    const told = tellWaiting(context, waiting, io);
    if (next.kind !== 'enter') {
      const isTold = told === undefined || (stored !== undefined && isSameWait(stored.waiting, waiting));
      if (!isTold && next.kind !== 'done') await io.store.runs.update(context.owned, told);
      return next.kind === 'again' ? next : { ...next, ...given({ run: stored }) };
    }
    const { phase, afterMs } = next;
    const patch = { phase, phaseAt: io.clock.now(), ...told, ...unstored() };
    const { run } = await io.store.runs.update(context.owned, patch);
    return afterMs === undefined ? { kind: 'next', run } : { kind: 'again', afterMs };
  });
}

async function takeStep(context: RunContext, unstored: UnstoredRequests, io: EngineIo): Promise<NextStep> {
  const { run } = context.owned;
  // After a stop request, only a batch that is being sent may continue.
  const stoppable = { ...context, signal: context.stopping };
  switch (run.phase) {
    case 'reading':
    case 'planning':
      stoppable.signal.throwIfAborted();
      // With a reason, the run has failed, and the process died before it closed the run.
      return run.reason === undefined ? planRun(stoppable, unstored, io) : closeRun(context.owned, {}, io);
    case 'delivering':
      context.signal.throwIfAborted();
      return deliverNext(context, unstored, io);
    case 'proving': {
      stoppable.signal.throwIfAborted();
      const next = await proveNext(stoppable, unstored, io);
      if (next.kind !== 'proven') return next;
      const proven = { ...context.owned, run: next.run };
      return stop(proven, { reason: whyStopped(next.run, io.clock), open: [] }, io);
    }
    case 'done':
      return { kind: 'done' };
    default:
      // A newer version that shares the store advances the run.
      return { kind: 'done' };
  }
}

/** Makes the run's plan and stores everything that delivery needs. Repeatable: it starts from the beginning. */
async function planRun(context: RunContext, unstored: UnstoredRequests, io: EngineIo): Promise<JobOutcome> {
  const { sync, signal, owned } = context;
  const { run } = owned;
  const isRetry = run.trigger === 'retry';
  const job = { sync, scope: run.scope, signal, ...(isRetry ? { isRetry } : {}) };
  const { plan, planning } = await countedPlan(job, recordRun(context, io), io);
  const batches = plan.failure === undefined ? await writeBatches(context, plan, io) : undefined;
  const budgets = batches === undefined ? {} : await budgetsOf({ plan, planning, sync, loads: batches.loads }, io);
  const patch = {
    phase: 'delivering',
    phaseAt: io.clock.now(),
    digest: plan.digest,
    read: plan.read,
    plan: { ...plan.facts, ...budgets },
    delivery: plan.delivery,
    problem: undefined,
    ...(plan.failure === undefined ? {} : { reason: plan.failure }),
    ...unstored(),
  } as const;
  const { run: stored } = await io.store.runs.update(owned, patch, {
    findings: plan.findings,
    ...given({ batches: batches?.last, corrections: plan.corrections, leavers: plan.leavers }),
    holds: { all: newHolds(context, plan, io), now: io.clock.now() },
  });
  io.checkpoint('plan-stored');
  // Without a batch there is nothing to deliver.
  const hasBatch = batches !== undefined && batches.loads.length > 0;
  return hasBatch ? { kind: 'next', run: stored } : closeRun({ ...owned, run: stored }, { open: [] }, io);
}

function newHolds({ owned, sync }: RunContext, plan: Plan, io: EngineIo): NewHold[] {
  const heldAt = io.clock.now();
  const classes = new Map<ChangeClass, Pick<NewHold, 'reason' | 'heldBefore'>>(
    plan.verdict.holds.map(({ class: name, reason, heldBefore }) => [name, { reason, ...given({ heldBefore }) }]),
  );
  const emptied = plan.verdict.fields.map(({ reason }) => reason).join('; ');
  if (emptied !== '' && !classes.has('updates')) classes.set('updates', { reason: emptied });
  return [...classes].map(([name, why]) => ({
    id: io.newId('hold'),
    sync: sync.settings.name,
    run: owned.run.id,
    class: name,
    ...why,
    digest: plan.digest,
    heldAt,
    expiresAt: heldAt + holdForMs,
    state: 'open',
  }));
}

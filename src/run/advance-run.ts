import { deliverNext } from './deliver/deliver-next.ts';
import type { EngineIo, RunContext } from './engine-io.ts';
import { finishRun } from './finish-run.ts';
import type { NextStep } from './next-step.ts';
import { planRun } from './plan-run.ts';
import { proveNext } from './prove/prove-next.ts';
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
 *                                   reads the wave back                 shown or given up; then delivering
 *   done               –
 *
 * Throws errors that the runtime handles: it retries those with a retry, and ends the run with `failRun` for the
 * others.
 */
export async function advanceRun(context: RunContext, io: EngineIo): Promise<JobOutcome> {
  const next = await takeStep(context, io);
  if (next.kind !== 'enter') return next;
  const { phase, afterMs } = next;
  await io.store.runs.update(context.owned, { phase, phaseAt: io.clock.now() });
  return afterMs === undefined ? { kind: 'next' } : { kind: 'again', afterMs };
}

async function takeStep(context: RunContext, io: EngineIo): Promise<NextStep> {
  const { run } = context.owned;
  // After a stop request, only a batch that is being sent may continue.
  const stoppable = { ...context, signal: context.stopping };
  switch (run.phase) {
    case 'reading':
    case 'planning':
      stoppable.signal.throwIfAborted();
      // With a reason, the run has failed, and the process died before it closed the run.
      return run.reason === undefined ? planRun(stoppable, io) : finishRun(stoppable, io);
    case 'delivering':
      context.signal.throwIfAborted();
      return deliverNext(context, io);
    case 'proving':
      stoppable.signal.throwIfAborted();
      return proveNext(stoppable, io);
    case 'done':
      return { kind: 'done' };
    default:
      // A newer version that shares the store advances the run.
      return { kind: 'done' };
  }
}

import { RollcallError } from '../core/errors.ts';
import type { Run } from '../ports/store.ts';
import { deliverNext } from './deliver.ts';
import type { EngineIo, RunContext } from './engine-io.ts';
import { finishRun } from './finish-run.ts';
import { planRun } from './plan-run.ts';
import { settleBatch } from './settle.ts';
import { next, type Step } from './step.ts';

/**
 * The whole story of a run. Each verb reads where the run stands from the store, does one thing, writes down what came
 * of it, and says what is next; so a run that was killed goes on from `resumePoint` as if nothing had happened.
 *
 *   plan     pull the employees, recall the ledger, scan the platform, decide for everyone, hold what is too much
 *   deliver  take the next batch, write down that it goes out, send it, write down what the platform said
 *   settle   ask what became of it, read the users back, write states and ledger; split a file that failed
 *   finish   count, choose the outcome, close the run
 */
const verbs = {
  plan: (context: RunContext, _batch: string | undefined, io: EngineIo) => planRun(context, io),
  deliver: (context: RunContext, _batch: string | undefined, io: EngineIo) => deliverNext(context, io),
  settle: (context: RunContext, batch: string | undefined, io: EngineIo) => settleBatch(context, batch ?? '', io),
  finish: (context: RunContext, _batch: string | undefined, io: EngineIo) => finishRun(context, io),
} as const;

/** Does one step of a run. Throws what the runtime has to judge: try again later, or `failRun`. */
export async function takeStep(
  step: Extract<Step, { kind: 'next' }>,
  context: RunContext,
  io: EngineIo,
): Promise<Step> {
  context.signal.throwIfAborted();
  return verbs[step.verb](context, step.batch, io);
}

/** Where a run goes on: at its start, or wherever its last worker left it. */
export function resumePoint(run: Run): Step {
  switch (run.phase) {
    case 'reading':
    case 'planning':
      return next(run.reason === undefined ? 'plan' : 'finish');
    case 'delivering':
    case 'proving':
      return next('deliver');
    case 'done':
      return { kind: 'ended' };
  }
}

/** What becomes of a schedule whose source was refused (`leftAloneUntil`). */
const afterRefusal =
  'A schedule leaves the HR system alone for an hour now, then ever longer, so that nothing is locked out: ' +
  'once this is mended, "rollcall resync" or a restart asks at once.';

/** Ends a run that cannot go on. What is out stays unresolved, what was not sent is dropped, and the reason is kept. */
export async function failRun(context: RunContext, error: unknown, io: EngineIo): Promise<Step> {
  const reason =
    error instanceof RollcallError
      ? error.message
      : `unexpected: ${error instanceof Error ? error.message : 'unknown'}`;
  if (!(error instanceof RollcallError) || error.code !== 'SOURCE_REFUSED') return finishRun(context, io, reason);
  const { owned } = context;
  await io.store.runs.update(owned, { facts: { ...owned.run.facts, isSourceRefused: true } });
  return finishRun(context, io, `${reason} ${afterRefusal}`);
}

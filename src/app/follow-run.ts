import { describeError, isStoreAway, RollcallError } from '../core/run/errors.ts';
import type { Run, Trigger } from '../ports/store.ts';
import type { RunReport } from '../views/runs.ts';
import type { AppIo, WatchOptions } from './app-io.ts';
import { neverBegan, runHere } from './run-here.ts';
import { runReport } from './runs.ts';

const pollMs = 1000;
/** A deployment that is replaced is away for shorter. */
const goneAfterMs = 60_000;

/** A database that is restarted or replaced is away for shorter. */
const mostAwayMs = 600_000;

/**
 * Waits until a deployment has ended the run that takes the trigger, and reports that run. When the deployment is
 * gone, this process drives the run. Waits for a store that is away for up to ten minutes. Interrupting the wait changes
 * nothing: the request stays.
 */
export async function followRun(trigger: Trigger, options: WatchOptions, io: AppIo): Promise<RunReport> {
  const { store, clock } = io.engine;
  let deployedAt = clock.now();
  let answeredAt = clock.now();
  let isAway = false;
  let shown = '';
  for (;;) {
    try {
      const state = await store.triggers.state(trigger.id);
      if (state?.kind === 'cancelled') throw neverBegan(trigger);
      const run = state?.kind === 'taken' ? await store.runs.get(state.run) : undefined;
      if (run?.phase === 'done') return await runReport(run, io.engine);
      if (run !== undefined) shown = await showProgress(run, shown, options, io);
      answeredAt = clock.now();
      isAway = false;
      if (await io.isDeployed()) deployedAt = clock.now();
    } catch (error) {
      if (!isStoreAway(error)) throw error;
      if (clock.now() - answeredAt >= mostAwayMs) throw stillRequested(trigger, error);
      // Told once for each outage: it is retried every second.
      const atMs = clock.now() + pollMs;
      const untilMs = answeredAt + mostAwayMs;
      if (!isAway) options.progress({ step: 'retrying', afterMs: pollMs, atMs, untilMs, reason: describeError(error) });
      isAway = true;
      // A deployment cannot renew its lease either.
      deployedAt = clock.now();
    }
    if (clock.now() - deployedAt >= goneAfterMs) return runHere(trigger, options, io);
    await clock.sleep(pollMs, options.signal);
  }
}

function stillRequested({ id, sync }: Trigger, cause: unknown): RollcallError {
  const message = `${describeError(cause)}. The request ${id} stays, and a running deployment continues its run: see "rollcall runs ${sync}" when the store answers again`;
  return new RollcallError(message, { code: 'STORE_INVALID', cause });
}

/** Shows the batches of the run when their number has changed. Returns what is shown now. */
async function showProgress(run: Run, shown: string, { progress }: WatchOptions, { engine }: AppIo): Promise<string> {
  if (run.phase !== 'delivering' && run.phase !== 'proving') return shown;
  const batches = await engine.store.batches.ofRun(run.id);
  const begun = batches.filter(({ state }) => state !== 'planned');
  const now = `${begun.length} of ${batches.length}`;
  if (now !== shown && begun.length > 0) {
    const changes = begun.at(-1)?.size ?? 0;
    progress({ step: 'delivering', batch: begun.length, batches: batches.length, changes });
  }
  return now;
}

import { RollcallError } from '../core/errors.ts';
import type { EngineIo } from '../engine/engine-io.ts';
import { pruneBeside } from '../engine/prune-old.ts';
import { openRun } from '../engine/request-run.ts';
import type { Run, Trigger } from '../ports/store.ts';
import { type DriveIo, driveRun } from '../runtime/in-process/drive-run.ts';

const lookAgainMs = 500;

/**
 * Brings a trigger to the end of its run, in this process where nobody else does it. Interrupted runs of the same sync
 * come first; a run that another process drives is watched. Returns the trigger's run and those that were resumed.
 */
export async function runHere(trigger: Trigger, io: DriveIo): Promise<{ run: Run; resumed: readonly Run[] }> {
  const { engine } = io;
  const resumed: Run[] = [];
  for (;;) {
    const state = await engine.store.triggers.state(trigger.id);
    if (state?.kind === 'cancelled') {
      throw new RollcallError(`the request for ${trigger.sync} was cancelled before its run began`, {
        code: 'CANCELLED',
      });
    }
    if (state?.kind === 'taken') {
      const own = await finishRun(state.run, io);
      if (own !== undefined) {
        await pruneBeside(engine);
        return { run: own, resumed };
      }
    } else {
      const opened = await openRun(trigger.sync, engine);
      if (opened !== undefined && !opened.isNew) {
        const before = await engine.store.leases.holder(`run:${opened.run.id}`, engine.clock.now());
        const old = await finishRun(opened.run.id, io);
        const isOwn = await isTakenBy(trigger, opened.run.id, engine);
        if (old !== undefined && before === undefined && !isOwn) resumed.push(old);
      }
    }
    io.signal.throwIfAborted();
  }
}

/** Drives the run here, or waits a little while somebody else does; the ended run, or undefined when it still goes on. */
async function finishRun(runId: string, io: DriveIo): Promise<Run | undefined> {
  const driven = await driveRun(runId, io);
  io.signal.throwIfAborted();
  const run = await io.engine.store.runs.get(runId);
  if (run?.phase === 'done') return run;
  if (driven === 'ended') return undefined;
  const { clock, progress, store } = io.engine;
  const holder = await store.leases.holder(`run:${runId}`, clock.now());
  if (holder !== undefined) progress({ step: 'waiting', run: runId, forMs: holder.until - clock.now() });
  await clock.sleep(lookAgainMs, io.signal);
  return undefined;
}

async function isTakenBy(trigger: Trigger, runId: string, engine: EngineIo): Promise<boolean> {
  const state = await engine.store.triggers.state(trigger.id);
  return state?.kind === 'taken' && state.run === runId;
}

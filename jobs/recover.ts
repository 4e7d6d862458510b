import { runLease } from '../src/ports/leases.ts';
import type { Run } from '../src/ports/store.ts';
import { isKnownPhase } from '../src/ports/unknown-state.ts';
import type { EngineIo } from '../src/run/engine-io.ts';
import { defineTask } from './define-task.ts';

export interface RecoverContext {
  readonly engine: EngineIo;
  /** Takes runs that no process drives at the moment; the runtime knows which of them have a job waiting. */
  resume(idle: readonly Run[]): Promise<void>;
  /** Takes a run that no process drives and whose sync this configuration does not have. */
  closeOrphan(run: Run): Promise<void>;
}

/**
 * Finds runs that have not ended and that no process drives, after a crash or a lost queue, and continues them.
 *
 * When: every two seconds, in the scheduler itself. Effect: none of its own; the run continues from the
 * phase in the store. A run in a phase that this version does not know is left to the newer version that stored it.
 */
export const recover = defineTask({
  name: 'recover',
  everyMs: 2000,
  async run({ engine, resume, closeOrphan }: RecoverContext) {
    const idle: Run[] = [];
    for (const run of await engine.store.runs.unfinished()) {
      if (!isKnownPhase(run.phase)) continue;
      const holder = await engine.store.leases.holder(runLease(run.id), engine.clock.now());
      if (holder !== undefined) continue;
      if (engine.syncs.has(run.sync)) idle.push(run);
      else await closeOrphan(run);
    }
    await resume(idle);
  },
});

import type { JobOutcome } from '../../ports/job.ts';
import type { EngineIo, RunContext } from '../engine-io.ts';

/** Returns the run to delivery, which sends the next batch, proves the wave or finishes the run. */
export async function toDelivery({ owned }: RunContext, io: EngineIo): Promise<JobOutcome> {
  await io.store.runs.update(owned, { phase: 'delivering', phaseAt: io.clock.now() });
  return { kind: 'next' };
}

/** Continues with the poll of a file, or with the proof of the wave. */
export async function toProving({ owned }: RunContext, io: EngineIo, afterMs = 0): Promise<JobOutcome> {
  await io.store.runs.update(owned, { phase: 'proving', phaseAt: io.clock.now() });
  return { kind: 'again', afterMs };
}

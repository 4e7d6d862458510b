import type { Run } from '../../ports/store.ts';
import type { EngineIo } from '../../run/engine-io.ts';
import type { Dispatch } from '../scheduler.ts';
import { firstPiece, runlessJob } from './job-data.ts';
import { priorityOf, type RunQueue, runlessPriority } from './run-queue.ts';

/** Puts jobs into the queue for any worker. `close` does not close the queue: its owner does. */
export function openQueueDispatch(queue: RunQueue, { store, clock }: Pick<EngineIo, 'store' | 'clock'>): Dispatch {
  let lostBefore: ReadonlySet<string> = new Set();
  const start = async ({ id }: Run): Promise<void> => {
    const run = await store.runs.get(id);
    if (run !== undefined && run.phase !== 'done') await queue.add(firstPiece(id), priorityOf(run));
  };
  return {
    start,
    async resume(idle) {
      const queued = idle.length === 0 ? new Set<string>() : await queue.runs();
      const lost = idle.filter(({ id }) => !queued.has(id));
      const waiting = new Set(idle.map(({ id }) => id).filter((id) => queued.has(id)));
      if (waiting.size > 0) await queue.wakeOverdue(waiting, clock.now());
      // Restarts only runs that seem lost twice, because a run between two jobs seems lost for a moment.
      for (const run of lost) if (lostBefore.has(run.id)) await start(run);
      lostBefore = new Set(lost.map(({ id }) => id));
    },
    enqueue: (job, payload) => queue.add(runlessJob(job, payload), runlessPriority(job)),
    close: async () => {},
  };
}

import { judgeLeaders } from '../../core/plan/leaders.ts';
import { chunk } from '../../core/run/batch.ts';
import { endOf } from '../../core/run/waves.ts';
import type { Batch } from '../../ports/store.ts';
import { spanOn } from '../clock-span.ts';
import type { EngineIo, RunContext } from '../engine-io.ts';
import { changesInBatch } from '../seal/batches.ts';
import { openLeads } from './leads.ts';

const listsAtOnce = 50;

/**
 * Proves a batch of leaders by the list of each person, and stores what is proven with the ledger. A change that the list
 * does not show waits until settle.visibleWithin, then it has failed; the next run reads the list and plans again.
 * Returns how many wait, and until when.
 */
export async function proveLeaders(
  { owned, sync, signal }: RunContext,
  batch: Batch,
  io: EngineIo,
): Promise<{ readonly changes: number; readonly untilMs: number } | undefined> {
  const startedAt = io.clock.now();
  const changes = await changesInBatch(batch, io);
  const open = changes.filter(({ state }) => state === 'sent' || state === 'unresolved');
  const names = open.map(({ identification }) => identification);
  const known = await io.store.ledger.getMany(sync.settings.connection, names);
  const untilMs = endOf(batch) + spanOn(io.clock, sync.settings.settle.visibleWithinMs);
  const leads = openLeads();
  let waiting = 0;
  for (const some of chunk(open, listsAtOnce)) {
    const lists = await Promise.all(some.map(({ identification }) => sync.platform.leaders(identification, signal)));
    for (const [i, change] of some.entries()) {
      const list = lists[i];
      const shown = list?.found === 'complete' ? list.leaders : undefined;
      const verdict = shown && judgeLeaders(change, shown);
      const entry = known.get(change.identification);
      if (shown !== undefined && verdict?.kind === 'applied') leads.applied(change, shown, entry, io.clock.now());
      else if (verdict?.kind === 'edited') leads.failed(change, undefined);
      else if (startedAt < untilMs) waiting += 1;
      else if (verdict?.kind === 'lacking') leads.failed(change, verdict.what);
      else leads.failed(change, list?.found === 'unclear' ? list.reason : undefined);
    }
  }
  io.checkpoint('read-back');
  const { marks, ledger, undone, findings } = leads;
  const hasUntried = changes.some(({ state }) => state === 'planned');
  const ended = hasUntried ? ({ state: 'planned' } as const) : ({ state: 'settled', finalAt: io.clock.now() } as const);
  const patch = waiting > 0 ? {} : ended;
  await io.store.batches.update(owned, batch.id, patch, { marks, ledger, undone, findings });
  io.checkpoint('batch-settled');
  return waiting > 0 ? { changes: waiting, untilMs } : undefined;
}

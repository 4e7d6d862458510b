import { fileGroup } from '../../core/run/batch.ts';
import type { Batch } from '../../ports/store.ts';
import type { EngineIo, RunContext } from '../engine-io.ts';
import { changesOf, newBatch } from '../seal/batches.ts';

/**
 * Adds the batches of the last step of changes that are parked: after all others, whose addresses they take. Both steps
 * have the same file group, because `parkStep` carries every field that makes one.
 */
export async function addLastStep(
  context: RunContext,
  parking: Batch,
  parked: readonly string[],
  io: EngineIo,
): Promise<void> {
  const { owned, sync } = context;
  const { dialect, mapping } = sync;
  const groups = new Map<string, string[]>();
  for await (const change of changesOf(owned.run.id, io, { batch: parking.id })) {
    if (!parked.includes(change.identification)) continue;
    const key = parking.kind === 'direct' ? '' : fileGroup(change, dialect, mapping.fields);
    groups.set(key, [...(groups.get(key) ?? []), change.identification]);
  }
  const { length } = await io.store.batches.ofRun(owned.run.id);
  const batches = [...groups.values()].map((identifications, i) => {
    const { kind, id: parent } = parking;
    const batch = newBatch(context, { number: length + 1 + i, kind, size: identifications.length, parent });
    return { batch, identifications };
  });
  await io.store.batches.create(owned, batches);
  io.checkpoint('batch-split');
}

import type { Batch } from '../../ports/store.ts';
import type { EngineIo, RunContext } from '../engine-io.ts';

type NewBatch = Pick<Batch, 'number' | 'kind' | 'size'> & { readonly parent?: string };

/** Returns a new batch of the run, not sent yet. `number` is its position in the run, from 1. */
export function newBatch({ owned, sync }: RunContext, { number, kind, size, parent }: NewBatch): Batch {
  return {
    id: `${owned.run.id}_b${String(number).padStart(5, '0')}`,
    run: owned.run.id,
    sync: sync.settings.name,
    connection: sync.settings.connection,
    number,
    kind,
    size,
    state: 'planned',
    sentAt: undefined,
    fileId: undefined,
    fileName: undefined,
    status: undefined,
    polls: 0,
    final: undefined,
    finalAt: undefined,
    reason: undefined,
    parent,
  };
}

interface NewParts {
  readonly of: Pick<Batch, 'kind' | 'id'>;
  /** The identifications of each part. */
  readonly parts: readonly (readonly string[])[];
  /** Gets the first part before all are stored. */
  readonly before?: (first: Batch) => Promise<unknown>;
}

/** Moves changes of a batch to new batches. After a kill every change is in exactly one open batch. */
export async function addParts(
  context: RunContext,
  { of: { kind, id: parent }, parts, before }: NewParts,
  io: EngineIo,
): Promise<void> {
  const { length } = await io.store.batches.ofRun(context.owned.run.id);
  const batches = parts.map((identifications, i) => {
    const part = { number: length + 1 + i, kind, size: identifications.length, parent };
    return { batch: newBatch(context, part), identifications };
  });
  const [first] = batches;
  if (first !== undefined) await before?.(first.batch);
  await io.store.batches.create(context.owned, batches);
  io.checkpoint('batch-split');
}

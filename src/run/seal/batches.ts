import { type ChangeKind, partOf } from '../../core/plan/change.ts';
import { given } from '../../core/run/given.ts';
import type { Batch, ChangeMark, PlannedChange } from '../../ports/store.ts';
import type { EngineIo, RunContext } from '../engine-io.ts';

/** Changes that are read with one statement. */
export const pageSize = 500;

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

/** Yields the changes of a plan in order of identification, one page at a time. */
export async function* changesOf(
  planId: string,
  io: EngineIo,
  query: Pick<Parameters<EngineIo['store']['plans']['page']>[1], 'states' | 'classes' | 'batch'>,
): AsyncGenerator<PlannedChange, void> {
  for (let after: string | undefined; ; ) {
    const page = await io.store.plans.page(planId, {
      ...query,
      limit: pageSize,
      ...given({ after }),
    });
    yield* page;
    if (page.length < pageSize) return;
    after = page.at(-1)?.identification;
  }
}

/** Returns all changes of a plan, where they are few. */
export async function fewChanges(planId: string, io: EngineIo): Promise<{ readonly few?: readonly PlannedChange[] }> {
  const few = await io.store.plans.page(planId, { limit: pageSize });
  return few.length < pageSize ? { few } : {};
}

/** Returns all changes of one batch, in order of identification. */
export async function changesInBatch({ id, run }: Pick<Batch, 'id' | 'run'>, io: EngineIo): Promise<PlannedChange[]> {
  return Array.fromAsync(changesOf(run, io, { batch: id }));
}

/** Returns the same mark for every change. */
export function marksFor(
  changes: readonly { readonly identification: string; readonly kind: ChangeKind }[],
  state: ChangeMark['state'],
  reason?: string,
): ChangeMark[] {
  const why = given({ reason });
  return changes.map(({ identification, ...change }) => ({ identification, part: partOf(change), state, ...why }));
}

import { type ChangeKind, partOf } from '../core/plan/change.ts';
import { given } from '../core/run/given.ts';
import type { Batch, ChangeMark, PlannedChange } from '../ports/store.ts';
import type { EngineIo } from './engine-io.ts';

/** Changes that are read with one statement. */
export const pageSize = 500;

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

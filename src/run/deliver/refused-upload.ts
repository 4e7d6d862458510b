import { PlatformError } from '../../core/run/errors.ts';
import type { Batch } from '../../ports/store.ts';
import type { EngineIo, RunContext } from '../engine-io.ts';
import { updateFacts } from '../update-facts.ts';

/** What a refused upload means: the platform is busy and the same file is sent later, or its rows are at fault. */
export type RefusedUpload =
  | { readonly kind: 'wait'; readonly afterMs: number; readonly reason: string }
  | { readonly kind: 'failed' };

/** The status of a file whose upload was refused, in the place of one that the platform shows. */
export const refusedStatus = 'refused with 400';

/** Uploads of one file after which its refusal counts. */
const maxTries = 3;
const waitMs = 15_000;

/**
 * Decides what an upload that was answered 400 means. The contract lists no status for a busy platform ("Bulk
 * provisioning"), and its error texts are not fixed, so a 400 can be about the rows or about another file.
 *
 *   a file of ours is still processing   the platform is busy
 *   none is known                        the file is sent three times, after 15 s and 30 s; then its rows are at fault
 *
 * A caller that gets `failed` treats the file as one with the final status "failed": read back, and split.
 */
export async function judgeRefusedUpload(context: RunContext, batch: Batch, io: EngineIo): Promise<RefusedUpload> {
  const { owned } = context;
  const other = await fileInFlight(context, batch, io);
  if (other !== undefined) {
    return { kind: 'wait', afterMs: waitMs, reason: `file ${other.fileId} of run ${other.run} is still processing` };
  }
  const tries = (owned.run.facts.refusedUploads ?? 0) + 1;
  await updateFacts(owned, { refusedUploads: tries < maxTries ? tries : undefined }, io);
  if (tries >= maxTries) return { kind: 'failed' };
  const reason = `the upload was answered 400, which can mean that another file is processing (try ${tries} of ${maxTries})`;
  return { kind: 'wait', afterMs: tries * waitMs, reason };
}

/** Returns a file of ours that the platform is still processing: one that an earlier run gave up at its deadline. */
async function fileInFlight(
  { owned, sync, signal }: RunContext,
  batch: Batch,
  io: EngineIo,
): Promise<Batch | undefined> {
  const { connection } = owned.run;
  const known = [...(await io.store.batches.unresolved(connection)), ...(await io.store.batches.unproven(connection))];
  for (const other of known) {
    if (other.id === batch.id || other.fileId === undefined || other.final !== undefined) continue;
    try {
      const { kind } = await sync.platform.status(other.fileId, signal);
      if (kind === 'pending') return other;
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
    }
  }
  return undefined;
}

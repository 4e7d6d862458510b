import { RollcallError } from '../core/errors.ts';
import { changesOf } from '../engine/batches.ts';
import type { EngineIo } from '../engine/engine-io.ts';
import { requestRun } from '../engine/request-run.ts';
import type { HoldRecord, Run } from '../ports/store.ts';
import { findSync } from './find-named.ts';

/** How long an approval counts, and how long what was shown or held may be approved: later it may have other reasons. */
const approvalMs = 24 * 3_600_000;

/**
 * Approves what guards held in a run, by the hashes of its changes, and asks for the run that delivers them: whatever is
 * still meant unchanged by then. The run's read becomes the new measure for the row and fill-rate guards. Throws
 * CONFLICT when the holds have run out: a disable looks the same for whatever reason, so an old list approves nothing.
 * So it does when they were approved before: an approval is for one run.
 */
export async function approveRun(run: Run, by: string, io: EngineIo): Promise<number> {
  findSync(run.sync, io.syncs);
  const { holds, hashes } = await heldIn(run, io);
  if (await isApproved(run, holds, io)) {
    const message = `what run ${run.id} held was approved already, which counts once: if a later run of ${run.sync} holds something, approve that one (rollcall runs ${run.sync})`;
    throw new RollcallError(message, { code: 'CONFLICT' });
  }
  const now = io.clock.now();
  const heldUntil = Math.max(...holds.map(({ expiresAt }) => expiresAt), run.startedAt + approvalMs);
  if (heldUntil <= now) {
    const message = `what run ${run.id} held has run out (24 h): look at what the newest run of ${run.sync} holds, and approve that`;
    throw new RollcallError(message, { code: 'CONFLICT' });
  }
  await io.store.holds.approve(run.sync, hashes, by, now, now + approvalMs);
  await io.store.reads.accept(run.id);
  await requestRun({ sync: run.sync, kind: 'approval', scope: { kind: 'all', isFull: true } }, io);
  return hashes.length;
}

/** Rejects what guards held in a run: these changes are not asked about again until they change. Returns how many. */
export async function rejectRun(run: Run, by: string, io: EngineIo): Promise<number> {
  const { hashes } = await heldIn(run, io);
  await io.store.holds.reject(run.sync, hashes, by, io.clock.now());
  return hashes.length;
}

/**
 * Approves every change of the newest plan with this digest, shown or of a run. Returns how many.
 * Throws NOT_FOUND when no such plan is known, CONFLICT when it was made more than 24 h ago.
 */
export async function approveDigest(sync: string, digest: string, by: string, io: EngineIo): Promise<number> {
  const plan = await io.store.plans.findByDigest(sync, digest);
  if (plan === undefined) {
    const message = `no plan of ${sync} has the digest ${digest}: make one with "rollcall plan ${sync}" and look at it first`;
    throw new RollcallError(message, { code: 'NOT_FOUND' });
  }
  const now = io.clock.now();
  if (plan.madeAt + approvalMs <= now) {
    const message = `the plan ${digest} of ${sync} was made more than 24 h ago: look at a new one with "rollcall plan ${sync}"`;
    throw new RollcallError(message, { code: 'CONFLICT' });
  }
  const hashes: string[] = [];
  for await (const { hash } of changesOf(plan.id, io, {})) hashes.push(hash);
  await io.store.holds.approve(sync, hashes, by, now, now + approvalMs);
  if (plan.run !== undefined) await io.store.reads.accept(plan.run);
  return hashes.length;
}

/** Whether a person has approved all that the run held, or, where it held no change, its read. */
async function isApproved(run: Run, holds: readonly HoldRecord[], { store }: EngineIo): Promise<boolean> {
  if (holds.length > 0) return holds.every(({ state }) => state === 'approved');
  return (await store.reads.last(run.sync))?.run === run.id;
}

async function heldIn(run: Run, io: EngineIo): Promise<{ holds: readonly HoldRecord[]; hashes: readonly string[] }> {
  const holds = await io.store.holds.ofRun(run.id);
  const hashes: string[] = [];
  for await (const { hash } of changesOf(run.id, io, { states: ['held'] })) hashes.push(hash);
  if (hashes.length === 0 && run.facts.isReadDoubted !== true) {
    throw new RollcallError(`run ${run.id} holds nothing: there is nothing to approve or reject`, { code: 'CONFLICT' });
  }
  return { holds, hashes };
}

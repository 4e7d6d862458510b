import { RollcallError } from '../core/errors.ts';
import { changesOf } from '../engine/batches.ts';
import type { EngineIo } from '../engine/engine-io.ts';
import { requestRun } from '../engine/request-run.ts';
import type { HoldRecord, Run } from '../ports/store.ts';
import { findSync } from './find-named.ts';

/** How long an approval counts, and how long a shown or held change may be approved. Later its reason may differ. */
const approvalMs = 24 * 3_600_000;

/**
 * Approves what guards held in a run, by the hashes of its changes, and requests the run that delivers the changes that
 * are then unchanged. The run's read becomes the measure for the row and fill-rate guards. Returns the number of changes.
 * Throws `CONFLICT` when the holds have expired, because a disable looks the same for any reason, and when they were
 * approved before, because an approval counts for one run. Throws `USAGE` when the sync is no longer configured.
 */
export async function approveRun(run: Run, by: string, io: EngineIo): Promise<number> {
  const { id, sync } = run;
  findSync(sync, io.syncs);
  const { holds, hashes } = await heldIn(run, io);
  if (await isApproved(run, holds, io)) {
    throw conflict(
      `what run ${id} held is approved already, and an approval counts once. If a later run of ${sync} holds changes, approve that run (rollcall runs ${sync})`,
    );
  }
  const now = io.clock.now();
  const heldUntil = Math.max(...holds.map(({ expiresAt }) => expiresAt), run.startedAt + approvalMs);
  if (heldUntil <= now) {
    throw conflict(
      `the holds of run ${id} have expired (24 h). Approve the newest run of ${sync} (rollcall runs ${sync})`,
    );
  }
  await io.store.holds.approve(sync, hashes, { by, now, expiresAt: now + approvalMs });
  await io.store.reads.accept(id);
  await requestRun({ sync, kind: 'approval', scope: { kind: 'all', isFull: true } }, io);
  return hashes.length;
}

/** Rejects what guards held in a run, so that these changes are not held again until they change. Returns their number. */
export async function rejectRun(run: Run, by: string, io: EngineIo): Promise<number> {
  const { hashes } = await heldIn(run, io);
  await io.store.holds.reject(run.sync, hashes, by, io.clock.now());
  return hashes.length;
}

/**
 * Approves every change of the newest plan with this digest, shown or of a run. Returns the number of changes.
 * Throws `NOT_FOUND` when no such plan is known, `CONFLICT` when it is older than 24 h.
 */
export async function approveDigest(sync: string, digest: string, by: string, io: EngineIo): Promise<number> {
  const plan = await io.store.plans.findByDigest(sync, digest);
  if (plan === undefined) {
    const message = `no plan of ${sync} has the digest ${digest}: make one with "rollcall plan ${sync}" and read it first`;
    throw new RollcallError(message, { code: 'NOT_FOUND' });
  }
  const now = io.clock.now();
  if (plan.madeAt + approvalMs <= now) {
    throw conflict(`the plan ${digest} of ${sync} is older than 24 h: make a new one with "rollcall plan ${sync}"`);
  }
  const hashes: string[] = [];
  for await (const { hash } of changesOf(plan.id, io, {})) hashes.push(hash);
  await io.store.holds.approve(sync, hashes, { by, now, expiresAt: now + approvalMs });
  if (plan.run !== undefined) await io.store.reads.accept(plan.run);
  return hashes.length;
}

/** Whether all that the run held is approved; for a run that held no change, its read. */
async function isApproved(run: Run, holds: readonly HoldRecord[], { store }: EngineIo): Promise<boolean> {
  if (holds.length > 0) return holds.every(({ state }) => state === 'approved');
  return (await store.reads.last(run.sync))?.run === run.id;
}

async function heldIn(run: Run, io: EngineIo): Promise<{ holds: readonly HoldRecord[]; hashes: readonly string[] }> {
  const holds = await io.store.holds.ofRun(run.id);
  const hashes: string[] = [];
  for await (const { hash } of changesOf(run.id, io, { states: ['held'] })) hashes.push(hash);
  if (hashes.length > 0 || run.facts.isReadDoubted === true) return { holds, hashes };
  throw conflict(`run ${run.id} holds nothing: there is nothing to approve or reject`);
}

function conflict(message: string): RollcallError {
  return new RollcallError(message, { code: 'CONFLICT' });
}

import { PlatformError, RollcallError } from '../core/errors.ts';
import type { JobOutcome } from '../ports/job.ts';
import type { FileStatus } from '../ports/platform.ts';
import type { Batch } from '../ports/store.ts';
import { currentBatch } from './batches.ts';
import type { EngineIo, RunContext } from './engine-io.ts';
import { takeFileLease } from './file-lease.ts';
import { keepRaw } from './keep-raw.ts';
import { proveBatch } from './prove.ts';
import { isFilePending, pollAgain, toDelivery } from './settle-steps.ts';

/**
 * Settles the batch that is out, one poll at a time: requests the file's status, then reads the users back. The
 * platform's status alone never makes a change `applied`. A status that the dialect does not know, or that the platform
 * fails to return, is pending until the deadline and never a success.
 *
 *   sent ──status──► pending ─► poll again, at growing intervals, until settle.deadline ─► unresolved
 *                    done ────► read back until settle.visibleWithin ─► applied, or failed: not visible
 *                    failed ──► read back until settle.visibleWithin ─► applied; the rest is split, or failed
 *                               (once per run, unless the first failed file showed rows late)
 *                    none ────► read back until settle.deadline ─► applied, or unresolved
 *   unresolved ──────────────► read back until settle.visibleWithin ─► applied, or left unresolved
 */
export async function settleCurrent(context: RunContext, io: EngineIo): Promise<JobOutcome> {
  const found = currentBatch(await io.store.batches.ofRun(context.owned.run.id));
  if (found === undefined || found.state === 'planned') return toDelivery(context, io);
  const { batch, retryAfterMs } = await pollStatus(context, found, io);
  const sentAt = batch.sentAt ?? 0;
  const now = io.clock.now();
  const { deadlineMs, visibleWithinMs } = context.sync.settings.settle;
  if (isFilePending(batch)) {
    const leftMs = sentAt + deadlineMs - now;
    if (leftMs > 0) return pollAgain(context, batch, Math.min(retryAfterMs, leftMs));
    if (batch.status?.startsWith(missingStatus)) await reportMissingStatus(context, batch, io);
    return proveBatch(context, { batch, ifUnseen: 'unresolved' }, io);
  }
  switch (batch.final) {
    case 'failed': {
      const showsLate = context.owned.run.facts.failedFile?.showsLate !== false;
      const isInTime = showsLate && now < (batch.finalAt ?? sentAt) + visibleWithinMs;
      return proveBatch(context, { batch, ifUnseen: isInTime ? 'wait' : 'split' }, io);
    }
    case 'no-status':
      return proveBatch(context, { batch, ifUnseen: now < sentAt + deadlineMs ? 'wait' : 'unresolved' }, io);
    default: {
      const isInTime = now < (batch.finalAt ?? sentAt) + visibleWithinMs;
      const tooLate = batch.state === 'unresolved' ? 'unresolved' : 'fail';
      return proveBatch(context, { batch, ifUnseen: isInTime ? 'wait' : tooLate }, io);
    }
  }
}

interface Polled {
  readonly batch: Batch;
  /** Wait in ms that the platform requested; 0 when it requested none. */
  readonly retryAfterMs: number;
}

/** Requests the file's status and stores it. Returns a batch without a file, or with a final status, unchanged. */
async function pollStatus(context: RunContext, batch: Batch, io: EngineIo): Promise<Polled> {
  if (!isFilePending(batch)) return { batch, retryAfterMs: 0 };
  const { owned } = context;
  await takeFileLease(owned, io);
  const { status, retryAfterMs } = await requestStatus(context, batch, io);
  const text = status.kind === 'no-status' ? 'the platform has no file status' : status.text;
  io.progress({ step: 'proving', batch: batch.number, batches: 0, status: text });
  if (status.kind === 'pending' && !status.isKnown && batch.status !== text && !text.startsWith(missingStatus)) {
    io.logger.warn({ run: owned.run.id, batch: batch.number, status: text }, 'unknown file status: waiting');
    await keepRaw(owned, { about: `file status of batch ${batch.number}`, text: status.raw }, io);
    const message = `batch ${batch.number}: the platform returned a status that dialect.status does not name; treated as pending. "rollcall show ${owned.run.id} --raw" shows it`;
    await io.store.runs.addFindings(owned, [{ code: 'batch-failed', message }]);
  }
  const final = status.kind === 'pending' ? undefined : status.kind;
  const finalAt = final === undefined ? undefined : io.clock.now();
  const patch = { status: text, polls: batch.polls + 1, final, finalAt };
  await io.store.batches.update(owned, batch.id, patch);
  if (final !== undefined) io.checkpoint('status-final');
  return { batch: { ...batch, ...patch }, retryAfterMs };
}

/** Prefix of a batch status that we set because the platform returned none. */
const missingStatus = 'no status: ';

/**
 * Returns the file's status. A request that fails with a temporary error returns pending, because the batch has already
 * been sent.
 */
async function requestStatus(
  { owned, sync, signal }: RunContext,
  batch: Batch,
  io: EngineIo,
): Promise<{ readonly status: FileStatus; readonly retryAfterMs: number }> {
  try {
    return { status: await sync.platform.status(batch.fileId ?? '', signal), retryAfterMs: 0 };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.retry === 'never') throw error;
    const text = missingStatus + (error.status === undefined ? 'no complete answer' : `answered ${error.status}`);
    const fields = { run: owned.run.id, batch: batch.number, status: text, code: error.code, error: error.message };
    if (batch.status !== text) {
      io.logger.warn(fields, 'the platform does not return the file status: waiting');
      const raw = RollcallError.rawTextOf(error);
      await keepRaw(owned, { about: `file status of batch ${batch.number}`, text: raw }, io);
    }
    const retryAfterMs = error.retry === 'backoff' ? 0 : error.retry.afterMs;
    return { status: { kind: 'pending', text, isKnown: false }, retryAfterMs };
  }
}

async function reportMissingStatus({ owned, sync }: RunContext, batch: Batch, io: EngineIo): Promise<void> {
  const message = `batch ${batch.number}: its file status was ${batch.status}, until settle.deadline; its users were read back. If ${sync.dialect.status.path} is not the status endpoint, correct dialect.status.path`;
  await io.store.runs.addFindings(owned, [{ code: 'batch-failed', message }]);
}

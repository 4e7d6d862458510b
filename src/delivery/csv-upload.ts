import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PlatformError, RollcallError } from '../core/errors.ts';
import type { BatchToSubmit, Delivery, Submission } from '../ports/delivery.ts';
import type { DeliveryIo, DeliveryKind } from './delivery-io.ts';
import { writeProvisioningFile } from './provisioning-file.ts';

/** Wait before another upload when the platform requests none (ms). */
const busyWaitMs = 15_000;

/** Delivers a batch as one partial-provisioning file with rows I, U and D. */
export const csvDelivery: DeliveryKind = {
  kind: 'csv',
  open: (io) => ({ kind: 'csv', submit: (batch, signal) => upload(batch, io, signal) }) satisfies Delivery,
};

async function upload(batch: BatchToSubmit, io: DeliveryIo, signal: AbortSignal): Promise<Submission> {
  const name = `rollcall_${batch.id}.csv`;
  const path = join(io.scratchFolder, name);
  try {
    await writeProvisioningFile(path, batch.changes, io.dialect);
    const { fileId } = await io.platform.upload({ path, name }, signal);
    return { kind: 'file', fileId, fileName: name };
  } catch (error) {
    return refusalOf(error);
  } finally {
    // The upload succeeded, so an error of the deletion is ignored. A later start deletes remaining files.
    await rm(path).catch(() => {});
  }
}

/**
 * Returns the platform's answer to a write as data. Rethrows errors of the connection, which do not concern this batch.
 */
export function refusalOf(error: unknown): Extract<Submission, { kind: 'unknown' | 'wait' | 'refused' }> {
  if (!(error instanceof PlatformError)) throw error;
  const text = RollcallError.rawTextOf(error);
  const raw = text === undefined ? {} : { raw: text };
  if (error.effect === 'unknown') return { kind: 'unknown', reason: error.message, ...raw };
  if (error.code === 'PLATFORM_BUSY') {
    const afterMs = typeof error.retry === 'object' ? error.retry.afterMs : busyWaitMs;
    return { kind: 'wait', afterMs, reason: error.message, ...raw };
  }
  if (error.code === 'PLATFORM_REFUSED' || error.code === 'PLATFORM_NOT_FOUND')
    return { kind: 'refused', reason: error.message, ...raw };
  throw error;
}

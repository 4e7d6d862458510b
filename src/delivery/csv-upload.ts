import { PlatformError, RollcallError } from '../core/run/errors.ts';
import type { BatchToSubmit, Delivery, Submission } from '../ports/delivery.ts';
import type { DeliveryIo, DeliveryKind } from './delivery-io.ts';
import { provisioningBytes } from './provisioning-file.ts';

/** Wait before another upload when the platform requests none (ms). */
const busyWaitMs = 15_000;

/**
 * Delivers a batch as one partial-provisioning file with rows I, U and D. The file is made in memory, so no copy of it
 * is ever on a disk.
 */
export const csvDelivery: DeliveryKind = {
  kind: 'csv',
  open: (io) => ({ kind: 'csv', submit: (batch, signal) => upload(batch, io, signal) }) satisfies Delivery,
};

async function upload(batch: BatchToSubmit, io: DeliveryIo, signal: AbortSignal): Promise<Submission> {
  const name = `rollcall_${batch.id}.csv`;
  try {
    const content = await provisioningBytes(batch.changes, io.dialect);
    const { fileId } = await io.platform.upload({ content, name }, signal);
    return { kind: 'file', fileId, fileName: name };
  } catch (error) {
    return uploadRefusalOf(error);
  }
}

/** As `refusalOf`, for an upload: the contract lists no status for a busy platform, so a 400 can mean it. */
export function uploadRefusalOf(error: unknown): ReturnType<typeof refusalOf> {
  const refusal = refusalOf(error);
  const mayBeBusy = refusal.kind === 'refused' && error instanceof PlatformError && error.status === 400;
  return mayBeBusy ? { ...refusal, mayBeBusy } : refusal;
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

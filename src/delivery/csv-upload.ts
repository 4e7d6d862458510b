import { type ErrorCode, PlatformError, RollcallError } from '../core/run/errors.ts';
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
    const { fileId, status } = await io.platform.upload({ content, name }, signal);
    return {
      kind: 'file',
      fileId,
      fileName: name,
      ...(status.kind === 'pending' && !status.isKnown ? { status } : {}),
    };
  } catch (error) {
    return uploadRefusalOf(error);
  }
}

/** As `refusalOf`, for an upload: the contract lists no status for a busy platform, so a 400 can mean it. */
export function uploadRefusalOf(error: unknown): Refusal | Extract<Submission, { kind: 'too-large' }> {
  const refusal = refusalOf(error);
  if (refusal.kind !== 'refused' || !(error instanceof PlatformError)) return refusal;
  if (error.status === 413) return { ...refusal, kind: 'too-large' };
  return error.status === 400 ? { ...refusal, mayBeBusy: true } : refusal;
}

type Refusal = Extract<Submission, { kind: 'unknown' | 'wait' | 'refused' }>;

/** Refusals of what was asked. A 403 says so too, as long as the same token reads. */
const refusals: readonly ErrorCode[] = ['PLATFORM_REFUSED', 'PLATFORM_FORBIDDEN', 'PLATFORM_NOT_FOUND'];

/**
 * Returns the platform's answer to a write as data. Rethrows errors of the connection, which do not concern this batch.
 */
export function refusalOf(error: unknown): Refusal {
  if (!(error instanceof PlatformError)) throw error;
  const text = RollcallError.rawTextOf(error);
  const raw = text === undefined ? {} : { raw: text };
  if (error.effect === 'unknown') return { kind: 'unknown', reason: error.message, ...raw };
  if (error.code === 'PLATFORM_BUSY') {
    const afterMs = typeof error.retry === 'object' ? error.retry.afterMs : busyWaitMs;
    return { kind: 'wait', afterMs, reason: error.message, ...raw };
  }
  if (refusals.includes(error.code)) return { kind: 'refused', reason: error.message, ...raw };
  throw error;
}

import { createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Stringifier } from 'csv-stringify';
import type { Change } from '../core/plan/change.ts';
import { buildFileRows } from '../core/run/batch.ts';
import { type ErrorCode, PlatformError, RollcallError } from '../core/run/errors.ts';
import { given } from '../core/run/given.ts';
import type { Dialect } from '../core/run/settings.ts';
import type { BatchToSubmit, Delivery, Submission } from '../ports/delivery.ts';
import type { Platform } from '../ports/platform.ts';

/** What deliveries use. */
export interface DeliveryIo {
  readonly platform: Platform;
  readonly dialect: Dialect;
  /** `remove.blacklist` of the sync. */
  readonly blacklist: boolean;
  /** Folder for the files of the outbox. */
  readonly outboxFolder: string;
}

/**
 * Writes a partial-provisioning file (contract, POST admin/userFiles). Only our user can read it, and it is durable
 * when this resolves.
 */
export async function writeProvisioningFile(path: string, changes: readonly Change[], dialect: Dialect): Promise<void> {
  const { rows, csv } = await openRows(changes, dialect);
  await pipeline(rows, csv, createWriteStream(path, { mode: 0o600 }));
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Returns a partial-provisioning file as bytes: about as large as the changes, which are in memory already. */
export async function provisioningBytes(changes: readonly Change[], dialect: Dialect): Promise<Uint8Array> {
  const { rows, csv } = await openRows(changes, dialect);
  return pipeline(rows, csv, async (parts: AsyncIterable<Buffer>) => Buffer.concat(await Array.fromAsync(parts)));
}

/** Values are written byte for byte: a leading `=` or `+` is data here, not a formula. */
async function openRows(changes: readonly Change[], dialect: Dialect): Promise<{ rows: Readable; csv: Stringifier }> {
  const { stringify } = await import('csv-stringify');
  const { header, rows } = buildFileRows(changes, dialect);
  const { delimiter, bom, lineEnd } = dialect.csv;
  const csv = stringify({ header: true, columns: [...header], delimiter, bom, record_delimiter: lineEnd });
  return { rows: Readable.from(inTurns(rows)), csv };
}

/** Number of rows that are made before other work of this process runs. Streams alone would not yield. */
const rowsPerTurn = 250;

async function* inTurns(rows: Iterable<readonly string[]>): AsyncGenerator<readonly string[], void> {
  let count = 0;
  for (const row of rows) {
    yield row;
    count += 1;
    if (count % rowsPerTurn === 0) await nextTurn();
  }
}

/** Wait before another upload when the platform requests none (ms). */
const busyWaitMs = 15_000;

/**
 * Delivers a batch as one partial-provisioning file with rows I, U and D. The file is made in memory, so no copy of it
 * is ever on a disk.
 */
export function openUploads(io: DeliveryIo): Delivery {
  return { kind: 'csv', submit: (batch, signal) => upload(batch, io, signal) };
}

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
  const also = { ...given({ status: error.status }), ...raw };
  if (error.effect === 'unknown') return { kind: 'unknown', reason: error.message, ...also };
  if (error.code === 'PLATFORM_BUSY') {
    const afterMs = typeof error.retry === 'object' ? error.retry.afterMs : busyWaitMs;
    return { kind: 'wait', afterMs, reason: error.message, ...also };
  }
  if (refusals.includes(error.code)) return { kind: 'refused', reason: error.message, ...also };
  throw error;
}

/** Writes the batch's file into a folder, atomically. Another system delivers it to the platform. */
export function openOutbox({ outboxFolder, dialect }: DeliveryIo): Delivery {
  return {
    kind: 'outbox',
    async submit(batch) {
      await mkdir(outboxFolder, { recursive: true, mode: 0o700 });
      const path = join(outboxFolder, `rollcall_${batch.id}.csv`);
      const part = `${path}.part`;
      try {
        await writeProvisioningFile(part, batch.changes, dialect);
        await rename(part, path);
      } catch (error) {
        // It holds personal data, and another system may take it for a file.
        await rm(part).catch(() => {});
        throw error;
      }
      await syncFolder(outboxFolder);
      return { kind: 'exported', path };
    },
  };
}

/** Makes the rename durable: without it a power cut may lose a file that the run reports as exported. */
export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r');
  await folder.sync();
}

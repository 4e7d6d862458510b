import { createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Stringifier, stringify } from 'csv-stringify';
import type { Change } from '../core/plan/change.ts';
import { buildFileRows } from '../core/run/batch.ts';
import type { Dialect } from '../core/run/settings.ts';

/**
 * Writes a partial-provisioning file (contract, POST admin/userFiles). Only our user can read it, and it is durable
 * when this resolves.
 */
export async function writeProvisioningFile(path: string, changes: readonly Change[], dialect: Dialect): Promise<void> {
  const { rows, csv } = openRows(changes, dialect);
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
  const { rows, csv } = openRows(changes, dialect);
  return pipeline(rows, csv, async (parts: AsyncIterable<Buffer>) => Buffer.concat(await Array.fromAsync(parts)));
}

/** Values are written byte for byte: a leading `=` or `+` is data here, not a formula. */
function openRows(changes: readonly Change[], dialect: Dialect): { rows: Readable; csv: Stringifier } {
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

import { createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { stringify } from 'csv-stringify';
import type { Change } from '../core/change.ts';
import { buildFileRows } from '../core/csv-rows.ts';
import type { Dialect } from '../core/settings.ts';

/**
 * Writes a partial-provisioning file (contract, POST admin/userFiles). Only our user can read it, and it is durable
 * when this resolves. Values are written byte for byte: a leading `=` or `+` is data here, not a formula.
 */
export async function writeProvisioningFile(path: string, changes: readonly Change[], dialect: Dialect): Promise<void> {
  const { header, rows } = buildFileRows(changes, dialect);
  const { delimiter, bom, lineEnd } = dialect.csv;
  const csv = stringify({ header: true, columns: [...header], delimiter, bom, record_delimiter: lineEnd });
  await pipeline(Readable.from(inTurns(rows)), csv, createWriteStream(path, { mode: 0o600 }));
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Number of rows that are written before other work of this process runs. Disk writes alone would not yield. */
const rowsPerTurn = 250;

async function* inTurns(rows: Iterable<readonly string[]>): AsyncGenerator<readonly string[], void> {
  let count = 0;
  for (const row of rows) {
    yield row;
    count += 1;
    if (count % rowsPerTurn === 0) await nextTurn();
  }
}

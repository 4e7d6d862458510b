import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { RollcallError, usageError } from '../../core/run/errors.ts';
import type { BackupHeader } from '../../ports/store-operations.ts';

/**
 * A backup is gzip over lines of JSON, the same for both databases: a header, then for each table its name with its
 * columns and one array for each row, then an end line with the sha256 of all bytes before it.
 */
const backupFormat = 'rollcall-backup';
const formatVersion = 1;

export type SqlValue = string | number | null;

/** One part of a backup, in the order of the file. */
export type BackupPart =
  | { readonly kind: 'header'; readonly header: BackupHeader }
  | { readonly kind: 'table'; readonly table: string; readonly columns: readonly string[] }
  | { readonly kind: 'row'; readonly row: readonly SqlValue[] };

/** Yields the lines of a backup, each with its line end. */
export async function* writeLines(parts: AsyncIterable<BackupPart>): AsyncGenerator<string> {
  const hash = createHash('sha256');
  for await (const part of parts) {
    const line = `${JSON.stringify(jsonOf(part))}\n`;
    hash.update(line);
    yield line;
  }
  yield `${JSON.stringify({ end: true, sha256: hash.digest('hex') })}\n`;
}

function jsonOf(part: BackupPart): unknown {
  if (part.kind === 'row') return part.row;
  if (part.kind === 'table') return { table: part.table, columns: part.columns };
  return { format: backupFormat, formatVersion, ...part.header };
}

/**
 * Yields the parts of a backup. Throws `STORE_INVALID` at the first line that is not of a backup, at a line of a newer
 * format, and at the end when the end line is missing or its checksum differs: then nothing that was read may be kept.
 */
export async function* readLines(lines: AsyncIterable<string>, file: string): AsyncGenerator<BackupPart> {
  const hash = createHash('sha256');
  let isStarted = false;
  let isEnded = false;
  for await (const line of lines) {
    if (isEnded) throw damaged(file, 'there is text after its end');
    const value = parse(line, file, isStarted);
    if (!isStarted) {
      yield { kind: 'header', header: headerOf(value, file) };
      isStarted = true;
    } else if (Array.isArray(value)) {
      yield { kind: 'row', row: value as SqlValue[] };
    } else if (isTable(value)) {
      yield { kind: 'table', ...value };
    } else {
      const { sha256 } = (value ?? {}) as { sha256?: string };
      if (sha256 !== hash.digest('hex')) throw damaged(file, 'its checksum differs from its content');
      isEnded = true;
      continue;
    }
    hash.update(`${line}\n`);
  }
  if (!isEnded) throw damaged(file, 'its end is missing');
}

function parse(line: string, file: string, isStarted: boolean): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw isStarted ? damaged(file, 'a line of it cannot be read') : notABackup(file);
  }
}

function headerOf(value: unknown, file: string): BackupHeader {
  const header = value as Partial<BackupHeader> & { format?: unknown; formatVersion?: unknown };
  if (typeof value !== 'object' || value === null || header.format !== backupFormat) throw notABackup(file);
  if (header.formatVersion !== formatVersion) {
    const message = `${file} is a backup in a format that this version of Rollcall does not know (${String(header.formatVersion)}). It was made by Rollcall ${String(header.version)}: restore it with that version or a later one.`;
    throw new RollcallError(message, { code: 'STORE_INVALID' });
  }
  const { madeAt = '', version = '', database = 'sqlite', migrations = [] } = header;
  return { madeAt, version, database, migrations };
}

function isTable(value: unknown): value is { table: string; columns: string[] } {
  return typeof value === 'object' && value !== null && 'table' in value && 'columns' in value;
}

function notABackup(file: string): RollcallError {
  return usageError(`${file} was not written by "rollcall admin backup". Nothing was changed.`);
}

export function damaged(file: string, how: string, cause?: unknown): RollcallError {
  const message = `the backup ${file} is damaged: ${how}. Nothing was changed. Copy the file again, or restore an older backup.`;
  return new RollcallError(message, { code: 'STORE_INVALID', ...(cause === undefined ? {} : { cause }) });
}

/**
 * Writes the lines as one compressed file that only this user can read. The file appears under its name when it is
 * complete and on disk. Throws `USAGE` when there is a file of this name.
 */
export async function writeBackupFile(file: string, lines: AsyncIterable<string>): Promise<void> {
  if (await exists(file)) {
    throw usageError(`${file} exists already. Name a new file; a backup never replaces another one.`);
  }
  const partial = `${file}.${process.pid}.partial`;
  try {
    const handle = await open(partial, 'wx', 0o600);
    // Synced before it is closed, so that a power cut leaves a complete file or none.
    await pipeline(Readable.from(lines), createGzip(), handle.createWriteStream({ flush: true }));
    await rename(partial, file);
  } catch (error) {
    // Where no file can be, none is to be removed: what says why is the first error.
    await rm(partial, { force: true }).catch(() => {});
    throw explain(error, file, 'written');
  }
  const folder = await open(dirname(file), 'r');
  await folder.sync().finally(() => folder.close());
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/** Yields the lines of a compressed file without their line ends. */
export async function* readBackupFile(file: string): AsyncGenerator<string> {
  const input = createReadStream(file);
  const unpacked = createGunzip();
  // The pipeline rejects with the same error that ends the loop.
  const flow = pipeline(input, unpacked).catch(() => {});
  unpacked.setEncoding('utf8');
  let rest = '';
  let isUnpacked = false;
  try {
    for await (const piece of unpacked) {
      const lines = `${rest}${piece as string}`.split('\n');
      rest = lines.pop() ?? '';
      isUnpacked = true;
      yield* lines;
    }
  } catch (error) {
    throw isUnpacked || codeOf(error) !== 'Z_DATA_ERROR' ? explain(error, file, 'read') : notABackup(file);
  } finally {
    input.destroy();
    unpacked.destroy();
    await flow;
  }
  if (rest !== '') throw damaged(file, 'its end is missing');
}

function explain(error: unknown, file: string, verb: 'read' | 'written'): unknown {
  if (error instanceof RollcallError) return error;
  const code = codeOf(error);
  if (code.startsWith('Z_')) return damaged(file, 'it cannot be unpacked', error);
  // Errors of the store explain themselves.
  if (!/^E[A-Z]+$/.test(code)) return error;
  const message = `the file ${file} cannot be ${verb} (${code}). Check the path, the free space and the owner of its folder.`;
  return new RollcallError(message, { code: 'USAGE', cause: error });
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}

import { createHash } from 'node:crypto';
import { RollcallError } from '../../core/run/errors.ts';
import type { BackupHeader } from '../../ports/store-operations.ts';

/**
 * A backup is gzip over lines of JSON, the same for both databases: a header, then for each table its name with its
 * columns and one array for each row, then an end line with the sha256 of all bytes before it.
 */
export const backupFormat = 'rollcall-backup';
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
      if (sumOf(value) !== hash.digest('hex')) throw damaged(file, 'its checksum differs from its content');
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

function sumOf(value: unknown): string | undefined {
  return (value as { sha256?: string } | null)?.sha256;
}

export function notABackup(file: string): RollcallError {
  return new RollcallError(`${file} was not written by "rollcall backup". Nothing was changed.`, { code: 'USAGE' });
}

export function damaged(file: string, how: string, cause?: unknown): RollcallError {
  const message = `the backup ${file} is damaged: ${how}. Nothing was changed. Copy the file again, or restore an older backup.`;
  return new RollcallError(message, { code: 'STORE_INVALID', ...(cause === undefined ? {} : { cause }) });
}

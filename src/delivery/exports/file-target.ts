import { mkdir, open, readdir, rename, rm, stat, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { RollcallError } from '../../core/run/errors.ts';
import type { ExportColumn, ExportFile, ExportRow, ExportTarget } from '../../core/run/exports.ts';
import type { Clock } from '../../ports/runtime.ts';
import { syncFolder } from '../provisioning-file.ts';

export interface FileTargetOptions {
  /** Name of the export, with which its files begin. */
  readonly name: string;
  readonly kind: 'csv' | 'jsonl';
  /** Absolute. Created when it does not exist. */
  readonly folder: string;
  readonly columns: readonly ExportColumn[];
  readonly clock: Clock;
}

/**
 * Opens a folder of CSV (RFC 4180) or JSONL files. A pass with new items makes one file, `NAME-TIME.csv`. Until it is complete
 * its name ends with `.part`, and only then it gets its final name, so that other programs never see half a file.
 */
export function openFileTarget({ name, kind, folder, columns, clock }: FileTargetOptions): ExportTarget {
  const format = kind === 'csv' ? csvFormat(columns) : jsonLines;
  const isPart = new RegExp(`^${name.replaceAll('.', '\\.')}-\\d{8}T\\d{9}Z\\.(csv|jsonl)\\.part$`);
  /** Begins a file in place of parts that the store does not know: their rows are written again. */
  const beginFile = async (): Promise<ExportFile> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const names = await readdir(folder);
    for (const left of names.filter((one) => isPart.test(one))) await rm(join(folder, left));
    const nameAt = (at: number) => `${name}-${new Date(at).toISOString().replaceAll(/[-:.]/g, '')}.${kind}`;
    let at = clock.now();
    while (names.includes(nameAt(at))) at += 1;
    return { path: join(folder, nameAt(at)), bytes: 0 };
  };
  return {
    place: folder,

    begin: (file) =>
      explained(folder, async () => {
        if (file?.isComplete !== true) {
          if (file !== undefined) await cutTo(file);
          return file;
        }
        await finishFile(file);
        return undefined;
      }),

    append: (rows, given) =>
      explained(folder, async () => {
        const file = given ?? (await beginFile());
        const isNew = given === undefined;
        const data = Buffer.from((isNew ? format.head : '') + format.rows(rows));
        await using part = await open(partOf(file), isNew ? 'wx' : 'a', 0o600);
        // Another process that was thought dead may have written since.
        if ((await part.stat()).size !== file.bytes) throw changed(file);
        await part.appendFile(data);
        await part.sync();
        const bytes = file.bytes + data.length;
        if ((await part.stat()).size !== bytes) throw changed(file);
        if (isNew) await syncFolder(folder);
        return { path: file.path, bytes };
      }),

    finish: (file) => explained(folder, () => finishFile(file)),

    close: async () => {},
  };
}

const jsonLines = {
  head: '',
  rows: (rows: readonly ExportRow[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
};

/** An apostrophe protects cells that a spreadsheet would read as formulas. */
function csvFormat(columns: readonly ExportColumn[]) {
  const names = columns.map(({ name }) => name);
  const write = (rows: readonly unknown[][]): string =>
    stringify([...rows], { record_delimiter: 'windows', escape_formulas: true, cast: { boolean: String } });
  const cells = (row: ExportRow) =>
    columns.map(({ name, type }) => (type === 'json' && row[name] !== null ? JSON.stringify(row[name]) : row[name]));
  return { head: write([names]), rows: (rows: readonly ExportRow[]) => write(rows.map(cells)) };
}

function partOf({ path }: ExportFile): string {
  return `${path}.part`;
}

/** Cuts off what was written after the last stored step. */
async function cutTo(file: ExportFile): Promise<void> {
  const part = partOf(file);
  const { size } = await stat(part).catch((error: unknown) => {
    throw codeOf(error) === 'ENOENT' ? lost(file, 'is gone') : error;
  });
  if (size < file.bytes) throw lost(file, `has ${size} bytes, and ${file.bytes} were written`);
  await truncate(part, file.bytes);
}

/** Gives a complete file its final name, unless it has it, or was taken away since. Also for a target that writes no files. */
export async function finishFile(file: ExportFile): Promise<void> {
  const folder = dirname(file.path);
  await explained(folder, async () => {
    try {
      await rename(partOf(file), file.path);
      await syncFolder(folder);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  });
}

function lost({ path }: ExportFile, what: string): RollcallError {
  const message = `the unfinished file ${path}.part ${what}, so items are missing. To write them again: rollcall exports run NAME --from DAY`;
  return new RollcallError(message, { code: 'EXPORT_TARGET' });
}

function changed({ path }: ExportFile): RollcallError {
  const message = `${path}.part was changed by another program. The next pass continues from the last certain row`;
  return new RollcallError(message, { code: 'EXPORT_TARGET', retry: 'backoff' });
}

const advice: Readonly<Record<string, string>> = {
  EACCES: 'allow this process to write there, or set to.path to another folder',
  EPERM: 'allow this process to write there, or set to.path to another folder',
  EROFS: 'the disk is read-only: set to.path to another folder',
  ENOSPC: 'the disk is full: free some room. Nothing is lost',
  EDQUOT: 'the quota of the disk is used up: free some room. Nothing is lost',
  ENOTDIR: 'a part of the path is a file: set to.path to a folder',
  EEXIST: 'a part of the path is a file: set to.path to a folder',
};

async function explained<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = codeOf(error);
    if (error instanceof RollcallError || code === undefined) throw error;
    const what = advice[code] ?? 'check the folder and its disk';
    throw new RollcallError(`${folder} cannot be written (${code}): ${what}`, { code: 'EXPORT_TARGET', cause: error });
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

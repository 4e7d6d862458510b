import { createReadStream } from 'node:fs';
import { access, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { RollcallError } from '../../core/run/errors.ts';
import { damaged, notABackup } from './backup-lines.ts';

/**
 * Writes the lines as one compressed file that only this user can read. The file appears under its name when it is
 * complete and on disk. Throws `USAGE` when there is a file of this name.
 */
export async function writeBackupFile(file: string, lines: AsyncIterable<string>): Promise<void> {
  if (await exists(file)) {
    throw new RollcallError(`${file} exists already. Name a new file; a backup never replaces another one.`, {
      code: 'USAGE',
    });
  }
  const partial = `${file}.${process.pid}.partial`;
  try {
    const handle = await open(partial, 'wx', 0o600);
    // Synced before it is closed, so that a power cut leaves a complete file or none.
    await pipeline(Readable.from(lines), createGzip(), handle.createWriteStream({ flush: true }));
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
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

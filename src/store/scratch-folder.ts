import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RollcallError } from '../core/run/errors.ts';

/** Files older than this were left by a killed process. */
const leftoverMs = 3_600_000;

/**
 * Opens the folder of temporary files, readable by this user only, below the configuration's folder. Deletes the files
 * that killed processes left there. Throws `STORE_INVALID` when the folder cannot be created.
 */
export async function openScratchFolder(configFolder: string, now: number): Promise<string> {
  const folder = join(configFolder, '.rollcall', 'scratch');
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code ?? 'for an unknown reason';
    const message = `the folder of temporary files, ${folder}, cannot be created (${why}). Check the owner and the permissions of the configuration's folder.`;
    throw new RollcallError(message, { code: 'STORE_INVALID', cause });
  });
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && now - found.mtimeMs > leftoverMs) await rm(path, { force: true });
  }
  return folder;
}

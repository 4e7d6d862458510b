import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { CustodyDocument, TokenCustody } from './custody.ts';

/** A reader can lose a file to a writer only so often. */
const maxTries = 50;

/**
 * Keeps tokens in a file of this machine, or of a file system with hard links that all its processes share. `path` is
 * the beginning of its name: version 7 is `tokens.json.7`, and while no process writes there is only that one. Mode
 * 0600.
 *
 * A version appears whole or not at all: it is written and synced under another name, and then linked, which fails
 * where the name is taken. So of two writers of version 7 one fails, without a lock that a dead process could keep. An
 * older version is removed only after a newer one exists. A writer that was suspended, and links a version that others
 * have passed, sees that newer one afterwards.
 */
export function openFileCustody({ path }: { readonly path: string }): TokenCustody {
  const folder = dirname(resolve(path));
  const name = basename(path);

  const versions = async (): Promise<number[]> => {
    const names = await readdir(folder).catch((error) => (isCode(error, 'ENOENT') ? [] : Promise.reject(error)));
    const endings = names.filter((one) => one.startsWith(`${name}.`)).map((one) => one.slice(name.length + 1));
    return endings.filter((ending) => /^[1-9]\d{0,14}$/.test(ending)).map(Number);
  };
  const newest = async (): Promise<number | undefined> => {
    const all = await versions();
    return all.length === 0 ? undefined : Math.max(...all);
  };
  const fileOf = (version: number | string): string => join(folder, `${name}.${version}`);

  const writeNew = async (text: string): Promise<string> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = fileOf(`new-${randomBytes(8).toString('hex')}`);
    const handle = await open(file, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    return file;
  };

  /** Returns whether the version is ours. */
  const publish = async (file: string, version: number): Promise<boolean> => {
    try {
      await link(file, fileOf(version));
    } catch (error) {
      // ENOENT: another writer has passed, and taken away what it took for the rest of a dead one.
      if (isCode(error, 'EEXIST') || isCode(error, 'ENOENT')) return false;
      throw error;
    }
    await syncFolder(folder);
    const isPassed = (await newest()) !== version;
    if (isPassed) await rm(fileOf(version), { force: true });
    return !isPassed;
  };

  return {
    async read(): Promise<CustodyDocument | undefined> {
      for (let tried = 1; ; tried++) {
        const version = await newest();
        if (version === undefined) return undefined;
        try {
          return { version, text: await readFile(fileOf(version), 'utf8') };
        } catch (error) {
          if (!isCode(error, 'ENOENT') || tried === maxTries) throw error;
        }
      }
    },

    async replace(seen, next) {
      if ((await newest()) !== seen) return false;
      const file = await writeNew(next.text);
      try {
        if (!(await publish(file, next.version))) return false;
      } finally {
        await rm(file, { force: true });
      }
      const rest = (await readdir(folder)).filter((one) => one.startsWith(`${name}.new-`));
      const older = (await versions()).filter((version) => version < next.version).map(fileOf);
      for (const old of [...older, ...rest.map((one) => join(folder, one))]) await rm(old, { force: true });
      return true;
    },

    close: () => Promise.resolve(),
  };
}

/** Makes a new name durable. Windows cannot sync a folder, and keeps names without it. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

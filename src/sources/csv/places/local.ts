import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RollcallError } from '../../../core/run/errors.ts';
import { notRegular, unreadable } from '../csv-file.ts';
import { type Candidate, chooseNewest, compilePattern, folderOf, isPattern } from './newest.ts';
import type { FileState, Place, Visit } from './place.ts';

const chunkBytes = 256 * 1024;

/** Opens files of this machine, by absolute path. */
export function localPlace(path: string, newest: 'name' | 'time'): Place {
  const visit: Visit = {
    find: () => findLocal(path, newest),
    nameOf: (file) => file,
    stat: (file) =>
      statFile(file).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw unreadable(file, error);
      }),
    async fetch(file, sink) {
      try {
        const state = await statFile(file);
        await using handle = await open(file, 'r');
        await sink.restart();
        for (let position = 0; ; ) {
          const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, position);
          if (bytesRead === 0 || !(await sink.write(buffer.subarray(0, bytesRead)))) return state;
          position += bytesRead;
        }
      } catch (error) {
        throw error instanceof RollcallError ? error : unreadable(file, error);
      }
    },
  };
  return { visit: (_io, work) => work(visit) };
}

/** Returns the file of a path, or the newest match of a pattern. Throws `SOURCE_UNAVAILABLE`. */
export async function findLocal(path: string, newest: 'name' | 'time'): Promise<string> {
  if (!isPattern(path)) return path;
  const folder = folderOf(path);
  const names = await readdir(folder).catch((error: unknown) => {
    throw unreadable(folder, error);
  });
  const candidates: Candidate[] = [];
  for (const name of names.filter(compilePattern(path))) {
    const file = join(folder, name);
    const facts = await stat(file, { bigint: true }).catch(() => undefined);
    if (facts?.isFile() === true) candidates.push({ file, writtenAtNs: facts.mtimeNs });
  }
  return chooseNewest(path, candidates, newest);
}

async function statFile(file: string): Promise<FileState> {
  const facts = await stat(file, { bigint: true });
  if (!facts.isFile()) {
    throw notRegular(file);
  }
  return { bytes: Number(facts.size), version: `${facts.ino}-${facts.mtimeNs}`, writtenAtNs: facts.mtimeNs };
}

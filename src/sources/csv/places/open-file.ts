import { open, readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { RollcallError } from '../../../core/run/errors.ts';
import type { SourceBase, SourceIo } from '../../../ports/source.ts';
import type { CsvConfig } from '../config.ts';
import { type CsvFile, notRegular, openCsvFile, unreadable } from '../csv-file.ts';
import type { OpenFile } from '../read.ts';
import { compressionOf } from '../unpack.ts';
import { type Candidate, chooseNewest, compilePattern, type Found, folderOf, isPattern, rankOf } from './newest.ts';
import type { FileState, Place, Visit } from './place.ts';
import { receiveFile } from './received.ts';
import { s3Place } from './s3.ts';
import { sftpPlace } from './sftp.ts';
import { httpsPlace } from './web-files.ts';

/** Returns how to open the configured file: an uncompressed local one in place, any other after its transfer. */
export function fileOpener(config: CsvConfig, base: SourceBase): OpenFile {
  const { newest, compression } = config;
  const path = config.path === undefined ? undefined : resolve(base.folder, config.path);
  const markerOf = markerNamer(config, base);
  const place = path === undefined ? remotePlace(config, base) : localPlace(path, newest);
  const pattern = config.path ?? config.sftp?.path ?? config.s3?.key;
  const open = async (io: SourceIo, part: 'whole' | 'header'): Promise<CsvFile> => {
    if (path !== undefined && compressionOf(path, compression) === 'none') {
      const { file, later } = await findLocal(path, newest);
      return { ...(await openCsvFile(file, markerOf(file))), later };
    }
    const order = {
      part,
      compression,
      scratchFolder: base.scratchFolder,
      markerOf: config.complete === 'marker' ? markerOf : undefined,
      proof: config.complete,
    };
    return receiveFile(place, order, io);
  };
  if (pattern === undefined || !isPattern(pattern)) return open;
  return async (io, part) => {
    const file = await open(io, part);
    const rank = rankOf(newest, file);
    return rank === undefined ? file : { ...file, rank };
  };
}

function remotePlace({ sftp, https, s3, newest }: CsvConfig, base: SourceBase): Place {
  if (sftp !== undefined) return sftpPlace(sftp, newest, base);
  if (https !== undefined) return httpsPlace(https, base);
  if (s3 !== undefined) return s3Place(s3, newest);
  throw new TypeError('a csv source without a place');
}

function markerNamer({ path, https, marker }: CsvConfig, base: SourceBase): (file: string) => string {
  if (marker !== undefined) return () => (path === undefined ? marker : resolve(base.folder, marker));
  if (https === undefined) return (file) => `${file}.done`;
  return (file) => {
    const url = new URL(file);
    url.pathname += '.done';
    return url.href;
  };
}

const chunkBytes = 256 * 1024;

/** Opens files of this machine, by absolute path. */
function localPlace(path: string, newest: 'name' | 'time'): Place {
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
async function findLocal(path: string, newest: 'name' | 'time'): Promise<Found> {
  if (!isPattern(path)) return { file: path };
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

import { createHash } from 'node:crypto';
import { open, readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { RollcallError } from '../../../core/run/errors.ts';
import type { SourceBase, SourceIo } from '../../../ports/source.ts';
import type { Compression, CsvConfig } from '../config.ts';
import { type CsvFile, chunkBytes, notRegular, openCsvFile, unreadable } from '../csv-file.ts';
import { type Marker, maxMarkerBytes, noMarker, readContent, tooLargeMarker } from '../marker.ts';
import type { OpenFile } from '../read.ts';
import { compressionOf, unpack } from '../unpack.ts';
import { type Candidate, chooseNewest, compilePattern, type Found, folderOf, isPattern, rankOf } from './newest.ts';
import { type FileState, memorySink, type Place, type Sink, type Visit } from './place.ts';
import { s3Place } from './s3.ts';
import { sftpPlace } from './sftp.ts';
import { openSpool, type Spool } from './spool.ts';
import { httpsPlace } from './web-files.ts';

/** Returns how to open the configured file: an uncompressed local one in place, any other after its transfer. */
export function fileOpener(config: CsvConfig, base: SourceBase): OpenFile {
  const { newest, compression } = config;
  const path = config.path === undefined ? undefined : resolve(base.folder, config.path);
  const markerOf = markerNamer(config, base);
  const place = path === undefined ? remotePlace(config, base) : localPlace(path, newest);
  const pattern = config.path ?? config.sftp?.path ?? config.s3?.key;
  const open: OpenFile = async (io, part, one) => {
    if (path !== undefined && compressionOf(path, compression) === 'none') {
      const { file, ...beside } = one === undefined ? await findLocal(path, newest) : { file: one };
      return { ...(await openCsvFile(file, markerOf(file))), ...beside };
    }
    const order = {
      part,
      path: one,
      compression,
      scratchFolder: base.scratchFolder,
      markerOf: config.complete === 'marker' ? markerOf : undefined,
      proof: config.complete,
    };
    return receiveFile(place, order, io);
  };
  if (pattern === undefined || !isPattern(pattern)) return open;
  return async (io, part, one) => {
    const file = await open(io, part, one);
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

const localChunkBytes = 256 * 1024;

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
          const { bytesRead, buffer } = await handle.read(
            Buffer.allocUnsafe(localChunkBytes),
            0,
            localChunkBytes,
            position,
          );
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

interface Order {
  /** `header`: only the start of the file is needed. */
  readonly part: 'whole' | 'header';
  /** The file to receive. Undefined: the one that the place finds. */
  readonly path: string | undefined;
  readonly scratchFolder: string;
  readonly compression: Compression | undefined;
  /** Returns the name of a file's marker; undefined when none is used. */
  readonly markerOf: ((file: string) => string) | undefined;
  /** `stable`: an unchanged file is the proof. Where the server shows no version, the file is transferred twice. */
  readonly proof: CsvConfig['complete'];
}

/** Enough bytes of a compressed or plain file to hold its header. */
const headerBytes = 4 * chunkBytes;

/** What was found on the server while the connection was open. */
interface Delivered {
  readonly name: string;
  readonly beside: Omit<Found, 'file'>;
  readonly state: FileState;
  readonly marker: Marker | string;
  readonly movements: readonly string[];
}

/**
 * Transfers a file to this machine and closes the connection before people are read. Looks for the marker after the
 * data, and checks last whether the file is unchanged.
 */
async function receiveFile(place: Place, order: Order, io: SourceIo): Promise<CsvFile> {
  let spool: Spool | undefined;
  try {
    const delivered = await place.visit(io, async (visit) => {
      const { file, ...beside } = order.path === undefined ? await visit.find() : { file: order.path };
      const name = visit.nameOf(file);
      const isHeader = order.part === 'header' && compressionOf(name, order.compression) !== 'zip';
      await spool?.close();
      spool = await openSpool(order.scratchFolder, name, isHeader ? headerBytes : undefined);
      const state = await visit.fetch(file, spool);
      if (order.part === 'header') return { name, beside, state, marker: '', movements: [] };
      const marker = order.markerOf === undefined ? '' : await readMarkerThere(visit, order.markerOf(file));
      return {
        name,
        beside,
        state,
        marker,
        movements: await movementsOf(visit, file, { before: state, spool }, order),
      };
    });
    if (spool === undefined) throw new TypeError('a visit without a file');
    return fileOf(delivered, spool, compressionOf(delivered.name, order.compression));
  } catch (error) {
    await spool?.close();
    throw error;
  }
}

function fileOf(
  { name, beside, state, marker, movements }: Delivered,
  spool: Spool,
  compression: Compression,
): CsvFile {
  const chunks = fullChunks(unpack(name, compression, spool));
  const hash = createHash('sha256');
  return {
    name,
    ...beside,
    charset: state.charset,
    writtenAtNs: state.writtenAtNs,
    packedDigest: spool.digest(),
    digest: () => hash.copy().digest('hex'),
    marker: async () => marker,
    movements: async () => movements,
    async next() {
      const { value } = await chunks.next();
      if (value !== undefined) hash.update(value);
      return value ?? undefined;
    },
    async close() {
      await chunks.return(undefined);
      await spool.close();
    },
  };
}

/** Regroups bytes into chunks of equal length, except the last. Each chunk is its own buffer. */
async function* fullChunks(parts: AsyncGenerator<Uint8Array>): AsyncGenerator<Buffer, undefined> {
  let chunk = Buffer.allocUnsafe(chunkBytes);
  let length = 0;
  for await (const part of parts) {
    for (let at = 0; at < part.length; ) {
      const taken = Math.min(chunkBytes - length, part.length - at);
      chunk.set(part.subarray(at, at + taken), length);
      at += taken;
      length += taken;
      if (length < chunkBytes) continue;
      yield chunk;
      chunk = Buffer.allocUnsafe(chunkBytes);
      length = 0;
    }
  }
  if (length > 0) yield chunk.subarray(0, length);
  return undefined;
}

async function readMarkerThere(visit: Visit, file: string): Promise<Marker | string> {
  const name = visit.nameOf(file);
  if ((await visit.stat(file)) === undefined) return noMarker(name);
  const sink = memorySink(maxMarkerBytes);
  const { writtenAtNs } = await visit.fetch(file, sink);
  const bytes = sink.bytes();
  if (bytes.length > maxMarkerBytes) return tooLargeMarker(name);
  return { name, writtenAtNs, ...readContent(bytes) };
}

async function movementsOf(
  visit: Visit,
  file: string,
  { before, spool }: { readonly before: FileState; readonly spool: Spool },
  order: Order,
): Promise<readonly string[]> {
  const name = visit.nameOf(file);
  if (before.bytes !== undefined && before.bytes !== spool.length) {
    return [`${name} had ${before.bytes} bytes at first, and ${spool.length} arrived: it is still being written`];
  }
  const isSameAgain = async (): Promise<boolean> => {
    const again = digestSink();
    await visit.fetch(file, again);
    return again.digest() === spool.digest();
  };
  // The trailer proves the rows of a file that is made for each request.
  if (order.proof === 'trailer' && before.isTimeOnly === true) return [];
  if (before.version === undefined && order.proof === 'stable') {
    return (await isSameAgain()) ? [] : [`${name} was transferred twice, with different content`];
  }
  const after = await visit.stat(file);
  if (after === undefined) return [`${name} was removed while it was read`];
  if (after.bytes !== undefined && after.bytes !== spool.length) {
    return [`${name} had ${spool.length} bytes at first and ${after.bytes} at the end: it is still being written`];
  }
  // The version may move while the content does not.
  const isUnchanged = after.version === before.version || (await isSameAgain());
  return isUnchanged ? [] : [`${name} was written while it was read`];
}

function digestSink(): Sink & { digest(): string } {
  let hash = createHash('sha256');
  return {
    restart: async () => {
      hash = createHash('sha256');
    },
    write: async (chunk) => {
      hash.update(chunk);
      return true;
    },
    digest: () => hash.digest('hex'),
  };
}

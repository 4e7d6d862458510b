import { createHash } from 'node:crypto';
import type { SourceIo } from '../../../ports/source.ts';
import type { Compression, CsvConfig } from '../config.ts';
import { type CsvFile, chunkBytes } from '../csv-file.ts';
import { type Marker, maxMarkerBytes, noMarker, readContent, tooLargeMarker } from '../marker.ts';
import { compressionOf, unpack } from '../unpack.ts';
import { type FileState, memorySink, type Place, type Sink, type Visit } from './place.ts';
import { openSpool, type Spool } from './spool.ts';

export interface Order {
  /** `header`: only the start of the file is needed. */
  readonly part: 'whole' | 'header';
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
  readonly later: string | undefined;
  readonly state: FileState;
  readonly marker: Marker | string;
  readonly movements: readonly string[];
}

/**
 * Transfers a file to this machine and closes the connection before people are read. Looks for the marker after the
 * data, and checks last whether the file is unchanged.
 */
export async function receiveFile(place: Place, order: Order, io: SourceIo): Promise<CsvFile> {
  let spool: Spool | undefined;
  try {
    const delivered = await place.visit(io, async (visit) => {
      const { file, later } = await visit.find();
      const name = visit.nameOf(file);
      const isHeader = order.part === 'header' && compressionOf(name, order.compression) !== 'zip';
      await spool?.close();
      spool = await openSpool(order.scratchFolder, name, isHeader ? headerBytes : undefined);
      const state = await visit.fetch(file, spool);
      if (order.part === 'header') return { name, later, state, marker: '', movements: [] };
      const marker = order.markerOf === undefined ? '' : await readMarkerThere(visit, order.markerOf(file));
      return { name, later, state, marker, movements: await movementsOf(visit, file, { before: state, spool }, order) };
    });
    if (spool === undefined) throw new TypeError('a visit without a file');
    return fileOf(delivered, spool, compressionOf(delivered.name, order.compression));
  } catch (error) {
    await spool?.close();
    throw error;
  }
}

function fileOf({ name, later, state, marker, movements }: Delivered, spool: Spool, compression: Compression): CsvFile {
  const chunks = fullChunks(unpack(name, compression, spool));
  const hash = createHash('sha256');
  return {
    name,
    later,
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

import { readFile, stat } from 'node:fs/promises';

/** Content of a marker file beside the data file. */
export interface Marker {
  /** Path or address. */
  readonly name: string;
  /** Undefined where the server does not report it. */
  readonly writtenAtNs: bigint | undefined;
  readonly rows: number | undefined;
  readonly sha256: string | undefined;
}

/** Larger than any marker. A bigger file was configured by mistake. */
export const maxMarkerBytes = 64 * 1024;

/** Reads a marker. Returns a sentence when it is missing or unreadable. */
export async function readMarker(path: string): Promise<Marker | string> {
  try {
    const facts = await stat(path, { bigint: true });
    if (!facts.isFile() || facts.size > maxMarkerBytes)
      return `${path} is not a marker file: it is a folder or too large`;
    return { name: path, writtenAtNs: facts.mtimeNs, ...readFigures(await readFile(path, 'utf8')) };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    if (code === 'ENOENT') return noMarker(path);
    return `the marker ${path} cannot be read (${code})`;
  }
}

/** Returns the message for a missing marker. */
export function noMarker(name: string): string {
  return `the marker ${name} is not there: the export has not finished`;
}

/** Finds figures in any common form: `520`, `rows=520`, `{"rows": 520}`, `sha256: …`, or a line of sha256sum. */
export function readFigures(text: string): Pick<Marker, 'rows' | 'sha256'> {
  const rows = /^\s*(\d{1,15})\s*$/.exec(text)?.[1] ?? /\b(?:rows|records|count)\b\W{0,4}(\d{1,15})\b/i.exec(text)?.[1];
  const sha256 = /\b[0-9a-f]{64}\b/i.exec(text)?.[0]?.toLowerCase();
  return { rows: rows === undefined ? undefined : Number(rows), sha256 };
}

/** Returns why the marker does not confirm the file that was read; undefined when it does. */
export function markerProblem(
  marker: Marker,
  read: { readonly rows: number; readonly digests: readonly string[]; readonly writtenAtNs: bigint | undefined },
): string | undefined {
  const { name, rows, sha256, writtenAtNs } = marker;
  const isOlder = writtenAtNs !== undefined && read.writtenAtNs !== undefined && writtenAtNs < read.writtenAtNs;
  if (isOlder) return `the marker ${name} is older than the file: it belongs to an earlier export`;
  if (rows !== undefined && rows !== read.rows) {
    return `the marker ${name} says ${rows} rows, the file has ${read.rows}`;
  }
  if (sha256 !== undefined && !read.digests.includes(sha256)) {
    return `the sha256 in the marker ${name} is not that of the file`;
  }
  const isDated = writtenAtNs !== undefined && read.writtenAtNs !== undefined;
  if (!isDated && rows === undefined && sha256 === undefined) {
    return `the marker ${name} does not prove that it belongs to this file: the server reports no times, so write the number of rows or a sha256 into it`;
  }
  return undefined;
}

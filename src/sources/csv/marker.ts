import { readFile, stat } from 'node:fs/promises';

/** What a marker file says about the data file beside it. */
export interface Marker {
  /** Path or address. */
  readonly name: string;
  /** Undefined where the server does not say. */
  readonly writtenAtNs: bigint | undefined;
  readonly rows: number | undefined;
  readonly sha256: string | undefined;
}

/** Larger than any marker: a bigger file was named by mistake. */
export const maxMarkerBytes = 64 * 1024;

/** Reads a marker; a sentence when there is none or it cannot be read. */
export async function readMarker(path: string): Promise<Marker | string> {
  try {
    const facts = await stat(path, { bigint: true });
    if (!facts.isFile() || facts.size > maxMarkerBytes) return `${path} is no marker file: it is a folder or too large`;
    return { name: path, writtenAtNs: facts.mtimeNs, ...readFigures(await readFile(path, 'utf8')) };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    if (code === 'ENOENT') return noMarker(path);
    return `the marker ${path} cannot be read (${code})`;
  }
}

/** What is said of a marker that is not there. */
export function noMarker(name: string): string {
  return `the marker ${name} is not there: the export has not finished`;
}

/** Finds figures in any common form: `520`, `rows=520`, `{"rows": 520}`, `sha256: …`, or a line of sha256sum. */
export function readFigures(text: string): Pick<Marker, 'rows' | 'sha256'> {
  const rows = /^\s*(\d{1,15})\s*$/.exec(text)?.[1] ?? /\b(?:rows|records|count)\b\W{0,4}(\d{1,15})\b/i.exec(text)?.[1];
  const sha256 = /\b[0-9a-f]{64}\b/i.exec(text)?.[0]?.toLowerCase();
  return { rows: rows === undefined ? undefined : Number(rows), sha256 };
}

/** Why the marker does not vouch for the file that was read; undefined when it does. */
export function markerProblem(
  marker: Marker,
  read: { readonly rows: number; readonly digests: readonly string[]; readonly writtenAtNs: bigint | undefined },
): string | undefined {
  const { name, rows, sha256, writtenAtNs } = marker;
  const isOlder = writtenAtNs !== undefined && read.writtenAtNs !== undefined && writtenAtNs < read.writtenAtNs;
  if (isOlder) return `the marker ${name} is older than the file: it belongs to a former export`;
  if (rows !== undefined && rows !== read.rows) {
    return `the marker ${name} says ${rows} rows, the file has ${read.rows}`;
  }
  if (sha256 !== undefined && !read.digests.includes(sha256)) {
    return `the sha256 in the marker ${name} is not that of the file`;
  }
  const isDated = writtenAtNs !== undefined && read.writtenAtNs !== undefined;
  if (!isDated && rows === undefined && sha256 === undefined) {
    return `nothing shows that the marker ${name} belongs to this file: the server tells no times, so let it hold the number of rows or a sha256`;
  }
  return undefined;
}

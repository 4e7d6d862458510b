import { readFile, stat } from 'node:fs/promises';

/** What a marker file says about the data file beside it. */
export interface Marker {
  readonly writtenAtNs: bigint;
  readonly rows: number | undefined;
  readonly sha256: string | undefined;
}

/** Larger than any marker: a bigger file was named by mistake. */
const maxMarkerBytes = 64 * 1024;

/** Reads a marker; a sentence when there is none or it cannot be read. */
export async function readMarker(path: string): Promise<Marker | string> {
  try {
    const facts = await stat(path, { bigint: true });
    if (!facts.isFile() || facts.size > maxMarkerBytes) return `${path} is no marker file: it is a folder or too large`;
    return { writtenAtNs: facts.mtimeNs, ...readFigures(await readFile(path, 'utf8')) };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    if (code === 'ENOENT') return `the marker ${path} is not there: the export has not finished`;
    return `the marker ${path} cannot be read (${code})`;
  }
}

/** Finds figures in any common form: `520`, `rows=520`, `{"rows": 520}`, `sha256: …`, or a line of sha256sum. */
function readFigures(text: string): Pick<Marker, 'rows' | 'sha256'> {
  const rows = /^\s*(\d{1,15})\s*$/.exec(text)?.[1] ?? /\b(?:rows|records|count)\b\W{0,4}(\d{1,15})\b/i.exec(text)?.[1];
  const sha256 = /\b[0-9a-f]{64}\b/i.exec(text)?.[0]?.toLowerCase();
  return { rows: rows === undefined ? undefined : Number(rows), sha256 };
}

/** Why the marker does not vouch for the file that was read; undefined when it does. */
export function markerProblem(
  path: string,
  marker: Marker,
  read: { readonly rows: number; readonly digest: string; readonly writtenAtNs: bigint },
): string | undefined {
  if (marker.writtenAtNs < read.writtenAtNs)
    return `the marker ${path} is older than the file: it belongs to a former export`;
  if (marker.rows !== undefined && marker.rows !== read.rows) {
    return `the marker ${path} says ${marker.rows} rows, the file has ${read.rows}`;
  }
  if (marker.sha256 !== undefined && marker.sha256 !== read.digest) {
    return `the sha256 in the marker ${path} is not that of the file`;
  }
  return undefined;
}

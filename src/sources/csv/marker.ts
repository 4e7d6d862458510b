import { readFile, stat } from 'node:fs/promises';
import { countOf } from '../../core/run/formats.ts';

/** Content of a marker file beside the data file. */
export interface Marker extends MarkerContent {
  /** Path or address. */
  readonly name: string;
  /** Undefined where the server does not report it. */
  readonly writtenAtNs: bigint | undefined;
}

/** What the text of a marker says. */
export interface MarkerContent {
  readonly rows: number | undefined;
  readonly sha256: string | undefined;
  /** Why the text cannot be a marker, as the rest of a sentence. It never holds the text. */
  readonly nonsense?: string;
}

/** Larger than any marker. A bigger file was configured by mistake. */
export const maxMarkerBytes = 64 * 1024;

/** Reads a marker. Returns a sentence when it is missing or unreadable. */
export async function readMarker(path: string): Promise<Marker | string> {
  try {
    const facts = await stat(path, { bigint: true });
    if (!facts.isFile()) return `${path} is not a marker file: it is a folder, pipe or device`;
    if (facts.size > maxMarkerBytes) return tooLargeMarker(path);
    return { name: path, writtenAtNs: facts.mtimeNs, ...readContent(await readFile(path)) };
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

export function tooLargeMarker(name: string): string {
  return `${name} is not a marker file: it is larger than ${maxMarkerBytes / 1024} KB`;
}

/**
 * Reads the figures of a marker in any common form: `520`, `rows=520`, `{"rows": 520}`, `sha256: …`, or a line of
 * sha256sum. Beside them, a marker may hold words that say that the export has ended, times, and names of files. Any
 * other text is nonsense, because it may be the message of an export that failed.
 */
export function readContent(bytes: Buffer): MarkerContent {
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  const rows = wholeNumber.exec(text)?.[1] ?? namedRows.exec(text)?.[1];
  const sha256 = sha256Digits.exec(text)?.[0]?.toLowerCase();
  const nonsense = nonsenseIn(text);
  const figures = { rows: rows === undefined ? undefined : Number(rows), sha256 };
  return nonsense === undefined ? figures : { ...figures, nonsense };
}

const wholeNumber = /^\s*(\d{1,15})\s*$/;
const namedRows = /\b(?:rows|records|count)\b["']?\s*[:=]?\s*["']?(\d{1,15})(?!\d|[.,]\d)\b/i;
const sha256Digits = /\b[0-9a-f]{64}\b/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const binary = /[\u0000-\u0008\u000e-\u001f\u007f\ufffd]/;

function nonsenseIn(text: string): string | undefined {
  if (binary.test(text)) return 'contains binary data or text that is not UTF-8';
  if (/^\s*</.test(text)) return 'contains a web page or XML';
  if (/\b(?:rows|records|count)\b/i.test(text) && !namedRows.test(text)) return 'names rows without a whole number';
  if (/\bsha-?256\b/i.test(text) && !sha256Digits.test(text)) return 'names a sha256 without its 64 digits';
  const digits = /\b(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{96}|[0-9a-f]{128})\b/i.exec(text)?.[0];
  if (digits !== undefined) return `contains a checksum of ${digits.length} digits, which is not a sha256`;
  if (/^\s*[-+.\d][\d.,eE+-]*\s*$/.test(text) && !wholeNumber.test(text) && !moment.test(text)) {
    return 'contains a number that is not a whole number of rows';
  }
  const rest = known.reduce((left, expression) => left.replace(expression, ' '), text);
  return /[\p{L}\p{N}]/u.test(rest) ? 'contains text that Rollcall does not understand' : undefined;
}

const moment = /\b\d{4}-?\d\d-?\d\d(?:[T _-]?\d\d[:.-]?\d\d(?:[:.-]?\d\d(?:[.,]\d{1,9})?)?\s?(?:Z|[+-]\d\d:?\d\d)?)?\b/;

/** What a marker may hold. The words are those of exports that ended well. */
const known: readonly RegExp[] = [
  sha256Digits,
  namedRows,
  wholeNumber,
  new RegExp(moment, 'g'),
  // The output of `date`, and times without a date.
  /\b(?:mon|tue|wed|thu|fri|sat|sun)\w*\b|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\b\.?/gi,
  /\b\d{1,2}:\d\d(?::\d\d)?\s?(?:[ap]\.?m\.?)?|\b[A-Z]{3,4}\b(?=\s+\d{4})|\b(?:19|20)\d\d\b|\b\d{1,2}(?=[\s,./-]|$)/gi,
  /\b[\w.*-]+\.(?:csv|txt|gz|zip|done|ok)\b/gi,
  /\b(?:ok(?:ay)?|done|ready|complete[d]?|finish(?:ed)?|success(?:ful|fully)?|end(?:ed)?|eof|true|yes|status|state|export(?:ed)?|file|employees|sha-?256|of|the|is|was|has|been|at|on|by|time|date|utc|gmt)\b/gi,
];

/** Returns why the marker does not confirm the file that was read; undefined when it does. */
export function markerProblem(
  marker: Marker,
  read: { readonly rows: number; readonly digests: readonly string[]; readonly writtenAtNs: bigint | undefined },
): string | undefined {
  const { name, rows, sha256, writtenAtNs, nonsense } = marker;
  const isOlder = writtenAtNs !== undefined && read.writtenAtNs !== undefined && writtenAtNs < read.writtenAtNs;
  if (isOlder) return `the marker ${name} is older than the file: it belongs to an earlier export`;
  if (rows !== undefined && rows !== read.rows) {
    return `the marker ${name} says ${countOf(rows, 'row')}, the file has ${read.rows}`;
  }
  if (sha256 !== undefined && !read.digests.includes(sha256)) {
    return `the sha256 in the marker ${name} does not match the file`;
  }
  if (nonsense !== undefined) {
    return `the marker ${name} ${nonsense}: leave it empty, or write into it the number of rows or a sha256 of the file`;
  }
  const isDated = writtenAtNs !== undefined && read.writtenAtNs !== undefined;
  if (!isDated && rows === undefined && sha256 === undefined) {
    return `the marker ${name} does not prove that it belongs to this file: the server reports no times, so write the number of rows or a sha256 into it`;
  }
  return undefined;
}

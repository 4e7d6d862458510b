import { RollcallError } from '../../../core/run/errors.ts';

/** A file that may match a pattern. */
export interface Candidate {
  /** The complete path or key. */
  readonly file: string;
  readonly writtenAtNs: bigint;
}

export interface Found {
  readonly file: string;
  /** Name of a file of the pattern that was written after it, and is older by name. */
  readonly later?: string | undefined;
  /** The newest file of each other kind: its name differs in more than digits. */
  readonly others?: readonly string[];
}

/** What orders the files of a pattern: the name, or the time of writing (epoch nanoseconds). */
export interface FileRank {
  readonly order: 'name' | 'time';
  readonly value: string;
}

/** Returns the rank of a file by its path or address. A server without times gives none. */
export function rankOf(
  order: FileRank['order'],
  file: { readonly name: string; readonly writtenAtNs: bigint | undefined },
): FileRank | undefined {
  if (order === 'name') return { order, value: fileNameOf(file.name) };
  return file.writtenAtNs === undefined ? undefined : { order, value: String(file.writtenAtNs) };
}

/** Returns a file name without its digits. Files of one name but for dates and numbers are of one kind. */
export function kindOfFile(file: string): string {
  return fileNameOf(file)
    .replace(/ ?\(\d+\)(?=\.|$)/, '')
    .replace(/[a-z]*\d+[a-z]+\d[a-z\d]*/gi, '#')
    .replace(/\d+/g, '#')
    .replace(/(?<![a-z])(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*(?![a-z])/gi, '#')
    .replace(/#(?:[-_. T]*#)+/g, '#');
}

/** Returns the stamp of a ranked file: hash of the content, rank, and the name where that is not the rank. */
export function stampOf(digest: string, rank: FileRank | undefined, name: string): string {
  if (rank === undefined) return digest;
  return `${digest} ${rank.order}:${rank.value}${rank.order === 'time' ? ` ${fileNameOf(name)}` : ''}`;
}

/** Returns the stamp of several files that were read as one list. */
export function stampOfAll(digest: string, names: readonly string[]): string {
  return `${digest} all:${names.join('/')}`;
}

/** Returns the names of the files in the stamp of a read. */
export function fileNamesIn(stamp: string | undefined): readonly string[] {
  const [, names] = /^[0-9a-f]{64} (?:name:|time:\d+ |all:)(.*)$/s.exec(stamp ?? '') ?? [];
  return names === undefined ? [] : names.split('/');
}

/** Returns the name of an earlier file, from the stamp of its read, when it is newer than this one. */
export function newerBefore(rank: FileRank, stamp: string): string | undefined {
  const { order } = rank;
  const form = order === 'name' ? /^[0-9a-f]{64} name:(.*)$/s : /^[0-9a-f]{64} time:(\d+)/;
  const value = form.exec(stamp)?.[1];
  if (value === undefined) return undefined;
  const isNewer = order === 'name' ? compareNames(value, rank.value) > 0 : BigInt(value) > BigInt(rank.value);
  if (!isNewer) return undefined;
  return order === 'name' ? value : 'a file that was written later';
}

/** Returns whether the file name has a `*`, which matches any characters. */
export function isPattern(path: string): boolean {
  return fileNameOf(path).includes('*');
}

/** Returns the folder of a pattern with its trailing slash; empty when it has none. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

/** Compiles a pattern into a test of file names. Case matters. */
export function compilePattern(path: string): (name: string) => boolean {
  const parts = fileNameOf(path).split('*');
  const source = parts.map((part) => part.replace(/[\\^$.+?()[\]{}|/-]/g, '\\$&')).join('[^/]*');
  const expression = new RegExp(`^${source}$`);
  return (name) => expression.test(name);
}

/**
 * Returns the last file by name (numbers compare as numbers: `-9` before `-10`) or by time. Throws
 * `SOURCE_UNAVAILABLE` when there is none, or when two are equally new.
 */
export function chooseNewest(pattern: string, candidates: readonly Candidate[], order: 'name' | 'time'): Found {
  const compare = order === 'name' ? byName : byTime;
  const [newest, next] = candidates.toSorted((a, b) => compare(b, a));
  if (newest === undefined) {
    const message = `no file matches ${pattern}: check the pattern, and that the export has run`;
    throw new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
  }
  if (next !== undefined && compare(newest, next) === 0) {
    const message = `two files match ${pattern} and neither is newer. Remove one, or change source.newest`;
    const raw = `${fileNameOf(newest.file)}, ${fileNameOf(next.file)}`;
    throw new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry: 'backoff', raw });
  }
  const kind = kindOfFile(newest.file);
  const kinds = Map.groupBy(candidates, ({ file }) => kindOfFile(file));
  const others = [...kinds].flatMap(([other, files]) =>
    other === kind
      ? []
      : files
          .toSorted((a, b) => compare(b, a))
          .slice(0, 1)
          .map(({ file }) => file),
  );
  const last = (kinds.get(kind) ?? []).toSorted((a, b) => byTime(b, a))[0] ?? newest;
  const later = byTime(last, newest) > 0 ? fileNameOf(last.file) : undefined;
  return { file: newest.file, later, others: others.toSorted() };
}

function byName(a: Candidate, b: Candidate): number {
  return compareNames(fileNameOf(a.file), fileNameOf(b.file));
}

function compareNames(a: string, b: string): number {
  return new Intl.Collator('en', { numeric: true }).compare(a, b);
}

function byTime(a: Candidate, b: Candidate): number {
  return a.writtenAtNs < b.writtenAtNs ? -1 : a.writtenAtNs > b.writtenAtNs ? 1 : 0;
}

export function fileNameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

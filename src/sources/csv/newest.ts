import { RollcallError } from '../../core/errors.ts';

/** A file that a pattern may mean. */
export interface Candidate {
  /** The whole path or key. */
  readonly file: string;
  readonly writtenAtNs: bigint;
}

/** What makes one file of a pattern newer than another: its name, or when it was written (epoch nanoseconds). */
export interface FileRank {
  readonly order: 'name' | 'time';
  readonly value: string;
}

/** The rank of a file by its path or address. A server that tells no time gives none. */
export function rankOf(
  order: FileRank['order'],
  file: { readonly name: string; readonly writtenAtNs: bigint | undefined },
): FileRank | undefined {
  if (order === 'name') return { order, value: fileNameOf(file.name) };
  return file.writtenAtNs === undefined ? undefined : { order, value: String(file.writtenAtNs) };
}

/** What a read of ranked files is known by: the content's hash, and the rank. */
export function stampOf(digest: string, rank: FileRank | undefined): string {
  return rank === undefined ? digest : `${digest} ${rank.order}:${rank.value}`;
}

/** The file of an earlier read, when that is newer than this one: by the stamp it ended with. */
export function newerBefore(rank: FileRank, stamp: string): string | undefined {
  const [, order, value = ''] = /^[0-9a-f]{64} (name|time):(.*)$/s.exec(stamp) ?? [];
  if (order !== rank.order) return undefined;
  const isNewer = order === 'name' ? compareNames(value, rank.value) > 0 : BigInt(value) > BigInt(rank.value);
  if (!isNewer) return undefined;
  return order === 'name' ? value : 'a file that was written later';
}

/** Whether the file name has a `*`, which stands for any characters. */
export function isPattern(path: string): boolean {
  return fileNameOf(path).includes('*');
}

/** The folder of a pattern, with the slash at its end; `` when it has none. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

/** Tells the file names that a pattern means. Case counts. */
export function compilePattern(path: string): (name: string) => boolean {
  const parts = fileNameOf(path).split('*');
  const source = parts.map((part) => part.replace(/[\\^$.+?()[\]{}|/-]/g, '\\$&')).join('[^/]*');
  const expression = new RegExp(`^${source}$`);
  return (name) => expression.test(name);
}

/**
 * The last one by name (numbers in it count as numbers: `-9` before `-10`), or by time. Throws `SOURCE_UNAVAILABLE` when
 * there is none, or when two are equally new.
 */
export function chooseNewest(pattern: string, candidates: readonly Candidate[], order: 'name' | 'time'): string {
  const compare = order === 'name' ? byName : byTime;
  const [newest, next] = candidates.toSorted((a, b) => compare(b, a));
  if (newest === undefined) {
    const message = `no file matches ${pattern}: check the pattern, and that the export has run`;
    throw new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
  }
  if (next !== undefined && compare(newest, next) === 0) {
    const message =
      `two files match ${pattern} and none is newer: ${fileNameOf(newest.file)} and ${fileNameOf(next.file)}. ` +
      'Take one away, or set source.newest to the other order';
    throw new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
  }
  return newest.file;
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

function fileNameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

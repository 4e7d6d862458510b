import { RollcallError } from '../../core/errors.ts';

/** A file that a pattern may mean. */
export interface Candidate {
  /** The whole path or key. */
  readonly file: string;
  readonly writtenAtNs: bigint;
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
  const numeric = new Intl.Collator('en', { numeric: true });
  return numeric.compare(fileNameOf(a.file), fileNameOf(b.file));
}

function byTime(a: Candidate, b: Candidate): number {
  return a.writtenAtNs < b.writtenAtNs ? -1 : a.writtenAtNs > b.writtenAtNs ? 1 : 0;
}

function fileNameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

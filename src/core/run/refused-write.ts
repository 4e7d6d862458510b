/**
 * What follows a write that the platform refuses while the same token reads. An answer speaks about what was asked: the
 * row or the file, not the connection.
 *
 *   a whole file             is split in halves, once
 *   a half, before the other waits for the answer to the other half
 *   both halves              fail, and so does the file: by name
 *   a half alone             is split until the refused row is alone, within settle.maxSplits
 *   a row alone, a change    fails by name
 */
export type AfterRefusal = 'split' | 'wait' | 'fail' | 'fail-both';

export interface RefusedFile {
  readonly size: number;
  /** The file itself, a half of a refused one, or a part of a refused half. */
  readonly level: 'file' | 'half' | 'part';
  /** The answer to the other half. */
  readonly other: 'none-yet' | 'refused' | 'accepted';
  /** Splits of parts that `settle.maxSplits` still allows. */
  readonly splitsLeft: number;
}

export function afterRefusal({ size, level, other, splitsLeft }: RefusedFile): AfterRefusal {
  if (level === 'half' && other === 'none-yet') return 'wait';
  if (level === 'half' && other === 'refused') return 'fail-both';
  if (size === 1) return 'fail';
  return level === 'file' || splitsLeft > 0 ? 'split' : 'fail';
}

/** The files and direct changes that were refused since the last accepted write. */
export interface RefusedInRow {
  readonly count: number;
  /** A file of disables is among them. */
  readonly hasDisables?: true;
}

/** From so many on, the connection is in trouble, not the rows. */
const troubleAfter = 3;

/**
 * Returns why the run stops sending: with the file of disables another one was refused, or three were refused in a row.
 * Undefined when the next one is tried.
 */
export function connectionTrouble({ count, hasDisables }: RefusedInRow): string | undefined {
  const end = 'and no write was accepted in between, so the rest was not sent';
  if (count >= troubleAfter) return `${count} files or changes in a row were refused, ${end}`;
  return hasDisables === true && count > 1 ? `the file of disables and another one were refused, ${end}` : undefined;
}

/** What the files of a connection showed about the largest that its platform accepts, in rows. */
export interface FileRows {
  /** The largest accepted one below `tooLarge`; 0 when none was accepted yet. */
  readonly accepted: number;
  /** The smallest that was too large (413). */
  readonly tooLarge: number;
  /** When that was (epoch ms). */
  readonly at: number;
}

/** Afterwards a platform may accept larger files again, so one is tried. */
const rowsKnownForMs = 30 * 86_400_000;

/** Returns how many rows a file may have; undefined when nothing is known. */
export function rowsLimit(known: FileRows | undefined, now: number): number | undefined {
  if (known === undefined || Math.abs(now - known.at) >= rowsKnownForMs) return undefined;
  return known.accepted > 0 ? known.accepted : Math.max(1, Math.floor(known.tooLarge / 2));
}

export function afterTooLarge(known: FileRows | undefined, rows: number, now: number): FileRows {
  const isCurrent = rowsLimit(known, now) !== undefined;
  const tooLarge = isCurrent ? Math.min(known?.tooLarge ?? rows, rows) : rows;
  const accepted = isCurrent ? (known?.accepted ?? 0) : 0;
  return { accepted: accepted < tooLarge ? accepted : 0, tooLarge, at: now };
}

/** Returns what an accepted file teaches; the same object when it teaches nothing. */
export function afterAccepted(known: FileRows, rows: number): FileRows {
  return rows > known.accepted && rows < known.tooLarge ? { ...known, accepted: rows } : known;
}

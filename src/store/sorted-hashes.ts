import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Number of hashes that are read or sorted before other work of this process gets a turn. */
const hashesPerTurn = 5000;

/** Distinct hashes in order. */
export interface SortedHashes {
  readonly size: number;
  /** Fast when the hashes come in order. */
  has(hash: string): boolean;
  /** Yields the hashes in order, in lists of at most `length`. */
  lists(length: number): Generator<readonly string[], void>;
}

/**
 * Sorts hashes by groups with the same beginning, because one sort of a million hashes would stop the event loop. Keeps
 * 32 to 64 bytes for each hash, and the texts of one group only.
 */
export async function sortHashes(hashes: Iterable<string> | AsyncIterable<string>): Promise<SortedHashes> {
  const groups = new Map<string, HashGroup>();
  let read = 0;
  for await (const hash of hashes) {
    const beginning = beginningOf(hash);
    const group = groups.get(beginning) ?? new HashGroup();
    if (group.isEmpty) groups.set(beginning, group);
    group.add(hash);
    read += 1;
    if (read % hashesPerTurn === 0) await nextTurn();
  }
  const beginnings = [...groups.keys()].sort();
  let size = 0;
  let turn = hashesPerTurn;
  for (const beginning of beginnings) {
    size += groups.get(beginning)?.sorted().length ?? 0;
    if (size < turn) continue;
    turn = size + hashesPerTurn;
    await nextTurn();
  }
  let opened: { readonly beginning: string; readonly sorted: readonly string[] } | undefined;
  return {
    size,
    has(hash) {
      const beginning = beginningOf(hash);
      if (opened?.beginning !== beginning) {
        opened = { beginning, sorted: groups.get(beginning)?.sorted() ?? [] };
      }
      return isIn(opened.sorted, hash);
    },
    *lists(length) {
      let list: string[] = [];
      for (const beginning of beginnings) {
        for (const hash of groups.get(beginning)?.sorted() ?? []) {
          list.push(hash);
          if (list.length < length) continue;
          yield list;
          list = [];
        }
      }
      if (list.length > 0) yield list;
    },
  };
}

/** Returns the same key for the same hashes: the sha256 of them in order, with commas in between. */
export async function keyOf(hashes: SortedHashes): Promise<string> {
  const hash = createHash('sha256');
  let separator = '';
  for (const list of hashes.lists(hashesPerTurn)) {
    hash.update(`${separator}${list.join()}`);
    separator = ',';
    await nextTurn();
  }
  return hash.digest('base64url');
}

function beginningOf(hash: string): string {
  return hash.slice(0, 2);
}

const sha256Form = /^[0-9a-f]{64}$/;
const sha256Bytes = 32;

/** Hashes with the same beginning. Those of changes are kept as bytes, outside of the heap. */
class HashGroup {
  readonly #others: string[] = [];
  #bytes = Buffer.alloc(32 * sha256Bytes);
  #used = 0;

  get isEmpty(): boolean {
    return this.#used === 0 && this.#others.length === 0;
  }

  add(hash: string): void {
    if (!sha256Form.test(hash)) {
      this.#others.push(hash);
      return;
    }
    if (this.#used === this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], this.#used * 2);
    this.#used += this.#bytes.write(hash, this.#used, 'hex');
  }

  /** Returns the distinct hashes in order. */
  sorted(): string[] {
    const found = new Set(this.#others);
    for (let at = 0; at < this.#used; at += sha256Bytes) {
      found.add(this.#bytes.toString('hex', at, at + sha256Bytes));
    }
    return [...found].sort();
  }
}

/** Returns whether a sorted list has the text. */
function isIn(sorted: readonly string[], text: string): boolean {
  let from = 0;
  let to = sorted.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] ?? '') < text) from = middle + 1;
    else to = middle;
  }
  return sorted[from] === text;
}

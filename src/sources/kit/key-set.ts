import { hash } from 'node:crypto';

/** A set of texts that cannot be read back. */
export type KeySet = ReturnType<typeof openKeySet>;

/** 2^53: integers up to here are exact in a float64. */
const shift = 2 ** 21;
const firstSlots = 1024;

/**
 * Opens a set that keeps 106 bits of each text's SHA-256, in an open table of 27 to 53 bytes per text. The chance
 * that two of a million texts collide is 10^-20.
 */
export function openKeySet() {
  let table = new Float64Array(firstSlots * 2);
  let size = 0;

  /** Returns the slot of the pair, or the free slot where it belongs. Zero means free: no pair starts with it. */
  const find = (cells: Float64Array, high: number, low: number): number => {
    const slots = cells.length / 2;
    let slot = high % slots;
    while (cells[slot * 2] !== 0 && (cells[slot * 2] !== high || cells[slot * 2 + 1] !== low))
      slot = (slot + 1) % slots;
    return slot;
  };

  const put = (cells: Float64Array, high: number, low: number): boolean => {
    const slot = find(cells, high, low);
    if (cells[slot * 2] !== 0) return false;
    cells[slot * 2] = high;
    cells[slot * 2 + 1] = low;
    return true;
  };

  const grow = (): void => {
    const larger = new Float64Array(table.length * 2);
    for (let cell = 0; cell < table.length; cell += 2) {
      const high = table[cell] ?? 0;
      if (high !== 0) put(larger, high, table[cell + 1] ?? 0);
    }
    table = larger;
  };

  return {
    /** Returns false when the text is already in the set. */
    add(text: string) {
      const digest = digestOf(text);
      const high = wordAt(digest, 0) * shift + (wordAt(digest, 4) >>> 11) || 1;
      const low = wordAt(digest, 8) * shift + (wordAt(digest, 12) >>> 11);
      if (!put(table, high, low)) return false;
      size += 1;
      if (size * 5 > table.length * 1.5) grow();
      return true;
    },
    get size() {
      return size;
    },
  };
}

/**
 * Returns the SHA-256 of a text as a text of 32 characters, one per byte. It is computed for every employee, and
 * costs half as much as a buffer.
 */
export function digestOf(text: string): string {
  return hash('sha256', text, 'binary');
}

/** Adds the digest of a text, word by word, to a sum that does not depend on the order of the texts. */
export function addDigest(sum: Uint32Array, text: string): void {
  const digest = digestOf(text);
  for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] ?? 0) + wordAt(digest, i * 4);
}

/** Returns the 32-bit word at a byte of a digest, in little-endian order. */
export function wordAt(digest: string, at: number): number {
  const upper = (digest.charCodeAt(at + 2) << 16) | (digest.charCodeAt(at + 3) << 24);
  return (digest.charCodeAt(at) | (digest.charCodeAt(at + 1) << 8) | upper) >>> 0;
}

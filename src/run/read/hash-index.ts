/**
 * Maps 64-bit keys to small numbers in typed arrays, without objects. Uses open addressing over the numbers. The keys
 * are in separate arrays, by number. The table that must stay half empty therefore needs 4 bytes per slot instead of
 * 12.
 */
export class HashIndex {
  #value: Int32Array<ArrayBuffer>;
  #mask: number;
  #hi = new Int32Array(1024);
  #lo = new Int32Array(1024);
  #size = 0;

  constructor(expected = 1024) {
    const capacity = 2 ** Math.ceil(Math.log2(Math.max(16, expected * 1.5)));
    this.#value = new Int32Array(capacity).fill(-1);
    this.#mask = capacity - 1;
  }

  /** Returns the value of a key, or -1. */
  get(hi: number, lo: number): number {
    for (let at = lo & this.#mask; ; at = (at + 1) & this.#mask) {
      const value = this.#value[at] as number;
      if (value === -1 || (this.#lo[value] === lo && this.#hi[value] === hi)) return value;
    }
  }

  /** Adds a key that is not in the map yet. `value` must not be negative, and no other key may have it. */
  add(hi: number, lo: number, value: number): void {
    if (this.#size * 10 >= this.#value.length * 7) this.#grow();
    if (value >= this.#hi.length) {
      const length = powerAbove(value);
      this.#hi = lengthened(this.#hi, length);
      this.#lo = lengthened(this.#lo, length);
    }
    this.#hi[value] = hi;
    this.#lo[value] = lo;
    this.#place(lo, value);
    this.#size += 1;
  }

  /** Removes the key of this value, which may be added again with another key. */
  drop(value: number): void {
    if (value >= this.#hi.length) return;
    // The table still holds the value, whose key now matches none.
    this.#hi[value] = 0;
    this.#lo[value] = 0;
  }

  /** Returns the key that was added with this value. Both parts are 0 when no key was added. */
  keyOf(value: number): { readonly hi: number; readonly lo: number } {
    return { hi: this.#hi[value] ?? 0, lo: this.#lo[value] ?? 0 };
  }

  #place(lo: number, value: number): void {
    let at = lo & this.#mask;
    while (this.#value[at] !== -1) at = (at + 1) & this.#mask;
    this.#value[at] = value;
  }

  #grow(): void {
    const old = this.#value;
    this.#value = new Int32Array(powerAbove(this.#size * 2)).fill(-1);
    this.#mask = this.#value.length - 1;
    for (const value of old) if (value !== -1) this.#place(this.#lo[value] as number, value);
    old.buffer.transfer(0);
  }
}

/** Returns the smallest power of two that is greater than the number, which is not negative. */
export function powerAbove(number: number): number {
  return 2 ** (32 - Math.clz32(number));
}

/**
 * Returns the same numbers in a longer array. The old array's memory is freed at once, without waiting for the garbage
 * collector.
 */
export function lengthened(old: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  return new Int32Array(old.buffer.transfer(length * old.BYTES_PER_ELEMENT));
}

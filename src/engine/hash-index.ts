/**
 * A map from 64-bit keys to small numbers in typed arrays, without objects. Open addressing over the numbers; the keys
 * lie beside, by number, so that the part which has to stay half empty is 4 bytes a place instead of 12.
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

  /** The value of a key, or -1. */
  get(hi: number, lo: number): number {
    for (let at = lo & this.#mask; ; at = (at + 1) & this.#mask) {
      const value = this.#value[at] as number;
      if (value === -1 || (this.#lo[value] === lo && this.#hi[value] === hi)) return value;
    }
  }

  /** Adds a key that is not there yet; `value` must not be negative, and no other key may have it. */
  add(hi: number, lo: number, value: number): void {
    if (this.#size * 10 >= this.#value.length * 7) this.#grow();
    if (value >= this.#hi.length) {
      const length = Math.max(value + 1, this.#hi.length * 2);
      this.#hi = lengthened(this.#hi, length);
      this.#lo = lengthened(this.#lo, length);
    }
    this.#hi[value] = hi;
    this.#lo[value] = lo;
    this.#place(lo, value);
    this.#size += 1;
  }

  /** The key that was added with this value; both parts are 0 when none was. */
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
    this.#value = new Int32Array(old.length * 2).fill(-1);
    this.#mask = this.#value.length - 1;
    for (const value of old) if (value !== -1) this.#place(this.#lo[value] as number, value);
    old.buffer.transfer(0);
  }
}

/** The same numbers in a longer array; the old one's memory is free at once, not when the collector comes by. */
export function lengthened(old: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  return new Int32Array(old.buffer.transfer(length * old.BYTES_PER_ELEMENT));
}

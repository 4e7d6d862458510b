/** A map from 64-bit keys to small numbers in typed arrays: 12 bytes a place, no objects. Open addressing. */
export class HashIndex {
  #hi: Int32Array;
  #lo: Int32Array;
  #value: Int32Array;
  #mask: number;
  #size = 0;

  constructor(expected = 1024) {
    const capacity = 2 ** Math.ceil(Math.log2(Math.max(16, expected * 1.5)));
    this.#hi = new Int32Array(capacity);
    this.#lo = new Int32Array(capacity);
    this.#value = new Int32Array(capacity).fill(-1);
    this.#mask = capacity - 1;
  }

  /** The value of a key, or -1. */
  get(hi: number, lo: number): number {
    for (let at = lo & this.#mask; ; at = (at + 1) & this.#mask) {
      const value = this.#value[at] as number;
      if (value === -1) return -1;
      if (this.#lo[at] === lo && this.#hi[at] === hi) return value;
    }
  }

  /** Adds a key that is not there yet; `value` must not be negative. */
  add(hi: number, lo: number, value: number): void {
    if (this.#size * 10 >= this.#value.length * 7) this.#grow();
    this.#place(hi, lo, value);
    this.#size += 1;
  }

  #place(hi: number, lo: number, value: number): void {
    let at = lo & this.#mask;
    while (this.#value[at] !== -1) at = (at + 1) & this.#mask;
    this.#hi[at] = hi;
    this.#lo[at] = lo;
    this.#value[at] = value;
  }

  #grow(): void {
    const [oldHi, oldLo, oldValue] = [this.#hi, this.#lo, this.#value];
    const capacity = oldValue.length * 2;
    this.#hi = new Int32Array(capacity);
    this.#lo = new Int32Array(capacity);
    this.#value = new Int32Array(capacity).fill(-1);
    this.#mask = capacity - 1;
    for (let i = 0; i < oldValue.length; i += 1) {
      const value = oldValue[i] as number;
      if (value !== -1) this.#place(oldHi[i] as number, oldLo[i] as number, value);
    }
  }
}

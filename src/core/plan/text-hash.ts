/**
 * Hashes text in two independent 32-bit lanes over UTF-16 units: 64 bits, fast and not cryptographic. Used only for
 * search and comparison. Every change is built from the records themselves, so a collision can hide a change but never
 * invent one.
 */
export class TextHash {
  hi = 0;
  lo = 0;
  readonly #firstHi: number;
  readonly #firstLo: number;

  /** Hashes with different salts cannot be compared. */
  constructor(salt = '') {
    let [hi, lo] = [0xdeadbeef | 0, 0x41c6ce57 | 0];
    for (let i = 0; i < salt.length; i += 1) {
      hi = Math.imul(hi ^ salt.charCodeAt(i), 0x9e3779b1);
      lo = Math.imul(lo ^ salt.charCodeAt(i), 0x5f356495);
    }
    [this.#firstHi, this.#firstLo] = [hi, lo];
  }

  begin(): this {
    this.hi = this.#firstHi;
    this.lo = this.#firstLo;
    return this;
  }

  /** Adds one value. Values are separated, so that ('ab','c') and ('a','bc') differ. */
  add(text: string): this {
    let hi = this.hi;
    let lo = this.lo;
    for (let i = 0; i < text.length; i += 1) {
      const unit = text.charCodeAt(i);
      hi = Math.imul(hi ^ unit, 0x9e3779b1);
      lo = Math.imul(lo ^ unit, 0x5f356495);
    }
    this.hi = Math.imul(hi ^ 0x10001, 0x9e3779b1);
    this.lo = Math.imul(lo ^ 0x10001, 0x5f356495);
    return this;
  }

  end(): this {
    const { hi, lo } = this;
    this.hi = mix(hi ^ (lo >>> 15));
    this.lo = mix(lo ^ (hi >>> 13));
    return this;
  }

  of(text: string): this {
    return this.begin().add(text).end();
  }
}

function mix(value: number): number {
  let h = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) | 0;
}

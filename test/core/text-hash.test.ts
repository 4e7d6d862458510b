import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextHash } from '../../src/core/person/text.ts';

function hashOf(...values: readonly string[]): string {
  const hash = new TextHash().begin();
  for (const value of values) hash.add(value);
  const { hi, lo } = hash.end();
  return `${hi},${lo}`;
}

const texts = fc.array(fc.string({ unit: 'binary' }));

describe('TextHash', () => {
  it('gives the same for the same values, whatever was hashed before', () => {
    fc.assert(
      fc.property(texts, fc.string(), (values, before) => {
        const used = new TextHash().of(before).begin();
        for (const value of values) used.add(value);
        const { hi, lo } = used.end();
        expect(`${hi},${lo}`).toBe(hashOf(...values));
      }),
    );
  });

  it('differs for lists that differ, also by where one value ends and the next begins', () => {
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        fc.pre(JSON.stringify(a) !== JSON.stringify(b));
        expect(hashOf(...a)).not.toBe(hashOf(...b));
      }),
    );
    expect(hashOf('ab', 'c')).not.toBe(hashOf('a', 'bc'));
    expect(hashOf('')).not.toBe(hashOf());
    expect(hashOf('', '')).not.toBe(hashOf(''));
  });

  it('has no two equal hashes among half a million identifications and near copies of them', () => {
    const seen = new Set<string>();
    const hash = new TextHash();
    for (let i = 0; i < 250_000; i += 1) {
      for (const text of [`E${String(i).padStart(6, '0')}`, `e${i}@example.com`]) {
        const { hi, lo } = hash.of(text);
        seen.add(`${hi},${lo}`);
      }
    }
    expect(seen.size).toBe(500_000);
  });

  it('spreads over both halves: none of them alone tells many apart less than chance would', () => {
    const [high, low] = [new Set<number>(), new Set<number>()];
    const hash = new TextHash();
    for (let i = 0; i < 100_000; i += 1) {
      const { hi, lo } = hash.of(`E${i}`);
      high.add(hi);
      low.add(lo & 0xfffff);
    }
    // 100 000 of 2^32: chance leaves one or two pairs. 100 000 into 2^20 places: chance fills 95 300 of them.
    expect(high.size).toBeGreaterThan(99_980);
    expect(low.size).toBeGreaterThan(94_500);
  });
});

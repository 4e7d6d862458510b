import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { digestOf, openKeySet, wordAt } from '../../../src/sources/kit/key-set.ts';

it('knows every text again, and no other', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 3 }), { maxLength: 300 }), (texts) => {
      const [keys, known] = [openKeySet(), new Set<string>()];
      for (const text of texts) {
        expect(keys.add(text)).toBe(!known.has(text));
        known.add(text);
      }
      expect(keys.size).toBe(known.size);
    }),
  );
});

it('grows with what it holds', () => {
  const keys = openKeySet();
  for (let n = 0; n < 50_000; n++) keys.add(`employee ${n}`);
  for (let n = 0; n < 50_000; n++) expect(keys.add(`employee ${n}`)).toBe(false);

  expect(keys.size).toBe(50_000);
});

it('a digest is SHA-256, word for word', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const bytes = createHash('sha256').update(text).digest();
      const places = [0, 4, 8, 12, 16, 20, 24, 28];
      expect(places.map((at) => wordAt(digestOf(text), at))).toEqual(places.map((at) => bytes.readUInt32LE(at)));
    }),
  );
});

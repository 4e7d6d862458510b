import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { digestOf, wordAt } from '../../../src/sources/kit/key-set.ts';

it('is SHA-256, word for word', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const bytes = createHash('sha256').update(text).digest();
      const places = [0, 4, 8, 12, 16, 20, 24, 28];
      expect(places.map((at) => wordAt(digestOf(text), at))).toEqual(places.map((at) => bytes.readUInt32LE(at)));
    }),
  );
});

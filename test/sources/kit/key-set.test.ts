import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openKeySet } from '../../../src/sources/kit/key-set.ts';

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

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeSecret, maskSecrets } from '../../src/config/secret.ts';
import { parseDuration } from '../../src/core/duration.ts';
import { nearest } from '../../src/core/nearest.ts';

test.each([
  ['5s', 5000],
  ['30m', 1_800_000],
  ['24h', 86_400_000],
  ['30d', 2_592_000_000],
  ['250ms', 250],
  ['0s', 0],
  ['5', undefined],
  ['s', undefined],
  ['-5s', undefined],
  ['1.5h', undefined],
  ['5 s', undefined],
  ['5S', undefined],
  ['1h30m', undefined],
  ['', undefined],
])('the duration %j is %s ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

const keys = ['policy', 'delivery', 'mapping', 'match', 'lifecycle', 'outOfScope'];

test.each([
  ['polcy', 'policy'],
  ['Policy', 'policy'],
  ['out_of_scope', 'outOfScope'],
  ['dleivery', 'delivery'],
  ['mach', 'match'],
  ['scope', 'outOfScope'],
  ['redis', undefined],
  ['x', undefined],
  ['', undefined],
])('who writes %j means %s', (word, meant) => {
  expect(nearest(word, keys)).toBe(meant);
});

test('a known word is always nearest to itself, and one slip away it is still found', () => {
  fc.assert(
    fc.property(fc.constantFrom(...keys), fc.nat(), (key, at) => {
      const cut = at % key.length;
      expect(nearest(key, keys)).toBe(key);
      expect(nearest(key.slice(0, cut) + key.slice(cut + 1), keys)).toBe(key);
    }),
  );
});

test('a secret gives its value to who asks for it, and to nobody else', () => {
  const secret = makeSecret('open-sesame');

  expect(secret.reveal()).toBe('open-sesame');
  expect(`${secret} ${JSON.stringify({ secret })}`).toBe('[secret] {"secret":"[secret]"}');
});

test('the longest secret is masked first, so that no end of it stays', () => {
  expect(maskSecrets('a tokenlong b token c', ['token', 'tokenlong'])).toBe('a [secret] b [secret] c');
  expect(maskSecrets('a b', ['', 'a'])).toBe('a b');
});

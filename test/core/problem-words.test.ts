import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearest, unknownKeySentence } from '../../src/core/run/problem-words.ts';

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
  ['fe', undefined],
  ['cycle', 'lifecycle'],
  ['cicle', undefined],
  ['mtahc', undefined],
  ['mapp-ing', 'mapping'],
  ['map ping', 'mapping'],
  ['mapppinng', 'mapping'],
  ['lifecyc', 'lifecycle'],
  ['lifec', undefined],
  ['policypolicypolicy', 'policy'],
  ['policypoliceofficer', undefined],
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

test.each([
  ['ab', ['ba'], 'ba'],
  ['ab', ['xy'], undefined],
  ['abc', ['abx'], 'abx'],
  ['abcdef', ['abxyef'], 'abxyef'],
  ['abcdef', ['axyzef'], undefined],
  ['abcde', ['abxye'], undefined],
  ['cab', ['abc'], undefined],
  ['abcdefghi', ['badcfeghi'], 'badcfeghi'],
  ['abcdefghi', ['badcfehgi'], undefined],
  ['bxcb', ['abcb'], undefined],
  ['cxbx', ['xabx'], undefined],
  ['baxb', ['baba'], undefined],
  ['abc', [], undefined],
  ['', ['x'], undefined],
  ['a', ['b'], undefined],
  ['url', ['baseUrl', 'urls'], 'urls'],
  ['url', ['baseUrl', 'tokenUrl'], undefined],
  ['baseUrl', ['url', 'method'], 'url'],
  ['id', ['userid', 'method'], undefined],
  ['abcdefghijklmnopqrstuvwxyzabcdef', ['abcdefghijklmnopqrstuvwx'], 'abcdefghijklmnopqrstuvwx'],
  ['abcdefghijklmnopqrstuvwxyzabcdef', ['abcdefghijklmnopqrstuvw'], undefined],
])('%s among %j means %s', (word, allowed, meant) => {
  expect(nearest(word, allowed)).toBe(meant);
});

test.each([
  ['polcy', 'is not a known key; did you mean policy? Known here: policy, match'],
  ['redis', 'is not a known key; known here: policy, match'],
])('the sentence about %s names the known keys', (key, sentence) => {
  expect(unknownKeySentence(key, ['policy', 'match'])).toBe(sentence);
  expect(unknownKeySentence(key, [])).toBe('is not a known key');
});

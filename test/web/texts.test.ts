import { describe, expect, it } from 'vitest';
import { en } from '../../src/web/texts/en.ts';
import { es } from '../../src/web/texts/es.ts';
import { classWord } from '../../src/web/texts/plural.ts';

/** Every text by its place in the catalogue. A text with a count is called with 1 and 2. */
function textsOf(part: unknown, place: string): [string, string][] {
  if (typeof part === 'string') return [[place, part]];
  if (typeof part === 'function') {
    const call = part as (...parts: unknown[]) => unknown;
    return [1, 2].map((count) => [`${place}(${count})`, String(call(count, count, count, count))]);
  }
  return Object.entries(part as object).flatMap(([name, inner]) => textsOf(inner, `${place}.${name}`));
}

describe.each([
  ['en', en],
  ['es', es],
])('the texts in %s', (_language, texts) => {
  it('are not empty, and say nothing undefined', () => {
    const bad = textsOf(texts, '').filter(([, text]) => text.trim() === '' || /undefined|NaN|\[object/.test(text));
    expect(bad).toEqual([]);
  });
});

it('both languages have the same texts, also for every state', () => {
  const places = (texts: unknown) => textsOf(texts, '').map(([place]) => place);
  expect(places(es)).toEqual(places(en));
});

it('a class of changes is counted as one or many, and one of a newer version is shown as it is', () => {
  expect([1, 2].map((count) => classWord(en.words, 'updates', count))).toEqual(['update', 'updates']);
  expect([1, 2].map((count) => classWord(es.words, 'removes', count))).toEqual(['baja', 'bajas']);
  expect(classWord(en.words, 'merges', 1)).toBe('merges');
});

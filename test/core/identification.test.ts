import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import confusables from '../../src/core/person/confusables.json' with { type: 'json' };
import { identificationProblem, likeness, lookAlikeKey } from '../../src/core/person/identification.ts';
import { drawRuns } from '../support/drawn.ts';

const invisible = [
  ['zero-width space', '\u200b'],
  ['zero-width non-joiner', '\u200c'],
  ['zero-width joiner', '\u200d'],
  ['word joiner', '\u2060'],
  ['byte order mark', '\ufeff'],
  ['soft hyphen', '\u00ad'],
  ['left-to-right mark', '\u200e'],
  ['right-to-left mark', '\u200f'],
  ['right-to-left override', '\u202e'],
  ['left-to-right isolate', '\u2066'],
  ['pop directional isolate', '\u2069'],
  ['Arabic letter mark', '\u061c'],
  ['Mongolian vowel separator', '\u180e'],
  ['variation selector', '\ufe0f'],
  ['tag character', '\u{e0041}'],
  ['Hangul filler', '\u3164'],
  ['combining grapheme joiner', '\u034f'],
  ['blank Braille pattern', '\u2800'],
  ['interlinear annotation', '\ufff9'],
] as const;

describe('an identification', () => {
  it.each(invisible)('is refused with a %s in any place', (_, character) => {
    const parts = fc.tuple(fc.stringMatching(/^[A-Za-z0-9.@-]{0,8}$/), fc.stringMatching(/^[A-Za-z0-9.@-]{0,8}$/));
    fc.assert(
      fc.property(parts, ([before, after]) => {
        expect(identificationProblem(`${before}${character}${after}`)).toMatch(/invisible character/);
      }),
      { numRuns: 20 },
    );
  });

  it.each(['null', 'NULL', 'Null', 'undefined', 'NaN', '[object Object]', '[object Promise]'])(
    'is refused when it is the text of a missing value: %s',
    (text) => expect(identificationProblem(text)).toMatch(/missing value/),
  );

  it.each([
    'Nan',
    'nullo',
    'null.smith',
    'undefined-1',
    'object',
    'E1',
    'ana@example.com',
    'josé',
    '山田',
    'О-1',
    'ana b',
  ])('may be %s', (text) => expect(identificationProblem(text)).toBeUndefined());

  it.each(['', '.', '..', '1.23E+15', 'a\u0001b', `a${'\ud800'}`, 'a\ufffd', '#N/A', 'x'.repeat(256)])(
    'is refused as before: %j',
    (text) => expect(identificationProblem(text)).toBeTypeOf('string'),
  );

  it('never shows its text in the reason', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 12, unit: 'grapheme' }), (text) => {
        expect(identificationProblem(text) ?? '').not.toContain(text);
      }),
    );
  });
});

const visible = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)) });

describe('the key of what an identification looks like', () => {
  it.each([
    ['Cyrillic letters', 'АNNА', 'anna'],
    ['Greek letters', 'ΑΝΝΑ', 'anna'],
    ['a Cyrillic capital I, which looks like the Latin one', 'ІVАN', 'ivan'],
    ['full-width letters and digits', 'Ｅ１２', 'e12'],
    ['a ligature', 'ﬁona', 'fiona'],
    ['digits of another script', 'E١٢٣', 'e123'],
    ['a typographic hyphen', 'E‑1', 'e-1'],
    ['a minus sign', 'E−1', 'e-1'],
    ['a no-break space inside', 'ana b', 'ana b'],
    ['a typographic apostrophe', 'o’neil', "o'neil"],
    ['mathematical letters', '𝐀𝐧𝐧𝐚', 'anna'],
  ])('replaces %s', (_, text, key) => {
    expect(lookAlikeKey(text)).toBe(key);
  });

  it.each([
    ['O and 0', 'E0', 'EO'],
    ['l and 1', 'El', 'E1'],
    ['rn and m', 'rna', 'ma'],
    ['accents', 'jose', 'josé'],
    ['the tilde of an ñ', 'pena', 'peña'],
  ])('keeps %s apart', (_, one, other) => {
    expect(lookAlikeKey(one)).not.toBe(lookAlikeKey(other));
  });

  it('is the lower case of plain ASCII', () => {
    fc.assert(fc.property(visible, (text) => lookAlikeKey(text) === text.toLowerCase()));
  });

  it('is the same when any character is replaced by any of its look-alikes', () => {
    const swaps = fc.record({
      before: visible,
      after: visible,
      pair: fc.constantFrom(...Object.entries(confusables)),
      pick: fc.nat(),
    });
    fc.assert(
      fc.property(swaps, ({ before, after, pair: [like, characters], pick }) => {
        const list = [...characters];
        const replaced = list[pick % list.length] ?? '';
        expect(lookAlikeKey(before + replaced + after)).toBe(lookAlikeKey(before + like + after));
      }),
      { numRuns: drawRuns(1000) },
    );
    expect(Object.keys(confusables).length).toBeGreaterThan(70);
  });

  it('says how two identifications differ', () => {
    expect(likeness('E1', 'e1')).toBe('differ only by case');
    expect(likeness('ANNA', 'АNNA')).toBe('look alike but are written with different characters');
  });
});

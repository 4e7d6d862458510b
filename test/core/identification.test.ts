import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { identificationProblem } from '../../src/core/person/identification.ts';

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

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compileTransforms,
  foldText,
  normalText,
  readText,
  TextHash,
  textProblem,
} from '../../src/core/person/text.ts';
import { Refusal } from '../../src/core/run/refusal.ts';
import type { Transform } from '../../src/core/run/settings.ts';

describe('normal text', () => {
  const edge = fc.constantFrom('', ' ', '\u00A0', '\uFEFF ', 'e\u0301', 'a  b');

  it('is the same as NFC and trim, for any text', () => {
    fc.assert(
      fc.property(edge, fc.string({ unit: 'binary' }), edge, (start, inner, end) => {
        const text = `${start}${inner}${end}`;
        expect(normalText(text)).toBe(text.normalize('NFC').trim());
      }),
    );
  });
});

describe('problems of a text', () => {
  it.each([
    ['a line break', 'two\nlines', /control characters/],
    ['a tab', 'a\tb', /control characters/],
    ['a C1 control character', 'a\u0085b', /control characters/],
    ['a NUL', 'a\u0000b', /control characters/],
    ['a lone surrogate', 'a\uD800', /half of a character/],
    ['a replacement character', 'Jos\uFFFD', /decoded wrongly/],
    ['too many characters', 'x'.repeat(256), /longer than 255 characters/],
    ['a spreadsheet error', '#N/A', /spreadsheet/],
    ['another spreadsheet error', '#REF!', /spreadsheet/],
  ])('%s is one, and the message does not hold the value', (_, text, reason) => {
    const problem = textProblem(text)?.reason;

    expect(problem).toMatch(reason);
    expect(problem).not.toContain(text);
  });

  it.each(['Ana', 'José Ñúñez', '日本', '👩‍💻', '=1+1', '#1', 'x'.repeat(255)])('%s has none', (text) => {
    expect(textProblem(text)).toBeUndefined();
  });
});

describe('reading a value as text', () => {
  const refused = (kind: string, reason: string) => ({ kind: 'refused', refusal: { kind, reason } });

  it.each([
    ['text', ' Ana ', { kind: 'text', text: 'Ana' }],
    ['a number', 12.5, { kind: 'text', text: '12.5' }],
    ['a boolean', false, { kind: 'text', text: 'false' }],
    ['null', null, { kind: 'text', text: '' }],
    ['nothing', undefined, { kind: 'absent' }],
    ['a list', ['a'], refused('not-text', 'is a list, expected plain text')],
    ['an object', { a: 1 }, refused('not-text', 'is an object, expected plain text')],
    ['not a number', Number.NaN, refused('inexact-number', 'is not a number')],
  ])('%s', (_, value, expected) => {
    expect(readText(value)).toEqual(expected);
  });

  it('refuses a number that has lost digits on its way, and what was refused before', () => {
    const refusal = new Refusal('not-text', 'is odd');
    expect(readText(refusal)).toEqual({ kind: 'refused', refusal });
    expect(readText(2 ** 53)).toMatchObject({ refusal: { reason: expect.stringContaining('as text') } });
    expect(readText(2 ** 53 - 1)).toEqual({ kind: 'text', text: '9007199254740991' });
  });
});

describe('transforms', () => {
  const table: readonly [Transform, string, string][] = [
    ['trim', ' a ', 'a'],
    ['lowercase', 'ÁB', 'áb'],
    ['uppercase', 'áß', 'ÁSS'],
    ['capitalize', "ANA MARÍA O'NEIL-PAZ", "Ana María O'Neil-Paz"],
    ['capitalize', 'ÉTIENNE de la TOUR', 'Étienne De La Tour'],
    ['collapseSpaces', 'a \t\n b', 'a b'],
    ['digits', '+598 (2) 555-01', '598255501'],
    ['ascii', 'Núñez Straße Łukasz Søren', 'Nunez Strasse Lukasz Soren'],
    ['ascii', '日本', ''],
  ];

  it.each(table)('%s makes %j to %j', (name, given, expected) => {
    expect(compileTransforms([name])?.(given)).toBe(expected);
  });

  it('run from left to right and end in normal text', () => {
    expect(compileTransforms(['lowercase', 'capitalize'])?.('ANA LUZ')).toBe('Ana Luz');
    expect(compileTransforms(['ascii'])?.('日 Ana')).toBe('Ana');
  });

  it('are nothing at all when there are none', () => {
    expect(compileTransforms([])).toBeUndefined();
  });
});

it.each([
  ['Ana DIAZ', 'ana diaz'],
  ['Ana DÍAZ', 'ana diaz'],
  ['Özgür Şahin', 'ozgur sahin'],
  ['ﬁn', 'fin'],
  ['E\u0301mile', 'emile'],
  ['ÉÈÊ', 'eee'],
  ['A\u007f', 'a\u007f'],
  ['Łukasz', 'łukasz'],
  ['', ''],
])('searches find %j as %j', (text, folded) => {
  expect(foldText(text)).toBe(folded);
});

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

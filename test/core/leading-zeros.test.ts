import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberDamage, otherForms, paddedWidth } from '../../src/core/guard/damage.ts';

describe('identifications that are one number', () => {
  it.each([
    ['00123', '123', 'differ only by leading zeros'],
    ['123', '0123', 'differ only by leading zeros'],
    ['0', '000', 'differ only by leading zeros'],
    ['1001.0', '1001', 'differ only by a decimal part'],
    ['1001', '01001,00', 'differ only by a decimal part'],
    ["'01001", '01001', "differ only by a spreadsheet's mark for text"],
    ['01001', '="01001"', "differ only by a spreadsheet's mark for text"],
    ['1,021', '1021', 'differ only by marks between thousands'],
    ['1.234.567', '1234567', 'differ only by marks between thousands'],
    ['123', '123', undefined],
    ['123', '1230', undefined],
    ['A012', 'A12', undefined],
    ['0A1', 'A1', undefined],
    ['1.5', '15', undefined],
    ['1,02', '102', undefined],
    ['1,001.00', '1001', 'differ only by a decimal part'],
    ["1'021", '1021', 'differ only by marks between thousands'],
    ['1.021,00', '01021', 'differ only by a decimal part'],
    ["'A1", 'A1', "differ only by a spreadsheet's mark for text"],
    ['A1;', 'A1', 'differ only by quotes or separators around one of them'],
    ["O'Hara", 'OHara', undefined],
    ['', '0', undefined],
  ])('%s and %s: %s', (one, other, expected) => {
    expect(numberDamage(one, other)?.how).toBe(expected);
    expect(numberDamage(other, one)?.how).toBe(expected);
  });

  it('are found from either of them', () => {
    expect(otherForms('00123')).toEqual(expect.arrayContaining(['123', '0000123', "'00123", '123.0']));
    expect(otherForms('1,021.00')).toEqual(expect.arrayContaining(['1021', '01021', '1021.0']));
    expect(otherForms("'A1")).toEqual(['A1']);
    expect(otherForms('A1')).toEqual([]);
  });

  it('are all that differ by at most nine zeros, where no width is known', () => {
    const number = fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String);
    const zeros = fc.integer({ min: 0, max: 9 });
    const write = fc.constantFrom(
      (text: string) => text,
      (text: string) => `${text}.0`,
      (text: string) => `'${text}`,
      (text: string) => `="${text}"`,
    );
    fc.assert(
      fc.property(number, zeros, zeros, write, (bare, some, others, written) => {
        const one = bare.padStart(bare.length + some, '0');
        const other = written(bare.padStart(bare.length + others, '0'));
        expect(otherForms(other).includes(one)).toBe(one !== other);
        expect(numberDamage(one, other) !== undefined).toBe(one !== other);
      }),
    );
  });

  it('have a width where they are filled up', () => {
    expect(['00123', '0', '123', '0A', ''].map(paddedWidth)).toEqual([5, undefined, undefined, undefined, undefined]);
  });
});

import { describe, expect, it } from 'vitest';
import { openChangedColumns } from '../../src/core/guard/changed-columns.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

function doubt(
  field: 'phoneNumber' | 'area' | 'birthDate',
  changes: readonly (readonly [string, string])[],
  { people = 30, distinct = 1 } = {},
): string | undefined {
  const columns = openChangedColumns();
  for (const [before, after] of changes) columns.see({ [field]: before }, { [field]: after });
  const [found] = columns.doubts({ people, distinct: { [field]: distinct }, columnOf: () => 'col' });
  return found?.reason;
}

const from = (count: number, after: (i: number) => string, before = (i: number) => `+598 99 ${100 + i}`) =>
  numbers(count).map((i) => [before(i), after(i)] as const);

describe('a column of which many values change at once', () => {
  it.each<[string, string | undefined, RegExp | undefined]>([
    [
      'one new value',
      doubt(
        'phoneNumber',
        from(4, () => 'hidden'),
      ),
      /^col now has the same value for 4 people/,
    ],
    [
      'two people share one',
      doubt(
        'phoneNumber',
        from(2, () => 'hidden'),
      ),
      undefined,
    ],
    [
      'few of many people',
      doubt(
        'phoneNumber',
        from(4, () => 'hidden'),
        { people: 400 },
      ),
      undefined,
    ],
    [
      'a column whose values repeat',
      doubt(
        'area',
        from(4, () => 'Growth'),
        { distinct: 0.1 },
      ),
      undefined,
    ],
    [
      'people who shared a value',
      doubt(
        'area',
        from(
          4,
          () => 'Growth',
          () => 'Sales',
        ),
      ),
      undefined,
    ],
    [
      'values of their own',
      doubt(
        'phoneNumber',
        from(9, (i) => `+1 ${i}${i * 7}`),
      ),
      undefined,
    ],
    ['a date', doubt('area', [['MAR5', '5-Mar']]), /^col became a date for 1 person/],
    ['another date', doubt('birthDate', [['1990-01-02', '1990-02-01']]), undefined],
    [
      'other signs',
      doubt(
        'phoneNumber',
        from(9, (i) => `+598-99-${100 + i}`),
      ),
      /for 9 people: with other signs\. .* export it/,
    ],
    [
      'a prefix',
      doubt(
        'phoneNumber',
        from(9, (i) => `T +598 99 ${100 + i}`),
      ),
      /\{ expression: "\$substringAfter\(`col`, 'T '\)" \}/,
    ],
    [
      'a suffix',
      doubt(
        'phoneNumber',
        from(9, (i) => `+598 99 ${100 + i} (x)`),
      ),
      /\$substringBefore\(`col`, ' \(x\)'\)/,
    ],
    [
      'a lost prefix',
      doubt(
        'phoneNumber',
        from(9, (i) => ` 99 ${100 + i}`),
      ),
      /'\+598' & `col`/,
    ],
    [
      'capitals',
      doubt(
        'area',
        from(
          9,
          (i) => `TEAM ${i}`,
          (i) => `Team ${i}`,
        ),
      ),
      /in capitals/,
    ],
    [
      'few in another form',
      doubt(
        'phoneNumber',
        from(3, (i) => `+598-99-${100 + i}`),
      ),
      undefined,
    ],
  ])('%s', (_, reason, expected) => {
    expect(reason === undefined || expected === undefined ? reason : expected.test(reason)).toEqual(expected && true);
  });
});

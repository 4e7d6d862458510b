import { describe, expect, it } from 'vitest';
import {
  keyOf,
  languagesOf,
  largestPage,
  movedUsers,
  placeOfParameters,
  unitOfLife,
  visibleWithin,
  withWord,
} from '../../src/platform/learn/verdicts.ts';

const none = { rows: 0, total: 0 };
const some = { rows: 1, total: 40 };

describe('what learn concludes', () => {
  it.each([
    [none, some, 'query'],
    [none, 'refused', 'query'],
    [some, none, 'body'],
    ['refused', none, 'body'],
    [none, none, undefined],
    [some, some, undefined],
    ['refused', 'refused', undefined],
    [some, 'refused', undefined],
  ] as const)('parameters in the query find %j, in the body %j: %s', (query, body, place) => {
    expect(placeOfParameters(query, body)).toBe(place);
  });

  it.each([
    [[{ asked: 1000, seen: { rows: 25, total: 60 } }], 25],
    [[{ asked: 1000, seen: { rows: 60, total: 60 } }], undefined],
    [[{ asked: 1000, seen: { rows: 0, total: 0 } }], undefined],
    [
      [
        { asked: 1000, seen: { rows: 1000, total: 9000 } },
        { asked: 2000, seen: { rows: 1500, total: 9000 } },
      ],
      1500,
    ],
    [
      [
        { asked: 1000, seen: { rows: 1000, total: 9000 } },
        { asked: 2000, seen: 'refused' },
      ],
      1000,
    ],
    [
      [
        { asked: 1000, seen: 'refused' },
        { asked: 500, seen: 'refused' },
        { asked: 200, seen: some },
      ],
      1,
    ],
    [[{ asked: 1000, seen: 'refused' }], undefined],
  ] as const)('the pages %j have at most %s users', (probes, size) => {
    expect(largestPage(probes).size).toBe(size);
  });

  it.each([
    [3600, undefined, 0, 'seconds'],
    [3_600_000, undefined, 0, 'milliseconds'],
    [86_400, undefined, 0, 'seconds'],
    [604_800, undefined, 0, 'seconds'],
    [2_592_000, undefined, 0, 'seconds'],
    [1_800_000, undefined, 0, 'milliseconds'],
    [120_000, undefined, 130_000, 'seconds'],
    [3600, 3_600_000, 0, 'seconds'],
    [3_600_000, 3_600_000, 0, 'milliseconds'],
    [120_000, 120_000_000, 0, 'seconds'],
  ] as const)(
    'expires_in %d with a life of %s ms, accepted after %d ms, is in %s',
    (told, lifeMs, acceptedAgeMs, unit) => {
      expect(unitOfLife(told, { lifeMs, acceptedAgeMs }).unit).toBe(unit);
    },
  );

  it('a user has moved who is gone or differs, except the test user; one who came has not', () => {
    const census = (marks: Record<string, string>) => ({
      marks: new Map(Object.entries(marks)),
      taken: new Set<string>(),
    });
    const before = census({ E1: '1 true a', E2: '2 true a', E3: '3 true a', T: '9 true a' });
    const after = census({ E1: '1 true a', E2: '2 false a', T: '9 true b', E4: '4 true a' });
    expect(movedUsers(before, after, 'T')).toEqual(['E2', 'E3']);
  });

  it('keys that a platform may take for the same are the same', () => {
    expect([keyOf('0012'), keyOf('12')]).toEqual(['12', '12']);
    expect(keyOf(' UID-7 ')).toBe(keyOf('uid-7'));
    expect(keyOf('120')).not.toBe(keyOf('12'));
    expect(keyOf('0')).toBe('0');
  });

  it('a word is in a list once, and in one list only', () => {
    expect(withWord('Listo', ['Done'])).toEqual(['Listo', 'Done']);
    expect(withWord('DONE', ['Done'])).toEqual(['Done']);
    expect(withWord('Queued', ['Pending', 'Done'], ['done'])).toEqual(['Queued', 'Pending']);
  });

  it.each([
    [['Jan 5, 2021 12:00:00 AM'], ['en']],
    [
      ['5 dic 2021', '5 de dez. de 2021'],
      ['es', 'pt'],
    ],
    [['5 ago 2021'], ['es']],
    [['2021-01-05', '5 brumaire 2021'], []],
  ])('dates shown as %j need the languages %j', (shown, languages) => {
    expect(languagesOf(shown)).toEqual(languages);
  });

  it.each([
    [0, '2m'],
    [40_000, '2m'],
    [41_000, '3m'],
    [600_000, '30m'],
  ])('writes that show after %d ms are waited for %s', (lateMs, expected) => {
    expect(visibleWithin(lateMs)).toBe(expected);
  });
});

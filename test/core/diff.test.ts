import { describe, expect, it } from 'vitest';
import type { FieldValues } from '../../src/core/person/fields.ts';
import { diffFields, isAlteration, isSameValue, withKnown } from '../../src/core/plan/diff.ts';
import { entry, user, wanted } from './cases.ts';

const writing = { firstSight: 'write', mapping: { fields: {} } } as const;
const assuming = { ...writing, firstSight: 'assume' } as const;
const none = { changed: [], firstSight: [], assumed: {} };

/** What is compared, without what a write carries. */
function differencesOf(...given: Parameters<typeof diffFields>) {
  const { written: _, ...difference } = diffFields(...given);
  return difference;
}

describe('readable fields', () => {
  it('are equal when shown as wanted, whatever the ledger says', () => {
    expect(differencesOf(wanted, user(), entry({ hidden: { lastName: 'x' } }), writing)).toEqual(none);
  });

  it('that are not wanted are not ours', () => {
    expect(
      differencesOf({ firstName: 'Ana' }, user({ fields: { ...wanted, area: 'Sales' } }), undefined, writing),
    ).toEqual(none);
  });

  it('that differ are changed', () => {
    expect(differencesOf({ ...wanted, area: 'Sales' }, user(), undefined, writing).changed).toEqual(['area']);
  });

  it('are cleared once: an absent field is an empty field', () => {
    expect(differencesOf({ area: '' }, user({ fields: { area: 'Sales' } }), undefined, writing).changed).toEqual([
      'area',
    ]);
    expect(differencesOf({ area: '' }, user(), undefined, writing)).toEqual(none);
  });

  it('that the platform keeps differently are no difference while both stand', () => {
    const known = entry({ quirks: { area: { sent: 'Sales and more', observed: 'Sales and' } } });
    const shown = user({ fields: { area: 'Sales and' } });
    expect(differencesOf({ area: 'Sales and more' }, shown, known, writing)).toEqual(none);
    expect(differencesOf({ area: 'Sales and much' }, shown, known, writing).changed).toEqual(['area']);
    expect(
      differencesOf({ area: 'Sales and more' }, user({ fields: { area: 'Changed' } }), known, writing).changed,
    ).toEqual(['area']);
  });

  it('that the platform ignored are sent again at most twice, and told from then on', () => {
    const ignoredTimes = (ignored: number) => {
      const known = entry({ quirks: { area: { sent: 'Sales', observed: '', ignored } } });
      return diffFields({ area: 'Sales' }, user(), known, writing);
    };
    expect([1, 2, 3].map((ignored) => ignoredTimes(ignored).changed)).toEqual([['area'], ['area'], []]);
    expect([2, 3].map((ignored) => ignoredTimes(ignored).givenUp)).toEqual([undefined, ['area']]);
  });

  it('that cannot be understood count as unobservable, never as a difference on every run', () => {
    const shown = user({ fields: {}, unreadable: ['orgEntryDate'] });
    const date = { orgEntryDate: '2021-01-05' };
    expect(differencesOf(date, shown, undefined, writing)).toMatchObject({
      changed: ['orgEntryDate'],
      firstSight: ['orgEntryDate'],
    });
    expect(differencesOf(date, shown, entry({ hidden: date }), writing)).toEqual(none);
  });
});

describe('write-only fields', () => {
  const job = { job: 'Baker' };

  it('are written once at first sight', () => {
    expect(differencesOf(job, user(), undefined, writing)).toEqual({
      changed: ['job'],
      firstSight: ['job'],
      assumed: {},
    });
  });

  it('are taken as equal at first sight where that is configured', () => {
    expect(differencesOf(job, user(), undefined, assuming)).toEqual({ changed: [], firstSight: [], assumed: job });
  });

  it('are compared with what was written last', () => {
    expect(differencesOf(job, user(), entry({ hidden: job }), writing)).toEqual(none);
    expect(differencesOf(job, user(), entry({ hidden: { job: 'Cook' } }), writing)).toEqual({
      changed: ['job'],
      firstSight: [],
      assumed: {},
      known: { job: 'Cook' },
    });
  });

  it('that were sent without a sign are sent again at most twice', () => {
    const sentTimes = (unverified: number) =>
      differencesOf(job, user(), entry({ hidden: job, unverified }), writing).changed;
    expect([0, 1, 2, 3].map(sentTimes)).toEqual([[], ['job'], ['job'], []]);
  });
});

describe('a write', () => {
  const both = { ...wanted, area: 'Sales', job: 'Baker', orgEntryDate: '2021-01-05' };
  const unseen = user({ unreadable: ['orgEntryDate'] });
  const writtenOf = (...[known, firstSight]: [ReturnType<typeof entry> | undefined, 'write' | 'assume']) =>
    diffFields(both, unseen, known, { ...writing, firstSight }).written;

  const readable = { ...wanted, area: 'Sales' };
  const date = { orgEntryDate: '2021-01-05' };

  it.each<[what: string, hidden: FieldValues | undefined, firstSight: 'write' | 'assume', written: FieldValues]>([
    ['everything that is wanted', undefined, 'write', both],
    ['also what was written before', { job: 'Baker' }, 'write', both],
    ['nothing that is only assumed', undefined, 'assume', readable],
    ['nothing that is as it was assumed', { job: 'Baker', ...date }, 'assume', readable],
    ['what changed against what was assumed', { job: 'Cook', ...date }, 'assume', { ...readable, job: 'Baker' }],
  ])('carries %s', (...[, hidden, firstSight, written]) => {
    expect(writtenOf(hidden && entry({ hidden }), firstSight)).toEqual(written);
  });
});

describe('a write that clears what it does not carry', () => {
  const known = entry({ hidden: { job: 'Pilot', seniority: 'x', birthDate: '1990-01-02', area: 'Sales' } });
  const carried = ['job', 'birthDate', 'area', 'phoneNumber'] as const;

  const understood = user();
  const odd = user({ unreadable: ['birthDate'] });

  it.each([
    [
      'what the ledger knows of mapped fields that are not shown',
      wanted,
      understood,
      known,
      { ...wanted, job: 'Pilot' },
    ],
    ['also what is not understood', wanted, odd, known, { ...wanted, job: 'Pilot', birthDate: '1990-01-02' }],
    ['the wanted value', { ...wanted, job: '' }, understood, known, { ...wanted, job: '' }],
    ['nothing more without a ledger', wanted, understood, undefined, wanted],
  ])('carries %s', (...[, fields, shown, ledger, expected]) => {
    expect(withKnown(fields, shown, ledger, carried)).toEqual(expected);
  });
});

it.each([
  { what: 'cut', sent: 'Maria Fernanda', shown: 'Maria Fer' },
  { what: 'in other case', sent: 'Núñez', shown: 'NÚÑEZ' },
  { what: 'without white space', sent: 'Ana  María ', shown: 'Ana María' },
  { what: 'with more white space', sent: 'AnaMaría', shown: 'Ana María' },
  { what: 'without accents', sent: 'Núñez', shown: 'Nunez' },
  { what: 'with letters of ASCII alone', sent: 'Große Straße', shown: 'GROSSE STRASSE' },
  { what: 'without accents, re-cased and cut', sent: 'Peñarol Óscar', shown: 'PENAROL OS' },
  { what: 'with its number ungrouped', sent: '1,234', shown: '1234' },
  { what: 'with decimals', sent: '1000', shown: '1000.00' },
  { what: 'with other separators', sent: '1.234,5', shown: "1'234.50" },
  { what: 'without leading zeros', sent: '007', shown: '7' },
  { what: 'without a plus', sent: '+7', shown: '7' },
  { what: 'as another date format', sent: '05/01/2021', shown: '2021-01-05' },
  { what: 'as an American date', sent: '2021-01-05', shown: '1/5/2021' },
  { what: 'as a date with time', sent: '2021-01-05', shown: '5.1.2021 00:00:00' },
  { what: 'as a date with its month as a word', sent: '2021-01-05', shown: 'Jan 5, 2021 12:00:00 AM' },
  { what: 'with its accents as marks of their own', sent: 'Núñez', shown: 'Nu\u0301n\u0303ez' },
  { what: 'without several spaces', sent: 'Ana \t María', shown: 'AnaMaría' },
  { what: 'with its sign and more decimals', sent: '-5', shown: '-5.00' },
  { what: 'without its decimals', sent: '12.50', shown: '12,5' },
  { what: 'without a zero in front of decimals', sent: '0.5', shown: '00.50' },
  { what: 'with a zero inside', sent: '1050', shown: '1,050.0' },
  { what: 'as a day with several separators', sent: '5. January 2021', shown: '2021-01-05' },
])('a value that is kept $what is an alteration', ({ sent, shown }) => {
  expect(isAlteration('area', sent, shown)).toBe(true);
});

it.each([
  { what: 'another value', sent: 'Sales', shown: 'Support' },
  { what: 'a longer value', sent: 'Sales', shown: 'Sales EMEA' },
  { what: 'the end alone', sent: 'Sales EMEA', shown: 'EMEA' },
  { what: 'nothing', sent: 'Sales', shown: '' },
  { what: 'something instead of nothing', sent: '', shown: 'Sales' },
  { what: 'marks alone', sent: 'Sales', shown: '\u0301' },
  { what: 'another number', sent: '1234', shown: '1235' },
  { what: 'another sign', sent: '5', shown: '-5' },
  { what: 'ten times as much', sent: '1.5', shown: '15' },
  { what: 'separators alone', sent: '.', shown: ',' },
  { what: 'another day', sent: '2021-01-05', shown: '2021-01-06' },
  { what: 'another year', sent: '05/01/2021', shown: '05/01/2022' },
  { what: 'a word that is no month', sent: '2021-01-05', shown: 'Xyz 5, 2021' },
  { what: 'a number where there was none', sent: 'Sales', shown: '.0' },
  { what: 'a number inside of a text', sent: 'Room 1.50', shown: '1.5' },
  { what: 'a number before a text', sent: '1.50 m', shown: '1.500' },
  { what: 'the opposite number', sent: '-5', shown: '5.0' },
  { what: 'a number in which zeros are missing', sent: '105', shown: '15.0' },
  { what: 'a number with groups of another size', sent: '12.34.5', shown: '1234.5' },
  { what: 'a date inside of a text', sent: 'on 2021-01-05', shown: '1/5/2021' },
  { what: 'a date before a text', sent: '2021-01-05x', shown: '1/5/2021' },
  { what: 'a day of another month', sent: '2021-05-01', shown: 'Dec 5, 2021' },
  { what: 'the first two letters of a month', sent: '2021-01-05', shown: 'Ja 5, 2021' },
])('$what is no alteration', ({ sent, shown }) => {
  expect(isAlteration('area', sent, shown)).toBe(false);
});

it('a date field shows dates in one form: another one is another date', () => {
  expect(isAlteration('birthDate', '2021-01-05', '2021-05-01')).toBe(false);
});

it('e-mails are the same whatever their case, other values are not', () => {
  expect(isSameValue('email', 'Ana@Example.com', 'ana@example.com')).toBe(true);
  expect(isSameValue('email', 'ana@example.com', 'eva@example.com')).toBe(false);
  expect(isSameValue('area', 'Sales', 'sales')).toBe(false);
  expect(isSameValue('area', 'Sales', 'Sales')).toBe(true);
});

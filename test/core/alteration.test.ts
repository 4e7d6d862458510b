import { expect, it } from 'vitest';
import { isAlteration, isSameValue } from '../../src/core/plan/diff.ts';

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

import { type FieldName, fieldTraits } from '../person/fields.ts';
import { compileTransforms } from '../person/text.ts';

/** Returns whether the platform and Rollcall treat two values of a field as equal. E-mails compare without case. */
export function isSameValue(name: FieldName, one: string, other: string): boolean {
  return one === other || (name === 'email' && one.toLowerCase() === other.toLowerCase());
}

/**
 * Returns whether the platform can have stored `sent` as `shown`: truncated, or with different case, white space,
 * accents, number format or date format. Any other value is an edit by another writer. An empty value is not a
 * truncation.
 */
export function isAlteration(name: FieldName, sent: string, shown: string): boolean {
  if (shown === '' || sent === '') return false;
  if (fieldTraits(name).isDate) return false;
  return (
    isCutOrRecased(sent, shown) ||
    haveCommon(numbersIn(sent), numbersIn(shown)) ||
    haveCommon(datesIn(sent), datesIn(shown))
  );
}

function isCutOrRecased(sent: string, shown: string): boolean {
  const kept = folded(shown);
  return kept !== '' && spellings(sent).some((spelling) => spelling.startsWith(kept));
}

const asciiOf = compileTransforms(['ascii']) ?? ((text: string) => text);

/**
 * Returns the text without what platforms change: `Große Straße` gives `großestraße`, and also `grossestrasse` for
 * platforms that rewrite letters.
 */
function spellings(text: string): string[] {
  return [folded(text), folded(asciiOf(text))];
}

function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\p{M}\s]+/gu, '')
    .toLowerCase();
}

function haveCommon(some: readonly string[], others: readonly string[]): boolean {
  return some.some((one) => others.includes(one));
}

/**
 * Returns the numbers that a text can mean: `1.234` is 1234 in Berlin and 1.234 in London. Empty when it is not a
 * number.
 */
function numbersIn(text: string): string[] {
  const [, sign = '', digits = ''] = /^([+-]?)([\d.,'’\s]+)$/.exec(text) ?? [];
  if (!/\d/.test(digits)) return [];
  const numbers: string[] = [];
  const add = (whole: string, fraction: string): void => {
    const value = `${whole.replace(/\D/g, '').replace(/^0+(?=\d)/, '')}.${fraction.replace(/0+$/, '')}`;
    numbers.push(sign === '-' ? `-${value}` : value);
  };
  if (wholeNumber.test(digits)) add(digits, '');
  const [, whole, fraction] = /^(.*)[.,](\d+)$/.exec(digits) ?? [];
  if (whole !== undefined && fraction !== undefined && wholeNumber.test(whole)) add(whole, fraction);
  return numbers;
}

const wholeNumber = /^(?:\d+|\d{1,3}(?:[.,'’\s]\d{3})+)$/;

const monthNames = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec'.split('|');

/**
 * Returns the days that a text can mean, as year-month-day: `05/01/2021` is in January or in May. Empty when it is not
 * a date.
 */
function datesIn(text: string): string[] {
  const parts = text
    .toLowerCase()
    .replace(/[a-z]{3,}/g, (word) => {
      const month = monthNames.indexOf(word.slice(0, 3)) + 1;
      return month === 0 ? word : `${month}`;
    })
    .match(/^(\d{1,4})[-/., ]+(\d{1,2})[-/., ]+(\d{1,4})(?:[t ,].*)?$/);
  if (parts === null) return [];
  const [first, middle, last] = parts.slice(1).map(Number) as [number, number, number];
  const isYearFirst = parts[1]?.length === 4;
  const [year, day] = isYearFirst ? [first, last] : [last, first];
  return [`${year}-${middle}-${day}`, `${year}-${day}-${middle}`];
}

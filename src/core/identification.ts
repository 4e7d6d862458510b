import { textProblem } from './text.ts';

/**
 * Returns why a text (NFC, trimmed) cannot be an identification, without the text itself; undefined when it can. Beyond
 * the limits of every field, `.` and `..` are refused: URL normalization removes them, so a call would reach another
 * address.
 */
export function identificationProblem(text: string): string | undefined {
  if (text === '') return 'is blank';
  if (text === '.' || text === '..') return 'is . or .., which a URL cannot carry';
  if (shortenedNumber.test(text)) return 'was shortened to an exponent by a spreadsheet (1.23E+15); export it as text';
  return textProblem(text)?.reason;
}

const shortenedNumber = /^\d(?:[.,]\d+)?E\+\d+$/i;

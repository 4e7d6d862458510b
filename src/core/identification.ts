import { textProblem } from './text.ts';

/**
 * Why a text (NFC, trimmed) cannot be an identification, without telling it; undefined when it can. Besides what no
 * field may hold: `.` and `..` vanish from a URL's path, so that a call meant for one user would hit another address.
 */
export function identificationProblem(text: string): string | undefined {
  if (text === '') return 'is blank';
  if (text === '.' || text === '..') return 'is . or .., which a URL cannot carry';
  if (shortenedNumber.test(text)) return 'was shortened to an exponent by a spreadsheet (1.23E+15); export it as text';
  return textProblem(text)?.reason;
}

const shortenedNumber = /^\d(?:[.,]\d+)?E\+\d+$/i;

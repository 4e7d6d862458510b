import { Refusal } from '../run/refusal.ts';

/**
 * Returns what a spreadsheet or a wrong encoding did to a text before Rollcall read it, without the text itself;
 * undefined when nothing shows. It must see the text before transforms, which hide the damage: `digits` makes 59910 of
 * 5.991E+10.
 *
 *   5.99E+10     a spreadsheet shortened a long number; its other digits are lost
 *   JosÃ©        UTF-8 was read as Windows-1252 (mojibake)
 */
export function importDamage(text: string): Refusal | undefined {
  const first = text.charCodeAt(0);
  if (first <= nine && first >= plus && shortenedNumber.test(text)) return shortened;
  return mayBeMojibake.test(text) && mojibake.test(text) ? wrongEncoding : undefined;
}

const shortened = new Refusal(
  'shortened-number',
  'was shortened to an exponent by a spreadsheet, so digits are lost: export the column as text',
);
const wrongEncoding = new Refusal(
  'wrong-encoding',
  'was decoded wrongly before (Ã© where é should be): correct the encoding of the export, or source.encoding',
);

const plus = 0x2b;
const nine = 0x39;
const shortenedNumber = /^[+-]?\d(?:[.,]\d+)?E\+\d{1,3}$/i;

/** Any of the characters that a first byte of UTF-8 becomes. Few texts have one. */
const mayBeMojibake = /[ÂÃÄÅÐÑâï]/;

/** The characters of the bytes 80 to 9F in Windows-1252: punctuation that real text may have after a capital letter. */
const marks = '\u2018\u2019\u201c\u201d\u2013\u2014\u2026\u2039\u203a';
/** The other ones of these bytes. Five of them have no character, and come as control characters. */
const signs =
  '\u20ac\u201a\u0192\u201e\u2020\u2021\u02c6\u2030\u0160\u0152\u017d\u2022\u02dc\u2122\u0161\u0153\u017e\u0178\u0081\u008d\u008f\u0090\u009d';

/**
 * Two or three characters that no language writes one after the other, and that UTF-8 gives when it is read as
 * Windows-1252. Sequences that real text can have are left out: `À` and a no-break space, `Å` and a quotation mark.
 */
const mojibake = new RegExp(
  [
    // Latin-1: Â© is ©, Ã© is é, Ã‘ is Ñ. A quotation mark or dash must be inside a word.
    '\u00c2[\u00a1-\u00bf]',
    `\u00c3[\u00a1-\u00bf${signs}]`,
    `\u00c3[${marks}]\\p{L}`,
    '\\p{Ll}\u00c3\u00a0',
    // Latin Extended-A: Å‚ is ł, Ä™ is ę.
    `[\u00c4\u00c5][\u00a1-\u00aa\u00ac-\u00ba\u00bc-\u00bf${signs}]`,
    // Cyrillic: at least two letters.
    `(?:[\u00d0\u00d1][\u00a0-\u00bf${signs}${marks}]){2}`,
    // Quotation marks, dashes and the euro; the replacement character and the byte order mark.
    '\u00e2\u20ac[\u0080-\u00bf\u2018-\u201e\u2020-\u2026\u0153\u02dc\u2122]',
    '\u00e2\u201a\u00ac',
    '\u00ef\u00bf\u00bd|\u00ef\u00bb\u00bf',
  ].join('|'),
  'u',
);

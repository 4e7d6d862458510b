import { Refusal } from '../run/refusal.ts';
import { bareName } from '../setup/forms.ts';

/**
 * Returns what a spreadsheet or a wrong encoding did to a text before Rollcall read it, without the text itself;
 * undefined when nothing shows. It must see the text before transforms, which hide the damage: `digits` makes 59910 of
 * 5.991E+10.
 *
 *   5.99E+10     a spreadsheet shortened a long number; its other digits are lost
 *   JosÃ©        UTF-8 was read as Windows-1252 (mojibake), or as Mac Roman or code page 850 (Jos√©, Jos├®)
 *   Jos&eacute;  HTML, JSON or an address was not decoded (Jos\u00e9, Jos%C3%A9), or mail or XML (Jos=C3=A9, Jos_x00E9_)
 */
export function importDamage(text: string): Refusal | undefined {
  const first = text.charCodeAt(0);
  if (first <= nine && first >= plus && shortenedNumber.test(text)) return shortened;
  if (!mayBeDamaged.test(text)) return undefined;
  if (escapes.test(text)) return escaped;
  return mojibake.test(text) ? wrongEncoding : undefined;
}

const shortened = new Refusal(
  'shortened-number',
  'was shortened to an exponent by a spreadsheet, so digits are lost: export the column as text',
);
const wrongEncoding = new Refusal(
  'wrong-encoding',
  'was decoded wrongly before (Ã© where é should be): correct the encoding of the export, or source.encoding',
);
const escaped = new Refusal('damaged-text', 'has escapes (&eacute;, %C3%A9) that no program decoded');
const escapes = /&(?:#x?[\da-f]{2,6}|[a-z]{2,8}\d?);|\\u[\da-f]{4}|[%=][c-f][\da-f][%=][89ab][\da-f]|_x[\da-f]{4}_/i;

const plus = 0x2b;
const nine = 0x39;
/** Java writes no plus: `5.9899E10`. Without plus and decimals it may be a code (`12E5`). */
const shortenedNumber = /^[+-]?\d(?:(?:[.,]\d+)?E\+|[.,]\d+E)\d{1,3}$/i;

/** Any of the characters that a first byte of UTF-8 becomes, or that an escape begins with. Few texts have one. */
const mayBeDamaged = /[ÂÃÄÅÐÑâï√├&\\%=_]/;

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
    // Mac Roman and code page 850.
    '[\u221a\u251c]\\S',
  ].join('|'),
  'u',
);

/* Identifications that are numbers. Spreadsheets and programs change every cell that looks like one. */

/** Most zeros that are tried in front of an identification. */
const mostZeros = 9;

/**
 * Returns why no account is created under the identification; undefined for most. A person with an account is
 * compared with it. Dots and spaces between thousands are left out, because identity cards have them.
 */
export function changedNumber(identification: string): string | undefined {
  if (usual.test(identification) || isGrouped(identification)) return undefined;
  return bareForm(identification) === identification
    ? undefined
    : 'looks like a number or code that a spreadsheet or a program changed: export the column as text';
}

const usual = /^[A-Za-z\d_-]+$/;

/**
 * Returns an identification without what programs add to it: quotes and separators around it; of a number also a decimal
 * part and marks between thousands (`001.0`, `'001`, `1,021.00`).
 */
export function bareForm(identification: string): string {
  if (usual.test(identification)) return identification;
  const text = identification.replace(/^(?:=(?=["\d]))?[\s'"`´‘’“”]*|[;,\s'"`´‘’“”]+$/g, '');
  const number = grouped.exec(text)?.[1]?.replace(/\D/g, '') ?? text.replace(/[.,]0*$/, '');
  return digits.test(number) ? number : text;
}

function isGrouped(identification: string): boolean {
  return /^\d{1,3}(?:([.\s])\d{3})(?:\1\d{3})*$/.test(identification);
}

/** Returns what two identifications share that are one but for how they are written: see `bareForm` and `bareName`. */
export function writtenKey(identification: string): string {
  return bareName(bareForm(identification));
}

/** How such two differ, as the end of a sentence. */
export const rewritten = 'differ only in case, punctuation or leading zeros';

export function isRewritten(one: string, other: string): boolean {
  return one !== other && writtenKey(one) === writtenKey(other);
}

/** How a known number is written that a program had changed when its account was created. */
const writings: readonly ((digits: string) => string)[] = [(number) => `${number}.0`, (number) => `'${number}`];

/**
 * Returns the other identifications under which an account of this person may be known: without what programs add, and
 * of a number without leading zeros, and with each count of them up to nine.
 */
export function otherForms(identification: string): readonly string[] {
  const bare = bareForm(identification);
  const forms = new Set([bare]);
  if (digits.test(bare)) {
    const plain = bare.replace(/^0+(?=\d)/, '');
    for (let zeros = 0; zeros <= mostZeros; zeros += 1) forms.add(plain.padStart(plain.length + zeros, '0'));
    for (const write of writings) forms.add(write(bare)).add(write(plain));
  }
  forms.delete(identification);
  return [...forms];
}

const digits = /^\d+$/;
const grouped = /^(\d{1,3}(?:([.,\s'’])\d{3})(?:\2\d{3})*)(?:[.,]0*)?$/;

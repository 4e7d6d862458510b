import type { Finding } from '../run/finding.ts';
import { countOf } from '../run/formats.ts';
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

/* Identifications that are numbers. Spreadsheets and programs change every cell that looks like one. */

/** Most zeros that are tried in front of an identification whose former width is not known. */
const mostZeros = 9;

/** Returns the width of a number that is filled up with zeros (`00123`: 5); undefined for any other text. */
export function paddedWidth(identification: string): number | undefined {
  return identification.charCodeAt(0) === zero && padded.test(identification) ? identification.length : undefined;
}

/**
 * Returns why no account is created under the identification; undefined for most. A person with an account is
 * compared with it. Dots between thousands are left out, because identity cards have them.
 */
export function changedNumber(identification: string): string | undefined {
  return changed.test(identification)
    ? 'looks like a number that a spreadsheet or a program changed: export the column as text'
    : undefined;
}

const changed = /^(?:'\d.*|="?\d.*|\d+[.,]0+|\d{1,3}(?:,\d{3})+)$/;

/** How a number is written that something changed, without what it does to zeros. */
const writings: readonly ((digits: string) => string)[] = [
  (number) => `${number}.0`,
  (number) => `'${number}`,
  (number) => `="${number}"`,
  ...[',', '.', ' ', '\u00a0', "'"].map((mark) => (number: string) => number.replace(/\B(?=(?:\d{3})+$)/g, mark)),
];

/** Returns the digits of a number, whatever was done to it: `001`, `1.0`, `'1`, `="1"` and `1,021`; undefined for others. */
function digitsOf(identification: string): string | undefined {
  if (digits.test(identification)) return identification;
  const last = identification.charCodeAt(identification.length - 1);
  if (last !== quote && (last < zero || last > nine)) return undefined;
  const bare = /^(?:'|=")?(\d[\d.,\s']*?)(?:[.,]0+)?"?$/.exec(identification)?.[1];
  if (bare === undefined) return undefined;
  if (digits.test(bare)) return bare;
  return grouped.test(bare) ? bare.replace(/\D/g, '') : undefined;
}

/**
 * Returns the other identifications that this one may have been, or may become, when a spreadsheet or a program takes it
 * for a number: without leading zeros, and filled up to each of the widths; with `.0`, the mark of text or of thousands.
 * None for an identification that is no number. Without `widths`, every number of zeros up to nine.
 */
export function otherForms(identification: string, widths?: ReadonlySet<number>): readonly string[] {
  const plain = digitsOf(identification);
  if (plain === undefined) return [];
  const bare = withoutZeros(plain);
  const all = widths ?? Array.from({ length: mostZeros }, (_, more) => bare.length + more + 1);
  const numbers = new Set([plain, bare, ...Array.from(all, (width) => bare.padStart(width, '0'))]);
  const written = [...new Set([plain, bare])].flatMap((number) => writings.map((write) => write(number)));
  const forms = new Set([...numbers, ...written]);
  forms.delete(identification);
  return [...forms];
}

/** What a spreadsheet or a program did to one of two identifications. */
export interface NumberDamage {
  /** How they differ, as the end of a sentence: `differ only by leading zeros`. */
  readonly how: string;
  readonly advice: string;
  /** The first one is the shorter one. Undefined where something else than zeros differs. */
  readonly lostZeros?: boolean;
}

/** Returns how two different identifications of one number differ; undefined for any other two. */
export function numberDamage(one: string, other: string): NumberDamage | undefined {
  const [first, second] = [digitsOf(one), digitsOf(other)];
  if (one === other || first === undefined || second === undefined) return undefined;
  if (withoutZeros(first) !== withoutZeros(second)) return undefined;
  if (first === one && second === other) {
    return { how: 'differ only by leading zeros', advice: zerosAdvice, lostZeros: one.length < other.length };
  }
  const strange = first === one ? other : one;
  if (/[.,]0+$/.test(strange)) return { how: 'differ only by a decimal part', advice: floatAdvice };
  return /^['=]/.test(strange)
    ? { how: "differ only by a spreadsheet's mark for text", advice: 'Export the column without it' }
    : { how: 'differ only by marks between thousands', advice: 'Export the column as text' };
}

const zerosAdvice = 'Spreadsheets remove leading zeros: export the column as text';
const floatAdvice = 'A program read the column as decimal numbers: export it as text';

function withoutZeros(text: string): string {
  return text.replace(/^0+(?=\d)/, '');
}

const zero = 0x30;
const quote = 0x22;
const digits = /^\d+$/;
const grouped = /^\d{1,3}(?:([.,\s'])\d{3})(?:\1\d{3})*$/;
const padded = /^0\d+$/;

/** Compares the identifications of a read with each other. */
interface PaddingFindings {
  see(row: { readonly identification: string; readonly at: string }): void;
  /** Returns a finding when some identifications seem to have lost the zeros that the others have. */
  all(): readonly Finding[];
}

/** Number of places that the finding names. */
const namedPlaces = 3;
/** Fewer identifications with zeros show no rule. */
const fewestPadded = 3;
/** Longest number that is grouped by its width. Numbers in use have fewer digits. */
const mostDigits = 40;

/**
 * Where numbers are filled up with zeros to one width, every number has that width. Shorter ones then have lost their
 * zeros, or were typed without. This only shows; the next steps are decided by the last read (see
 * `src/run/compare/doubtful-people.ts`). `column`: where the identification comes from.
 */
export function openPaddingFindings(column: string): PaddingFindings {
  const padded = new Map<number, number>();
  const shorter = new Map<number, { count: number; readonly places: string[] }>();
  return {
    see({ identification, at }) {
      const first = identification.charCodeAt(0);
      if (first < zero || first > nine || !digits.test(identification)) return;
      const width = paddedWidth(identification);
      if (width !== undefined) {
        padded.set(width, (padded.get(width) ?? 0) + 1);
        return;
      }
      const { length } = identification;
      if (length > mostDigits) return;
      const group = shorter.get(length) ?? { count: 0, places: [] };
      shorter.set(length, group);
      group.count += 1;
      if (group.places.length < namedPlaces) group.places.push(at);
    },
    all() {
      const [[width, count] = [0, 0], ...others] = padded;
      if (others.length > 0 || count < fewestPadded) return [];
      const groups = [...shorter].filter(([length]) => length < width).map(([, group]) => group);
      const lost = groups.reduce((sum, group) => sum + group.count, 0);
      if (lost === 0) return [];
      const places = groups.flatMap((group) => group.places).slice(0, namedPlaces);
      const where = `${countOf(lost, 'row')} (${places.join(', ')}${lost > places.length ? ', …' : ''})`;
      const message = `${column} has fewer than ${width} digits in ${where}, but the other values have ${width} with leading zeros. If leading zeros were lost, export the column as text`;
      return [{ code: 'cell-suspect', message }];
    },
  };
}

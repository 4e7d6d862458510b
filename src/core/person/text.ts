import { Refusal } from '../run/refusal.ts';
import type { Transform } from '../run/settings.ts';

/**
 * Returns text as the platform compares it: NFC, without white space, U+FEFF and NBSP at its ends. Returns plain
 * printable ASCII, the usual case, unchanged.
 */
export function normalText(text: string): string {
  if (!isPlainAscii(text)) return text.normalize('NFC').trim();
  return text.charCodeAt(0) === space || text.charCodeAt(text.length - 1) === space ? text.trim() : text;
}

/** Maximum length of a value, in UTF-16 units. Longer values are usually damaged data. */
const maxTextLength = 255;

/** Returns why a normal text cannot be a value of the platform, without the value; undefined when it can. */
export function textProblem(text: string): Refusal | undefined {
  if (text.length > maxTextLength) return tooLong;
  if (text.charCodeAt(0) === hash && spreadsheetErrors.test(text)) return spreadsheetError;
  if (isPlainAscii(text)) return undefined;
  if (controlCharacters.test(text)) return withControlCharacters;
  if (!text.isWellFormed()) return cutCharacter;
  return text.includes('\uFFFD') ? replacedCharacter : undefined;
}

const tooLong = new Refusal('too-long', `is longer than ${maxTextLength} characters`);
const withControlCharacters = new Refusal('control-characters', 'contains control characters');
const cutCharacter = new Refusal(
  'damaged-text',
  'contains half of a character (a lone surrogate): the source was cut or decoded wrongly',
);
const replacedCharacter = new Refusal(
  'damaged-text',
  'contains a replacement character: the source was decoded wrongly before',
);
const spreadsheetError = new Refusal('spreadsheet-error', 'is the error value of a spreadsheet formula');

/** Replaces each run of white space that contains a line break or a tab by one space. Returns other text unchanged. */
export function collapseBreaks(text: string): string {
  return breaks.test(text) ? text.replace(whiteSpace, (space) => (breaks.test(space) ? ' ' : space)) : text;
}

/** The text form of a cell, a JSON value or an expression's result. */
export type TextReading =
  | { readonly kind: 'text'; readonly text: string }
  /** Not visible: makes no statement about the field. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

const absent: TextReading = { kind: 'absent' };
const blank: TextReading = { kind: 'text', text: '' };

/** Reads a source value as text: numbers and booleans are formatted, null is blank, lists and objects are refused. */
export function readText(value: unknown): TextReading {
  switch (typeof value) {
    case 'string':
      return { kind: 'text', text: normalText(value) };
    case 'undefined':
      return absent;
    case 'number':
      return readNumber(value);
    case 'boolean':
    case 'bigint':
      return { kind: 'text', text: String(value) };
    default:
      // A source tells so that it could not read the cell.
      if (value instanceof Refusal) return { kind: 'refused', refusal: value };
      return value === null
        ? blank
        : refuse('not-text', `is ${Array.isArray(value) ? 'a list' : 'an object'}, expected plain text`);
  }
}

/**
 * Joins transforms into one function. They run from left to right on normal text. core/settings.ts lists their names.
 */
export function compileTransforms(transforms: readonly Transform[]): ((text: string) => string) | undefined {
  const steps = transforms.map((name) => transformTable[name]);
  if (steps.length === 0) return undefined;
  return (text) => normalText(steps.reduce((current, step) => step(current), text));
}

const transformTable: Readonly<Record<Transform, (text: string) => string>> = {
  trim: normalText,
  lowercase: lowerCase,
  uppercase: (text) => text.toUpperCase(),
  /** Changes `ANA MARÍA O'NEIL-PAZ` to `Ana María O'Neil-Paz`. Names like McDonald lose their inner capital. */
  capitalize: (text) =>
    lowerCase(text).replace(/(^|[^\p{L}\p{M}\p{N}])(\p{L})/gu, (_, before: string, letter: string) => {
      return before + letter.toUpperCase();
    }),
  collapseSpaces: (text) => text.replace(/\s+/g, ' '),
  /** Keeps only 0-9. A leading plus is removed too. */
  digits: (text) => text.replace(/[^0-9]+/g, ''),
  /** Removes the marks of letters (`José` becomes `Jose`) and drops characters without an ASCII form. */
  ascii: (text) =>
    text
      .replace(/[ßæÆøØœŒđĐðÐłŁþÞı]/g, (letter) => asciiLetters.get(letter) ?? '')
      .normalize('NFKD')
      .replace(/[^\x20-\x7e]+/g, ''),
};

/** Lower case. The Turkish İ becomes i: with its dot, it would be two characters that no one types. */
function lowerCase(text: string): string {
  return text.replaceAll('\u0130', 'i').toLowerCase();
}

const asciiLetters: ReadonlyMap<string, string> = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['Æ', 'AE'],
  ['ø', 'o'],
  ['Ø', 'O'],
  ['œ', 'oe'],
  ['Œ', 'OE'],
  ['đ', 'd'],
  ['Đ', 'D'],
  ['ð', 'd'],
  ['Ð', 'D'],
  ['ł', 'l'],
  ['Ł', 'L'],
  ['þ', 'th'],
  ['Þ', 'Th'],
  ['ı', 'i'],
]);

const space = 0x20;
const hash = 0x23;
const notPlainAscii = /[^\x20-\x7e]/;
// C0, DEL and C1, and the two Unicode line ends: CSV files and form fields damage all of them.
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
// The control characters that are white space: tab, line feed, line tabulation, form feed, carriage return, next line.
const breaks = /[\t\n\v\f\r\u0085\u2028\u2029]/;
// One pattern for the whole of "spaces, a break, spaces" would take quadratic time on a long run of spaces.
const whiteSpace = /[\s\u0085]+/g;
// In any language: `#REF!`, `#¿NOMBRE?`, `#NV`; `####` is a column that was too narrow.
const spreadsheetErrors = /^#(?:N\/[AD]|NV|[^\s!?]{2,16}[!?]|#{2,})$/i;

function isPlainAscii(text: string): boolean {
  return !notPlainAscii.test(text);
}

function readNumber(value: number): TextReading {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    const reason = 'is a number with more digits than can be read exactly; the source must send it as text';
    return refuse('inexact-number', reason);
  }
  return Number.isFinite(value) ? { kind: 'text', text: String(value) } : refuse('inexact-number', 'is not a number');
}

function refuse(kind: Refusal['kind'], reason: string): TextReading {
  return { kind: 'refused', refusal: new Refusal(kind, reason) };
}

/** Returns text for searches: lower case, without accents. */
export function foldText(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase();
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII begins with them.
const isAscii = /^[\x00-\x7f]*$/;

/**
 * Hashes text in two independent 32-bit lanes over UTF-16 units: 64 bits, fast and not cryptographic. Used only for
 * search and comparison. Every change is built from the records themselves, so a collision can hide a change but never
 * invent one.
 */
export class TextHash {
  hi = 0;
  lo = 0;
  readonly #firstHi: number;
  readonly #firstLo: number;

  /** Hashes with different salts cannot be compared. */
  constructor(salt = '') {
    let [hi, lo] = [0xdeadbeef | 0, 0x41c6ce57 | 0];
    for (let i = 0; i < salt.length; i += 1) {
      hi = Math.imul(hi ^ salt.charCodeAt(i), 0x9e3779b1);
      lo = Math.imul(lo ^ salt.charCodeAt(i), 0x5f356495);
    }
    [this.#firstHi, this.#firstLo] = [hi, lo];
  }

  begin(): this {
    this.hi = this.#firstHi;
    this.lo = this.#firstLo;
    return this;
  }

  /** Adds one value. Values are separated, so that ('ab','c') and ('a','bc') differ. */
  add(text: string): this {
    let hi = this.hi;
    let lo = this.lo;
    for (let i = 0; i < text.length; i += 1) {
      const unit = text.charCodeAt(i);
      hi = Math.imul(hi ^ unit, 0x9e3779b1);
      lo = Math.imul(lo ^ unit, 0x5f356495);
    }
    this.hi = Math.imul(hi ^ 0x10001, 0x9e3779b1);
    this.lo = Math.imul(lo ^ 0x10001, 0x5f356495);
    return this;
  }

  end(): this {
    const { hi, lo } = this;
    this.hi = mix(hi ^ (lo >>> 15));
    this.lo = mix(lo ^ (hi >>> 13));
    return this;
  }

  of(text: string): this {
    return this.begin().add(text).end();
  }
}

function mix(value: number): number {
  let h = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) | 0;
}

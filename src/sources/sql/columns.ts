import { normalText } from '../../core/person/text.ts';
import { RollcallError } from '../../core/run/errors.ts';

/**
 * Checks that a mapping can name every column: names are unique, and the required ones exist. Throws
 * `SOURCE_UNAVAILABLE` with `retry: never`.
 */
export function checkColumns(place: string, columns: readonly string[], needed: readonly string[]): void {
  const problem = nameProblem(columns) ?? absenceProblem(columns, needed);
  if (problem === undefined) return;
  throw new RollcallError(`the query on ${place} cannot be used: ${problem}. Nothing was read.`, {
    code: 'SOURCE_UNAVAILABLE',
    raw: columns.join(', '),
  });
}

function nameProblem(columns: readonly string[]): string | undefined {
  const seen = new Map<string, number>();
  for (const [index, name] of columns.entries()) {
    const column = index + 1;
    const key = normalText(name).toLowerCase();
    const before = seen.get(key);
    if (key === '' || key === '?column?') return `column ${column} has no name; give it one with "as"`;
    if (key === '__proto__') return `column ${column} is called __proto__; give it another name with "as"`;
    if (before !== undefined) {
      return `columns ${before} and ${column} have the same name; give one another name with "as"`;
    }
    seen.set(key, column);
  }
  return undefined;
}

function absenceProblem(columns: readonly string[], needed: readonly string[]): string | undefined {
  const absent = needed.filter((name) => !columns.includes(name));
  if (absent.length === 0) return undefined;
  return `it returns no column ${absent.join(', ')} (names are case-sensitive)`;
}

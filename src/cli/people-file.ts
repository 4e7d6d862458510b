import { readFile } from 'node:fs/promises';
import { RollcallError } from '../core/run/errors.ts';
import { fromHere, type Shell } from './shell.ts';

/**
 * Reads identifications from a file, one on each line. `option` is named in errors. Throws `USAGE` for a file that cannot
 * be read or names no person.
 */
export async function readPeopleFile({ io }: Shell, file: string, option: string): Promise<readonly string[]> {
  const text = await readFile(fromHere(io, file), 'utf8').catch((cause: unknown) => {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    throw new RollcallError(`the file of ${option} cannot be read: ${file} (${code})`, { code: 'USAGE', cause });
  });
  const names = text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (names.length > 0) return names;
  throw new RollcallError(`the file of ${option} names no person: ${file}`, { code: 'USAGE' });
}

/** Maximum number of people in one request. Above it, a full run costs less. */
const mostPeople = 50_000;

/** Returns the people of `--user`: identifications, or files of them as `@FILE`. An identification may begin with `@@`. */
export async function readPeople(shell: Shell, words: readonly string[]): Promise<readonly string[]> {
  const people: string[] = [];
  for (const word of words) {
    if (word.startsWith('@@')) people.push(word.slice(1));
    else if (word.startsWith('@')) people.push(...(await readPeopleFile(shell, word.slice(1), '--user')));
    else people.push(word);
  }
  if (people.length <= mostPeople) return people;
  const message = `--user names ${people.length} people, at most ${mostPeople} are accepted: run without --user`;
  throw new RollcallError(message, { code: 'USAGE' });
}

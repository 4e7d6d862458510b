import { readFile } from 'node:fs/promises';
import { InvalidArgumentError } from 'commander';
import type { ChangeSelection } from '../app/holds.ts';
import { normalText } from '../core/person/text.ts';
import { type ChangeClass, changeClasses } from '../core/plan/change.ts';
import { RollcallError, usageError } from '../core/run/errors.ts';
import { parseDuration, parseInstant } from '../core/run/formats.ts';
import { given } from '../core/run/given.ts';
import type { Answers } from '../core/setup/propose-mapping.ts';
import type { RunScope } from '../ports/store.ts';
import type { OptionRow } from './command.ts';
import { fromHere, type Shell } from './shell.ts';

/** Parses a whole number of 0 or more for an option. */
export function parseWholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) throw new InvalidArgumentError('It must be a whole number.');
  return value;
}

/** Parses a port for an option; 0 means any free port. */
export function parsePort(text: string): number {
  const port = parseWholeNumber(text);
  if (port > 65_535) throw new InvalidArgumentError('It must be a port from 0 to 65535.');
  return port;
}

/** Parses a whole number of 1 or more for an option. */
export function parsePositive(text: string): number {
  const value = parseWholeNumber(text);
  if (value === 0) throw new InvalidArgumentError('It must be at least 1.');
  return value;
}

/** Parses a duration for an option, to ms. */
export function parseTime(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new InvalidArgumentError('It must be a number and its unit: 90s, 10m, 2h.');
  return ms;
}

export const untilForms = '36h, 2026-11-27 (00:00 UTC) or 2026-11-27T08:00:00Z, within a year';

/** Parses the end of something that ends automatically. */
export function parseUntil(text: string): { readonly at: number } | { readonly inMs: number } {
  const inMs = parseDuration(text);
  if (inMs !== undefined) return { inMs };
  const at = dayOrInstant(text);
  if (at !== undefined) return { at };
  throw new InvalidArgumentError(
    'It must be a duration such as 36h or 2d, a date such as 2026-11-27, or an instant with a zone such as 2026-11-27T08:00:00Z.',
  );
}

/** Reads a day (UTC), or an instant with its zone. Returns epoch ms; undefined for another text. */
export function dayOrInstant(text: string): number | undefined {
  return parseInstant(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00Z` : text);
}

/** Reads a day (UTC), or an instant with its zone. Returns the end of the day, or the instant (epoch ms). */
export function parsePast(text: string): number {
  const at = dayOrInstant(text);
  if (at === undefined)
    throw new InvalidArgumentError('It must be a date such as 2026-11-27, or an instant with a zone.');
  return text.includes('T') ? at : at + 86_400_000;
}

export function parseMoment(text: string): string {
  const isInstant =
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text));
  if (!isInstant)
    throw new InvalidArgumentError('It must be an instant with a time zone, such as 2026-11-21T00:00:00Z.');
  return new Date(text).toISOString();
}

export type Since = { readonly at: number } | { readonly ago: number };

export function parseSince(text: string): Since {
  const ago = parseDuration(text);
  if (ago !== undefined) return { ago };
  const at = dayOrInstant(text);
  if (at === undefined)
    throw new InvalidArgumentError('It must be a duration such as 24h or 7d, a date, or an instant.');
  return { at };
}

const longestMuteMs = 30 * 86_400_000;

export function parseMute(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined || ms <= 0 || ms > longestMuteMs) {
    throw new InvalidArgumentError('It must be a duration of at most 30d, such as 30m or 4h.');
  }
  return ms;
}

/** Collects an option that may be repeated. */
export function gather(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

export const syncArgument = ['<sync>', 'name of the sync'] as const;
export const connectionArgument = ['<connection>', 'name of the connection'] as const;
export const runArgument = ['<run>', 'id of the run, or the end of the id'] as const;
export const confirmOption = ['--yes', 'skip the confirmation'] as const;

/** Options of a command whose use the audit keeps. */
export const signatureOptions: readonly OptionRow[] = [
  ['--reason <text>', 'reason, for the audit'],
  ['--as <name>', 'name of the person for whom you act, noted in the audit next to your identity'],
];

/**
 * Reads identifications from a file, one on each line. `option` is named in errors. Throws `USAGE` for a file that cannot
 * be read or names no person.
 */
async function readPeopleFile({ io }: Shell, file: string, option: string): Promise<readonly string[]> {
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
  throw usageError(`the file of ${option} names no person: ${file}`);
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
  if (people.some((one) => normalText(one) === '')) throw usageError('--user names a person without an identification');
  if (people.length <= mostPeople) return people;
  const message = `--user names ${people.length} people, at most ${mostPeople} are accepted: run without --user`;
  throw usageError(message);
}

/** Returns the scope: all employees, or those of `--user`. */
export function scopeOf(identifications: readonly string[] | undefined): RunScope {
  return identifications === undefined
    ? { kind: 'all' }
    : { kind: 'users', identifications: [...new Set(identifications)] };
}

export interface SelectionOptions {
  readonly only?: readonly ChangeClass[];
  readonly except?: readonly string[];
  readonly ids?: string;
  readonly user?: readonly string[];
}

export const onlyOption: OptionRow = [
  '--only <class>',
  `only changes of a class (repeatable): ${changeClasses.join(', ')}`,
  (text: string, before?: readonly ChangeClass[]) => [...(before ?? []), parseClass(text)],
];

/** Options that select a part of what a run holds. */
export const selectionOptions: readonly OptionRow[] = [
  onlyOption,
  ['--except <id...>', 'all but these people, by identification'],
  ['--user <id...>', 'only these people, by identification'],
  ['--ids <file>', 'only the people in a file, one identification per line'],
];

export interface PlanLimits {
  readonly shown: number;
  readonly most: ReadonlyMap<ChangeClass, number>;
}

export const usualLimits: PlanLimits = { shown: 10, most: new Map() };

export function gatherLimit(text: string, given: PlanLimits | undefined): PlanLimits {
  const before = given ?? usualLimits;
  const [name, count] = text.split('=', 2) as [string, string | undefined];
  if (count === undefined) return { ...before, shown: parseWholeNumber(name) };
  return { ...before, most: new Map([...before.most, [parseClass(name), parseWholeNumber(count)]]) };
}

/** Parses `status on leave=active`: what comes last is the answer. */
export function gatherAnswer(text: string, given: Answers | undefined): Answers {
  const at = text.lastIndexOf('=');
  if (at < 1 || at === text.length - 1) throw new InvalidArgumentError('It must be ABOUT=CHOICE.');
  return { ...given, [text.slice(0, at)]: text.slice(at + 1) };
}

export const policies = ['create-only', 'upsert-only', 'sync'] as const;

/** Parses the name of a class, in any case and with or without hyphens: `e-mail-changes`. */
function parseClass(text: string): ChangeClass {
  const found = changeClasses.find((name) => name.toLowerCase() === text.replaceAll('-', '').toLowerCase());
  if (found === undefined) throw new InvalidArgumentError(`It must be one of ${changeClasses.join(', ')}.`);
  return found;
}

/** Throws `USAGE` for a file that cannot be read or names no person. */
export async function readSelection(shell: Shell, options: SelectionOptions): Promise<ChangeSelection> {
  const { only, except, ids, user } = options;
  const people = [...(user ?? []), ...(ids === undefined ? [] : await readPeopleFile(shell, ids, '--ids'))];
  return given({ only, except, ids: people.length === 0 ? undefined : people });
}

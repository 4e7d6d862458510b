import type { z } from 'zod';
import { Refusal } from './call.ts';

/** Returns the text of a parameter; undefined when it was not sent. */
export type ParameterSource = (name: string) => string | undefined;

export function querySource(query: URLSearchParams): ParameterSource {
  return (name) => query.get(name) ?? undefined;
}

/** Reads parameters from a JSON body. */
export function bodySource(body: unknown): ParameterSource {
  const values = typeof body === 'object' && body !== null ? (body as Readonly<Record<string, unknown>>) : {};
  return (name) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return value === undefined || value === null ? undefined : String(value);
  };
}

/** Returns a whole number of at least `min`. Throws 400 for anything else. */
export function readInteger(source: ParameterSource, name: string, otherwise: number, min = 0): number {
  const text = source(name);
  if (text === undefined || text === '') return otherwise;
  const value = Number(text);
  if (!/^-?\d+$/.test(text) || value < min) throw invalid(name, `must be a whole number of at least ${min}`);
  return value;
}

export function readFlag(source: ParameterSource, name: string, otherwise: boolean): boolean {
  const text = source(name)?.toLowerCase();
  if (text === undefined || text === '') return otherwise;
  if (text !== 'true' && text !== 'false') throw invalid(name, 'must be true or false');
  return text === 'true';
}

/** Returns one of the allowed words; case matters. Throws 400 for anything else. */
export function readChoice<T extends string>(
  source: ParameterSource,
  name: string,
  allowed: readonly T[],
  otherwise: T,
): T {
  const text = source(name);
  if (text === undefined || text === '') return otherwise;
  const choice = allowed.find((entry) => entry === text);
  if (choice === undefined) throw invalid(name, `must be one of ${allowed.join(', ')}`);
  return choice;
}

/** Parses the body by the schema. Throws 400 for anything else, with the names of the fields. */
export function readBody<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  const issues = read.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);
  throw new Refusal(400, 'Bad Request', issues.join('; '));
}

/** Returns the page of `items` that starts at `page * size`. */
export function cutPage<T>(items: readonly T[], page: number, size: number): T[] {
  return items.slice(page * size, (page + 1) * size);
}

/** Returns the `page` object of numbered pages. */
export function describePage(number: number, size: number, total: number, shown: number) {
  return {
    number,
    size,
    totalElements: total,
    totalPages: Math.ceil(total / size),
    numberOfElements: shown,
  };
}

function invalid(name: string, rule: string): Refusal {
  return new Refusal(400, 'Bad Request', `${name} ${rule}`);
}

import type { z } from 'zod';
import { operationOf, queryMembers } from '../platform/table/index.ts';
import { badRequest, type Call, type Refusal } from './call.ts';

/** Returns the text of a parameter; undefined when it was not sent. */
export type ParameterSource = (name: string) => string | undefined;

export function querySource({ query }: Pick<Call, 'query'>): ParameterSource {
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

/** The query parameters of one call, checked against the table of operations, with its defaults. */
export type QueryReader = ReturnType<typeof readQuery>;

/**
 * Reads the parameters of a call, by default from its query, by the schema of its operation. Throws 400 for a number with
 * anything beside its digits, an unknown word of an enum, a date that does not exist, and a value out of range.
 */
export function readQuery(call: Call, source = querySource(call)) {
  const { operation } = call;
  const { query } = operationOf(operation);
  const members = new Map(queryMembers(operationOf(operation)).map((member) => [member.name, member]));
  const values: Record<string, string | number | boolean> = {};
  for (const { name, kind } of members.values()) {
    const text = source(name);
    if (text !== undefined && text !== '') values[name] = kind === 'text' ? text : readValue(name, text, kind);
  }
  const checked = query?.safeParse(values);
  if (checked !== undefined && !checked.success) {
    const issues = checked.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw badRequest(issues.join('; '));
  }
  const valueFor = (name: string): unknown => values[name] ?? members.get(name)?.otherwise;
  return {
    /** Returns a number; `otherwise` where it was not sent and the contract names no default. */
    number(name: string, otherwise?: number) {
      const value = valueFor(name) ?? otherwise;
      if (typeof value !== 'number') throw new RangeError(`${operation} has no number ${name} with a default`);
      return value;
    },
    flag: (name: string) => valueFor(name) === true,
    /** Returns text as it was sent; undefined when it was not sent, or is empty, and has no default. */
    text(name: string) {
      const value = valueFor(name);
      return value === undefined ? undefined : String(value);
    },
  };
}

function readValue(name: string, text: string, kind: 'number' | 'flag'): number | boolean {
  if (kind === 'number') {
    if (!/^-?\d{1,15}$/.test(text)) throw invalid(name, 'must be a whole number');
    return Number(text);
  }
  const word = text.toLowerCase();
  if (word !== 'true' && word !== 'false') throw invalid(name, 'must be true or false');
  return word === 'true';
}

/** Returns a long id of a path. Throws 400 for text that is not a whole number. */
export function readId(text: string | undefined, name = 'id'): number {
  if (text === undefined || !/^\d{1,19}$/.test(text)) throw invalid(name, 'must be a whole number');
  return Number(text);
}

/** Returns one of the allowed words; case matters. Throws 400 for anything else. */
export function readChoice<T extends string>(
  { text: textOf }: QueryReader,
  name: string,
  allowed: readonly T[],
  otherwise: T,
): T {
  const text = textOf(name);
  if (text === undefined) return otherwise;
  const choice = allowed.find((entry) => entry === text);
  if (choice === undefined) throw invalid(name, `must be one of ${allowed.join(', ')}`);
  return choice;
}

/** Parses the body by the schema. Throws 400 for anything else, with the names of the fields. */
export function readBody<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  const issues = read.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);
  throw badRequest(issues.join('; '));
}

export function cutPage<T>(items: readonly T[], page: number, size: number): T[] {
  return items.slice(page * size, (page + 1) * size);
}

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
  return badRequest(`${name} ${rule}`);
}

import { z } from 'zod';
import { countOf } from '../../core/run/formats.ts';
import { isRecord } from '../../drivers/http/json-text.ts';
import { isSometimes, unwrapped } from '../table/wire.ts';

/**
 * Returns each place where a body differs from a schema of the table of operations, as `result.email: missing`. The
 * client reads leniently by the same schemas; here a field that the contract does not show, one that it shows and that
 * is not there, and one of another type are differences. Null is accepted where the contract has no value to show.
 * Names fields and types, never values.
 */
export function strictDifferences(schema: z.ZodType, body: unknown): readonly string[] {
  const found = new Map<string, number>();
  collect({ schema, value: body, path: '' }, (difference) => found.set(difference, (found.get(difference) ?? 0) + 1));
  return [...found].map(([difference, times]) =>
    times === 1 ? difference : `${difference} (${countOf(times, 'time')})`,
  );
}

interface Place {
  readonly schema: z.ZodType;
  readonly value: unknown;
  /** `result[].email`; empty for the body. */
  readonly path: string;
}

function collect({ schema, value, path }: Place, tell: (difference: string) => void): void {
  const inner = unwrapped(schema);
  if (value === null && inner !== schema) return;
  if (inner instanceof z.ZodObject && isRecord(value)) {
    collectFields(inner, value, path, tell);
  } else if (inner instanceof z.ZodArray && Array.isArray(value)) {
    const element = inner.element as z.ZodType;
    for (const item of value) collect({ schema: element, value: item, path: `${path}[]` }, tell);
  } else if (!inner.safeParse(value).success) {
    tell(`${path || 'the body'}: ${typeName(value)} instead of ${expectedName(inner)}`);
  }
}

function collectFields(
  schema: z.ZodObject,
  value: Readonly<Record<string, unknown>>,
  path: string,
  tell: (difference: string) => void,
): void {
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
  for (const [name, member] of Object.entries(schema.shape) as [string, z.ZodType][]) {
    if (value[name] !== undefined) collect({ schema: member, value: value[name], path: at(name) }, tell);
    else if (!isSometimes(member)) tell(`${at(name)}: missing`);
  }
  for (const name of Object.keys(value)) if (!(name in schema.shape)) tell(`${at(name)}: not in the contract`);
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function expectedName(schema: z.ZodType): string {
  if (schema instanceof z.ZodObject || schema instanceof z.ZodRecord) return 'an object';
  if (schema instanceof z.ZodArray) return 'an array';
  if (schema instanceof z.ZodEnum) return `one of ${schema.options.join(', ')}`;
  if (schema instanceof z.ZodUnion) return 'a whole number';
  if (schema instanceof z.ZodString)
    return schema.format === null ? 'a string' : `a string of the form ${schema.format}`;
  return `a ${schema.def.type}`;
}

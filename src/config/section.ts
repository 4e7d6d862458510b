import type { z } from 'zod';
import { isMapping } from '../core/run/given.ts';
import { messageFor, problemsOf, unknownKeySentence } from '../core/run/problem-words.ts';
import type { Report } from './report.ts';
import type { KeyPath } from './yaml-tree.ts';

type Draft<Shape extends z.ZodRawShape> = { readonly [Key in keyof Shape]?: z.output<Shape[Key]> | undefined };

/**
 * Reads each key of a section separately, so that a problem in one does not hide the problems of the others. The draft
 * contains the valid keys. An absent key means a default, or a reported problem.
 */
export function readSection<Shape extends z.ZodRawShape>(
  shape: Shape,
  value: unknown,
  path: KeyPath,
  report: Report,
): Draft<Shape> {
  if (!isMapping(value)) {
    report.add(path, messageFor({ code: 'invalid_type', expected: 'object', input: value }));
    return {};
  }
  for (const key of Object.keys(value)) {
    if (!Object.hasOwn(shape, key)) reportUnknownKey([...path, key], Object.keys(shape), report);
  }
  const entries = Object.entries(shape).map(([key, schema]) => {
    const found = Object.hasOwn(value, key) ? value[key] : undefined;
    return [key, readValue(schema, found, [...path, key], report)];
  });
  return Object.fromEntries(entries);
}

/** For a schema that reads one value: compiling it first costs more than it saves. */
export const once = { jitless: true };

/** Reads one value. Reports it and returns undefined when it does not match the schema. */
export function readValue<Schema extends z.core.$ZodType>(
  schema: Schema,
  value: unknown,
  path: KeyPath,
  report: Report,
): z.output<Schema> | undefined {
  const result = (schema as unknown as z.ZodType<z.output<Schema>>).safeParse(value, { error: messageFor, ...once });
  if (result.success) return result.data;
  for (const { path: at, message, isOfKey, allowed } of problemsOf(result.error.issues, path)) {
    if (isOfKey) report.addKey(at, message, allowed);
    else report.add(at, message, allowed);
  }
  return undefined;
}

export function reportUnknownKey(path: KeyPath, known: readonly string[], report: Report): void {
  report.addKey(path, unknownKeySentence(String(path.at(-1)), known), known);
}

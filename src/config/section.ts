import type { z } from 'zod';
import { unknownKeySentence } from '../core/run/nearest.ts';
import type { Report } from './report.ts';
import { knownKeysOf, messageFor } from './sentences.ts';
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

/** Reads one value. Reports it and returns undefined when it does not match the schema. */
export function readValue<Schema extends z.core.$ZodType>(
  schema: Schema,
  value: unknown,
  path: KeyPath,
  report: Report,
): z.output<Schema> | undefined {
  const result = (schema as unknown as z.ZodType<z.output<Schema>>).safeParse(value, { error: messageFor });
  if (result.success) return result.data;
  for (const issue of withoutEchoes(result.error.issues)) reportIssue(issue, path, report);
  return undefined;
}

export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function reportUnknownKey(path: KeyPath, known: readonly string[], report: Report): void {
  report.addKey(path, unknownKeySentence(String(path.at(-1)), known), known);
}

function reportIssue(issue: z.core.$ZodIssue, base: KeyPath, report: Report): void {
  const path = [...base, ...(issue.path as (string | number)[])];
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) reportUnknownKey([...path, key], knownKeysOf(issue.message), report);
    return;
  }
  if (issue.code === 'invalid_key') {
    report.addKey(path, issue.issues[0]?.message ?? issue.message);
    return;
  }
  const branch = issue.code === 'invalid_union' ? matchingBranch(issue.errors) : undefined;
  if (branch === undefined) {
    const allowed = issue.code === 'invalid_value' ? issue.values.map(String) : undefined;
    report.add(path, issue.message, allowed);
    return;
  }
  for (const inner of withoutEchoes(branch)) reportIssue(inner, path, report);
}

/** Removes the missing-key problem that a misspelled key causes. */
function withoutEchoes(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  const misspelt = new Set(issues.filter(({ code }) => code === 'unrecognized_keys').map(({ path }) => path.join()));
  return issues.filter(({ code, path }) => code !== 'custom' || !misspelt.has(path.join()));
}

/** Returns the alternative of a union that matches the value's kind; undefined when none does. */
function matchingBranch(branches: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] | undefined {
  return branches.find((issues) =>
    issues.every(({ code, path }) => path.length > 0 || (code !== 'invalid_type' && code !== 'invalid_value')),
  );
}

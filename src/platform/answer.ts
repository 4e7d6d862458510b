import type { ZodType } from 'zod';
import { AnswerInvalid } from '../drivers/http/answer-invalid.ts';
import { exactValue, isRecord } from '../drivers/http/json-text.ts';
import type { AnswerReader } from './operation.ts';

/** For calls whose body is empty or has no content (201 without a body, 202 with `{}`). */
export const nothing: AnswerReader<void> = { expects: 'nothing', read: () => undefined };

/** Returns a reader of a JSON body by a schema. Ids beyond 2^53 are text. */
export function jsonBy<T>(schema: ZodType<T>): AnswerReader<T> {
  return { expects: 'json', read: (answer) => parseBy(schema, exactValue(answer)) };
}

/** Returns a reader of the `result` of a single-resource answer (contract, "Conventions"); ids as in `jsonBy`. */
export function resultBy<T>(schema: ZodType<T>): AnswerReader<T> {
  return { expects: 'json', read: (answer) => parseBy(schema, resultOf(exactValue(answer))) };
}

/** Returns the member `result` of an answer. */
export function resultOf(value: unknown): unknown {
  if (!isRecord(value) || value.result === undefined || value.result === null) {
    throw new AnswerInvalid('the body has no `result`');
  }
  return value.result;
}

/** Checks a value. Throws `AnswerInvalid` with the places that do not match. */
export function parseBy<T>(schema: ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const places = parsed.error.issues.slice(0, 3).map(({ path, code }) => `${path.join('.') || 'the body'}: ${code}`);
  throw new AnswerInvalid(`the body does not have the expected shape (${places.join('; ')})`);
}

import { isRecord } from '../../drivers/http/json-text.ts';

/**
 * Returns how an answer with status 200 says itself that it failed: `success: false`, `error: {…}`, `code: 429`. Looks
 * at its own members and at those one level deeper (`meta.error`). Null, false, blank, empty, and what says success say
 * nothing.
 */
export function failuresIn(answer: unknown): readonly string[] {
  if (!isRecord(answer)) return [];
  const parts = [answer, ...Object.values(answer).filter(isRecord)];
  return parts.flatMap((part) => Object.entries(part).flatMap(([name, value]) => saysFailure(name, value) ?? []));
}

const success = /^(?:is|was)?(?:ok|success|successful|succeeded)$/;
const failure =
  /^(?:is|has)?(?:errors?|exceptions?|faults?|failed|failure)$|^error(?:s|code|message|type|description)$/;
const status = /^(?:http)?(?:status|code|statuscode|state|result|outcome)$/;
const nothing = /^(?:|0+|false|no|none|null|ok|success|2\d\d)$/i;

/** Returns the member in words, without a text of the answer. */
function saysFailure(name: string, value: unknown): string | undefined {
  const plain = name.replace(/[^a-z]/gi, '').toLowerCase();
  const text = typeof value === 'object' ? '' : String(value).trim();
  if (success.test(plain)) return /^(?:false|no)$/i.test(text) ? `\`${name}: ${text}\`` : undefined;
  if (failure.test(plain)) {
    const isFilled = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
    return isFilled || !nothing.test(text) ? `\`${name}\`` : undefined;
  }
  const isFailure = /^(?:[45]\d\d|errors?|fail(?:ed|ure)?|exception|fault)$/i.test(text);
  return status.test(plain) && isFailure ? `\`${name}: ${text}\`` : undefined;
}

/** A server answered with unexpected content. `message` names places in the body, never values. */
export class AnswerInvalid extends Error {
  override readonly name = 'AnswerInvalid';
  readonly isFinal: boolean;

  /** @param isFinal true when a retry cannot help (a redirect, a body above the size limit). */
  constructor(message: string, isFinal = false) {
    super(message);
    this.isFinal = isFinal;
  }
}

export type JsonText = ReturnType<typeof readJson>;

/**
 * Decodes a JSON body as UTF-8 (RFC 8259, 8.1), whatever charset the header names, and drops a byte order mark.
 * Throws `AnswerInvalid` without quoting the body.
 */
export function readJson(bytes: Uint8Array) {
  if (bytes.length === 0) throw new AnswerInvalid('the body is empty');
  const text = decodeUtf8(bytes);
  return {
    value: parse(text),
    /**
     * Returns the same body with every integer beyond 2^53 as text. Parses a second time, so it is called only when
     * `value` holds an unsafe integer.
     */
    exact: () => JSON.parse(text, keepDigits),
  };
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new AnswerInvalid('the body is not UTF-8');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AnswerInvalid(`the body is not complete JSON (${text.length} characters received)`);
  }
}

/**
 * A `JSON.parse` reviver that keeps integers beyond 2^53 as text, by source text access (ECMAScript proposal, in V8 since
 * 11.4).
 */
export function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value) || context?.source === undefined) return value;
  return /^-?\d+$/.test(context.source) ? context.source : value;
}

/** Deeper than any data. Recursive code, ours and that of libraries, cannot follow much more. */
export const maxDepth = 200;

/** More than any record has. Copying an object with hundreds of thousands of fields stops the process for a second. */
export const maxFields = 20_000;

/**
 * Returns the decoded body. If an integer beyond 2^53 lost digits, all such integers are text. Throws `AnswerInvalid`
 * for a body that is nested deeper than `maxDepth`, and for an object with more than `maxFields` fields.
 */
export function exactValue(answer: JsonText): unknown {
  return hasLostDigits(answer.value, 0) ? answer.exact() : answer.value;
}

/** Visits every value of every answer. Uses loops, because building lists of values takes three times as long. */
function hasLostDigits(value: unknown, depth: number): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  if (typeof value !== 'object' || value === null) return false;
  if (depth >= maxDepth) throw new AnswerInvalid(`the body is nested more than ${maxDepth} levels deep`, true);
  let isLost = false;
  if (Array.isArray(value)) {
    for (const item of value) if (hasLostDigits(item, depth + 1)) isLost = true;
    return isLost;
  }
  const record = value as Readonly<Record<string, unknown>>;
  let fields = 0;
  for (const key in record) {
    fields += 1;
    if (fields > maxFields) throw new AnswerInvalid(`an object of the body has more than ${maxFields} fields`, true);
    if (hasLostDigits(record[key], depth + 1)) isLost = true;
  }
  return isLost;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

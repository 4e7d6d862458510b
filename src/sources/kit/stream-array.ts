import type { Assembler } from 'stream-json/core/assembler.js';
import type { Token } from 'stream-json/core/parser.js';
import { RollcallError } from '../../core/run/errors.ts';
import { isRecord, maxDepth } from '../../drivers/http/json-text.ts';
import { lacking } from './answer-failure.ts';
import type { Fields } from './pages.ts';

export interface ArrayPlace {
  /** Name of the request in messages: `GET the report`. */
  readonly name: string;
  /** Keys from the root to the array: `['employees']`. Empty when the document itself is the array. */
  readonly path: readonly string[];
  /** `text` keeps each number as written; `exact` returns a number unless digits would be lost. */
  readonly numbers: 'text' | 'exact';
  /** Gets what stands beside the array in the document, at its end: plain values, and `[true]` for a list or an object. */
  readonly judge?: (name: string, beside: Fields) => void;
}

/**
 * Yields what one JSON array has while its bytes arrive, for answers that hold all employees in one body. Holds
 * one chunk and one object. Ends only when the document is complete. Throws SOURCE_UNAVAILABLE when it is cut, is not
 * JSON, or has no such array. Never quotes the body.
 */
export async function* streamArray(
  bytes: AsyncIterable<Uint8Array>,
  place: ArrayPlace,
): AsyncGenerator<readonly unknown[], void> {
  // Loaded only where it is used.
  const [{ jsonParser }, { Assembler }] = await Promise.all([
    import('stream-json/core/parser.js'),
    import('stream-json/core/assembler.js'),
  ]);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const parse = jsonParser({ streamValues: false });
  const finder = openFinder(place, () => new Assembler());
  let length = 0;
  const take = (chunk: Uint8Array | undefined): readonly unknown[] => {
    const found: unknown[] = [];
    for (const token of tokensOf(place, length, () => parse(decoder.decode(chunk, { stream: chunk !== undefined })))) {
      finder.take(token, found);
    }
    return found;
  };
  for await (const chunk of bytes) {
    length += chunk.length;
    const found = take(chunk);
    if (found.length > 0) yield found;
  }
  const last = take(undefined);
  if (last.length > 0) yield last;
  finder.end(length);
}

function tokensOf(place: ArrayPlace, length: number, parse: () => unknown): readonly Token[] {
  try {
    const out = parse();
    return isRecord(out) && Array.isArray(out.values) ? out.values : [];
  } catch {
    const what = `is not complete JSON (after ${length} bytes)`;
    throw untrusted(place, what, 'Check that the address is the API itself.');
  }
}

/** Finds the array in the token stream and builds its objects. */
function openFinder(place: ArrayPlace, newAssembler: () => Assembler) {
  // Keys of the open objects and arrays outside the requested one; `[]` within an array.
  const open: { readonly key: string; readonly isArray: boolean }[] = [];
  let assembler: Assembler | undefined;
  let key = '';
  let isFound = false;
  let isOver = false;
  let depth = 0;
  const beside: Record<string, unknown> = {};

  /** Every open object and array costs memory, and recursive code cannot follow a deep one. */
  const watchDepth = ({ name }: Token): void => {
    if (name === 'startObject' || name === 'startArray') depth += 1;
    else if (name === 'endObject' || name === 'endArray') depth -= 1;
    if (depth > maxDepth) throw untrusted(place, `is nested more than ${maxDepth} levels deep`, checkIt);
  };

  const inside = (token: Token, into: unknown[], current: Assembler): void => {
    if (token.name === 'endArray' && current.done) {
      assembler = undefined;
      outside(token);
      return;
    }
    current.consume(numberFor(place, token));
    if (current.done) into.push(current.current);
  };

  const outside = (token: Token): void => {
    const [, member] = open;
    if (member !== undefined && !token.name.startsWith('end')) beside[member.key] = [true];
    if (token.name === 'keyValue') key = token.value;
    else if ('value' in token) {
      if (open.length === 1) beside[key] = token.value;
    } else if (token.name === 'startObject' || token.name === 'startArray') {
      const isArray = token.name === 'startArray';
      open.push({ key: open.at(-1)?.isArray === true ? '[]' : key, isArray });
      if (!isArray || !isPath(open, place)) return;
      isFound = true;
      assembler = newAssembler();
    } else if (token.name === 'endObject' || token.name === 'endArray') {
      open.pop();
      isOver = open.length === 0;
    }
  };

  return {
    take(token: Token, into: unknown[]): void {
      watchDepth(token);
      if (assembler === undefined) outside(token);
      else inside(token, into, assembler);
    },
    end(length: number): void {
      if (!isOver) {
        const what = `ended early, after ${length} bytes`;
        throw untrusted(place, what, 'The connection broke off; the read starts again from the beginning.');
      }
      if (!isFound) throw lacking(place.name, `the list ${place.path.join('.') || 'at the top level'}`, checkIt);
      place.judge?.(place.name, beside);
    },
  };
}

function isPath(open: readonly { readonly key: string }[], { path }: ArrayPlace): boolean {
  return open.length === path.length + 1 && path.every((step, index) => open[index + 1]?.key === step);
}

function numberFor({ numbers }: ArrayPlace, token: Token): Token {
  if (token.name !== 'numberValue') return token;
  const losesDigits = /^-?\d+$/.test(token.value) && !Number.isSafeInteger(Number(token.value));
  return numbers === 'text' || losesDigits ? { name: 'stringValue', value: token.value } : token;
}

const checkIt = 'Check the address, the requested format, and the permissions.';

function untrusted({ name }: ArrayPlace, what: string, advice: string): RollcallError {
  return new RollcallError(`the answer to ${name} ${what}. ${advice}`, {
    code: 'SOURCE_UNAVAILABLE',
    retry: 'backoff',
  });
}

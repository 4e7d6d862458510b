import type { Assembler } from 'stream-json/core/assembler.js';
import type { Token } from 'stream-json/core/parser.js';
import { RollcallError } from '../core/errors.ts';
import { isRecord } from '../http/json-text.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface ArrayPlace {
  /** The request in messages: `GET the report`. */
  readonly name: string;
  /** Keys from the root to the array: `['employees']`; none where the document itself is the array. */
  readonly path: readonly string[];
  /** `text`: each number as it is written; `exact`: as a number, unless digits would be lost. */
  readonly numbers: 'text' | 'exact';
}

/**
 * Gives the objects of one array in a JSON document as its bytes come, a few at a time: for answers that hold everybody
 * in one body. Holds one chunk and one object. Ends only when the document has ended whole; throws SOURCE_UNAVAILABLE
 * when it is cut, is no JSON, has no such array, or the array holds something else than objects. Never quotes the body.
 */
export async function* streamArray(
  bytes: AsyncIterable<Uint8Array>,
  place: ArrayPlace,
): AsyncGenerator<readonly Fields[], void> {
  // Loaded only where it is used.
  const [{ jsonParser }, { Assembler }] = await Promise.all([
    import('stream-json/core/parser.js'),
    import('stream-json/core/assembler.js'),
  ]);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const parse = jsonParser({ streamValues: false });
  const finder = openFinder(place, () => new Assembler());
  let length = 0;
  const take = (chunk: Uint8Array | undefined): readonly Fields[] => {
    const found: Fields[] = [];
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
    const what = `is no whole JSON (looked at ${length} bytes)`;
    throw untrusted(place, what, 'Check that the address is the API itself, not a login or maintenance page.');
  }
}

/** Follows the tokens to the array, and puts its objects together. */
function openFinder(place: ArrayPlace, newAssembler: () => Assembler) {
  // The keys of the open objects and arrays outside of the wanted one; `[]` within an array.
  const open: { readonly key: string; readonly isArray: boolean }[] = [];
  let assembler: Assembler | undefined;
  let key = '';
  let isFound = false;
  let isOver = false;

  const inside = (token: Token, into: Fields[], current: Assembler): void => {
    if (token.name === 'endArray' && current.done) {
      assembler = undefined;
      outside(token);
      return;
    }
    current.consume(numberFor(place, token));
    if (!current.done) return;
    const { current: item } = current;
    if (!isRecord(item)) throw untrusted(place, `holds something else than objects in ${nameOf(place)}`, checkIt);
    into.push(item);
  };

  const outside = (token: Token): void => {
    if (token.name === 'keyValue') key = token.value;
    else if (token.name === 'startObject' || token.name === 'startArray') {
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
    take(token: Token, into: Fields[]): void {
      if (assembler === undefined) outside(token);
      else inside(token, into, assembler);
    },
    end(length: number): void {
      if (!isOver) {
        const what = `ended in its middle, after ${length} bytes`;
        throw untrusted(place, what, 'The connection or the HR system gave up; it is read again from the beginning.');
      }
      if (!isFound) throw untrusted(place, `holds no list ${nameOf(place)}`, checkIt);
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

const checkIt =
  'Check the address, the format asked for, and the rights: an error or an empty shell may come as success.';

function nameOf({ path }: ArrayPlace): string {
  return path.length === 0 ? 'at its top' : path.join('.');
}

function untrusted({ name }: ArrayPlace, what: string, advice: string): RollcallError {
  return new RollcallError(`the answer to ${name} ${what}. ${advice}`, {
    code: 'SOURCE_UNAVAILABLE',
    retry: 'backoff',
  });
}

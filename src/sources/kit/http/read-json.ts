import { Refusal } from '../../../core/run/refusal.ts';
import { AnswerInvalid, exactValue, isRecord, keepDigits, readJson } from '../../../drivers/http/json-text.ts';

/** The headers of an answer that say how its body is written. */
export interface BodyHead {
  header(name: string): string | undefined;
}

/**
 * Decodes a body of an HR system. One of a JSON text a line (`application/x-ndjson`, JSON Lines, RFC 7464) is the list
 * of them. A member that one object has twice with different values is trouble of its cell, because JSON leaves its
 * meaning open (RFC 8259, 4). Throws `AnswerInvalid` without quoting the body.
 */
export function readJsonText(bytes: Uint8Array, { header }: BodyHead = { header: () => undefined }): unknown {
  const type = header('content-type')?.toLowerCase() ?? '';
  const utf8 = inUtf8(bytes, /charset="?([^";\s]+)/.exec(type)?.[1]);
  const lines = /ndjson|json-?lines|jsonl|json-seq/.test(type) ? linesOf(utf8) : undefined;
  try {
    return lines === undefined ? readOne(utf8) : readLines(lines);
  } catch (error) {
    const found = lines ?? linesOf(utf8);
    if (!(error instanceof AnswerInvalid) || error.isFinal || found.length < 2) throw error;
    try {
      return readLines(found);
    } catch {
      throw lines === undefined && !isText(found[0])
        ? error
        : new AnswerInvalid(
            'the body has a line that is not complete JSON, although the body has one JSON text per line',
          );
    }
  }
}

const isText = (line: Buffer | undefined): boolean =>
  line !== undefined && /^\s*[{[].*[}\]]\s*$/.test(line.toString('latin1'));

const readLines = (lines: readonly Buffer[]): unknown[] => lines.map(readOne);

/** RFC 7464 begins each text with a record separator. */
function linesOf(bytes: Uint8Array): readonly Buffer[] {
  const texts = Buffer.from(bytes).toString('utf8').replaceAll('\u001e', '\n').split('\n');
  return texts.flatMap((text) => (text.trim() === '' ? [] : [Buffer.from(text)]));
}

/** JSON is UTF-8, whatever the header says (RFC 8259, 8.1); bytes that are not are read as the header says. */
function inUtf8(bytes: Uint8Array, charset: string | undefined): Uint8Array {
  if (charset === undefined || /^utf-?8$/.test(charset)) return bytes;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return bytes;
  } catch {
    return decoded(bytes, charset);
  }
}

function decoded(bytes: Uint8Array, charset: string): Uint8Array {
  try {
    return Buffer.from(new TextDecoder(charset, { fatal: true }).decode(bytes));
  } catch {
    return bytes;
  }
}

function readOne(bytes: Uint8Array): unknown {
  const value = exactValue(readJson(bytes));
  const text = Buffer.from(bytes).toString('utf8');
  return membersIn(value) === membersOfText(text) ? value : readDoubled(text);
}

function membersIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) for (const item of value) count += membersIn(item);
  else if (isRecord(value)) for (const key in value) count += 1 + membersIn(value[key]);
  return count;
}

/** Counts the members of a JSON text, each with its occurrences. Within a text, a quote has a backslash before it. */
function membersOfText(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) {
    let after = at + 1;
    while (text.charCodeAt(after) <= space) after += 1;
    if (text.charCodeAt(after) === colon && text.charCodeAt(at - 1) !== backslash) count += 1;
  }
  return count;
}

const [space, colon, backslash] = [0x20, 0x3a, 0x5c];

const doubled = new Refusal('damaged-text', 'occurs twice in one object, with different values');

/** Reads a JSON text, of which `JSON.parse` has shown that it is one. */
function readDoubled(text: string): unknown {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  let at = 0;
  const read = (): unknown => {
    const token = tokens[at++] ?? '';
    if (token === '[') {
      const list: unknown[] = [];
      for (; tokens[at] !== ']'; at += tokens[at] === ',' ? 1 : 0) list.push(read());
      at += 1;
      return list;
    }
    if (token !== '{') return JSON.parse(token, keepDigits);
    const members = new Map<string, unknown>();
    for (; tokens[at] !== '}'; at += tokens[at] === ',' ? 1 : 0) {
      const name = String(JSON.parse(tokens[at] ?? ''));
      at += 2;
      const value = read();
      const isOther = members.has(name) && JSON.stringify(members.get(name)) !== JSON.stringify(value);
      members.set(name, isOther ? doubled : value);
    }
    at += 1;
    return Object.fromEntries(members);
  };
  return read();
}

import { AnswerInvalid } from './json-text.ts';

/** Another program answered, or this one in another form. The next try gets the same answer; a later one may not. */
export class ForeignAnswer extends AnswerInvalid {
  /** What the body is, without a guess: `a sign-in page`. */
  readonly form: string;

  constructor(what: string) {
    super(`the body is ${what}`);
    this.form = what.replace(/, perhaps.*/, '');
  }
}

/** What a body has to be. `a file` and `text` may be anything that no proxy writes. */
export type Expected = 'JSON' | 'XML' | 'a file' | 'text';

/**
 * Throws `ForeignAnswer` when the start of a body shows that it is not what was requested. No header decides: programs label
 * plain text, JSON and CSV as `text/html`, because it is their default.
 */
export function refuseForeign(bytes: Uint8Array, expected: Expected): void {
  const page = webPageIn(bytes);
  if (page !== undefined) throw new ForeignAnswer(page);
  if (expected === 'text') return;
  const start = startOf(bytes);
  if (/^--\S+\r?\nContent-/i.test(start)) throw new ForeignAnswer(`a message of several parts instead of ${expected}`);
  const form = /^\s*</.test(start) ? 'XML' : /^\s*[[{]/.test(start) ? 'JSON' : undefined;
  if (expected === 'a file' || form === undefined || form === expected) return;
  throw new ForeignAnswer(`${form} instead of ${expected}, perhaps of another version of the server`);
}

/** Yields the body; throws as `refuseForeign` does before its first bytes. */
export async function* ownBody(body: AsyncIterable<Uint8Array>, expected: Expected): AsyncGenerator<Uint8Array> {
  let isBegun = false;
  for await (const chunk of body) {
    if (!isBegun) refuseForeign(chunk, expected);
    isBegun ||= startOf(chunk).trim() !== '';
    yield chunk;
  }
}

/** Names the web page that a body is, and who probably wrote it. Undefined: it does not begin as a document of HTML. */
export function webPageIn(body: Uint8Array | string): string | undefined {
  const start = typeof body === 'string' ? body.slice(0, shownLength) : startOf(body);
  if (!document.test(start)) return undefined;
  return writers.find(([words]) => words.test(start))?.[1] ?? 'a web page, perhaps of a proxy';
}

/** So much of a body shows what it is, and who wrote it. */
const shownLength = 8192;

/** Returns the start of a body as Latin-1, without a byte order mark. */
function startOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(0, shownLength))
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '');
}

/** Comments and instructions may precede the root element. A comment holds no end of another one, so this is fast. */
const document =
  /^\ufeff?(?:\s|<!--(?:(?!-->)[\s\S])*-->|<\?(?:(?!\?>)[\s\S])*\?>)*<(?:!doctype\s+html|html|head|body|script|title|meta)\b/i;

/** The first whose words a page has wrote it. */
const writers = [
  [/type=["']?password|\b(?:log|sign)[\s-]?[io]n\b|saml/i, 'a sign-in page, perhaps of a proxy'],
  [/maintenance|wartung|mantenimiento|manuten|unavailable|be (?:right )?back|overload/i, 'a maintenance page'],
  [/proxy|firewall|gateway|zscaler|netskope|forbidden|denied|blocked|captcha/i, 'a web page of a proxy or a firewall'],
] as const;

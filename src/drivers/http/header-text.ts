/** A request that cannot be sent, because of what one of its headers holds. `message` never quotes the value. */
export class RequestInvalid extends Error {
  override readonly name = 'RequestInvalid';
}

/** RFC 9110, 5.6.2: a token. */
const headerName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** What RFC 9110, 5.5 allows in a value. The upper half of Latin-1 is allowed, but no server agrees on its meaning. */
const sendable = /^[\t\x20-\x7e\x80-\xff]*$/;

const outsideAscii = /[^\t\x20-\x7e]/u;

const named: Readonly<Record<number, string>> = {
  0: 'a NUL',
  10: 'a line feed',
  13: 'a carriage return',
  127: 'a delete character',
};

/**
 * Returns why a secret cannot be sent in a header: "a line feed (U+000A) at position 12", counted from 1. Returns
 * undefined for a usable one. Never quotes more than that character.
 */
export function headerTextProblem(text: string): string | undefined {
  const found = outsideAscii.exec(text);
  if (found !== null) return `${describe(found[0])} at position ${found.index + 1}`;
  // Servers remove white space at both ends, so another value would arrive.
  return text === text.trim() ? undefined : 'white space at its beginning or end';
}

function describe(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  const kind = point < 32 ? 'a control character' : 'a character outside ASCII';
  return `${named[point] ?? kind} (U+${point.toString(16).toUpperCase().padStart(4, '0')})`;
}

/** Throws `RequestInvalid` for headers that no HTTP client can send. Names the header, and never its value. */
export function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!headerName.test(name))
      throw new RequestInvalid('the name of a header contains a character that is not allowed');
    if (sendable.test(value)) continue;
    throw new RequestInvalid(
      `the header ${name.toLowerCase()} contains ${headerTextProblem(value) ?? 'a bad character'}`,
    );
  }
}

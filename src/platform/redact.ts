const emailAddress = /[^\s@<>"'(),;:]+@[^\s@<>"'(),;:]+\.[^\s@<>"'(),;:]+/gu;
const tokenLike = /\b(?:Bearer\s+\S+|ey[\w-]{8,}\.[\w-]+\.?[\w-]*|[\w-]{40,})/gu;
const pathLike = /\/(?:os-api|growth)\/\S*/gu;
const maxLength = 300;

/**
 * Makes a text of the platform safe for errors and logs: values that we sent, e-mail addresses, paths and anything
 * like a token become `…`. Control characters become spaces, and the text is cut to 300 characters. Returns undefined
 * for other types.
 */
export function redact(text: unknown, confidential: readonly string[]): string | undefined {
  if (typeof text !== 'string') return undefined;
  // Cut first, because searching a hostile megabyte is slow. Four times the length keeps a value near the end whole.
  let clean = text.slice(0, 4 * maxLength);
  // Longest first: `ana@example.com` must be replaced before `ana`.
  for (const value of [...confidential].sort((a, b) => b.length - a.length)) {
    for (const form of new Set([value, encodeURIComponent(value.toWellFormed())])) clean = hide(clean, form);
  }
  clean = clean.replace(emailAddress, '…').replace(pathLike, '…').replace(tokenLike, '…');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out.
  clean = clean.replace(/[\u0000-\u001f\u007f-\u009f]+/gu, ' ').trim();
  return clean === '' ? undefined : clean.slice(0, maxLength);
}

/** A short value (`12`, `Li`) is hidden as a whole word, a longer one everywhere. */
function hide(text: string, value: string): string {
  if (value.trim() === '') return text;
  if (value.length > 3) return text.replaceAll(value, '…');
  const escaped = value.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return text.replace(new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, 'gu'), '…');
}

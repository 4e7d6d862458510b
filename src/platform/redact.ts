const tokenLike = /\b(?:Bearer\s+\S+|ey[\w-]{8,}\.[\w-]+\.?[\w-]*|[\w-]{40,})/gu;
const maxLength = 4000;

/**
 * Returns a text of the platform for sealed storage: our secrets and anything like a token become `…`, control
 * characters become spaces, and the text is cut to 4,000 characters. It may still hold personal data. Returns undefined
 * for an empty text.
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string | undefined {
  // Cut first, because searching a hostile megabyte is slow. Four times the length keeps a value near the end whole.
  let clean = text.slice(0, 4 * maxLength);
  // Longest first: a secret may begin with another one.
  for (const secret of secrets.filter((one) => one.trim() !== '').sort((a, b) => b.length - a.length)) {
    for (const form of new Set([secret, encodeURIComponent(secret.toWellFormed())])) {
      clean = clean.replaceAll(form, '…');
    }
  }
  clean = clean.replace(tokenLike, '…');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out.
  clean = clean.replace(/[\u0000-\u001f\u007f-\u009f]+/gu, ' ').trim();
  return clean === '' ? undefined : clean.slice(0, maxLength);
}

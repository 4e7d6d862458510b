/** Returns text for searches: lower case, without accents. */
export function foldText(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase();
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII begins with them.
const isAscii = /^[\x00-\x7f]*$/;

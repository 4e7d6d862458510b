/**
 * Escapes text between tags as Canonical XML writes it (W3C xml-exc-c14n, by xml-c14n 2.3): `&`, `<`, `>` and carriage
 * returns. Removes characters that XML 1.0 does not allow, because they break the document.
 */
export function xmlText(text: string): string {
  return legal(text).replace(/[&<>\r]/g, (character) => inText[character] ?? '');
}

/** Escapes an attribute value in double quotes as Canonical XML writes it. */
export function xmlAttribute(text: string): string {
  return legal(text).replace(/[&<"\t\n\r]/g, (character) => inAttribute[character] ?? '');
}

const inText: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#xD;' };

const inAttribute: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
};

/** XML 1.0, 2.2: no control characters except tab and line ends, no lone surrogates, no U+FFFE and U+FFFF. */
function legal(text: string): string {
  return text.replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '');
}

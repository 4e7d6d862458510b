import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { RollcallError } from '../../../core/run/errors.ts';

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  removeNSPrefix: true,
  // Ids keep their zeros and digits.
  parseTagValue: false,
  parseAttributeValue: false,
  htmlEntities: true,
  // Only entities of XML and HTML. A document's own entities are refused below, and could not expand here.
  processEntities: { maxEntitySize: 1, maxEntityCount: 1 },
});

/**
 * Parses a complete document. Refuses document types, because their entities may expand without end. Throws
 * SOURCE_UNAVAILABLE, which may be retried, without quoting the document.
 */
export function parseXml(name: string, bytes: Uint8Array): unknown {
  const text = decode(bytes);
  if (text === undefined) throw noXml(name, bytes.length);
  if (hasDocumentType(text) || XMLValidator.validate(text) !== true) throw noXml(name, bytes.length);
  try {
    return parser.parse(text);
  } catch {
    throw noXml(name, bytes.length);
  }
}

/** Returns whether a `<!DOCTYPE` comes before the root element, after any comments and instructions. */
function hasDocumentType(text: string): boolean {
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at)) {
    const [open, close] = aside.find(([begin]) => text.startsWith(begin, at)) ?? [];
    if (open === undefined || close === undefined) return text.startsWith('<!', at);
    const end = text.indexOf(close, at + open.length);
    if (end < 0) return false;
    at = end + close.length;
  }
  return false;
}

/** What may precede the root element. */
const aside = [
  ['<!--', '-->'],
  ['<?', '?>'],
] as const;

/** Returns undefined for invalid UTF-8, because half a name is worse than none. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function noXml(name: string, length: number): RollcallError {
  const message =
    `the answer to ${name} is not complete XML (${length} bytes arrived). ` +
    'Check that the address is the web service itself, not a login or maintenance page.';
  return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
}

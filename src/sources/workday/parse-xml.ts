import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { RollcallError } from '../../core/errors.ts';
import type { Element } from './xml.ts';

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  removeNSPrefix: true,
  // Ids keep their zeros and digits.
  parseTagValue: false,
  parseAttributeValue: false,
  htmlEntities: true,
  // Entities of XML and HTML alone. A document's own are refused below; should one slip through, it cannot grow.
  processEntities: { maxEntitySize: 1, maxEntityCount: 1 },
});

/**
 * Parses a document that must be whole. Document types are refused, for they may hold entities that grow without end.
 * Throws SOURCE_UNAVAILABLE, to be tried again, without quoting it.
 */
export function parseXml(name: string, bytes: Uint8Array): Element {
  const text = decode(bytes);
  if (text === undefined) throw noXml(name, bytes.length);
  if (hasDocumentType(text) || XMLValidator.validate(text) !== true) throw noXml(name, bytes.length);
  try {
    return parser.parse(text);
  } catch {
    throw noXml(name, bytes.length);
  }
}

/** Whether something like `<!DOCTYPE` comes before the root element, after whatever comments and instructions. */
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

/** What may stand before the root element. */
const aside = [
  ['<!--', '-->'],
  ['<?', '?>'],
] as const;

/** Undefined where it is not UTF-8: half a name is worse than none. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function noXml(name: string, length: number): RollcallError {
  const message =
    `the answer to ${name} is no whole XML (${length} bytes came). ` +
    'Check that the address is the web service itself, not a login or maintenance page.';
  return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
}

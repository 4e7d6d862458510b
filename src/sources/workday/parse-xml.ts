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
});

/**
 * Parses a document that must be whole. Document types are refused, for they may hold entities that grow without end.
 * Throws SOURCE_UNAVAILABLE, to be tried again, without quoting it.
 */
export function parseXml(name: string, bytes: Uint8Array): Element {
  const text = decode(bytes);
  if (text === undefined) throw noXml(name, bytes.length);
  if (/<!DOCTYPE/i.test(text.slice(0, 4096)) || XMLValidator.validate(text) !== true) throw noXml(name, bytes.length);
  try {
    return parser.parse(text);
  } catch {
    throw noXml(name, bytes.length);
  }
}

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

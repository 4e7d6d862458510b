import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { RollcallError } from '../../core/errors.ts';

/** One element: text alone, or attributes as `@name`, text as `#text`, children by name; many of one name are a list. */
export type Element = unknown;

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
  const text = Buffer.from(bytes).toString('utf8');
  if (/<!DOCTYPE/i.test(text.slice(0, 4096)) || XMLValidator.validate(text) !== true) throw noXml(name, bytes.length);
  try {
    return parser.parse(text);
  } catch {
    throw noXml(name, bytes.length);
  }
}

function noXml(name: string, length: number): RollcallError {
  const message =
    `the answer to ${name} is no whole XML (${length} bytes came). ` +
    'Check that the address is the web service itself, not a login or maintenance page.';
  return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
}

/** The first element at the path; undefined where a step is missing. */
export function at(element: Element, ...path: readonly string[]): Element {
  let current = element;
  for (const step of path) {
    const [first] = all(current);
    if (typeof first !== 'object' || first === null || !Object.hasOwn(first, step)) return undefined;
    current = (first as Readonly<Record<string, unknown>>)[step];
  }
  return current;
}

/** One element or many, as a list. */
export function all(element: Element): readonly Element[] {
  if (element === undefined) return [];
  return Array.isArray(element) ? element : [element];
}

/** The text of the first element at the path, trimmed; undefined where there is none, or it is blank. */
export function textAt(element: Element, ...path: readonly string[]): string | undefined {
  const [found] = all(at(element, ...path));
  const text = typeof found === 'object' ? at(found, '#text') : found;
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  return text.trim();
}

/** The `ID` of a reference with this type: `WID`, `Employee_ID`. */
export function referenceId(reference: Element, type: string): string | undefined {
  const found = all(at(reference, 'ID')).find((id) => at(id, '@type') === type);
  return found === undefined ? undefined : textAt(found);
}

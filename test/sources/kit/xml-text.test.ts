import fc from 'fast-check';
import { XMLParser } from 'fast-xml-parser';
import { expect, it } from 'vitest';
import { xmlAttribute, xmlText } from '../../../src/sources/kit/xml-text.ts';

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  htmlEntities: true,
});

it('any text comes back out of a document, but for signs that XML cannot hold', () => {
  const legal = fc.string({ unit: 'binary' }).map((text) => xmlLegal(text));
  fc.assert(
    fc.property(legal, (text) => {
      const document = `<a b="${xmlAttribute(text)}">x${xmlText(text)}x</a>`;
      expect(parser.parse(document)).toEqual({ a: { '#text': `x${text}x`, '@b': text } });
    }),
  );
});

it('signs that XML cannot hold are left out', () => {
  expect(xmlText('a\u0000b\u001fc\ud800d\ufffee😀\t\n')).toBe('abcde😀\t\n');
});

it('a quotation mark cannot end an attribute, a tag cannot begin in a text', () => {
  expect(xmlAttribute('" onload="x" \'<>&')).toBe("&quot; onload=&quot;x&quot; '&lt;>&amp;");
  expect(xmlText('</Password><Admin>&amp;')).toBe('&lt;/Password&gt;&lt;Admin&gt;&amp;amp;');
});

/** XML 1.0, 2.2. */
function xmlLegal(text: string): string {
  return [...text]
    .filter((sign) => /^[\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]$/u.test(sign))
    .join('');
}

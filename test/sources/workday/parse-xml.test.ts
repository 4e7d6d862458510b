import { describe, expect, it } from 'vitest';
import { all, at, openXmlParser, referenceId, textAt } from '../../../src/sources/workday/soap/get-workers.ts';

const parseXml = await openXmlParser();
const parse = (text: string): unknown => parseXml('POST Get_Workers', Buffer.from(text));

/** Ten entities, each of them ten times the one before: a thousand million signs. */
function laughs(before: string, after: string): string {
  const entities = Array.from({ length: 9 }, (_, level) => `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`);
  return `${before}<!DOCTYPE a [<!ENTITY l0 "Ana">${entities.join('')}]>${after}`;
}

describe('an answer in XML', () => {
  it('has its signs decoded once, and its digits kept', () => {
    const element = parse(
      '<w:a xmlns:w="x" w:t="&quot;R&amp;amp;D&#233;"><w:b>007</w:b><w:b>&amp;lt;<![CDATA[<&amp;>]]></w:b></w:a>',
    );
    expect(textAt(element, 'a', '@t')).toBe('"R&amp;Dé');
    expect(all(at(element, 'a', 'b')).map((b) => textAt(b))).toEqual(['007', '&lt;<&amp;>']);
  });

  it('may hold as many encoded signs as there are people', () => {
    const names = '<n>Ana &amp; Br&#252;no</n>'.repeat(20_000);
    expect(all(at(parse(`<a>${names}</a>`), 'a', 'n'))).toHaveLength(20_000);
  });

  it('may speak of document types where they are only text', () => {
    const text =
      '<!-- <!DOCTYPE a> --><a><b><![CDATA[<!DOCTYPE a [<!ENTITY b "c">]>]]></b><c>&lt;!DOCTYPE a&gt;</c></a>';
    expect(textAt(parse(text), 'a', 'b')).toBe('<!DOCTYPE a [<!ENTITY b "c">]>');
    expect(textAt(parse(text), 'a', 'c')).toBe('<!DOCTYPE a>');
  });

  it.each([
    ['cut', '<a><b>Ana</b>'],
    ['empty', ''],
    ['no XML', 'Ana'],
    ['a web page', '<html><br>Please log in, Ana</html>'],
    ['with entities of its own', '<!DOCTYPE a [<!ENTITY b "Ana"><!ENTITY c "&b;&b;">]><a>&c;</a>'],
    ['with entities after a long comment', `<!--${' '.repeat(5_000)}<x>--><!DOCTYPE a [<!ENTITY b "Ana">]><a>&b;</a>`],
    ['with entities within its root', '<a><!DOCTYPE a [<!ENTITY b "Ana"><!ENTITY c "Ana">]><b>&b;&c;</b></a>'],
    ['with entities in another case', '<?xml version="1.0"?>\n<!doctype a [<!ENTITY b "Ana">]><a>&b;</a>'],
    ['made to grow without end', laughs(`<!--${' '.repeat(5_000)}-->`, '<a>&l9;</a>')],
    ['made to grow without end, within its root', `<r>${laughs('', '<a>&l9;</a>')}</r>`],
    ['not UTF-8', Buffer.from('<a>Ana Müller</a>', 'latin1')],
  ])('is not taken when it is %s, and not quoted', (_name, body) => {
    const parseIt = (): unknown => parseXml('POST Get_Workers', Buffer.from(body));
    expect(parseIt).toThrow(expect.objectContaining({ code: 'SOURCE_UNAVAILABLE', retry: 'backoff' }));
    expect(parseIt).not.toThrow(/Ana/);
  });
});

it('one element is read like a list of one, and what is not there is undefined', () => {
  const one = parse('<r><ID type="WID">w1</ID></r>');
  const two = parse('<r><ID type="WID">w1</ID><ID type="Employee_ID"> 0021 </ID></r>');
  expect([referenceId(at(one, 'r'), 'WID'), referenceId(at(two, 'r'), 'WID')]).toEqual(['w1', 'w1']);
  expect(referenceId(at(two, 'r'), 'Employee_ID')).toBe('0021');
  expect(referenceId(at(one, 'r'), 'Employee_ID')).toBeUndefined();
  expect(at(one, 'r', 'x', 'y')).toBeUndefined();
  expect(textAt(one, 'r', 'constructor')).toBeUndefined();
});

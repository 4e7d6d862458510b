import { describe, expect, it } from 'vitest';
import { parseXml } from '../../../src/sources/workday/parse-xml.ts';
import { all, at, referenceId, textAt } from '../../../src/sources/workday/xml.ts';

const parse = (text: string): unknown => parseXml('POST Get_Workers', Buffer.from(text));

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

  it.each([
    ['cut', '<a><b>Ana</b>'],
    ['empty', ''],
    ['no XML', 'Ana'],
    ['a web page', '<html><br>Please log in, Ana</html>'],
    ['with entities of its own', '<!DOCTYPE a [<!ENTITY b "Ana"><!ENTITY c "&b;&b;">]><a>&c;</a>'],
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

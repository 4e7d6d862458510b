import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../src/core/run/refusal.ts';
import { readJsonText } from '../../../src/sources/kit/http/read-json.ts';

const read = (text: string | Uint8Array, type?: string) =>
  readJsonText(typeof text === 'string' ? Buffer.from(text) : text, { header: () => type });
const ndjson = 'application/x-ndjson';

describe('a body of an HR system', () => {
  it.each<[string, string, string | undefined, unknown]>([
    ['one text', '{"a":1}', 'application/json', { a: 1 }],
    ['one text on lines of its own', '{\n"a": [1,\n2]}\n', undefined, { a: [1, 2] }],
    ['JSON lines', '{"a":1}\n{"a":2}\n', ndjson, [{ a: 1 }, { a: 2 }]],
    [
      'JSON lines without a last line end',
      '{"a":1}\r\n\r\n{"a":2}',
      'application/jsonl; charset=utf-8',
      [{ a: 1 }, { a: 2 }],
    ],
    ['JSON lines without a label', '{"a":1}\n{"a":2}\n', 'application/json', [{ a: 1 }, { a: 2 }]],
    ['one JSON line', '{"a":1}\n', ndjson, [{ a: 1 }]],
    ['a JSON sequence', '\u001e{"a":1}\n\u001e{"a":2}\n', 'application/json-seq', [{ a: 1 }, { a: 2 }]],
    ['an integer beyond 2^53', '{"a":9007199254740993}', undefined, { a: '9007199254740993' }],
    ['a quote and a colon inside a text', '{"a":"x\\":y","b":": \\"c\\":1"}', undefined, { a: 'x":y', b: ': "c":1' }],
    ['a member twice with one value', '{"a":{"b":[1,{}]},"a" : {"b":[1,{}]}}', undefined, { a: { b: [1, {}] } }],
    ['a member of another object', '[{"a":1},{"a":2}]', undefined, [{ a: 1 }, { a: 2 }]],
    [
      'a key that is a name of JavaScript',
      '{"__proto__":1,"b":1,"b":1}',
      undefined,
      JSON.parse('{"__proto__":1,"b":1}'),
    ],
  ])('is read: %s', (_, text, type, value) => {
    expect(read(text, type)).toEqual(value);
  });

  it('has trouble in a member that comes twice with different values, and nowhere else', () => {
    const value = read('{"data":[{"id":"1","s":"a","s":"b"},{"id":12345678901234567890,"s":"a"}],"t\\"":0}');
    expect(value).toMatchObject({
      data: [
        { id: '1', s: expect.any(Refusal) },
        { id: '12345678901234567890', s: 'a' },
      ],
    });
  });

  it.each([
    ['a cut text', '{"a":[1,2', 'application/json', /is not complete JSON/],
    ['a cut line', '{"a":1}\n{"a":2}\n{"a', ndjson, /has a line that is not complete JSON/],
    ['a cut line without a label', '{"a":1}\n{"a":2}\n{"a', undefined, /has a line that is not complete JSON/],
    ['no JSON', 'Sign in\nto go on', undefined, /is not complete JSON/],
    ['nothing', '', undefined, /is empty/],
  ])('is refused: %s', (_, text, type, message) => {
    expect(() => read(text, type)).toThrow(message);
  });

  it('is UTF-8, and what its header says only where it is not', () => {
    const name = '{"a":"Núñez"}';
    expect(read(Buffer.from(name), 'application/json; charset=iso-8859-1')).toEqual({ a: 'Núñez' });
    expect(read(Buffer.from(name, 'latin1'), 'application/json; charset=iso-8859-1')).toEqual({ a: 'Núñez' });
    expect(() => read(Buffer.from(name, 'latin1'), 'application/json; charset=never')).toThrow(/not UTF-8/);
    expect(() => read(Buffer.from(name, 'latin1'))).toThrow(/not UTF-8/);
  });
});

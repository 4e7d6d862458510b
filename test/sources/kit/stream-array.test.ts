import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactValue, readJson } from '../../../src/drivers/http/json-text.ts';
import { type ArrayPlace, streamArray } from '../../../src/sources/kit/stream-array.ts';
import { drawRuns } from '../../support/drawn.ts';

const place: ArrayPlace = { name: 'GET the report', path: ['Report_Entry'], numbers: 'exact' };

/** The bytes, so many at a time. */
async function* pieces(text: string | Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function read(text: string | Uint8Array, more: Partial<ArrayPlace> = {}, size = 7): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const items of streamArray(pieces(text, size), { ...place, ...more })) found.push(...items);
  return found;
}

const jsonObject = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 5 });

describe('the objects of one array in a large answer', () => {
  it('are judged by what stands beside them', async () => {
    const seen: unknown[] = [];
    const text =
      '{"success":false,"count":2,"note":null,"error":{"code":{"error":"x"}},"errors":[],"more":[{"ok":false}],"Report_Entry":[{"code":429}],"status":"error"}';
    await read(text, { judge: (name, beside) => seen.push(name, beside) });
    expect(seen).toEqual([
      'GET the report',
      { success: false, count: '2', note: null, error: [true], more: [true], status: 'error' },
    ]);
  });

  it('are those of the whole document, wherever the bytes are cut and whatever stands around the array', async () => {
    const around = fc.dictionary(
      fc.string().filter((key) => key !== 'Report_Entry'),
      fc.jsonValue({ maxDepth: 2 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(jsonObject),
        around,
        around,
        fc.integer({ min: 1, max: 40 }),
        async (people, a, b, size) => {
          const text = `{${[...membersOf(a), `"Report_Entry":${JSON.stringify(people)}`, ...membersOf(b)].join(',')}}`;
          expect(await read(text, {}, size)).toEqual(exactValue(readJson(Buffer.from(JSON.stringify(people)))));
        },
      ),
      { numRuns: drawRuns(150) },
    );
  });

  it('are never given as whole when the document is cut anywhere', async () => {
    const text = JSON.stringify({ title: 'x', Report_Entry: [{ a: 'ü' }, { a: [{ b: 1 }] }], n: 1 });
    const bytes = Buffer.from(text);
    for (let end = 0; end < bytes.length; end += 1) {
      await expect(read(bytes.subarray(0, end)), `cut after ${end} bytes`).rejects.toMatchObject({
        code: 'SOURCE_UNAVAILABLE',
        retry: 'backoff',
      });
    }
    expect(await read(text)).toHaveLength(2);
  });

  it.each([
    ['{}', 'without the list Report_Entry'],
    ['{"error":"expired"}', 'without the list Report_Entry'],
    ['{"Report_Entry":{}}', 'without the list Report_Entry'],
    ['{"Report_Entry":null}', 'without the list Report_Entry'],
    ['{"data":{"Report_Entry":[{"a":1}]}}', 'without the list Report_Entry'],
    ['[{"Report_Entry":[{"a":1}]}]', 'without the list Report_Entry'],
    ['{"Report_Entry":[{"a":1}]', 'ended early, after 25 bytes'],
    ['{"Report_Entry":[]} and more', 'is not complete JSON'],
    ['<html>Please log in, Ana</html>', 'is not complete JSON'],
    ['', 'ended early, after 0 bytes'],
  ])('are not had from %s', async (text, message) => {
    const failure = await read(text).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'SOURCE_UNAVAILABLE', message: expect.stringContaining(message) });
    expect(String(failure)).not.toContain('Ana');
  });

  it('are not had from what is not UTF-8', async () => {
    await expect(read(Buffer.from('{"Report_Entry":[{"a":"ü"}]}', 'latin1'))).rejects.toThrow('is not complete JSON');
  });

  it('an empty array is nobody, and no error', async () => {
    expect(await read('{"Report_Entry":[]}')).toEqual([]);
  });

  it.each([
    { path: ['d', 'results'], text: '{"x":{"results":[{"a":1}]},"d":{"y":[[{}]],"results":[{"a":2}]}}' },
    { path: [], text: '[{"a":2}]' },
  ])('lie at $path', async ({ path, text }) => {
    expect(await read(text, { path })).toEqual([{ a: 2 }]);
  });

  it.each([
    { numbers: 'exact', a: 7, b: '90071992547409931234', c: 1.5 },
    { numbers: 'text', a: '7', b: '90071992547409931234', c: '1.50' },
  ] as const)('keep the digits of their numbers: $numbers', async ({ numbers, a, b, c }) => {
    expect(await read('{"Report_Entry":[{"a":7,"b":90071992547409931234,"c":1.50}]}', { numbers })).toEqual([
      { a, b, c },
    ]);
  });

  it('come while the answer is still on its way', async () => {
    const gate = Promise.withResolvers<void>();
    async function* slow(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{"Report_Entry":[{"a":1},');
      await gate.promise;
      yield Buffer.from('{"a":2}]}');
    }
    const reading = streamArray(slow(), place);
    expect((await reading.next()).value).toEqual([{ a: 1 }]);
    gate.resolve();
    expect((await reading.next()).value).toEqual([{ a: 2 }]);
    expect((await reading.next()).done).toBe(true);
  });
});

function membersOf(object: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(object).map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
}

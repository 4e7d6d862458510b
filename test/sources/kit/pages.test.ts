import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ReadRequest } from '../../../src/ports/source.ts';
import { acceptsOnly, type NextPage, type Page, readPages } from '../../../src/sources/kit/pages.ts';
import { sourceIo } from '../../contracts/source.ts';

type Pages = (place: number, number: number) => Page<number>;

async function read(page: Pages, more: { accepts?: (fields: Readonly<Record<string, unknown>>) => boolean } = {}) {
  const reading = readPages(
    { first: 0, key: 'id', page: async (place, number) => page(place, number), ...more },
    sourceIo(),
  );
  const records: unknown[] = [];
  const sizes: number[] = [];
  for (let step = await reading.next(); ; step = await reading.next()) {
    if (step.done) return { end: step.value, ids: records, sizes };
    sizes.push(step.value.records.length);
    for (const { fields } of step.value.records) records.push(fields.id);
  }
}

const people = (ids: readonly number[]) => ids.map((id) => ({ id }));
const range = (from: number, to: number) =>
  people(Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index));
const more = (place: number, id = String(place)): NextPage<number> => ({ kind: 'more', place, id });
const perhaps = (place: number): NextPage<number> => ({ kind: 'perhaps-end', place, id: String(place) });
const end: NextPage<number> = { kind: 'end', why: 'no next page' };

/** A server of `count` people that gives `size` at a time and never says where it ends. */
const silent =
  (count: number, size: number): Pages =>
  (place) => {
    const page = range(place, Math.min(count, place + size));
    const next = place + page.length;
    return { people: page, next: page.length < size ? perhaps(next) : more(next) };
  };

it('everybody comes once, whatever the size of pages, in bounded portions', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 1_500 }), fc.integer({ min: 1, max: 1_500 }), async (count, size) => {
      const { end: ended, ids, sizes } = await read(silent(count, size));
      expect(ended).toMatchObject({ complete: true, rows: count });
      expect(ids).toEqual(range(0, count).map(({ id }) => id));
      expect(Math.max(...sizes)).toBeLessThanOrEqual(500);
    }),
    { numRuns: 40 },
  );
});

it('a page that is only shorter than others is not the end', async () => {
  const sizes = [3, 1, 3, 2];
  const { end: ended, ids } = await read((place, number) => {
    const size = sizes[number - 1] ?? 0;
    return { people: range(place, place + size), next: size < 3 ? perhaps(place + size) : more(place + size) };
  });

  expect(ended).toMatchObject({ complete: true, rows: 9, evidence: 'an empty page after 9 people' });
  expect(ids).toHaveLength(9);
});

it('an empty page in between is not the end where the source says that more follows, and a doubt without a total', async () => {
  const emptyBetween = (total?: number) =>
    read((_, number) => {
      if (number === 2) return { people: [], total, next: more(2) };
      return { people: people([number]), total, next: number === 3 ? end : more(number) };
    });

  expect((await emptyBetween(2)).end).toMatchObject({ complete: true, rows: 2 });
  const reasons = ['a page was empty, although the answer says that more people follow'];
  expect((await emptyBetween()).end).toEqual({ complete: false, rows: 2, reasons });
});

describe('not complete is a read', () => {
  it.each<[string, Pages, string]>([
    [
      'whose pages are empty for ever, each with another place',
      (_, number) => ({ people: number === 1 ? people([1]) : [], next: more(number) }),
      'empty pages in a row',
    ],
    ['whose next page was read before', (_, number) => ({ people: people([number]), next: more(7) }), 'leads back'],
    [
      'that gets the same page again and again',
      (place) => ({ people: people([1, 2]), next: more(place + 1) }),
      'a page that was already read',
    ],
    [
      'whose total changes between two pages',
      (place, number) => ({ people: people([number]), total: 4 - number, next: number === 2 ? end : more(place + 1) }),
      'total changed',
    ],
    [
      'whose total is told on the first page alone, and wrong',
      (_, number) =>
        number === 1 ? { people: people([1]), total: 3, next: more(1) } : { people: people([2]), next: end },
      'a total of 3, but returned 2',
    ],
    [
      'whose pages say so',
      () => ({ people: people([1]), doubts: ['the cache is being filled'], next: end }),
      'the cache is being filled',
    ],
    ['of nobody', () => ({ people: [], next: end }), 'returned no records'],
    [
      'of nobody, with an empty page after it',
      (place) => ({ people: [], next: perhaps(place) }),
      'returned no records',
    ],
  ])('%s', async (_, pages, reason) => {
    const { end: ended } = await read(pages);

    expect(ended).toMatchObject({
      complete: false,
      reasons: expect.arrayContaining([expect.stringContaining(reason)]),
    });
  });

  it('where people move between pages, whichever two change places', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 9 }), fc.integer({ min: 0, max: 17 }), async (size, deleted) => {
        const all = range(0, 40);
        fc.pre(deleted < size * 2);
        const { end: ended } = await read((place, number) => {
          if (number === 3) all.splice(deleted, 1);
          const page = all.slice(place, place + size);
          return {
            people: page,
            total: all.length,
            next: page.length < size ? perhaps(place + page.length) : more(place + size),
          };
        });
        expect(ended.complete).toBe(false);
      }),
    );
  });
});

describe('a look-up', () => {
  const request: ReadRequest = { kind: 'point', identifications: [' ÁNA ', '2'], field: 'id' };

  it('gives the people asked for, white space, case and composition aside', async () => {
    const accepts = acceptsOnly(request);
    const ids = ['a\u0301na', 2, '22', null];

    const found = await read(() => ({ people: ids.map((id) => ({ id })), next: end }), { ...(accepts && { accepts }) });

    expect(found.ids).toEqual(['a\u0301na', 2]);
  });

  it('of everybody is no look-up', () => {
    expect(acceptsOnly({ kind: 'full' })).toBeUndefined();
  });
});

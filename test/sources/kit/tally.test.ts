import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Fields, openTally } from '../../../src/sources/kit/pages.ts';

type Person = Readonly<Record<string, unknown>>;

const somebody = fc.record({ id: fc.uuid(), name: fc.string(), boss: fc.option(fc.string()) });
const crowd = fc.uniqueArray(somebody, { selector: ({ id }) => id, minLength: 1, maxLength: 40 });

function count(
  people: readonly (Fields | undefined)[],
  facts: { evidence: string; total?: number } = { evidence: 'the end' },
) {
  const tally = openTally({ key: 'id' });
  for (const person of people) tally.add(person);
  return tally.end(facts);
}

function shuffled<T>(list: readonly T[], seed: number): T[] {
  return list
    .map((one, index) => ({ one, at: Math.sin((index + 1) * (seed + 1)) }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
}

describe('the stamp of a read', () => {
  it('is the same in whatever order people come', () => {
    fc.assert(
      fc.property(crowd, fc.nat(1000), (people, seed) => {
        expect(count(shuffled(people, seed))).toEqual(count(people));
      }),
    );
  });

  it('is another one when anybody comes, goes or changes', () => {
    fc.assert(
      fc.property(crowd, fc.nat(), (people, which) => {
        const index = which % people.length;
        const changed = people.map((person, at) => (at === index ? { ...person, name: `${person.name}!` } : person));
        const stamps = [people, changed, people.slice(1), [...people, { id: 'another' }]].map((all) => {
          const end = count(all.length === 0 ? [{ id: 'nobody else' }] : all);
          return end.complete ? end.stamp : expect.unreachable();
        });
        expect(new Set(stamps).size).toBe(stamps.length);
      }),
    );
  });
});

describe('a read is complete', () => {
  it('when each person came once and the total says so', () => {
    fc.assert(
      fc.property(crowd, (people) => {
        const end = count(people, { evidence: 'no next page', total: people.length });
        expect(end).toMatchObject({ complete: true, rows: people.length, evidence: 'no next page' });
      }),
    );
  });

  it('but never when a total is wrong or somebody came twice', () => {
    fc.assert(
      fc.property(crowd, fc.integer({ min: -3, max: 3 }), fc.boolean(), (people, off, twice) => {
        fc.pre(off !== 0 || twice);
        const more = twice ? people.slice(0, 1) : [];
        const end = count([...people, ...more], { evidence: 'the end', total: people.length + off });
        expect(end).toMatchObject({ complete: false, rows: people.length + more.length });
        if (!end.complete) expect(end.reasons).toHaveLength([off !== 0, twice].filter(Boolean).length);
      }),
    );
  });

  it('with a doubt when one of many has no key, and not when nobody has one, or nobody is an object', () => {
    const [some, none] = [{ id: 1 }, { id: null }];
    expect(count([some, none])).toMatchObject({ complete: true, rows: 2, doubts: ['1 record has no id'] });
    expect(count([none, none])).toMatchObject({ complete: false, reasons: ['2 records have no id'] });
    expect(count([some, undefined])).toMatchObject({ complete: true, rows: 2 });
    expect(count([undefined])).toMatchObject({ complete: false, reasons: [expect.stringContaining('an object')] });
  });

  it('or when nobody came, unless only changes were asked for', () => {
    expect(count([])).toMatchObject({ complete: false, reasons: [expect.stringContaining('no records')] });
    const delta = openTally({ key: 'id', mayBeEmpty: true, expected: ['name'] });
    const end = delta.end({ evidence: 'no changes' });
    expect(end).toMatchObject({ complete: true, rows: 0 });
    expect(end).not.toHaveProperty('notReturned');
  });

  it('or when there is a doubt, which is told once', () => {
    const tally = openTally({ key: 'id' });
    tally.add({ id: 1 });
    tally.doubt('the pages moved');
    tally.doubt('the pages moved');
    expect(tally.end({ evidence: 'the end' })).toEqual({ complete: false, rows: 1, reasons: ['the pages moved'] });
  });
});

it('a field that came for nobody is named, complete or not', () => {
  const tally = openTally({ key: 'id', expected: ['name', 'boss'] });
  tally.add({ id: 1, name: null });
  tally.doubt('the pages moved');
  expect(tally.end({ evidence: 'the end' })).toMatchObject({ complete: false, notReturned: ['boss'] });
});

it('1 and "1" are one key, and a key may be made of several fields', () => {
  const tally = openTally({ key: 'id' });
  for (const id of [1, '1', 0]) tally.add({ id });
  const twice = expect.stringContaining('1 record was returned twice');
  expect(tally.end({ evidence: 'the end' })).toMatchObject({ complete: false, reasons: [twice] });
  const double = openTally({ key: ({ id, company }) => `${id} ${company}` });
  for (const company of [1, 2]) double.add({ id: 1, company });
  expect(double.end({ evidence: 'the end' })).toMatchObject({ complete: true, rows: 2 });
});

describe('a field that was asked for', () => {
  it.each<[string, readonly Person[], readonly string[] | undefined]>([
    ['came for somebody', [{ id: 1 }, { id: 2, mail: 'a' }], undefined],
    ['is known to be empty for all', [{ id: 1, mail: null }], undefined],
    ['came for nobody', [{ id: 1 }, { id: 2 }], ['mail']],
  ])('%s', (_, people, notReturned) => {
    const tally = openTally({ key: 'id', expected: ['mail'] });
    for (const person of people) tally.add(person);
    expect(tally.end({ evidence: 'the end' })).toEqual({
      complete: true,
      rows: people.length,
      evidence: 'the end',
      stamp: expect.any(String),
      asOf: 'read',
      ...(notReturned === undefined ? {} : { notReturned }),
    });
  });

  it('may lie inside of others', () => {
    const tally = openTally({ key: 'id', expected: ['name.first', 'home.city', 'boss.mail'] });
    tally.add({ id: 1, name: { first: 'Ana' }, home: null, boss: { id: 2 } });
    expect(tally.end({ evidence: 'the end' })).toMatchObject({ notReturned: ['boss.mail'] });
  });
});

it('a list that never ends is refused when it has more records than any company has people', () => {
  const tally = openTally({ key: 'id', maxRecords: 3 });
  for (const id of ['1', '2', '3']) tally.add({ id });

  expect(() => tally.add({ id: '4' })).toThrow(/more than 3 records and still more follow/);
});

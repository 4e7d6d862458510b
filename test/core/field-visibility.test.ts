import { describe, expect, it } from 'vitest';
import {
  correctVisibility,
  neverShown,
  openFillCount,
  vanishedFields,
  watchFields,
  withInputs,
} from '../../src/core/guard/field-visibility.ts';

describe('a field is visible', () => {
  it.each([
    { fields: { end: '2024-06-30' }, path: 'end', isSeen: true },
    { fields: { end: '' }, path: 'end', isSeen: true },
    { fields: { end: null }, path: 'end', isSeen: true },
    { fields: { end: undefined }, path: 'end', isSeen: false },
    { fields: {}, path: 'end', isSeen: false },
    { fields: { 'work.email': 'a' }, path: 'work.email', isSeen: true },
    { fields: { work: { email: null } }, path: 'work.email', isSeen: true },
    { fields: { work: null }, path: 'work.email', isSeen: true },
    { fields: { work: {} }, path: 'work.email', isSeen: false },
    { fields: { work: 'Sales' }, path: 'work.email', isSeen: false },
    { fields: { phones: [] }, path: 'phones.0.value', isSeen: true },
    { fields: { work: undefined }, path: 'work.email', isSeen: false },
    { fields: { work: { email: undefined } }, path: 'work.email', isSeen: false },
    { fields: { work: {} }, path: 'work.0', isSeen: false },
    { fields: { phones: [] }, path: 'phones.10', isSeen: true },
    { fields: { phones: [] }, path: 'phones.x0', isSeen: false },
    { fields: { phones: [] }, path: 'phones.0x', isSeen: false },
    { fields: { phones: [{}] }, path: 'phones.0.value', isSeen: false },
    { fields: {}, path: 'constructor', isSeen: false },
    { fields: {}, path: '__proto__', isSeen: false },
  ])('$path of $fields: $isSeen', ({ fields, path, isSeen }) => {
    const watch = watchFields([path]);
    watch.see({ at: 'item 1', fields });
    expect(Object.entries(watch.visibility())).toEqual([[path, isSeen]]);
  });

  it('when one record of many shows it', () => {
    const watch = watchFields(['a', 'b', 'c']);
    for (const fields of [{}, { b: 1 }, { c: null }, {}]) watch.see({ at: 'x', fields });
    expect(watch.visibility()).toEqual({ a: false, b: true, c: true });
  });
});

describe('a field that a source derives from others', () => {
  const derives = { rollcallStatus: ['status', 'end'], workEmail: ['emails'] };

  it('brings its inputs to what is watched, with the keys that read it', () => {
    const readers = new Map([
      ['rollcallStatus', ['lifecycle.status', 'scope']],
      ['status', ['customFields.1']],
      ['id', ['identification']],
    ]);

    const all = withInputs(readers, derives);

    expect([...all.readers]).toEqual([
      ...readers,
      ['end', ['lifecycle.status (by rollcallStatus)', 'scope (by rollcallStatus)']],
    ]);
    expect([...all.derivedFrom]).toEqual(['end']);
    expect([...withInputs(readers).readers]).toEqual([...readers]);
  });

  it('is said to have vanished with an input, but not to be misspelt where an input never came', () => {
    const fields = withInputs(new Map([['rollcallStatus', ['lifecycle.status']]]), derives);
    const now = { rollcallStatus: true, status: true, end: false };

    expect(neverShown({ ...fields, now, before: undefined, notReturned: [] })).toEqual([]);
    expect(vanishedFields({ ...fields, now, before: undefined, notReturned: [] })).toEqual([]);
    expect(vanishedFields({ ...fields, now, before: { end: true }, notReturned: [] })).toMatchObject([{ read: 'end' }]);
    expect(vanishedFields({ ...fields, now, before: undefined, notReturned: ['end'] })).toEqual([]);
  });
});

it('what the source says it returned for no record is not visible, although every record has null for it', () => {
  const visibility = { end: true, 'end.day': true, ending: true, start: false };
  expect(correctVisibility(visibility, ['end'])).toEqual({ end: false, 'end.day': false, ending: true, start: false });
  expect(correctVisibility(visibility, [])).toBe(visibility);
});

describe('a field that nobody shows', () => {
  const readers = new Map([['end', ['lifecycle.leaveDate', 'orgEntryDate']]]);
  const before =
    /^lifecycle\.leaveDate and orgEntryDate read `end`, but no record has this field any longer\. .*removed/;
  const asked = /read `end`, but the source returned this field for no record. Check its name/;

  it.each([
    { name: 'and did before, is gone', was: { end: true }, asked: [], reason: before },
    { name: 'and was asked for, did before, is gone', was: { end: true }, asked: ['end'], reason: before },
    { name: 'and was asked for, at the first read, is gone', was: undefined, asked: ['end'], reason: asked },
    { name: 'and was asked for, and is mapped since today, is gone', was: {}, asked: ['end'], reason: asked },
    { name: 'at the first read, is only rare', was: undefined, asked: [], reason: undefined },
    { name: 'and is mapped since today, is only rare', was: { other: true }, asked: [], reason: undefined },
    { name: 'and did not before either, is as it was', was: { end: false }, asked: [], reason: undefined },
    { name: 'and a person accepted that, is as it was', was: { end: false }, asked: ['end'], reason: undefined },
    { name: 'while another one was asked for in vain', was: undefined, asked: ['en', 'end.day'], reason: undefined },
  ])('$name', ({ was, asked: notReturned, reason }) => {
    const gone = vanishedFields({ readers, now: { end: false }, before: was, notReturned });
    expect(gone.map((field) => field.reason)).toEqual(reason === undefined ? [] : [expect.stringMatching(reason)]);
  });

  it.each([
    { name: 'at the first read', was: undefined, asked: [], isTold: true },
    { name: 'and is mapped since today', was: { other: true }, asked: [], isTold: true },
    { name: 'and did before, which is told otherwise', was: { end: true }, asked: [], isTold: false },
    { name: 'and did not before either', was: { end: false }, asked: [], isTold: false },
    { name: 'and was asked for, which is told otherwise', was: undefined, asked: ['end'], isTold: false },
  ])('$name: is it told as one that may be misspelt ($isTold)', ({ was, asked: notReturned, isTold }) => {
    const told = neverShown({ readers, now: { end: false }, before: was, notReturned });

    expect(told).toEqual(
      isTold ? [expect.stringMatching(/read `end`, but no record has this field\. Check its name/)] : [],
    );
    expect(neverShown({ readers, now: { end: true }, before: was, notReturned })).toEqual([]);
  });

  it('is gone too when what it lies in was asked for in vain', () => {
    const inside = new Map([['manager.email', ['email']]]);
    const facts = { readers: inside, now: { 'manager.email': false }, before: undefined, notReturned: ['manager'] };
    expect(vanishedFields(facts)).toEqual([
      {
        read: 'manager.email',
        readers: ['email'],
        reason: expect.stringMatching(/^email reads `manager\.email`, but the source/),
      },
    ]);
    expect(neverShown({ ...facts, notReturned: [] })).toEqual([
      expect.stringMatching(/^email reads `manager\.email`, but no record has this field/),
    ]);
  });

  it('is none when somebody shows it, whatever the source says', () => {
    expect(vanishedFields({ readers, now: { end: true }, before: { end: true }, notReturned: ['end'] })).toEqual([]);
  });
});

it('counts values, blanks and what is not shown apart, inside objects too', () => {
  const count = openFillCount();
  const records = [
    { id: 1, work: { email: 'a@example.com', site: { name: null } }, tags: [] },
    { id: 0, work: { email: ' ' }, tags: ['x'], left: false },
    { id: '', work: null, nick: undefined },
    { work: {} },
  ];
  for (const fields of records) count.count({ at: 'x', fields });

  expect(count.fields()).toEqual([
    { path: 'id', filled: 2, empty: 1 },
    { path: 'work.email', filled: 1, empty: 1 },
    { path: 'work.site.name', filled: 0, empty: 1 },
    { path: 'tags', filled: 1, empty: 1 },
    { path: 'left', filled: 1, empty: 0 },
    { path: 'work', filled: 0, empty: 2 },
  ]);
});

it('counts a bounded number of fields and levels', () => {
  const count = openFillCount();
  count.count({ at: 'x', fields: { a: { b: { c: { d: { e: 1 } } } } } });
  expect(count.fields()).toEqual([{ path: 'a.b.c.d', filled: 1, empty: 0 }]);
  expect(count.isCut).toBe(false);

  count.count({ at: 'x', fields: Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`f${i}`, i])) });
  expect(count.fields()).toHaveLength(2000);
  expect(count.isCut).toBe(true);
});

it('is not cut by more records of as many fields as are counted', () => {
  const count = openFillCount();
  const fields = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`f${i}`, i]));
  count.count({ at: 'x', fields });
  count.count({ at: 'x', fields });
  expect(count.isCut).toBe(false);
  expect(count.fields()[1999]).toEqual({ path: 'f1999', filled: 2, empty: 0 });
});

import { expect, it } from 'vitest';
import { openFillCount } from '../../src/core/guard/field-visibility.ts';

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

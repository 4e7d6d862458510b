import fc from 'fast-check';
import { expect, it } from 'vitest';
import { account, openPlanScene, row } from '../run/plan-scene.ts';

type Row = Readonly<Record<string, string>>;

/** What programs do to a cell, by what it looks like before. */
const damages: readonly { readonly name: string; readonly of: (text: string) => string }[] = [
  ...['NULL', '\\N', '(null)', 'None', 'NaN', 'undefined', '#N/A', '[object Object]', ''].map((word) => {
    return { name: `becomes ${word || 'blank'}`, of: () => word };
  }),
  { name: 'gets the mark of text', of: (text) => `'${text}` },
  { name: 'becomes a formula', of: (text) => `="${text}"` },
  { name: 'gets a decimal part', of: (text) => (/^\d+$/.test(text) ? `${text}.0` : text) },
  { name: 'loses its zeros', of: (text) => text.replace(/^0+/, '') },
  { name: 'gets marks of thousands', of: (text) => text.replace(/(\d)(\d{3})$/, '$1,$2') },
  { name: 'gets an invisible character', of: (text) => `${text}\u200b` },
  { name: 'is read in another encoding', of: (text) => Buffer.from(`${text}é`).toString('latin1') },
  { name: 'is a date long ago', of: () => '1970-01-01' },
  { name: 'is the end of time', of: () => '4712-12-31' },
  { name: 'is in a year of two digits', of: () => '0027-12-31' },
  { name: 'is in a year that was typed wrongly', of: () => '2206-12-31' },
  { name: 'is in another order of day and month', of: (text) => text.replace(/^(\d{4})-(\d\d)-(\d\d)$/, '$3/$2/$1') },
];

/** How kinds of source give a cell: as text, as a value of a database or of JSON. */
const writings: Readonly<Record<string, (text: string) => unknown>> = {
  'a file': (text) => text,
  'a database': (text) => (text === '' ? null : text),
  'an API': (text) => (/^[1-9]\d*$/.test(text) ? Number(text) : text === '' ? null : text),
};

const columns = ['id', 'first', 'last', 'email', 'area', 'born', 'hired', 'leaves', 'status', 'job'] as const;
const numbers = Array.from({ length: 12 }, (_, i) => String(i % 2 === 0 ? 1001 + i : `0${1001 + i}`));

/** Ten people with accounts, of whom one left today, and two who join. */
const people: readonly Row[] = numbers.map((id, i) => ({
  id,
  first: `Ana${i}`,
  last: 'Díaz',
  email: `p${id}@example.com`,
  born: `19${70 + i}-05-06`,
  hired: '2020-03-04',
  leaves: i === 1 ? '2099-05-06' : '',
  status: i === 0 ? 'left' : 'active',
}));

async function access(rows: readonly Row[], write: (text: string) => unknown): Promise<readonly string[]> {
  const known = numbers.slice(0, 10);
  const users = known.map((id) => account(id, { fields: { email: `p${id}@example.com` } }));
  const scene = await openPlanScene({
    records: people.slice(0, 10).map((one) => row(one.id ?? '', { ...one, status: 'active' })),
    users,
    settings: { missing: { afterReads: 1, minAgeMs: 0 } },
  });
  await scene.plan();
  scene.clock.advance(60_000);
  scene.source.records = rows.map((one, i) => {
    const cells = Object.entries({ ...one }).map(([name, text]) => [name, write(text)] as const);
    return row(`line ${i}`, Object.fromEntries(cells.filter(([, value]) => value !== undefined)));
  });
  const { kinds } = await scene.plan();
  return Object.entries(kinds)
    .filter(([, kind]) => /^(?:create|disable)/.test(kind))
    .map(([id, kind]) => `${kind.replace(' held', '')} ${id}`);
}

it.each(Object.entries(writings))(
  'damage to the cells of %s creates and disables no one whom the undamaged input would not',
  { timeout: 300_000 },
  async (_, write) => {
    const right = await access(people, write);
    expect(right.length).toBeGreaterThan(1);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...damages),
        fc.constantFrom(...columns),
        fc.subarray(
          numbers.map((_, i) => i),
          { minLength: 1 },
        ),
        async ({ name, of }, column, rows) => {
          // Nobody has seen the number of a newcomer with its zeros, so no run can miss them.
          const seen = column === 'id' && name === 'loses its zeros' ? 10 : people.length;
          const damaged = people.map((one, i) =>
            i < seen && rows.includes(i) ? { ...one, [column]: of(one[column] ?? '') } : one,
          );
          const wrong = (await access(damaged, write)).filter((change) => !right.includes(change));
          expect(wrong).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  },
);

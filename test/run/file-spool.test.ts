import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openFileSpool } from '../../src/store/db/file-spool.ts';
import { bytesOpenIn } from '../support/sockets-to.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it('gives back any texts, in any order, between further ones', async () => {
  const folder = await temporaryFolder();
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.nat(5000).map((length) => 'é'.repeat(length)),
  );
  const step = fc.oneof(fc.record({ append: text }), fc.record({ read: fc.nat() }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.constantFrom(0, 1 << 21, undefined), (steps, inMemory) => {
      const spool = openFileSpool(folder, inMemory);
      try {
        const kept: { place: number; text: string }[] = [];
        for (const one of steps) {
          if ('append' in one) kept.push({ place: spool.append(one.append), text: one.append });
          else if (kept.length > 0) {
            const chosen = kept[one.read % kept.length];
            expect(spool.read(chosen?.place ?? -1)).toBe(chosen?.text);
          }
        }
        for (const { place, text: wanted } of kept) expect(spool.read(place)).toBe(wanted);
      } finally {
        spool.close();
      }
    }),
  );
});

it.each([0, 2, 3, 48])(
  'takes records around and above the size of its buffer, with %i MiB in memory',
  async (mebibytes) => {
    const spool = openFileSpool(await temporaryFolder(), mebibytes << 20);
    const sizes = [0, 1, 1023, 1024, 1025, 349_523, 349_524, 349_525, 1 << 20, (1 << 20) + 1, 3_000_000, 5];
    const records = sizes.map((size, i) => (i % 2 === 0 ? 'a' : 'ñ').repeat(size));
    const places = records.map((record) => spool.append(record));
    expect(places.toReversed().map((place) => spool.read(place).length)).toEqual(sizes.toReversed());
    expect(places.every((place, i) => spool.read(place) === records[i])).toBe(true);
    spool.close();
  },
);

it('gives back what was appended after its neighbors were read', async () => {
  const spool = openFileSpool(await temporaryFolder(), 0);
  const records = Array.from({ length: 3000 }, (_, i) => `record ${i} `.repeat(1 + (i % 90)));
  const places: number[] = [];
  for (const [i, record] of records.entries()) {
    places.push(spool.append(record));
    // Each place twice, so that its surroundings are kept while more is written behind them.
    for (const at of [i, i, i >> 1]) expect(spool.read(places[at] as number)).toBe(records[at]);
  }
  expect(places.map((place) => spool.read(place))).toEqual(records);
  spool.close();
});

it('has no name on disk while it is open, and leaves nothing behind', async () => {
  const folder = await temporaryFolder();
  const spool = openFileSpool(folder, 0);
  spool.append('x'.repeat(1 << 20));
  const place = spool.append('somebody');
  expect(readdirSync(folder)).toEqual([]);
  expect(spool.read(place)).toBe('somebody');
  spool.close();
  expect(readdirSync(folder)).toEqual([]);
});

it('stays in memory up to its size, and then writes no text that can be read from the disk', async () => {
  const folder = await temporaryFolder();
  const spool = openFileSpool(folder, 1 << 20);
  spool.append('{"firstName":"Griselda"}');
  expect(bytesOpenIn(folder).length).toBe(0);
  const records = Array.from({ length: 30_000 }, (_, i) => `{"firstName":"Griselda","number":${i}}`);
  const places = records.map((record) => spool.append(record));
  expect(spool.read(places.at(-1) ?? -1)).toBe(records.at(-1));

  const bytes = bytesOpenIn(folder);
  expect(bytes.length).toBeGreaterThan(1_000_000);
  expect(bytes.includes('Griselda')).toBe(false);
  expect(bytes.includes('firstName')).toBe(false);
  spool.close();
});

it('refuses a position without a record', async () => {
  const spool = openFileSpool(await temporaryFolder());
  spool.append('one');
  expect(() => spool.read(1_000_000)).toThrow('no record at this position');
  spool.close();
});

import { expect, it } from 'vitest';
import { packRoster, saltedHash, standingCode } from '../../src/core/plan/roster.ts';
import type { Store } from '../../src/ports/store.ts';
import { openRun } from './store-samples.ts';

/** `count` active people `E0`… with an e-mail each. */
function rosterOf(count: number, run: string) {
  const hash = saltedHash('s');
  const keyOf = (text: string): readonly number[] => {
    const { hi, lo } = hash.of(text.toLowerCase());
    return [hi, lo];
  };
  const names = Array.from({ length: count }, (_, i) => `E${i}`);
  const people = names.flatMap((name) => [...keyOf(name), hash.of(name).hi, standingCode('active')]);
  const emails = names.flatMap((name) => [...keyOf(`${name}@example.com`), ...keyOf(name)]);
  const parts = {
    people: packRoster('people', Int32Array.from(people)),
    emails: packRoster('emails', Int32Array.from(emails)),
  };
  const pages = { people: parts.people.length, emails: parts.emails.length };
  const header = { sync: 'people', run, at: 5, fingerprint: 'f', salt: 's', rows: count, pages };
  return { header, pages: [...parts.people, ...parts.emails] };
}

export function describeRosters(current: () => Store): void {
  it('a sync has none before its first accepted read', async () => {
    expect(await current().rosters.open('people')).toBeUndefined();
  });

  it('comes with the read that it is made from', async () => {
    const { rosters, reads } = current();
    const owned = await openRun(current(), { id: 'run_1' });
    const { header, pages } = rosterOf(3, 'run_1');
    const read = { sync: 'people', run: 'run_1', at: 5, rows: 3, stamp: '', isAccepted: true, fillRates: {} };
    await rosters.put(owned, header, pages, { read });
    expect(await reads.last('people')).toMatchObject({ run: 'run_1', rows: 3 });
  });

  it('one that grows, shrinks or stays is replaced whole', async () => {
    const { rosters } = current();
    const owned = await openRun(current(), { id: 'run_1' });
    for (const count of [3, 9000, 9000, 2]) {
      const { header, pages } = rosterOf(count, 'run_1');
      await rosters.put(owned, header, pages);
      const roster = await rosters.open('people');
      expect(roster).toMatchObject(header);
      const last = `E${count - 1}`;
      const found = await roster?.people([last, `E${count}`]);
      expect([...(found ?? [])]).toEqual([[last, [{ standing: 'active', isExact: true }]]]);
      expect(await roster?.claims([`e0@example.com`])).toEqual(new Map([['e0@example.com', [roster?.keyOf('E0')]]]));
    }
  });
}

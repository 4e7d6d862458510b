import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareIdentifications } from '../../src/core/plan/change.ts';
import type { LedgerEntry } from '../../src/core/plan/ledger.ts';
import type { Store } from '../../src/ports/store.ts';
import { drawRuns } from '../support/drawn.ts';
import { someInstant as now } from '../support/fake-clock.ts';
import { collect, openRun, putEntries, sampleEntry } from './store-samples.ts';

export function describeLedger(store: () => Store): void {
  it('gives back every part of an entry, and leaves out what was never there', async () => {
    const { ledger } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    const full: LedgerEntry = {
      identification: 'ana',
      owner: 'people',
      accountId: '4711',
      hidden: { job: 'Engineer', seniority: '' },
      quirks: { area: { sent: 'A  B', observed: 'A B' } },
      unverified: 2,
      disabledAt: now,
      goneSince: now - 1,
      misses: { count: 2, since: now - 2, stamp: 'snapshot' },
      handOverSince: now - 5,
      taken: { from: 'others', at: now - 6 },
      removed: { at: now - 3, blacklist: true },
      writtenAt: now - 4,
    };
    const bare = sampleEntry('eva');
    await ledger.put(owned, [full, bare]);
    expect(await ledger.get('acme', 'ana')).toStrictEqual(full);
    expect(await ledger.get('acme', 'eva')).toStrictEqual(bare);
    expect(await ledger.get('acme', 'Ana')).toBeUndefined();
    expect(await ledger.get('globex', 'ana')).toBeUndefined();
    await ledger.put(owned, [sampleEntry('ana')]);
    expect(await ledger.get('acme', 'ana')).toStrictEqual(sampleEntry('ana'));
  });

  it('keeps the entry of a sync that owns the user by now, unless the new one was planned as a take-over of it', async () => {
    const { ledger } = store();
    const one = await openRun(store(), { id: 'run_1', sync: 'one' });
    const two = await openRun(store(), { id: 'run_2', sync: 'two' });
    const planned = sampleEntry('ana', { owner: 'one', accountId: '1', unverified: 1 });
    await ledger.put(one, [planned]);
    await ledger.takeOver(two, [{ identification: 'ana', owner: 'one' }], now);
    const ofTwo = { ...planned, owner: 'two', taken: { from: 'one', at: now } };
    await ledger.put(one, [{ ...planned, unverified: 2 }, sampleEntry('eva', { owner: 'one' })]);
    expect(await ledger.get('acme', 'ana')).toStrictEqual(ofTwo);
    expect((await ledger.get('acme', 'eva'))?.owner).toBe('one');
    await ledger.takeOver(one, [{ identification: 'ana', owner: 'two' }], now + 1);
    await ledger.put(two, [{ ...ofTwo, unverified: 2 }]);
    expect(await ledger.get('acme', 'ana')).toStrictEqual({ ...planned, taken: { from: 'two', at: now + 1 } });
    const taking = { ...ofTwo, taken: { from: 'one', at: now + 2 } };
    await ledger.put(two, [taking]);
    expect(await ledger.get('acme', 'ana')).toStrictEqual(taking);
  });

  it('replaces the entry of another sync that is removed, or about another account', async () => {
    const { ledger } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    const removed = { at: now, blacklist: false };
    const others = ['ana', 'eva', 'leo'].map((name) => sampleEntry(name, { owner: 'others', accountId: '1' }));
    await ledger.put(
      owned,
      others.map((entry) => (entry.identification === 'ana' ? { ...entry, removed } : entry)),
    );
    const accounts: Record<string, string> = { ana: '1', eva: '2', leo: '1' };
    await ledger.put(
      owned,
      others.map((entry) => ({ ...entry, owner: 'people', accountId: accounts[entry.identification] ?? '' })),
    );
    const owners = await Promise.all(
      ['ana', 'eva', 'leo'].map(async (name) => (await ledger.get('acme', name))?.owner),
    );
    expect(owners).toEqual(['people', 'people', 'others']);
  });

  it('takes the last of several entries of one person', async () => {
    const { ledger } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    await ledger.put(owned, [sampleEntry('ana', { unverified: 1 }), sampleEntry('ana', { unverified: 2 })]);
    expect((await ledger.get('acme', 'ana'))?.unverified).toBe(2);
  });

  it('finds many at once, whatever their number', async () => {
    const { ledger } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    const names = Array.from({ length: 1_300 }, (_, index) => `e${index}`);
    await putEntries(store(), owned, names);
    for (const count of [0, 1, 3, 257, 1_300]) {
      const found = await ledger.getMany('acme', [...names.slice(0, count), 'nobody']);
      expect([...found.keys()].sort()).toEqual(names.slice(0, count).sort());
    }
    expect((await ledger.getMany('globex', names)).size).toBe(0);
  });

  it('counts what a sync owns and has not removed', async () => {
    const { ledger } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    await ledger.put(owned, [
      sampleEntry('ana'),
      sampleEntry('eva', { disabledAt: now }),
      sampleEntry('leo', { removed: { at: now, blacklist: false } }),
      sampleEntry('max', { owner: 'others' }),
    ]);
    expect(await ledger.countOwned('acme', 'people')).toEqual({ managed: 2, enabled: 1 });
    expect(await ledger.countOwned('acme', 'others')).toEqual({ managed: 1, enabled: 1 });
    expect(await ledger.countOwned('globex', 'people')).toEqual({ managed: 0, enabled: 0 });
  });

  it('finds the enabled users of a sync of whom leaders wait', async () => {
    const { ledger } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    const waits = [{ by: 'identification', value: 'zoe', of: 'mainLeader', since: now }] as const;
    const leaders = { secondary: [], waits, checkedAt: now };
    await ledger.put(owned, [
      sampleEntry('ana', { leaders }),
      sampleEntry('eva', { leaders, disabledAt: now }),
      sampleEntry('kai', { leaders, goneSince: now }),
      sampleEntry('leo', { leaders, removed: { at: now, blacklist: false } }),
      sampleEntry('max', { leaders, owner: 'others' }),
      sampleEntry('zoe', { leaders: { secondary: [], checkedAt: now } }),
    ]);
    expect(await ledger.waiting('acme', 'people')).toStrictEqual([sampleEntry('ana', { leaders })]);
    expect(await ledger.waiting('globex', 'people')).toEqual([]);
    await ledger.put(owned, [sampleEntry('ana')]);
    expect(await ledger.waiting('acme', 'people')).toEqual([]);
  });

  it('moves users only from the sync that is named, and keeps what is known of the account', async () => {
    const { ledger } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    const gone = { goneSince: now, misses: { count: 1, since: now, stamp: 's' }, handOverSince: now };
    const theirs = { owner: 'others', hidden: { job: 'Baker' }, accountId: '7', disabledAt: now - 9 };
    await ledger.put(owned, [
      sampleEntry('ana', { ...theirs, ...gone }),
      sampleEntry('eva', { owner: 'thirds' }),
      sampleEntry('leo', { ...theirs, removed: { at: now, blacklist: false } }),
      sampleEntry('max'),
    ]);
    const names = ['ana', 'eva', 'leo', 'max', 'nobody'];
    const users = names.map((identification) => ({ identification, owner: 'others' }));
    expect(await ledger.takeOver(owned, users, now + 1)).toEqual(new Set(['ana']));
    const taken = { from: 'others', at: now + 1 };
    const {
      goneSince: _,
      misses: _misses,
      handOverSince: _since,
      ...kept
    } = sampleEntry('ana', { ...theirs, ...gone });
    expect(await ledger.get('acme', 'ana')).toStrictEqual({ ...kept, owner: 'people', taken });
    expect((await ledger.get('acme', 'eva'))?.owner).toBe('thirds');
    expect((await ledger.get('acme', 'leo'))?.owner).toBe('others');
    expect(await ledger.takeOver(owned, users, now + 2)).toEqual(new Set());
    expect(await ledger.takeOver(owned, [], now)).toEqual(new Set());
  });

  it('lets one of two syncs take a user over', async () => {
    const { ledger } = store();
    const one = await openRun(store(), { id: 'run_1', sync: 'one' });
    const two = await openRun(store(), { id: 'run_2', sync: 'two' });
    await ledger.put(one, [sampleEntry('ana', { owner: 'others' })]);
    const users = [{ identification: 'ana', owner: 'others' }];
    const taken = await Promise.all([ledger.takeOver(one, users, now), ledger.takeOver(two, users, now)]);
    expect(taken.map(({ size }) => size).sort()).toEqual([0, 1]);
  });

  it('streams every entry of a connection once, in code-point order, in pieces', async () => {
    const { ledger } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    const other = await openRun(store(), { id: 'run_2', sync: 'others', connection: 'globex' });
    const names = Array.from({ length: 9_000 }, (_, index) => `e${(index * 7_919) % 9_000}`);
    await putEntries(store(), owned, names);
    await ledger.put(other, [sampleEntry('e1')]);
    const pieces = await collect(ledger.all('acme'));
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.flat().map(({ identification }) => identification)).toEqual(names.toSorted(compareIdentifications));
    expect(await collect(ledger.all('nobody'))).toEqual([]);
  });

  it('can be written while it is streamed, and the reader can stop half-way', async () => {
    const { ledger } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    const names = Array.from({ length: 5_000 }, (_, index) => `e${index}`);
    await putEntries(store(), owned, names);
    let seen = 0;
    for await (const piece of ledger.all('acme')) {
      seen += piece.length;
      await ledger.put(
        owned,
        piece.slice(0, 10).map((entry) => ({ ...entry, unverified: 1 })),
      );
    }
    expect(seen).toBe(5_000);
    for await (const _ of ledger.all('acme')) break;
    expect((await ledger.get('acme', 'e0'))?.unverified).toBe(1);
  });

  it('orders any identifications as core does', async () => {
    const { ledger } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    const identification = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 6 })
      .filter((text) => !/\p{Cc}/u.test(text));
    let number = 0;
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(identification, { minLength: 1, maxLength: 30 }), async (names) => {
        number += 1;
        const part = { ...owned, run: { ...owned.run, connection: `acme ${number}` } };
        await ledger.put(
          part,
          names.map((name) => sampleEntry(name)),
        );
        const entries = (await collect(ledger.all(`acme ${number}`))).flat();
        expect(entries.map((entry) => entry.identification)).toEqual(names.toSorted(compareIdentifications));
      }),
      { numRuns: drawRuns(50) },
    );
  });
}

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSeal } from '../../src/platform/tokens/seal.ts';
import type { Store } from '../../src/ports/store.ts';
import type { Seal } from '../../src/ports/tokens.ts';
import { someInstant as now } from '../support/fake-clock.ts';
import {
  dayMs,
  endRun,
  openPlanned,
  openRun,
  sampleBatch,
  sampleChange,
  sampleEntry,
  writePlan,
} from './store-samples.ts';

/** A key that differs by its number. */
export function sampleKey(number: number): string {
  return Buffer.alloc(32, number).toString('base64');
}

type OpenWith = (seals: readonly Seal[]) => Promise<Store>;

/** What a store does with personal data, with one key and another. `newPlace` gives a new, empty store to open. */
export function describeSealing(name: string, newPlace: () => Promise<OpenWith>): void {
  describe(name, () => {
    const opened: Store[] = [];
    let open: OpenWith;
    beforeEach(async () => {
      const openPlace = await newPlace();
      open = async (seals) => {
        for (const store of opened.splice(0)) await store.close();
        const store = await openPlace(seals);
        opened.push(store);
        return store;
      };
    });
    afterEach(async () => {
      for (const store of opened.splice(0)) await store.close();
    });
    const seal = (number: number): Seal => openSeal(sampleKey(number));
    const entry = (id: string) => sampleEntry(id, { hidden: { phoneNumber: '+598 99 1' }, writtenAt: now });

    /** A run that ended, with a change, a ledger entry, findings and a text of the platform. */
    async function fill(store: Store, ids: readonly string[] = ['ana', 'eva']): Promise<void> {
      const owned = await openPlanned(
        store,
        { id: 'run_1' },
        ids.map((id) => sampleChange(id)),
      );
      await store.ledger.put(owned, ids.map(entry));
      const person = { name: 'Ana Díaz', email: 'ana@example.com', side: 'source', standing: 'active' } as const;
      const rows = ids.map((identification) => ({ ...person, identification, isOnPlatform: true, isEnabled: true }));
      await store.directories.write(owned, 'people', [{ page: 0, digest: 'd', rows }]);
      await store.rawTexts.add(owned, { at: now, about: 'batch 1', text: 'bad row: ana' });
      await store.runs.addFindings(owned, [
        { code: 'ignored-field', identification: 'ana', message: 'about ana' },
        { code: 'email-conflict', identification: 'eva', message: 'eva and ana want one e-mail' },
      ]);
      await endRun(store, owned);
    }

    async function reads(store: Store): Promise<void> {
      expect(await store.plans.get('run_1', 'ana')).toMatchObject({
        after: sampleChange('ana').after,
        reason: sampleChange('ana').reason,
      });
      expect(await store.ledger.get('acme', 'ana')).toEqual(entry('ana'));
      expect(await store.directories.read('people', [0])).toMatchObject([{ rows: [{ name: 'Ana Díaz' }, {}] }]);
    }

    it('is sealed as soon as there is a key, and what was there before in the background', async () => {
      const plain = await open([]);
      await fill(plain);
      expect(await plain.sealing.reseal(100)).toBe(0);
      const sealed = await open([seal(1)]);
      await reads(sealed);
      expect(await sealed.sealing.reseal(3)).toBe(3);
      await reads(sealed);
      expect(await sealed.sealing.reseal(100)).toBe(2);
      expect(await sealed.sealing.reseal(100)).toBe(0);
      await reads(sealed);
    });

    it('keeps raw answers of other systems only with a key', async () => {
      const plain = await open([]);
      await fill(plain);
      expect(await plain.rawTexts.ofRun('run_1')).toEqual([]);
      const sealed = await (await newPlace())([seal(1)]);
      opened.push(sealed);
      await fill(sealed);
      expect(await sealed.rawTexts.ofRun('run_1')).toEqual([{ at: now, about: 'batch 1', text: 'bad row: ana' }]);
    });

    it('is read with the former key, sealed again with the new one, and then needs the former no more', async () => {
      await fill(await open([seal(1)]));
      const both = await open([seal(2), seal(1)]);
      await reads(both);
      expect(await both.sealing.reseal(100)).toBeGreaterThan(0);
      expect(await both.sealing.reseal(100)).toBe(0);
      const renewed = await open([seal(2)]);
      await reads(renewed);
      expect(await renewed.rawTexts.ofRun('run_1')).toHaveLength(1);
    });

    it('can still be opened when its sync has another name', async () => {
      const store = await open([seal(1)]);
      await fill(store);
      const entry = { id: 'audit_1', at: now, by: 'ops', action: 'adopt', detail: undefined, run: undefined } as const;
      const names = { from: 'people', to: 'staff', connection: 'acme' };
      expect(await store.syncNames.rename(names, { ...entry, sync: 'staff', connection: 'acme' })).toBe(true);
      expect(await store.directories.read('people', [0])).toEqual([]);
      expect(await store.directories.read('staff', [0])).toMatchObject([{ rows: [{ name: 'Ana Díaz' }, {}] }]);
      expect(await store.ledger.get('acme', 'ana')).toMatchObject({
        owner: 'staff',
        hidden: { phoneNumber: '+598 99 1' },
      });
    });

    it('is refused by name of the key when the key is another one or gone', async () => {
      await fill(await open([seal(1)]));
      const other = await open([seal(2)]);
      await expect(other.ledger.get('acme', 'ana')).rejects.toMatchObject({ code: 'STORE_INVALID' });
      await expect(other.plans.get('run_1', 'ana')).rejects.toThrow(seal(1).keyId);
      await expect(open([])).rejects.toThrow(/sealed with the key [0-9a-f]{8}, and encryptionKey is not set/);
      await reads(await open([seal(1)]));
    });

    /** The audit entry of a drop. */
    const drop = (at: number) => ({
      ...({ id: `audit_${at}`, at, by: 'ops', action: 'drop-unreadable', detail: 'key' } as const),
      ...{ sync: undefined, connection: undefined, run: undefined },
    });

    it('that no key opens is counted by key, and dropped but for owner and who disabled, with an audit entry', async () => {
      const first = await open([seal(1)]);
      await fill(first);
      const owned = await openRun(first, { id: 'run_2' });
      const disabled = sampleEntry('bob', { hidden: { job: 'Cook' }, disabledAt: now - 5, goneSince: now - 5 });
      await first.ledger.put(owned, [disabled]);
      await writePlan(first, { id: 'run_2', owned }, ['bob']);
      await first.batches.create(owned, [{ batch: sampleBatch(owned, 1), identifications: ['bob'] }]);
      await first.batches.update(owned, sampleBatch(owned, 1).id, { state: 'unresolved', sentAt: now });
      await first.plans.setStates(owned, [{ identification: 'bob', state: 'unresolved' }]);
      expect(await first.sealing.unreadable()).toEqual([]);

      const second = await open([seal(2)]);
      const counts = {
        keyId: seal(1).keyId,
        ledger: 3,
        changes: 3,
        rawTexts: 1,
        directories: 1,
        tokens: 0,
        forgotten: 0,
      };
      expect(await second.sealing.unreadable()).toEqual([counts]);
      await expect(second.sealing.dropUnreadable(now + 1, drop(now))).rejects.toThrow(/run_2 has not ended/);
      await endRun(second, owned);
      await expect(second.sealing.dropUnreadable(now - 1, drop(now))).rejects.toThrow(/may still be processing/);
      expect(await second.sealing.unreadable()).toEqual([counts]);

      await second.sealing.dropUnreadable(now + 1, drop(now));
      expect(await second.sealing.unreadable()).toEqual([]);
      expect(await second.ledger.get('acme', 'ana')).toEqual({ ...entry('ana'), hidden: {} });
      expect(await second.ledger.get('acme', 'bob')).toEqual({ ...disabled, hidden: {} });
      expect(await second.plans.get('run_1', 'ana')).toMatchObject({ after: {}, state: 'dropped', kind: 'update' });
      expect(await second.plans.get('run_2', 'bob')).toMatchObject({ after: {}, state: 'failed' });
      expect((await second.batches.unknown(['acme'])).unresolved).toEqual([]);
      expect(await second.rawTexts.ofRun('run_1')).toEqual([]);
      expect(await second.audit.list({ limit: 9 })).toMatchObject([{ action: 'drop-unreadable', by: 'ops' }]);
      await expect(open([])).rejects.toThrow(`sealed with the key ${seal(2).keyId}`);
    });

    it('drops what is kept about forgotten people only when the key of their hash is lost', async () => {
      const first = await open([seal(1)]);
      await fill(first);
      await first.people.forget('ana', now);
      const second = await open([seal(2)]);
      expect(await second.sealing.unreadable()).toMatchObject([{ keyId: seal(1).keyId, forgotten: 1 }]);
      await expect(second.ledger.get('acme', 'ana')).rejects.toMatchObject({ code: 'STORE_INVALID' });

      await second.sealing.dropUnreadable(now, drop(now));
      expect(await second.ledger.get('acme', 'ana')).toBeUndefined();
      await second.people.forget('eva', now);
      expect(await second.ledger.get('acme', 'eva')).toMatchObject({ owner: 'people', hidden: {} });
      const third = await open([seal(3), seal(2)]);
      await third.sealing.dropUnreadable(now, drop(now + 1));
      expect(await third.ledger.get('acme', 'eva')).toMatchObject({ owner: 'people' });
    });

    it('of one person can be read whole, and is erased but for a keyed hash', async () => {
      const store = await open([seal(1)]);
      await fill(store);
      const before = await store.people.read('ana');
      expect(before).toMatchObject({ ledger: [{ connection: 'acme' }], forgotten: [], rawTexts: 1 });
      expect(before.changes).toHaveLength(1);
      expect(before.findings.map(({ message }) => message)).toEqual(['about ana', 'eva and ana want one e-mail']);

      expect(await store.people.forget('ana', now)).toEqual({ kept: ['acme'] });
      const after = await store.people.read('ana');
      expect(after).toMatchObject({ ledger: [], changes: [], findings: [], decisions: [], requests: [], rawTexts: 0 });
      expect(after.forgotten).toMatchObject([{ connection: 'acme', entry: { owner: 'people', hidden: {} }, at: now }]);
      expect((await store.runs.findings('run_1')).map(({ message }) => message)).toEqual([
        'eva and (forgotten) want one e-mail',
      ]);
      expect((await store.plans.count('run_1')).states).toMatchObject({ planned: 2 });
      expect(await store.plans.get('run_1', 'eva')).toMatchObject({ after: sampleChange('eva').after });
    });

    it('of a person who was removed with blacklist keeps that, whatever the key', async () => {
      const store = await open([seal(1)]);
      const owned = await openRun(store, { id: 'run_1' });
      const removed = { at: now - 5, blacklist: true };
      await store.ledger.put(owned, [sampleEntry('ana', { removed, disabledAt: now - 9, goneSince: now - 9 })]);
      await endRun(store, owned);
      await store.people.forget('ana', now);
      const both = await open([seal(2), seal(1)]);
      await both.sealing.reseal(100);
      const renewed = await open([seal(2)]);
      for (const found of [
        await renewed.ledger.get('acme', 'ana'),
        (await renewed.ledger.getMany('acme', ['ana', 'eva'])).get('ana'),
      ]) {
        expect(found).toMatchObject({ identification: 'ana', owner: 'people', removed, disabledAt: now - 9 });
      }
      expect(await renewed.ledger.get('other', 'ana')).toBeUndefined();
      expect((await renewed.ledger.countOwned('acme', 'people')).managed).toBe(0);
    });

    it('is not erased while a run may still change the person', async () => {
      const store = await open([]);
      const owned = await openPlanned(store, { id: 'run_1' }, ['ana']);
      await expect(store.people.forget('ana', now)).rejects.toMatchObject({ code: 'CONFLICT' });
      await store.batches.create(owned, [{ batch: sampleBatch(owned, 1), identifications: ['ana'] }]);
      await store.plans.setStates(owned, [{ identification: 'ana', state: 'unresolved' }]);
      await endRun(store, owned);
      await expect(store.people.forget('ana', now)).rejects.toThrow(/run_1 may still change this person/);
    });

    it('is not erased while a run may still set the person as a leader', async () => {
      const store = await open([seal(1)]);
      const before = { userId: '', enabled: true, fields: { mainLeader: '', secondaryLeaders: '' } };
      const lead = { before, after: { mainLeader: 'ana' }, changed: ['mainLeader'], classes: ['leads'] } as const;
      const owned = await openPlanned(store, { id: 'run_1' }, [sampleChange('eva', 'lead', lead)]);
      await expect(store.people.forget('ana', now)).rejects.toThrow(/run_1 may still change this person/);
      await endRun(store, owned);
      await store.people.forget('ana', now);
      expect(await store.plans.get('run_1', 'eva', 'leaders')).toMatchObject({ kind: 'lead', after: {}, changed: [] });
    });

    it('of users who have been gone for long is kept behind the hash, others stay', async () => {
      const store = await open([]);
      const owned = await openRun(store, { id: 'run_1' });
      const at = now - 500 * dayMs;
      await store.ledger.put(owned, [
        sampleEntry('removed', { removed: { at, blacklist: false } }),
        sampleEntry('disabled', { disabledAt: at, goneSince: at }),
        sampleEntry('back', { disabledAt: at }),
        sampleEntry('active', {}),
      ]);
      expect(await store.people.forgetGone(now - 400 * dayMs, now, 1)).toBe(1);
      expect(await store.people.forgetGone(now - 400 * dayMs, now, 9)).toBe(1);
      expect(await store.people.forgetGone(now - 400 * dayMs, now, 9)).toBe(0);
      const names: string[] = [];
      for await (const entries of store.ledger.all('acme')) names.push(...entries.map((one) => one.identification));
      expect(names).toEqual(['active', 'back']);
      expect(await store.ledger.get('acme', 'disabled')).toMatchObject({ disabledAt: at, hidden: {} });
    });
  });
}

import { expect, it } from 'vitest';
import type { AuditEntry, Store } from '../../src/ports/store.ts';
import { someInstant as now } from '../support/fake-clock.ts';
import { openRun, sampleEntry } from './store-samples.ts';

/** Pauses, the audit, triggers by key and the pages of runs. */
export function describeOperations(store: () => Store): void {
  it('sessions last until they end, and expired ones leave no row', async () => {
    const { sessions } = store();
    const session = {
      ...({
        key: 'a',
        name: 'user:7',
        label: undefined,
        groups: ['hr-it'],
        grants: [{ role: 'viewer' }, { role: 'operator', syncs: ['people'] }],
        method: 'openid',
        origin: 'https://login.example.com',
      } as const),
      ...{ createdAt: 5_000_000_000, usedAt: 5_000_000_000, expiresAt: 5_000_001_000 },
    };
    await sessions.add(session);
    expect(await sessions.get('a')).toEqual(session);
    expect(await sessions.get('b')).toBeUndefined();
    await sessions.touch('a', 5_000_000_500);
    await sessions.touch('a', 5_000_000_400);
    expect(await sessions.get('a')).toEqual({ ...session, usedAt: 5_000_000_500 });
    expect(await sessions.regrant(session, [{ role: 'viewer' }])).toBe(true);
    expect(await sessions.regrant(session, [{ role: 'viewer' }])).toBe(false);
    expect(await sessions.get('a')).toMatchObject({ grants: [{ role: 'viewer' }] });
    const later = {
      ...session,
      key: 'b',
      label: 'ana',
      origin: 'hash',
      createdAt: 5_000_001_000,
      expiresAt: 5_000_002_000,
    };
    await sessions.add(later);
    expect(await sessions.get('a')).toBeUndefined();
    expect(await sessions.list()).toEqual([later]);
    expect(await sessions.end('b')).toBe(true);
    expect(await sessions.end('b')).toBe(false);
  });

  it('a sync is paused once, by whoever was first, until it is resumed', async () => {
    const { pauses } = store();
    expect(await pauses.get('people', 7_000_000_000)).toBeUndefined();
    expect(await pauses.add({ sync: 'people', pausedAt: 5_000_000_000, by: 'ops' })).toBe(true);
    expect(await pauses.add({ sync: 'people', pausedAt: 6_000_000_000, by: 'night' })).toBe(false);
    expect(await pauses.get('people', 7_000_000_000)).toEqual({ sync: 'people', pausedAt: 5_000_000_000, by: 'ops' });
    expect(await pauses.get('other', 7_000_000_000)).toBeUndefined();
    expect(await pauses.remove('people', 7_000_000_000)).toBe(true);
    expect(await pauses.remove('people', 7_000_000_000)).toBe(false);
  });

  it('a pause with an end is over at that instant, for its sync and for the requests that wait', async () => {
    const { pauses, triggers, runs } = store();
    const pause = { sync: 'people', pausedAt: 5_000_000_000, by: 'ops', until: 6_000_000_000 };
    await pauses.add(pause);
    const request = { kind: 'manual', requestedAt: 1, scope: { kind: 'all' } } as const;
    await triggers.add({ ...request, sync: 'people', id: 'trigger_1', key: 'k1' });
    const make = { id: 'run_1', connection: 'acme' };
    const during = 5_999_999_999;
    expect([await pauses.get('people', during), await pauses.list(during)]).toEqual([pause, [pause]]);
    expect([...(await triggers.waitingSyncs(during)).keys()]).toEqual([]);
    expect(await runs.open('people', { ...make, now: during })).toBeUndefined();
    expect([await pauses.get('people', 6_000_000_000), await pauses.list(6_000_000_000)]).toEqual([undefined, []]);
    expect([...(await triggers.waitingSyncs(6_000_000_000)).keys()]).toEqual(['people']);
    expect(await runs.open('people', { ...make, now: 6_000_000_000 })).toMatchObject({ isNew: true });
    expect(await pauses.add({ ...pause, pausedAt: 6_000_000_000, until: 7_000_000_000, by: 'night' })).toBe(true);
    expect(await pauses.remove('people', 7_000_000_000)).toBe(false);
  });

  it('the audit is told newest first, in pages, of all syncs or of one', async () => {
    const { audit } = store();
    const entries = Array.from(
      { length: 5 },
      (_, i): AuditEntry => ({
        id: `audit_${i}`,
        at: 5_000_000_000 + i,
        by: 'ops',
        action: i === 4 ? 'token-revoke' : 'pause',
        sync: i === 4 ? undefined : i === 3 ? 'other' : 'people',
        connection: i === 4 ? 'acme' : undefined,
        run: i === 1 ? 'run_1' : undefined,
        detail: i === 2 ? 'why' : undefined,
      }),
    );
    for (const entry of entries) await audit.add(entry);
    const newest = entries.toReversed();
    expect(await audit.list({ limit: 10 })).toEqual(newest);
    expect(await audit.list({ limit: 2 })).toEqual(newest.slice(0, 2));
    expect(await audit.list({ limit: 2, before: 'audit_3' })).toEqual(newest.slice(2, 4));
    expect(await audit.list({ limit: 10, sync: 'other' })).toEqual([entries[3]]);
    expect(await audit.list({ limit: 10, sync: 'people' })).toEqual(newest.slice(2));
  });

  it('stores an adoption and its audit entry together', async () => {
    const { ledger, audit } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    await ledger.put(owned, [sampleEntry('ana', { owner: 'others' })]);
    const users = [{ identification: 'ana', owner: 'others' }];
    const order = { connection: 'acme', sync: 'people', users, at: now };
    const entry = {
      id: 'audit_1',
      at: now,
      by: 'ana',
      action: 'adopt',
      sync: 'people',
      connection: 'acme',
      run: undefined,
      detail: 'ana (others)',
      reason: 'moved',
    } as const;
    expect(await ledger.adopt(order, entry)).toEqual(new Set(['ana']));
    expect(await audit.list({ limit: 5 })).toEqual([entry]);
    await expect(
      ledger.adopt({ ...order, sync: 'others', users: [{ identification: 'ana', owner: 'people' }] }, entry),
    ).rejects.toThrow();
    expect((await ledger.get('acme', 'ana'))?.owner).toBe('people');
  });

  it('moves what is known of an account to its new identification, once, and only for its owner', async () => {
    const { ledger } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    const gone = { misses: { count: 1, since: 1, stamp: 's' }, goneSince: 1 };
    const known = sampleEntry('ana', { owner: 'people', hidden: { job: 'Clerk' } });
    await ledger.put(owned, [{ ...known, ...gone }, sampleEntry('leo', { owner: 'others' })]);
    const order = { connection: 'acme', sync: 'people', accountId: known.accountId ?? '7', by: 'ana', at: now };
    for (const from of ['ana', 'ana', 'leo', 'eva']) await ledger.rename({ ...order, from, to: `new-${from}` });
    expect(await ledger.get('acme', 'ana')).toBeUndefined();
    const moved = { ...known, identification: 'new-ana', accountId: order.accountId };
    expect(await ledger.get('acme', 'new-ana')).toEqual(moved);
    await ledger.rename({ ...order, accountId: 'another', from: 'new-ana', to: 'ana' });
    expect(await ledger.get('acme', 'new-ana')).toEqual(moved);
    expect((await ledger.get('acme', 'leo'))?.owner).toBe('others');
  });

  it('a request is stored with its entry in the audit, and both only once', async () => {
    const { triggers, audit } = store();
    const trigger = { sync: 'people', kind: 'manual', requestedAt: 1, scope: { kind: 'all' } } as const;
    const places = { sync: 'people', connection: undefined, run: undefined, detail: 'all employees' };
    const entry = { id: 'audit_1', at: now, by: 'ana', action: 'request-run', ...places } as const;
    expect(await triggers.add({ ...trigger, id: 'trigger_1', key: 'k1' }, entry)).toBe(true);
    expect(await triggers.add({ ...trigger, id: 'trigger_2', key: 'k1' }, { ...entry, id: 'audit_2' })).toBe(false);
    expect(await audit.list({ limit: 5 })).toEqual([entry]);
  });

  it('no run opens while its sync is paused, but the run in progress is still found', async () => {
    const { triggers, runs, pauses } = store();
    const make = { connection: 'acme', now: 2 };
    const request = { sync: 'people', kind: 'manual', requestedAt: 1, scope: { kind: 'all' } } as const;
    await triggers.add({ ...request, id: 'trigger_1', key: 'k1' });
    await pauses.add({ sync: 'people', pausedAt: 1, by: 'ana' });
    expect(await runs.open('people', { id: 'run_1', ...make })).toBeUndefined();
    expect(await triggers.state('trigger_1')).toEqual({ kind: 'waiting' });
    await pauses.remove('people', 7_000_000_000);
    expect(await runs.open('people', { id: 'run_1', ...make })).toMatchObject({ isNew: true });
    await pauses.add({ sync: 'people', pausedAt: 3, by: 'ana' });
    await triggers.add({ ...request, id: 'trigger_2', key: 'k2' });
    expect(await runs.open('people', { id: 'run_2', ...make })).toMatchObject({ run: { id: 'run_1' }, isNew: false });
  });

  it('runs are told in pages that neither repeat nor skip, also those of one instant', async () => {
    const { triggers, runs } = store();
    for (let i = 0; i < 5; i += 1) {
      const sync = `people-${i}`;
      const scope = { kind: 'all' } as const;
      await triggers.add({ id: `trigger_${i}`, sync, kind: 'manual', key: `k${i}`, requestedAt: 1, scope });
      await runs.open(sync, { id: `run_${i}`, connection: 'acme', now: i < 3 ? 1 : 2 });
    }
    const seen: string[] = [];
    for (;;) {
      const last = seen.at(-1);
      const after = last === undefined ? undefined : await runs.get(last);
      const page = await runs.list({ limit: 2, ...(after === undefined ? {} : { after }) });
      if (page.length === 0) break;
      seen.push(...page.map(({ id }) => id));
    }
    expect(seen).toEqual(['run_4', 'run_3', 'run_2', 'run_1', 'run_0']);
  });
}

import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { openSeal } from '../../src/platform/tokens/seal.ts';
import type { AuditEntry, Store } from '../../src/ports/store.ts';
import { openStore } from '../../src/store/index.ts';
import { dayMs } from '../contracts/store-samples.ts';
import { sampleKey } from '../contracts/store-sealing.ts';
import { someInstant as now } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const seals = [openSeal(sampleKey(1))];

function entry(number: number, over: Partial<AuditEntry> = {}): AuditEntry {
  const about = { sync: 'people', connection: undefined, run: undefined, detail: 'eva and ana', reason: 'asked' };
  return { id: `audit_${number}`, at: now + number * dayMs, by: 'ops', action: 'adopt', ...about, ...over };
}

/** A store with six entries in the chain, and its file in other hands. */
async function openChain(): Promise<{ readonly store: Store; readonly tamper: (sql: string) => void }> {
  const folder = await temporaryFolder();
  const store = await openStore('sqlite:./store.db', { folder, seals });
  onTestFinished(() => store.close());
  for (let number = 1; number <= 6; number++) await store.audit.add(entry(number));
  const tamper = (sql: string): void => {
    const db = new Sqlite(join(folder, 'store.db'));
    db.exec(sql);
    db.close();
  };
  return { store, tamper };
}

it.each([
  ['a text', "update audit set why = 'never asked' where seq = 3", 'entry 3 (audit_3) was changed'],
  ['a column', "update audit set by_whom = 'ana' where seq = 3", 'entry 3 (audit_3) was changed'],
  ['a commitment', "update audit set commitment = 'x', salt = null where seq = 3", 'entry 3 (audit_3) was changed'],
  ['an entry less', 'delete from audit where seq = 3', 'entry 3 is missing, before audit_4'],
  [
    'two in another order',
    'update audit set seq = case seq when 3 then 94 else 3 end where seq in (3, 4); update audit set seq = 4 where seq = 94',
    'entry 3 (audit_4) was changed',
  ],
])('the chain of the audit shows that somebody changed %s', async (_, sql, broken) => {
  const { store, tamper } = await openChain();
  expect(await store.audit.prove()).toMatchObject({ from: 0, to: 6, forgotten: 0, broken: undefined });
  tamper(sql);
  expect(await store.audit.prove()).toMatchObject({ to: 2, broken });
});

it('the chain holds after a person was forgotten, a sync was renamed, and old entries were pruned', async () => {
  const { store, tamper } = await openChain();
  await store.signing.renew(entry(7, { action: 'new-signing-key' }));
  await store.people.forget('eva', now);
  expect((await store.audit.list({ limit: 9 })).map(({ detail }) => detail)).toContain('(forgotten) and ana');
  expect(await store.audit.prove()).toMatchObject({ to: 7, forgotten: 6, broken: undefined });
  await store.syncNames.rename(
    { from: 'people', to: 'staff', connection: 'acme' },
    entry(8, { action: 'rename-sync', sync: 'staff' }),
  );
  expect((await store.audit.list({ limit: 9, sync: 'staff' })).length).toBe(8);
  expect(await store.audit.prove()).toMatchObject({ to: 8, broken: undefined });
  await store.runs.prune(now, 0, { audit: now + 3 * dayMs });
  expect(await store.audit.prove()).toMatchObject({ from: 2, to: 8, forgotten: 4, broken: undefined });
  await store.audit.add(entry(9));
  await store.runs.prune(now, 0, { audit: now + 90 * dayMs });
  await store.audit.add(entry(91));
  expect(await store.audit.prove()).toMatchObject({ from: 9, to: 10, broken: undefined });
  tamper("update audit_heads set chain = 'another'");
  const broken = 'the head of the pruned entries does not match its signature';
  expect(await store.audit.prove()).toMatchObject({ broken });
});

it('a new key signs from then on, its private part is sealed, and the former ones keep their public part', async () => {
  const { store } = await openChain();
  expect(await store.signing.sign('a text')).toBeUndefined();
  await store.signing.renew(entry(7, { action: 'new-signing-key' }));
  const first = await store.signing.sign('a text');
  await store.signing.renew(entry(8, { action: 'new-signing-key' }));
  const [current, former] = await store.signing.keys();
  expect([current?.isCurrent, former?.isCurrent, former?.id]).toEqual([true, false, first?.key]);
  expect((await store.signing.sign('a text'))?.key).toBe(current?.id);
  const folder = await temporaryFolder();
  const plain = await openStore('sqlite:./store.db', { folder });
  onTestFinished(() => plain.close());
  expect(() => plain.signing.renew(entry(1))).toThrow('set "encryptionKey" first');
});

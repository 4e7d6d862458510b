import { expect, it } from 'vitest';
import type { DirectoryHeader, DirectoryPage, DirectoryRow } from '../../src/ports/reads.ts';
import type { OwnedRun, Store } from '../../src/ports/store.ts';
import { someInstant as now } from '../support/fake-clock.ts';
import { endRun, openRun } from './store-samples.ts';

const row = (identification: string): DirectoryRow => ({
  identification,
  name: `Ana ${identification}`,
  email: `${identification}@example.com`,
  side: 'source',
  standing: 'active',
  isOnPlatform: true,
  isEnabled: true,
  ...(identification === 'E2' ? { birthDate: '1990-01-02' } : {}),
});
const page = (number: number, ...names: readonly string[]): DirectoryPage => ({
  page: number,
  digest: names.join(),
  rows: names.map(row),
});

export function describeDirectories(store: () => Store): void {
  const put = async (...pages: readonly DirectoryPage[]) => {
    const owned = await openRun(store(), { id: 'run_1' });
    const people = pages.reduce((sum, { rows }) => sum + rows.length, 0);
    await end(owned, { at: now, people, pages: pages.length }, pages);
    return owned;
  };
  const end = (owned: OwnedRun, found: Omit<DirectoryHeader, 'sync' | 'run'>, last: readonly DirectoryPage[]) => {
    const header = { sync: 'people', run: owned.run.id, ...found };
    const roster = { ...header, fingerprint: '', salt: '', rows: 0, pages: { people: 0, emails: 0 } };
    return store().rosters.put(owned, roster, [], { directory: { header, pages: last } });
  };

  it('keeps the people of a sync in pages, and replaces those that are written again', async () => {
    const { directories } = store();
    expect(await directories.list()).toEqual([]);
    const owned = await put(page(0, 'E1', 'E2'), page(1, 'E3'), page(2, 'E4'));
    expect(await directories.list()).toMatchObject([{ sync: 'people', at: now, people: 4, pages: 3 }]);
    expect([...(await directories.digests('people'))].sort()).toEqual([
      [0, 'E1,E2'],
      [1, 'E3'],
      [2, 'E4'],
    ]);
    await directories.write(owned, 'people', [page(1, 'E5', 'E6')]);
    await end(owned, { at: now + 1, people: 4, pages: 2 }, []);
    const pages = [...(await directories.read('people', [0, 1, 2]))];
    expect(pages.sort((a, b) => a.page - b.page)).toEqual([page(0, 'E1', 'E2'), page(1, 'E5', 'E6')]);
    expect(await directories.digests('other')).toEqual(new Map());
  });

  it('takes out a person who is forgotten, shows the entry before, and has the page written again', async () => {
    const owned = await put(page(0, 'E1', 'E2'), page(1, 'E3'));
    expect((await store().people.read('E2')).directories).toEqual([{ sync: 'people', row: row('E2') }]);
    await endRun(store(), owned);
    await store().people.forget('E2', now);
    expect((await store().people.read('E2')).directories).toEqual([]);
    expect(await store().directories.read('people', [0])).toEqual([{ page: 0, digest: '', rows: [row('E1')] }]);
    expect((await store().directories.digests('people')).get(1)).toBe('E3');
  });

  it('drops what was read long ago', async () => {
    await put(page(0, 'E1'));
    await store().runs.prune(now, 0);
    expect(await store().directories.list()).toHaveLength(1);
    await store().runs.prune(now + 1, 0);
    expect(await store().directories.list()).toEqual([]);
    expect(await store().directories.digests('people')).toEqual(new Map());
  });
}

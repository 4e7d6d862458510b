import { tmpdir } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Person, RejectedPerson } from '../../../src/core/person/person.ts';
import type { DirectoryPage, DirectoryRow } from '../../../src/ports/reads.ts';
import type { Store } from '../../../src/ports/store.ts';
import { noOtherAccounts, type OtherAccounts, openOtherAccounts } from '../../../src/run/compare/other-accounts.ts';
import type { EngineIo } from '../../../src/run/engine-io.ts';
import { mark } from '../../../src/run/read/marks.ts';
import type { PeopleIndex } from '../../../src/run/read/people-index.ts';
import { type KnownPeople, writeDirectory } from '../../../src/run/record/write-people.ts';
import { openFileSpool } from '../../../src/store/db/file-spool.ts';
import { openStore } from '../../../src/store/index.ts';
import { openRun } from '../../contracts/store-samples.ts';
import { missingProof, person, user, wanted } from '../../core/cases.ts';
import { openIndex } from '../open-index.ts';

type Shown = Pick<KnownPeople, 'index'> & Partial<Pick<KnownPeople, 'others'>>;

interface Scene {
  readonly store: Store;
  /** The pages of each write. */
  readonly writes: readonly (readonly DirectoryPage[])[];
  write(shown: Shown): Promise<void>;
  rows(): Promise<readonly DirectoryRow[]>;
}

async function openScene(): Promise<Scene> {
  const store = await openStore('sqlite::memory:', { folder: tmpdir() });
  onTestFinished(() => store.close());
  const owned = await openRun(store, { id: 'run_1' });
  const { directories } = store;
  const writes: (readonly DirectoryPage[])[] = [];
  const write: typeof directories.write = (by, sync, pages) => {
    writes.push(pages);
    return directories.write(by, sync, pages);
  };
  const io = { store: { ...store, directories: { ...directories, write } } } as EngineIo;
  return {
    store,
    writes,
    async write(shown) {
      const people = { others: noOtherAccounts(), ...shown };
      const directory = await writeDirectory(owned, { people, sync: 'people', proof: missingProof }, io);
      if (directory.pages.length > 0) writes.push(directory.pages);
      const read = { sync: 'people', run: owned.run.id, at: missingProof.readAt, fingerprint: '', salt: '', rows: 0 };
      await store.rosters.put(owned, { ...read, pages: { people: 0, emails: 0 } }, [], { directory });
    },
    async rows() {
      const [header] = await directories.list();
      const all = Array.from({ length: header?.pages ?? 0 }, (_, page) => page);
      return (await directories.read('people', all)).flatMap((page) => page.rows);
    },
  };
}

/** An index of these people. Those of `seen` have an account. */
function indexOf(people: readonly (Person | RejectedPerson)[], seen: readonly string[] = []): PeopleIndex {
  const index = openIndex(undefined, 'salt');
  for (const one of people) {
    const slot = index.add(one.identification);
    index.fill(slot, one);
    index.set(slot, mark.inSource | (seen.includes(one.identification) ? mark.seen : 0));
  }
  return index;
}

const named = (identification: string, over: Partial<Person> = {}): Person =>
  person({ identification, fields: { firstName: identification, lastName: 'Li', email: '' }, ...over });

/** Accounts with these keys (high, low, content), whose position is their name. */
function accounts(keys: readonly (readonly [number, number, number])[], onRow = (_page: number) => {}): OtherAccounts {
  return {
    add: () => {},
    entries: () => Int32Array.from(keys.flatMap((key, position) => [...key, position])),
    row(position) {
      onRow(keys[position]?.[0] ?? 0);
      const name = String(keys[position]);
      return {
        identification: name,
        name,
        email: '',
        side: 'platform',
        standing: '',
        isOnPlatform: true,
        isEnabled: true,
      };
    },
  };
}

describe('the directory of a read', () => {
  it('has each person of the source and each other account, as they are shown', async () => {
    const scene = await openScene();
    const index = indexOf(
      [
        person(),
        named('E2', { standing: 'leaver' }),
        named('E3', { standing: 'future' }),
        named('E4', { standing: 'unknown' }),
        named('E5', { isInScope: false }),
        { kind: 'rejected', at: 'line 7', identification: 'E6', column: 'type', reason: 'no' },
      ],
      ['E1', 'E5', 'E6'],
    );
    index.name(index.add('E7'), 'E7');
    const spool = openFileSpool(tmpdir());
    onTestFinished(() => spool.close());
    const others = openOtherAccounts(spool, 'salt', ['birthDate']);
    const born = user({ identification: 'X8', fields: { ...wanted, birthDate: '1990-01-02' } });
    others.add(born);
    others.add(user({ identification: 'X9', fields: {}, enabled: false }));
    index.seeEnabled(index.find('E1').slot, '1');

    await scene.write({ index, others });

    const of = (identification: string, standing: string, over: Partial<DirectoryRow> = {}): DirectoryRow => {
      const name = `${identification} Li`;
      return {
        identification,
        name,
        email: '',
        side: 'source',
        standing,
        isOnPlatform: false,
        isEnabled: false,
        ...over,
      };
    };
    const ana = { name: 'Ana Díaz', email: 'ana@example.com', isOnPlatform: true, isEnabled: true };
    const { lastUpdate = '' } = user();
    expect((await scene.rows()).toSorted((a, b) => (a.identification < b.identification ? -1 : 1))).toEqual([
      of('E1', 'active', ana),
      of('E2', 'leaver'),
      of('E3', 'future'),
      of('E4', 'unknown'),
      of('E5', 'out-of-scope', { isOnPlatform: true }),
      of('E6', 'unusable', { name: '', isOnPlatform: true }),
      of('X8', '', { ...ana, side: 'platform', lastUpdate, birthDate: '1990-01-02' }),
      of('X9', '', { name: '', side: 'platform', isOnPlatform: true, lastUpdate }),
    ]);
    const header = { sync: 'people', run: 'run_1', at: missingProof.readAt, people: 8, pages: 1 };
    expect(await scene.store.directories.list()).toEqual([header]);
    // Without a birth date in the mapping, none is kept.
    const unmapped = openOtherAccounts(spool, 'salt', ['email']);
    unmapped.add(born);
    expect(unmapped.row(0)).not.toHaveProperty('birthDate');
  });

  it('has one empty page where there are no people', async () => {
    const scene = await openScene();
    await scene.write({ index: indexOf([]) });
    expect(await scene.store.directories.list()).toMatchObject([{ people: 0, pages: 1 }]);
    expect(await scene.rows()).toEqual([]);
  });
});

describe('the pages of a directory', () => {
  const people = ['E1', 'E2', 'E3', 'E4'].map((name) => named(name));

  it('are written once while people and accounts stay as they are, in any order of the records', async () => {
    const scene = await openScene();
    const twins = [user({ identification: 'X1' }), user({ identification: 'X1', fields: { firstName: 'Eva' } })];
    for (const flip of [false, true]) {
      const spool = openFileSpool(tmpdir());
      onTestFinished(() => spool.close());
      const others = openOtherAccounts(spool, 'salt', []);
      for (const one of flip ? twins.toReversed() : twins) others.add(one);
      await scene.write({ index: indexOf(flip ? people.toReversed() : people), others });
    }
    expect(scene.writes.map((pages) => pages.map(({ rows: all }) => all.length))).toEqual([[6]]);
  });

  it.each(people.map((_, i) => i))('are written again when one person changes: number %i', async (changed) => {
    const scene = await openScene();
    await scene.write({ index: indexOf(people) });
    await scene.write({ index: indexOf(people.map((one, i) => (i === changed ? named('E9') : one))) });
    await scene.write({
      index: indexOf(
        people.map((one, i) => (i === changed ? named('E9') : one)),
        ['E9'],
      ),
    });
    expect(scene.writes).toHaveLength(3);
    expect((await scene.rows()).filter(({ isOnPlatform }) => isOnPlatform)).toMatchObject([{ name: 'E9 Li' }]);
  });

  it('have their rows in order of the whole key', async () => {
    const scene = await openScene();
    const keys = [
      [2, 1, 1],
      [1, 2, 1],
      [1, 1, 2],
      [1, 1, 1],
      [1, 2, 0],
    ] as const;
    await scene.write({ index: indexOf([]), others: accounts(keys) });
    expect((await scene.rows()).map(({ name }) => name)).toEqual(['1,1,1', '1,1,2', '1,2,0', '1,2,1', '2,1,1']);
    await scene.write({ index: indexOf([]), others: accounts(keys.toReversed()) });
    expect(scene.writes).toHaveLength(1);
  });

  it.each(['low', 'content'] as const)('are written again when only the %s number of a key changes', async (part) => {
    const scene = await openScene();
    for (const number of [1, 2]) {
      const key = part === 'low' ? ([1, number, 1] as const) : ([1, 1, number] as const);
      await scene.write({ index: indexOf([]), others: accounts([[0, 0, 0], key]) });
    }
    expect(scene.writes).toHaveLength(2);
  });

  describe('of many people', () => {
    /** One more than 32 pages of 128 hold, spread over all of 64 pages. */
    const keys = Array.from({ length: 4097 }, (_, i) => [(i % 64) << 26, i, 1] as const);

    it('are written 32 at a time, and then only those that changed', async () => {
      const scene = await openScene();
      await scene.write({ index: indexOf([]), others: accounts(keys) });
      expect(scene.writes.map((pages) => pages.length)).toEqual([32, 32]);
      expect((await scene.rows()).length).toBe(4097);
      expect(await scene.store.directories.list()).toMatchObject([{ people: 4097, pages: 64 }]);

      const changed = keys.map(([hi, lo]) => [hi, lo, lo === 70 ? 2 : 1] as const);
      await scene.write({ index: indexOf([]), others: accounts(changed) });
      expect(scene.writes.slice(2).map((pages) => pages.map(({ page }) => page))).toEqual([[6]]);
    });

    it('leave a turn to other work after four of them', async () => {
      const scene = await openScene();
      let turn = 0;
      let isOver = false;
      const nextTurn = () => {
        turn += 1;
        if (!isOver) setImmediate(nextTurn);
      };
      setImmediate(nextTurn);
      const pagesIn = new Map<number, Set<number>>();
      const onRow = (page: number) => pagesIn.set(turn, (pagesIn.get(turn) ?? new Set()).add(page));
      await scene.write({ index: indexOf([]), others: accounts(keys, onRow) });
      isOver = true;
      expect([...pagesIn.values()].map(({ size }) => size)).toEqual(Array.from({ length: 16 }, () => 4));
      expect(pagesIn.has(0)).toBe(false);
    });
  });
});

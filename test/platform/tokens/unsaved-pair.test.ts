import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import type { TokenStore } from '../../../src/ports/store.ts';
import { openStore } from '../../../src/store/index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { connection, never, openBench } from './token-manager-bench.ts';

/** A bench whose store refuses granted pairs while `isFull`, and says what a manager asked of it. */
function openFull() {
  const bench = openBench();
  const disk = { isFull: true, tries: 0, reads: 0 };
  const store: TokenStore = {
    get: (name) => {
      disk.reads += 1;
      return bench.store.tokens.get(name);
    },
    replace: async (seen, next) => {
      if (next.state === 'ready') disk.tries += 1;
      if (disk.isFull && next.state === 'ready') throw new Error('disk full');
      return bench.store.tokens.replace(seen, next);
    },
  };
  return { bench, disk, manager: bench.open({ store }) };
}

it('a pair that the store refuses is stored by itself as soon as that works, and both are said once', async () => {
  const { bench, disk, manager } = openFull();
  await expect(bench.clock.drive(manager.current(never))).rejects.toMatchObject({
    code: 'TOKEN_UNAVAILABLE',
    cause: new Error('disk full'),
    message: expect.stringContaining('the store refuses it'),
  });
  await bench.clock.advance(600_000);
  expect(disk.tries).toBeGreaterThan(15);
  disk.isFull = false;
  for (let s = 0; s < 60 && bench.store.row(connection)?.state !== 'ready'; s++) await bench.clock.advance(1000);
  const { reads } = disk;
  expect(bench.server.accepts((await manager.current(never)).secret)).toBe(true);
  expect(disk.reads, 'it is known already').toBe(reads);
  expect(bench.server.presentations).toHaveLength(1);
  const said = bench.logger.lines.filter(({ message }) => message.includes('kept'));
  const kept =
    'a new token pair is kept in memory, because the store refuses it: repair the store, and do not stop this process';
  expect(said).toEqual([
    { level: 'error', fields: { connection, error: 'Error' }, message: kept },
    { level: 'info', fields: { connection }, message: 'the kept token pair is stored' },
  ]);
});

it('a kept pair is dropped once when the store has a newer one by then', async () => {
  const { bench, disk, manager } = openFull();
  await expect(bench.clock.drive(manager.current(never))).rejects.toThrow('the store refuses it');
  const second = { configuredRefreshToken: bench.server.issueSeed() };
  await bench.clock.advance(25_000);
  const { generation } = await bench.open(second).current(never);
  disk.isFull = false;
  await bench.clock.advance(600_000);
  expect(bench.logger.messages().filter((message) => message === 'the kept token pair is stored')).toHaveLength(1);
  expect(bench.store.row(connection)?.generation).toBe(generation);
});

it('a process that is asked to stop tries for another 20 s, and says when the pair is lost', async () => {
  const { bench, disk, manager } = openFull();
  await expect(bench.clock.drive(manager.current(never))).rejects.toThrow('the store refuses it');
  const startedAt = bench.clock.now();
  await bench.clock.drive(manager.close());
  expect(bench.clock.now() - startedAt).toBe(20_000);
  const message = 'a new token pair is lost, because the store refused it until the process stopped';
  expect(bench.logger.lines).toContainEqual({ level: 'error', fields: { connection }, message });
  const { tries } = disk;
  await bench.clock.advance(600_000);
  expect(disk.tries).toBe(tries);
});

it('a store that comes back during the last try has the pair', async () => {
  const { bench, disk, manager } = openFull();
  await expect(bench.clock.drive(manager.current(never))).rejects.toThrow('the store refuses it');
  const closing = manager.close();
  await bench.clock.advance(3000);
  disk.isFull = false;
  await bench.clock.drive(closing);
  expect(bench.store.row(connection)?.state).toBe('ready');
  expect(bench.logger.text()).not.toContain('is lost');
});

it('a full disk is found before the token is presented, and a valid access token stays in use', async () => {
  const folder = await temporaryFolder();
  const store = await openStore('sqlite:./rollcall.db', { folder });
  const bench = openBench();
  const open = () => bench.open({ store: store.tokens, leases: store.leases });
  const first = await open().current(never);
  await bench.clock.advance(0.8 * 3_600_000);
  const full = new Error('database or disk is full');
  // A row is small enough for what is left of the disk; the room for an answer is not.
  const tokens: TokenStore = {
    get: store.tokens.get,
    replace: (seen, next, room) =>
      JSON.stringify(next).length + (room?.length ?? 0) > 4096
        ? Promise.reject(full)
        : store.tokens.replace(seen, next, room),
  };
  const cramped = bench.open({ store: tokens, leases: store.leases });
  expect((await cramped.current(never)).secret).toBe(first.secret);
  await expect(cramped.renew(first.generation, never)).rejects.toThrow('no room for the answer');
  expect(bench.server.presentations).toHaveLength(1);
  await open()
    .renew(0, never)
    .catch(() => {});
  await bench.clock.advance(3_600_000);
  expect(bench.server.accepts((await open().current(never)).secret)).toBe(true);
  await store.close();
  const database = new Sqlite(`${folder}/rollcall.db`, { readonly: true });
  expect(database.prepare('select room from tokens').all()).toEqual([{ room: null }]);
  database.close();
});

import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../src/store/index.ts';
import { begin, describeStoreProcesses, expectEveryBatchWhole, startWorker } from '../contracts/store-processes.ts';
import { collect } from '../contracts/store-samples.ts';
import { startPostgres } from '../support/services.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const postgres = await startPostgres('own');

async function newStore(): Promise<string> {
  if (postgres === undefined) throw new Error('skipped without a server');
  return postgres.newStore();
}

describe.skipIf(postgres === undefined)('on a real server', () => {
  describeStoreProcesses('PostgreSQL', newStore, async (url) => {
    // A worker that was killed must not leave rows locked: the server ends its transaction with its connection.
    const open = await postgres?.query(
      url,
      "select count(*)::int as count from pg_stat_activity where datname = current_database() and state like 'idle in%'",
    );
    expect(open).toEqual([{ count: 0 }]);
  });
});

const own = postgres?.own;

describe.skipIf(own === undefined)('a server that goes away and comes back', () => {
  it('has everything that workers were told is stored, each batch whole, and they go on by themselves', async () => {
    const folder = await temporaryFolder();
    const url = await newStore();
    await (await openStore(url, { folder })).close();
    const workers = await Promise.all(['one', 'two'].map((name) => startWorker(name, folder)));
    onTestFinished(() => {
      for (const { process } of workers) process.kill('SIGKILL');
    });
    for (const worker of workers) begin(worker, 'deliver-through', 100_000, url);
    const told: string[] = [];
    const hearOf = async (word: string, times: number): Promise<void> => {
      for (const { lines } of workers) {
        for (let heard = 0; heard < times; ) {
          const { value, done } = await lines.next();
          if (done) throw new Error('a worker ended');
          told.push(value);
          if (value.startsWith(word)) heard++;
        }
      }
    };
    for (const how of ['fast', 'crash'] as const) {
      await hearOf('settled', 9);
      await own?.stop(how);
      await hearOf('trouble', 1);
      await own?.start();
      await hearOf('settled', 3);
    }
    for (const { process, lines } of workers) {
      process.kill('SIGKILL');
      told.push(...(await collect(lines)));
    }
    const store = await openStore(url, { folder });
    await expectEveryBatchWhole(
      store,
      told.filter((line) => !line.startsWith('trouble')),
    );
    await store.close();
  });
});

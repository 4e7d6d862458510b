import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Store } from '../../src/ports/store.ts';
import { openStore } from '../../src/store/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { collect } from './store-samples.ts';

export interface StoreWorker {
  readonly process: ChildProcess;
  /** What it was sure of, line by line, until it ended. */
  readonly lines: AsyncIterableIterator<string>;
  readonly ended: Promise<{ readonly code: number | null; readonly errors: string }>;
}

/** What a worker is to do. */
export interface StoreWork {
  readonly folder: string;
  readonly job: string;
  readonly rounds: number;
  readonly stores: readonly string[];
}

/** Starts a process of `store-worker.ts` that waits to be told to begin. */
export async function startWorker(name: string, { folder, job, rounds, stores }: StoreWork): Promise<StoreWorker> {
  const script = join(import.meta.dirname, 'store-worker.ts');
  const child = spawn(process.execPath, [script, folder, name, job, String(rounds), ...stores], { stdio: 'pipe' });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let errors = '';
  child.stderr.on('data', (data: Buffer) => {
    errors += data.toString();
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, errors }));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.value !== 'ready') throw new Error(`the worker did not begin: ${errors}`);
  return { process: child, lines, ended };
}

/** Lets workers of the same job begin together, and gives what each of them told. Fails when one of them fails. */
async function workTogether(work: StoreWork, names = ['one', 'two']): Promise<string[][]> {
  const workers = await Promise.all(names.map((name) => startWorker(name, work)));
  for (const { process } of workers) process.stdin?.write('go\n');
  const told = await Promise.all(workers.map(({ lines }) => collect(lines)));
  for (const { ended } of workers) expect(await ended).toEqual({ code: 0, errors: '' });
  return told;
}

/**
 * What a store on disk keeps to while several processes use it and some are killed. `newStore` gives the url of a store
 * that nobody has opened yet, in the folder if it is a file.
 */
export function describeStoreProcesses(
  database: string,
  newStore: (folder: string) => Promise<string>,
  expectSound: (url: string) => Promise<void>,
): void {
  async function work(job: string, rounds: number): Promise<StoreWork & { readonly url: string }> {
    const folder = await temporaryFolder();
    const url = await newStore(folder);
    return { folder, job, rounds, stores: [url], url };
  }

  describe(`several processes on one ${database} store`, () => {
    it('can all open a new store at the same instant', async () => {
      const folder = await temporaryFolder();
      const stores: string[] = [];
      for (let round = 0; round < 8; round++) stores.push(await newStore(folder));
      await workTogether({ folder, job: 'open-new', rounds: 8, stores }, ['one', 'two', 'three']);
      for (const [round, url] of stores.entries()) {
        const store = await openStore(url, { folder });
        expect(
          await Promise.all(['one', 'two', 'three'].map((name) => store.triggers.state(`${name} ${round}`))),
        ).toEqual(Array.from({ length: 3 }, () => ({ kind: 'waiting' })));
        await store.close();
      }
    });

    it('lose no update of a token pair and never write the same generation twice', async () => {
      const given = await work('replace-tokens', 150);
      const told = (await workTogether(given)).flat();
      expect(new Set(told).size).toBe(300);
      const store = await openStore(given.url, given);
      expect((await store.tokens.get('acme'))?.generation).toBe(300);
      await store.close();
    });

    it('never hold the same lease at once, and no fence comes twice', async () => {
      const told = (await workTogether(await work('hold-lease', 80))).flat();
      const fences = told.map((line) => Number(line.split(' ')[1])).sort((a, b) => a - b);
      expect(fences).toEqual(Array.from({ length: 160 }, (_, index) => index + 1));
    });

    it('write under the fence of one of them at any time, and nothing under a former one', async () => {
      const given = await work('steal-lease', 60);
      const told = (await workTogether(given)).flat();
      expect(told.filter((line) => line.startsWith('wrote')).length).toBeGreaterThan(0);
      expect(told.filter((line) => line.startsWith('lost')).length).toBeGreaterThan(0);
      // Each write counts the same entry up by one: none was overwritten by somebody who had read it under a lost lease.
      const store = await openStore(given.url, given);
      const entry = await store.ledger.get('acme', 'ana');
      expect(entry?.unverified).toBe(told.filter((line) => line.startsWith('wrote')).length);
      await store.close();
    });

    it('start one run for a slot that both of them store', async () => {
      const given = await work('open-runs', 100);
      const told = (await workTogether(given)).flat();
      const store = await openStore(given.url, given);
      const runs = await store.runs.list({ limit: 1_000 });
      expect(runs.map(({ id }) => `ran ${id}`).sort()).toEqual(told.toSorted());
      expect(runs.every(({ endedAt }) => endedAt !== undefined)).toBe(true);
      expect(runs.length).toBeLessThanOrEqual(100);
      expect(await store.triggers.waiting()).toEqual([]);
      await store.close();
    });
  });

  describe(`a process on a ${database} store that is killed`, () => {
    it('leaves a whole store with everything that it was sure of, wherever it was', async () => {
      const given = await work('deliver', 1_000);
      const told: string[] = [];
      for (const [attempt, kills] of [1, 6, 11, 22, 37, 50].entries()) {
        const { process, lines, ended } = await startWorker(`try ${attempt}`, given);
        process.stdin?.write('go\n');
        for (let count = 0; count < kills; count++) told.push((await lines.next()).value);
        process.kill('SIGKILL');
        told.push(...(await collect(lines)));
        expect((await ended).errors).toBe('');
      }
      expect(told.length).toBeGreaterThanOrEqual(127);
      const store = await openStore(given.url, given);
      await expectEveryBatchWhole(store, told);
      await store.close();
      await expectSound(given.url);
    });
  });
}

/** What was told is there; and what is there is there whole: a batch, its changes and the ledger say the same. */
export async function expectEveryBatchWhole(store: Store, told: readonly string[]): Promise<void> {
  for (const line of told) {
    const [word = '', ...id] = line.split(' ');
    const batch = await store.batches.get(id.join(' '));
    expect(word === 'settled' ? ['settled'] : ['sending', 'settled']).toContain(batch?.state);
  }
  const stateOf = { planned: 'planned', sending: 'sent', settled: 'applied' } as const;
  for (const run of await store.runs.list({ limit: 10_000 })) {
    for (const batch of await store.batches.ofRun(run.id)) {
      const changes = await store.plans.page(run.id, { batch: batch.id, limit: 100 });
      const expected = stateOf[batch.state as keyof typeof stateOf];
      expect(changes.map(({ state }) => state)).toEqual(Array.from({ length: batch.size }, () => expected));
      const names = changes.map(({ identification }) => `${run.id} ${identification}`);
      expect((await store.ledger.getMany('acme', names)).size).toBe(batch.state === 'settled' ? batch.size : 0);
    }
  }
}

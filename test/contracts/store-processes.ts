import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Store } from '../../src/ports/store.ts';
import { openStore } from '../../src/store/index.ts';
import { drawFrom } from '../support/drawn.ts';
import { programOf } from '../support/programs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { collect } from './store-samples.ts';

export interface StoreWorker {
  readonly process: ChildProcess;
  /** What it was sure of, line by line, until it ended. */
  readonly lines: AsyncIterableIterator<string>;
  readonly ended: Promise<{ readonly code: number | null; readonly errors: string }>;
}

/** Starts a process of `store-worker.ts` that waits for its jobs. */
export async function startWorker(name: string, folder: string): Promise<StoreWorker> {
  const script = programOf('test/contracts/store-worker.ts');
  const child = spawn(process.execPath, [script, folder, name], { stdio: 'pipe' });
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

export function begin({ process }: StoreWorker, job: string, rounds: number, url: string): void {
  process.stdin?.write(`${job} ${rounds} ${url}\n`);
}

/** Gives what a worker tells until its job is done. */
async function toldBy({ lines, ended }: StoreWorker): Promise<string[]> {
  const told: string[] = [];
  for (;;) {
    const { value, done } = await lines.next();
    if (done) throw new Error(`a worker ended: ${(await ended).errors}`);
    if (value === 'ready') return told;
    told.push(value);
  }
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
  describe(`several processes on one ${database} store`, () => {
    let folder: string;
    let workers: readonly StoreWorker[] = [];
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'rollcall-store-'));
      workers = await Promise.all(['one', 'two', 'three'].map((name) => startWorker(name, folder)));
    });
    afterAll(async () => {
      for (const { process } of workers) process.stdin?.end();
      for (const { ended } of workers) expect(await ended).toEqual({ code: 0, errors: '' });
      await rm(folder, { recursive: true });
    });

    /** Lets workers begin the same job together, and gives the store and what each of them told. */
    const together = async (job: string, rounds: number, of: readonly StoreWorker[] = workers.slice(0, 2)) => {
      const url = await newStore(folder);
      for (const worker of of) begin(worker, job, rounds, url);
      const told = (await Promise.all(of.map(toldBy))).flat();
      const store = await openStore(url, { folder });
      onTestFinished(() => store.close());
      return { told, store };
    };

    it.each([1, 2])('can all open a new store at the same instant (%i)', async () => {
      const { store } = await together('open-new', 1, workers);
      expect(await store.triggers.waiting()).toMatchObject([{ sync: 'people' }]);
      for (const name of ['one', 'two', 'three']) expect(await store.triggers.state(name)).toEqual({ kind: 'waiting' });
    });

    it('lose no update of a token pair and never write the same generation twice', async () => {
      const { told, store } = await together('replace-tokens', 150);
      expect(new Set(told).size).toBe(300);
      expect((await store.tokens.get('acme'))?.generation).toBe(300);
    });

    it('never hold the same lease at once, and no fence comes twice', async () => {
      const { told } = await together('hold-lease', 80);
      const fences = told.map((line) => Number(line.split(' ')[1])).sort((a, b) => a - b);
      expect(fences).toEqual(Array.from({ length: 160 }, (_, index) => index + 1));
    });

    it('write under the fence of one of them at any time, and nothing under a former one', async () => {
      const { told, store } = await together('steal-lease', 60);
      const countOf = (word: string) => told.filter((line) => line.startsWith(word)).length;
      expect(countOf('wrote')).toBeGreaterThan(0);
      expect(countOf('lost')).toBeGreaterThan(0);
      // Each write counts the same entry up by one: none was overwritten by one who had read it under a lost lease.
      expect((await store.ledger.get('acme', 'ana'))?.unverified).toBe(countOf('wrote'));
    });

    it('start one run for a slot that both of them store', async () => {
      const { told, store } = await together('open-runs', 100);
      const runs = await store.runs.list({ limit: 1_000 });
      expect(runs.map(({ id }) => `ran ${id}`).sort()).toEqual(told.toSorted());
      expect(runs.every(({ endedAt }) => endedAt !== undefined)).toBe(true);
      expect(runs.length).toBeLessThanOrEqual(100);
      expect(await store.triggers.waiting()).toEqual([]);
    });

    it('add entries to one chain of the audit', async () => {
      const { store } = await together('add-entries', 60, workers);
      expect(await store.audit.prove()).toMatchObject({ from: 0, to: 180, broken: undefined });
    });
  });

  describe(`a process on a ${database} store that is killed`, () => {
    it('leaves a whole store with everything that it was sure of, wherever it was', async () => {
      const folder = await temporaryFolder();
      const url = await newStore(folder);
      const told: string[] = [];
      const kills = drawFrom([1, 6, 11, 22, 37, 50], 2);
      for (const [attempt, lines] of kills.entries()) {
        const worker = await startWorker(`try ${attempt}`, folder);
        onTestFinished(() => void worker.process.kill('SIGKILL'));
        begin(worker, 'deliver', 1_000, url);
        for (let count = 0; count < lines; count++) told.push((await worker.lines.next()).value);
        worker.process.kill('SIGKILL');
        told.push(...(await collect(worker.lines)));
        expect((await worker.ended).errors).toBe('');
      }
      expect(told.length).toBeGreaterThanOrEqual(kills.reduce((sum, lines) => sum + lines, 0));
      const store = await openStore(url, { folder });
      await expectEveryBatchWhole(store, told);
      await store.close();
      await expectSound(url);
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

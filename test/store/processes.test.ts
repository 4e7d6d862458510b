import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Sqlite from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Store } from '../../src/ports/store.ts';
import { openStore } from '../../src/store/index.ts';
import { collect } from '../contracts/store-samples.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Worker {
  readonly process: ChildProcess;
  /** What it was sure of, line by line, until it ended. */
  readonly lines: AsyncIterableIterator<string>;
  readonly ended: Promise<{ readonly code: number | null; readonly errors: string }>;
}

/** Starts a process of `worker.ts` that waits to be told to begin. */
async function startWorker(folder: string, name: string, job: string, rounds: number): Promise<Worker> {
  const script = join(import.meta.dirname, 'worker.ts');
  const child = spawn(process.execPath, [script, folder, name, job, String(rounds)], { stdio: 'pipe' });
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
async function workTogether(folder: string, job: string, rounds: number, names = ['one', 'two']): Promise<string[][]> {
  const workers = await Promise.all(names.map((name) => startWorker(folder, name, job, rounds)));
  for (const { process } of workers) process.stdin?.write('go\n');
  const told = await Promise.all(workers.map(({ lines }) => collect(lines)));
  for (const { ended } of workers) expect(await ended).toEqual({ code: 0, errors: '' });
  return told;
}

describe('several processes on one file', () => {
  it('can all open a new store at the same instant', async () => {
    const folder = await temporaryFolder();
    await workTogether(folder, 'open-new', 8, ['one', 'two', 'three']);
    for (let round = 0; round < 8; round++) {
      const store = await openStore(`sqlite:new-${round}.db`, { folder });
      expect(store).toBeDefined();
      expect(
        await Promise.all(['one', 'two', 'three'].map((name) => store.triggers.state(`${name} ${round}`))),
      ).toEqual(Array.from({ length: 3 }, () => ({ kind: 'waiting' })));
      await store.close();
    }
  });

  it('lose no update of a token pair and never write the same generation twice', async () => {
    const folder = await temporaryFolder();
    const told = (await workTogether(folder, 'replace-tokens', 150)).flat();
    expect(new Set(told).size).toBe(300);
    const store = await openStore('sqlite:rollcall.db', { folder });
    expect((await store.tokens.get('acme'))?.generation).toBe(300);
    await store.close();
  });

  it('never hold the same lease at once, and no fence comes twice', async () => {
    const folder = await temporaryFolder();
    const told = (await workTogether(folder, 'hold-lease', 80)).flat();
    const fences = told.map((line) => Number(line.split(' ')[1])).sort((a, b) => a - b);
    expect(fences).toEqual(Array.from({ length: 160 }, (_, index) => index + 1));
  });

  it('start one run for a slot that both of them store', async () => {
    const folder = await temporaryFolder();
    const told = (await workTogether(folder, 'open-runs', 100)).flat();
    const store = await openStore('sqlite:rollcall.db', { folder });
    const runs = await store.runs.list({ limit: 1_000 });
    expect(runs.map(({ id }) => `ran ${id}`).sort()).toEqual(told.toSorted());
    expect(runs.every(({ endedAt }) => endedAt !== undefined)).toBe(true);
    expect(runs.length).toBeLessThanOrEqual(100);
    expect(await store.triggers.waiting()).toEqual([]);
    await store.close();
  });
});

describe('a process that is killed', () => {
  it('leaves a whole store with everything that it was sure of, wherever it was', async () => {
    const folder = await temporaryFolder();
    const told: string[] = [];
    for (const [attempt, kills] of [1, 6, 11, 22, 37, 50].entries()) {
      const { process, lines, ended } = await startWorker(folder, `try ${attempt}`, 'deliver', 1_000);
      process.stdin?.write('go\n');
      for (let count = 0; count < kills; count++) told.push((await lines.next()).value);
      process.kill('SIGKILL');
      told.push(...(await collect(lines)));
      expect((await ended).errors).toBe('');
    }
    expect(told.length).toBeGreaterThanOrEqual(127);
    const store = await openStore('sqlite:rollcall.db', { folder });
    await expectEveryBatchWhole(store, told);
    await store.close();
    const raw = new Sqlite(join(folder, 'rollcall.db'));
    expect(raw.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(raw.pragma('foreign_key_check')).toEqual([]);
    raw.close();
  });
});

/** What was told is there; and what is there is there whole: a batch, its changes and the ledger say the same. */
async function expectEveryBatchWhole(store: Store, told: readonly string[]): Promise<void> {
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

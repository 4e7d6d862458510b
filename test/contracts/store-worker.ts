/**
 * A process that works on a store beside others: `store-worker.ts FOLDER NAME`. It says `ready` and does one job after the other,
 * each a line of its input: `JOB ROUNDS STORE`. It tells each thing it is sure of in a line of its own, and then `ready` again.
 */
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate as nextTurn, setTimeout } from 'node:timers/promises';
import { RollcallError } from '../../src/core/run/errors.ts';
import type { OwnedRun, Store } from '../../src/ports/store.ts';
import { openStore } from '../../src/store/index.ts';
import {
  openRun,
  sampleBatch,
  sampleChange,
  sampleEntry,
  sampleTokens,
  sampleTrigger,
  writePlan,
} from './store-samples.ts';

const [folder = '', name = ''] = process.argv.slice(2);
let rounds = 0;
let url = '';

/** Written at once, not when the process gets round to it: what was told was told before a kill. */
function tell(line: string): void {
  writeSync(1, `${line}\n`);
}

const open = (): Promise<Store> => openStore(url, { folder });

/** Opens a new store; the other processes do the same. */
async function openNew(): Promise<void> {
  const store = await open();
  await store.triggers.add(sampleTrigger(name));
  await store.close();
}

/** Counts up the generation of one token row, which loses nothing only if no two replace the same one. */
async function replaceTokens(): Promise<void> {
  const store = await open();
  for (let done = 0; done < rounds; ) {
    const seen = await store.tokens.get('acme');
    const next = sampleTokens({ generation: (seen?.generation ?? 0) + 1 });
    if (await store.tokens.replace(seen, next)) {
      done++;
      tell(`replaced ${next.generation}`);
    }
  }
  await store.close();
}

/** Takes a lease and proves with a file that nobody else holds it. */
async function holdLease(): Promise<void> {
  const store = await open();
  const proof = join(folder, 'held');
  for (let done = 0; done < rounds; ) {
    const lease = await store.leases.take('file:acme', name, 60_000, Date.now());
    if (lease === undefined) {
      await nextTurn();
      continue;
    }
    closeSync(openSync(proof, 'wx'));
    await nextTurn();
    rmSync(proof);
    await store.leases.release(lease);
    done++;
    tell(`held ${lease.fence}`);
  }
  await store.close();
}

/**
 * Takes a lease over after no time at all, as from a worker that hangs, and counts an entry up under it. Whoever was taken
 * over between reading and writing is refused.
 */
async function stealLease(): Promise<void> {
  const store = await open();
  await store.triggers.add(sampleTrigger(`trigger of ${name}`, { sync: name }));
  const opened = await store.runs.open(name, { id: `run of ${name}`, connection: 'acme', now: Date.now() });
  if (opened === undefined) throw new Error('a run was asked for');
  // The first to start waits for the other by going on until it was taken over once.
  let wasLost = false;
  for (let round = 0; round < rounds || (!wasLost && round < rounds * 40); round++) {
    const lease = await store.leases.take('sync:people', `${name} ${round}`, 0, Date.now());
    if (lease === undefined) continue;
    const count = (await store.ledger.get('acme', 'ana'))?.unverified ?? 0;
    await nextTurn();
    try {
      await store.ledger.put({ run: opened.run, lease }, [sampleEntry('ana', { unverified: count + 1 })]);
      tell(`wrote ${lease.fence}`);
    } catch (error) {
      if (!(error instanceof RollcallError) || error.code !== 'LEASE_LOST') throw error;
      wasLost = true;
      tell(`lost ${lease.fence}`);
    }
  }
  await store.close();
}

/** Asks for runs and opens them as fast as it can; each run that it opened is told once. */
async function openRuns(): Promise<void> {
  const store = await open();
  for (let round = 0; round < rounds; round++) {
    await store.triggers.add(sampleTrigger(`${name} ${round}`, { key: `slot ${round}`, kind: 'schedule' }));
    const id = `${name} ${round}`;
    const opened = await store.runs.open('people', { id, connection: 'acme', now: Date.now() });
    if (opened?.isNew !== true) continue;
    const lease = await store.leases.take(`run:${id}`, name, 60_000, Date.now());
    if (lease === undefined) throw new Error(`nobody else can hold the lease of ${id}`);
    await store.ledger.put({ run: opened.run, lease }, [sampleEntry('ana', { hidden: { job: id } })]);
    await store.runs.update({ run: opened.run, lease }, { phase: 'done', endedAt: Date.now(), outcome: 'succeeded' });
    tell(`ran ${id}`);
  }
  await store.close();
}

/** Adds entries to the audit as fast as it can. */
async function addEntries(): Promise<void> {
  const store = await open();
  for (let round = 0; round < rounds; round++) {
    const about = { sync: undefined, connection: undefined, run: undefined, detail: `${round}` };
    await store.audit.add({ id: `${name} ${round}`, at: Date.now(), by: name, action: 'backup', ...about });
  }
  await store.close();
}

/** Plans, delivers and settles without end: the parent kills it. A batch, its changes and the ledger go together. */
async function deliver(): Promise<void> {
  const store = await open();
  for (let round = 0; round < rounds; round++) await deliverOne(store, `${name} ${round}`);
  await store.close();
}

/** The same while the database comes and goes: what it refuses for now is left lying, and the next one begun. */
async function deliverThrough(): Promise<void> {
  const store = await open();
  for (let round = 0; round < rounds; round++) {
    try {
      await deliverOne(store, `${name} ${round}`);
    } catch (error) {
      if (!(error instanceof RollcallError) || error.code !== 'STORE_INVALID' || error.retry !== 'backoff') throw error;
      tell(`trouble ${round}`);
      await setTimeout(20);
    }
  }
  await store.close();
}

async function deliverOne(store: Store, id: string): Promise<void> {
  const names = Array.from({ length: 40 }, (_, index) => `e${index}`);
  const owned = await openRun(store, { id, sync: id });
  await writePlan(
    store,
    { id, owned, sync: id },
    names.map((person) => sampleChange(person)),
  );
  for (let part = 0; part < 4; part++) await settle(store, owned, part, names.slice(part * 10, part * 10 + 10));
  await store.runs.update(owned, { phase: 'done', endedAt: Date.now(), outcome: 'succeeded' });
}

async function settle(store: Store, owned: OwnedRun, part: number, names: readonly string[]): Promise<void> {
  const batch = sampleBatch(owned, part + 1, { size: names.length });
  await store.batches.create(owned, [{ batch, identifications: names }]);
  const marks = (state: 'sent' | 'applied') => names.map((identification) => ({ identification, state }));
  await store.batches.update(owned, batch.id, { state: 'sending' }, { marks: marks('sent') });
  tell(`sending ${batch.id}`);
  const ledger = names.map((person) => sampleEntry(`${owned.run.id} ${person}`));
  await store.batches.update(owned, batch.id, { state: 'settled' }, { marks: marks('applied'), ledger });
  tell(`settled ${batch.id}`);
}

const jobs: Readonly<Record<string, () => Promise<void>>> = {
  'open-new': openNew,
  'replace-tokens': replaceTokens,
  'hold-lease': holdLease,
  'steal-lease': stealLease,
  'open-runs': openRuns,
  'add-entries': addEntries,
  deliver,
  'deliver-through': deliverThrough,
};

tell('ready');
for await (const line of createInterface({ input: process.stdin })) {
  const [job = '', count, place = ''] = line.split(' ');
  [rounds, url] = [Number(count), place];
  await jobs[job]?.();
  tell('ready');
}

/**
 * A process that works on a store beside others: `worker.ts STORE-FOLDER NAME JOB ROUNDS`. It says `ready`, begins at
 * the first byte of its input, and tells each thing it is sure of in a line of its own.
 */
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
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
} from '../contracts/store-samples.ts';

const [folder = '', name = '', job = '', count = '0'] = process.argv.slice(2);
const rounds = Number(count);

/** Written at once, not when the process gets round to it: what was told was told before a kill. */
function tell(line: string): void {
  writeSync(1, `${line}\n`);
}

const open = (file = 'rollcall.db'): Promise<Store> => openStore(`sqlite:${file}`, { folder });

/** Opens one new store after the other; the other process does the same. */
async function openNew(): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const store = await open(`new-${round}.db`);
    await store.triggers.add(sampleTrigger(`${name} ${round}`));
    await store.close();
    tell('opened');
  }
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

/** Plans, delivers and settles without end: the parent kills it. A batch, its changes and the ledger go together. */
async function deliver(): Promise<void> {
  const store = await open();
  const names = Array.from({ length: 40 }, (_, index) => `e${index}`);
  for (let round = 0; round < rounds; round++) {
    const id = `${name} ${round}`;
    const owned = await openRun(store, { id, sync: id });
    await writePlan(
      store,
      { id, owned, sync: id },
      names.map((person) => sampleChange(person)),
    );
    for (let part = 0; part < 4; part++) await settle(store, owned, part, names.slice(part * 10, part * 10 + 10));
    await store.runs.update(owned, { phase: 'done', endedAt: Date.now(), outcome: 'succeeded' });
  }
  await store.close();
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
  'open-runs': openRuns,
  deliver,
};

tell('ready');
await new Promise((resolve) => process.stdin.once('data', resolve));
process.stdin.destroy();
await jobs[job]?.();

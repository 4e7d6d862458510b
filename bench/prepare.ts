import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { LedgerEntry } from '../src/core/plan/ledger.ts';
import { defaultQuirks } from '../src/sandbox/index.ts';
import { showFoundUser } from '../src/sandbox/people/show-user.ts';
import { openStore } from '../src/store/index.ts';
import { benchFolder, hrFile, type PageOffsets, pageSize, storeFile } from './folder.ts';
import { writeHrFile } from './hr-file.ts';
import { type BenchPerson, benchPeople, hiddenNames } from './people.ts';

/** The same instant every time: files and ledgers of two measurements are equal byte for byte. */
const someInstant = Date.UTC(2026, 10, 1, 12);

/** Writes HR files, the platform's answers and the ledger. Run as a child process: folder and number of people. */
async function prepare(folder: string, people: number): Promise<void> {
  await writeHrFile(join(folder, hrFile('mixed')), people, 'mixed');
  await writeHrFile(join(folder, hrFile('quiet')), people, 'none');
  await writePages(folder, people);
  await writeLedger(folder, people);
}

async function writePages(folder: string, people: number): Promise<void> {
  const paths = benchFolder(folder);
  const starts: number[] = [0];
  function* bodies(): Generator<Buffer, void> {
    let page: BenchPerson[] = [];
    const end = (): Buffer => {
      const bytes = Buffer.from(JSON.stringify({ result: page.map(shownUser), page: { totalElements: people } }));
      starts.push((starts.at(-1) ?? 0) + bytes.length);
      page = [];
      return bytes;
    };
    for (const person of benchPeople(people)) {
      page.push(person);
      if (page.length === pageSize) yield end();
    }
    if (page.length > 0) yield end();
  }
  await pipeline(Readable.from(bodies()), createWriteStream(paths.pages));
  const offsets: PageOffsets = { total: people, starts };
  await writeFile(paths.offsets, JSON.stringify(offsets));
}

function shownUser({ number, identification, fields }: BenchPerson): unknown {
  const account = {
    id: number,
    uid: `u-${number}`,
    identification,
    enabled: true,
    fields,
    createdAt: someInstant,
    lastUpdateAt: someInstant + number * 1000,
  };
  return showFoundUser(account, defaultQuirks);
}

async function writeLedger(folder: string, people: number): Promise<void> {
  const store = await openStore(`sqlite:./${storeFile('mixed')}`, { folder });
  const id = 'run_bench';
  const scope = { kind: 'all' } as const;
  await store.triggers.add({ id, sync: 'people', kind: 'manual', key: id, requestedAt: someInstant, scope });
  const opened = await store.runs.open('people', { id, connection: 'acme', now: someInstant });
  const lease = await store.leases.take(`run:${id}`, 'bench', 3_600_000, someInstant);
  if (opened === undefined || lease === undefined) throw new Error('the ledger cannot be written: no run, or no lease');
  const owned = { run: opened.run, lease };
  let entries: LedgerEntry[] = [];
  for (const { number, identification, fields } of benchPeople(people)) {
    const hidden = Object.fromEntries(hiddenNames.map((name) => [name, fields[name] ?? '']));
    const known = { identification, owner: 'people', accountId: String(number), hidden };
    entries.push({ ...known, quirks: {}, unverified: 0, writtenAt: someInstant });
    if (entries.length < 10_000) continue;
    await store.ledger.put(owned, entries);
    entries = [];
  }
  await store.ledger.put(owned, entries);
  await store.runs.update(owned, { phase: 'done', endedAt: someInstant, outcome: 'succeeded' });
  await store.leases.release(lease);
  await store.close();
}

await prepare(process.argv[2] ?? '', Number(process.argv[3]));

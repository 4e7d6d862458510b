import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { RollcallError } from '../../src/core/run/errors.ts';
import type { SourceIo } from '../../src/ports/source.ts';
import { openSource } from '../../src/sources/registry.ts';
import { FastClock } from '../support/fast-clock.ts';
import { memoryLogger } from '../support/memory-logger.ts';
import { sourceBase } from '../support/source-base.ts';
import type { Tally } from './tally.ts';

const rows = 'id,name,mail\n1,Ana,a@example.com\n';

/** Content of files that no export writes. */
const contents: Readonly<Record<string, string | Buffer>> = {
  'half a million blank lines.csv': `${rows}${'\n'.repeat(500_000)}`,
  'half a million rows of delimiters.csv': `${rows}${',,\n'.repeat(500_000)}`,
  'archive of empty rows.csv.gz': gzipSync(`${rows}${',,\n'.repeat(5_000_000)}`),
  'archive in an archive.csv.gz': gzipSync(gzipSync(rows)),
  'cut archive.csv.gz': gzipSync(rows).subarray(0, 30),
  'one line of 20 MB.csv': 'a'.repeat(20_000_000),
  'a row of 20 MB.csv': `${rows}2,${'a'.repeat(20_000_000)},\n`,
  'a quote that never closes.csv': `${rows}2,"${'a,b,c\n'.repeat(500_000)}`,
  'quotes around rows.csv': `${rows}2,"Luz,b\n3,Eva",c\n`,
  'only quotes.csv': '"'.repeat(1_000_000),
  'only delimiters.csv': ','.repeat(1_000_000),
  'a hundred thousand columns.csv': `${Array.from({ length: 100_000 }, (_, at) => `c${at}`).join(',')}\n`,
  'zero bytes.csv': Buffer.alloc(1_000_000),
  'half a character.csv': Buffer.from([0x69, 0x64, 0x2c, 0xc3]),
  'nothing.csv': '',
};

/** Reads files, a pipe and a device with the csv source, and a pipe with the sql source. */
export async function readFiles(tally: Tally): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-hostile-'));
  try {
    for (const [name, content] of Object.entries(contents)) {
      await writeFile(join(folder, name), content);
      tally.begin();
      tally.add(name, await readSource({ kind: 'csv', path: name }, folder));
      await rm(join(folder, name));
    }
    execFileSync('mkfifo', [join(folder, 'pipe.csv'), join(folder, 'pipe.csv.gz'), join(folder, 'pipe.db')]);
    for (const path of ['pipe.csv', 'pipe.csv.gz', '/dev/zero', '/dev/null', '/dev', '/proc/self/mem']) {
      tally.add(path, await readSource({ kind: 'csv', path }, folder));
    }
    const sql = { kind: 'sql', url: `sqlite:${join(folder, 'pipe.db')}`, query: 'select 1 as id', key: 'id' };
    tally.add('pipe.db', await readSource(sql, folder));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Reads a source to its end. A read that takes longer than a minute counts as hanging. */
export async function readSource(config: unknown, folder: string): Promise<string> {
  const io: SourceIo = {
    clock: new FastClock(0, 100),
    logger: memoryLogger(),
    signal: AbortSignal.timeout(60_000),
    previous: undefined,
  };
  try {
    const read = openSource(config, sourceBase(folder)).read({ kind: 'full' }, io);
    for (let step = await read.next(); ; step = await read.next()) {
      if (step.done === true) return step.value.complete ? 'data' : 'data, incomplete';
    }
  } catch (error) {
    if (!(error instanceof RollcallError)) return `unclassified: ${error}`;
    const isMisleading = /check the network/i.test(error.message);
    return isMisleading ? `unclassified: ${error.message}` : `error: ${error.code}`;
  }
}

import { readdirSync, readlinkSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSource } from '../../../src/sources/registry.ts';
import type { SourceCase } from '../../contracts/source.ts';
import { sourceBase } from '../../support/source-base.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const web = 'a file has no pages, answers or tokens';

/** A file with a trailer, on this machine's disk. */
export const csvFile: SourceCase = {
  name: 'csv',
  async prepare(fault) {
    const folder = await temporaryFolder();
    const identifications = Array.from({ length: 5_000 }, (_, index) => `id-${index}-of-${'x'.repeat(60)}`);
    const rows = identifications.map((id) => `${id},"Last, First",${id}@example.com`);
    if (fault === 'empty') rows.length = 0;
    const promised = { 'total too large': 5_001, 'total too small': 4_999 }[fault as string] ?? rows.length;
    const text = `id,name,mail\n${rows.join('\n')}\nT,${promised},\n`;
    await writeFile(join(folder, 'employees.csv'), fault === 'cut for good' ? text.slice(0, -2_000) : text);
    return {
      source: openSource({ kind: 'csv', path: 'employees.csv', complete: 'trailer' }, sourceBase(folder)),
      field: 'id',
      identifications,
      openResources: () => openFilesIn(folder),
    };
  },
  impossible: {
    'cut body': 'a file is read once: see "cut for good"',
    'server error': web,
    'web page': web,
    'error with 200': web,
    'page again': web,
    'cursor again': web,
    'person twice': 'a file has no pages between which somebody could slip; the engine stops at two rows of one person',
    'person slipped': web,
    'cursor expired': web,
    'busy, seconds': web,
    'busy, date': web,
    'busy, no word': web,
    'busy, 503': web,
    'token ends': web,
    'no right': 'a file that may not be read is tried again: see read.test.ts',
    'other host': web,
    'pages shrink': web,
    'long ids': 'cells are text',
    'still written': 'see read.test.ts, where the file grows between two pages',
  },
};

/** Handles of this process on files of the folder, as Linux shows them. */
function openFilesIn(folder: string): number {
  return readdirSync('/proc/self/fd').filter((handle) => {
    try {
      return readlinkSync(`/proc/self/fd/${handle}`).startsWith(folder);
    } catch {
      return false;
    }
  }).length;
}

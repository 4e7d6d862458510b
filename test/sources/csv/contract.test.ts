import { readdirSync, readlinkSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSource } from '../../../src/sources/registry.ts';
import { sourceContract } from '../../contracts/source.ts';
import { sourceBase } from '../../support/source-base.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

sourceContract('csv', async () => {
  const folder = await temporaryFolder();
  const identifications = Array.from({ length: 5_000 }, (_, index) => `id-${index}-of-${'x'.repeat(60)}`);
  const rows = identifications.map((id) => `${id},"Last, First",${id}@example.com`);
  await writeFile(join(folder, 'employees.csv'), `id,name,mail\n${rows.join('\n')}\n`);
  return {
    source: openSource({ kind: 'csv', path: 'employees.csv' }, sourceBase(folder)),
    field: 'id',
    identifications,
    openResources: () => openFilesIn(folder),
  };
});

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

import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSource } from '../../../src/sources/registry.ts';
import type { SourceCase } from '../../contracts/source.ts';
import { filesOpenIn } from '../../support/sockets-to.ts';
import { sourceBase } from '../../support/source-base.ts';
import { bytesOfFilesIn } from '../../support/taken-bytes.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { impossibleForFiles, peopleFile } from './people-file.ts';

export { csvHttps } from './https-under-test.ts';
export { csvS3 } from './s3-under-test.ts';
export { csvOnSftp } from './sftp-under-test.ts';

const web = 'a file of this machine has no answers or tokens';

/** A file with a trailer, on this machine's disk. */
export const csvFile: SourceCase = {
  name: 'csv',
  async prepare(fault, crowd) {
    const folder = await temporaryFolder();
    const { identifications, text } = peopleFile(fault, crowd);
    const path = join(folder, 'employees.csv');
    if (fault === 'a pipe') execFileSync('mkfifo', [path]);
    else await writeFile(path, text);
    return {
      source: openSource({ kind: 'csv', path: 'employees.csv', complete: 'trailer' }, sourceBase(folder)),
      field: 'id',
      identifications,
      openResources: () => filesOpenIn(folder),
      bytesTaken: bytesOfFilesIn(folder),
    };
  },
  impossible: {
    ...impossibleForFiles,
    'cut body': 'a file is read once: see `cut for good`',
    'server error': web,
    'web page': web,
    'error with 200': web,
    'busy, seconds': web,
    'busy, date': web,
    'busy, no word': web,
    'busy, 503': web,
    'token ends': web,
    'no right': 'a file without read permission is retried: see read.test.ts',
    'other host': web,
    'still written': 'see read.test.ts, where the file grows between two pages',
  },
};

import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSource } from '../../../src/sources/registry.ts';
import type { SourceCase } from '../../contracts/source.ts';
import type { SshServer } from '../../support/services/sshd.ts';
import { filesOpenIn, socketsTo } from '../../support/sockets-to.ts';
import { sourceBase } from '../../support/source-base.ts';
import { openTcpProxy } from '../../support/tcp-proxy.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { impossibleForFiles, onDisk, peopleFile } from './people-file.ts';

const web = 'SFTP has no such answers';

/** A file with a trailer on a real OpenSSH server. */
export const csvOnSftp = (server: SshServer): SourceCase => ({
  name: 'csv (sftp)',
  async prepare(fault, crowd) {
    const [folder, scratchFolder] = [await temporaryFolder(), await temporaryFolder()];
    const { identifications, text } = peopleFile(
      fault,
      fault === 'cut body' || fault === 'still written' ? 'many' : crowd,
    );
    const path = join(folder, 'employees.csv');
    if (fault === 'a pipe') execFileSync('mkfifo', [path]);
    else await writeFile(path, text);
    let hasGrown = false;
    const { port } = await openTcpProxy(server.port, (connection, bytes) => {
      if (connection === 1 && fault === 'server error') return 'cut';
      if (connection === 1 && fault === 'cut body' && bytes > 100_000) return 'cut';
      if (fault === 'still written' && bytes > 100_000 && !hasGrown) {
        hasGrown = true;
        appendFileSync(path, 'one,"more, row",\n');
      }
      return 'pass';
    });
    const login = fault === 'no right' ? { password: 'a wrong one' } : { privateKey: server.privateKey };
    const sftp = { host: '127.0.0.1', port, user: server.user, ...login, hostKey: server.hostKeys, path };
    return {
      source: openSource({ kind: 'csv', sftp, complete: 'trailer' }, sourceBase(folder, { scratchFolder })),
      field: 'id',
      identifications,
      openResources: () => filesOpenIn(scratchFolder) + socketsTo(port),
    };
  },
  ahead: { kind: 'unseen', why: onDisk },
  impossible: {
    ...impossibleForFiles,
    'web page': web,
    'error with 200': web,
    'busy, seconds': web,
    'busy, date': web,
    'busy, no word': web,
    'busy, 503': web,
    'token ends': web,
    'other host': 'SFTP has no redirects; the host key identifies another server: see sftp.test.ts',
  },
});

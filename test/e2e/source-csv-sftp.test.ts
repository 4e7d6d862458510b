import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { csvOf, employees, openOffice, type Row } from '../support/office.ts';
import { findSshd, startSshd } from '../support/services/sshd.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const program = await findSshd('a whole run from an SFTP server');

it.skipIf(program === undefined)(
  'people go from files on an SFTP server to the platform, and leave it again',
  async () => {
    const [server, folder] = [await startSshd(program ?? ''), await temporaryFolder()];
    const write = async (day: number, rows: readonly Row[]): Promise<void> => {
      const path = join(folder, `people-2026-11-${day}.csv.gz`);
      await writeFile(path, gzipSync(csvOf(rows).replaceAll(/^E(\d+)/gm, '="00$1"')));
      await writeFile(`${path}.done`, `rows=${rows.length}\n`);
    };
    await write(19, employees(12));
    const office = await openOffice({
      sync: {
        source: {
          kind: 'csv',
          sftp: {
            host: '127.0.0.1',
            port: server.port,
            user: server.user,
            privateKey: server.privateKey,
            hostKey: server.hostKeys,
            path: join(folder, 'people-*.csv.gz'),
          },
          complete: 'marker',
        },
      },
    });
    const userOf = (identification: string) => office.sandbox.state.users.get(identification);

    const first = await office.applyAll();
    expect(first.run).toMatchObject({ outcome: 'succeeded', counts: { create: 12, applied: 12 } });
    expect(first.findings.map(({ code }) => code)).toContain('source-note');
    expect([...office.sandbox.state.users.keys()].sort()[0]).toBe('001');

    await write(20, employees(12, { E3: { status: 'left' }, E5: { last: 'Núñez' } }));
    const second = await office.applyAll();
    expect(second.run).toMatchObject({ outcome: 'succeeded', counts: { disable: 1, update: 1, applied: 2 } });
    expect(userOf('003')?.enabled).toBe(false);
    expect(userOf('005')?.fields.lastName).toBe('Núñez');

    const { counts } = await office.plan();
    expect(counts).toMatchObject({ create: 0, update: 0, enable: 0, disable: 0, remove: 0 });
  },
);

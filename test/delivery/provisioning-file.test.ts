import { lstat, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Change } from '../../src/core/plan/change.ts';
import { type Dialect, defaultDialect } from '../../src/core/run/settings.ts';
import { provisioningBytes, writeProvisioningFile } from '../../src/delivery/provisioning-file.ts';
import { filesOpenIn } from '../support/sockets-to.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { change, create } from './batches.ts';
import { watchSync } from './watch-sync.ts';

const newPath = async () => `${await temporaryFolder()}/file.csv`;

async function textOf(changes: readonly Change[], csv: Partial<Dialect['csv']> = {}): Promise<string> {
  const dialect = { ...defaultDialect, csv: { ...defaultDialect.csv, ...csv } };
  const path = await newPath();
  await writeProvisioningFile(path, changes, dialect);
  const text = await readFile(path, 'utf8');
  expect(Buffer.from(await provisioningBytes(changes, dialect)).toString('utf8')).toBe(text);
  return text;
}

it('the header comes first, then a row for each change in the order of the batch', async () => {
  const disable = change('E1', { kind: 'disable', after: {}, changed: [] });
  expect(await textOf([change('E2'), create('E3'), disable])).toBe(
    [
      'command,email,firstName,lastName,identification',
      'U,ana@example.com,Ana,Núñez,E2',
      'I,ana@example.com,Ana,Núñez,E3',
      'D,ana@example.com,Ana,Díaz,E1',
      '',
    ].join('\n'),
  );
});

it('delimiter, byte order mark and line end are those of the dialect', async () => {
  expect(await textOf([create('E1')], { delimiter: ';', bom: true, lineEnd: '\r\n' })).toBe(
    '\uFEFFcommand;email;firstName;lastName;identification\r\nI;ana@example.com;Ana;Núñez;E1\r\n',
  );
});

it('values are written byte for byte, quoted where the format needs it', async () => {
  const after = { firstName: '=1+1', lastName: '+O"Neill, Jr.', area: 'a\nb', email: ' @x ' };
  expect(await textOf([create('E1'), change('E2', { after })])).toContain('\nU, @x ,=1+1,"+O""Neill, Jr.","a\nb",E2\n');
});

it('a file of no changes is its header', async () => {
  expect(await textOf([])).toBe('command,firstName,lastName,identification\n');
});

it('only we may read the file', async () => {
  const path = await newPath();
  await writeProvisioningFile(path, [create('E1')], defaultDialect);
  expect((await lstat(path)).mode & 0o777).toBe(0o600);
});

it('the file is closed when it is called written', async () => {
  const path = await newPath();
  await writeProvisioningFile(path, [create('E1')], defaultDialect);
  expect(filesOpenIn(dirname(path))).toBe(0);
});

it('a longer file under the same name leaves nothing behind', async () => {
  const path = await newPath();
  await writeFile(path, 'x'.repeat(10_000));
  await writeProvisioningFile(path, [create('E1')], defaultDialect);
  expect(await readFile(path, 'utf8')).toMatch(/^command,.*\nI,.*,E1\n$/);
});

it('the whole file is on the disk before it is called written', async () => {
  const synced: number[] = [];
  await watchSync((size) => synced.push(size));
  const path = await newPath();

  await writeProvisioningFile(
    path,
    Array.from({ length: 3000 }, (_, i) => create(`E${i}`)),
    defaultDialect,
  );

  expect(synced).toEqual([(await lstat(path)).size]);
});

it('other work of the process has its turn at least every 250 rows', async () => {
  let rows = 0;
  const changes = Array.from({ length: 5000 }, (_, i) => {
    const { identification, ...rest } = create(`E${i}`);
    return {
      ...rest,
      get identification() {
        rows += 1;
        return identification;
      },
    };
  });
  let isWritten = false;
  const writing = writeProvisioningFile(await newPath(), changes, defaultDialect).finally(() => {
    isWritten = true;
  });
  const perTurn: number[] = [];
  for (let before = rows; !isWritten; before = rows) {
    await nextTurn();
    perTurn.push(rows - before);
  }
  await writing;

  expect(rows).toBe(5000);
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(250);
  expect(Math.max(...perTurn)).toBeGreaterThan(100);
});

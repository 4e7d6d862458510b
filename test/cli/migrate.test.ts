import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { migrations } from '../../src/store/db/migrations/index.ts';
import { useConnectedShells } from './test-shell.ts';

const openConnectedShell = useConnectedShells();
const newest = Object.keys(migrations).sort().at(-1) ?? '';

test('migrate makes the tables of a new store and says so; the second time there is nothing to do', async () => {
  const shell = await openConnectedShell([]);
  const first = await shell.run(['admin', 'migrate']);
  const second = await shell.run(['admin', 'migrate']);
  const third = await shell.run(['admin', 'migrate', '--json']);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toMatch(new RegExp(`was new and is now at ${newest} \\(1 migration: 001-start\\)`));
  expect(second).toMatchObject({ code: 0, stdout: expect.stringMatching(`nothing to do.* is at ${newest}`) });
  expect(third.json()).toEqual({
    store: join(shell.folder, '.rollcall/rollcall.db'),
    from: newest,
    to: newest,
    applied: [],
  });
});

test('check --offline reads the configuration as a start does, and opens nothing', async () => {
  const shell = await openConnectedShell([]);
  const well = await shell.run(['check', '--offline', '--json']);
  expect(well).toMatchObject({ code: 0, stderr: '' });
  const plainText = expect.stringContaining('personal data is stored unencrypted');
  expect(well.json()).toEqual({
    ok: true,
    lines: [
      { subject: 'configuration', state: 'ok', message: 'rollcall.yaml is valid' },
      { subject: 'configuration', state: 'warning', message: plainText },
    ],
  });
  const path = join(shell.folder, 'rollcall.yaml');
  const text = await readFile(path, 'utf8');
  for (const [wrong, sentence, env] of [
    [text.replace('policy: sync', 'policy: all'), /syncs\.people\.policy: must be sync/],
    [`${text}\nwrokers: {}\n`, /wrokers: .*workers/],
    [text.replaceAll('env:ROLLCALL_ACCESS_TOKEN', 'env:GONE'), /the environment variable GONE is not set/],
    [text, /HTTPS_PROXY/, { HTTPS_PROXY: 'socks://proxy:3128' }],
  ] as const) {
    await writeFile(path, wrong);
    const said = await shell.run(['check', '--offline'], env === undefined ? {} : { env });
    expect(said).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(sentence) });
  }
  expect(await shell.run(['check', 'acme', '--offline'])).toMatchObject({ code: 2 });
  expect(existsSync(join(shell.folder, '.rollcall'))).toBe(false);
});

test('migrate refuses a store of a newer version, and a configuration that is wrong', async () => {
  const shell = await openConnectedShell([]);
  await shell.run(['admin', 'migrate']);
  const raw = new Sqlite(join(shell.folder, '.rollcall/rollcall.db'));
  raw.exec("insert into kysely_migration values ('999-later', '2030-01-01T00:00:00.000Z')");
  raw.close();
  const newer = await shell.run(['admin', 'migrate', '--json']);
  expect(newer).toMatchObject({ code: 1, stderr: expect.stringContaining('changed by a newer version of Rollcall') });
  expect(newer.json()).toMatchObject({ error: { code: 'STORE_INVALID' } });
  expect(await shell.run(['admin', 'migrate', '--config', 'none.yaml'])).toMatchObject({ code: 2 });
});

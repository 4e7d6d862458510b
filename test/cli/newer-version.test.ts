import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { useConnectedShells } from './test-shell.ts';

const openConnectedShell = useConnectedShells();

test('a run in a phase of a newer version is listed and shown with its text, and asks for no action', async () => {
  const shell = await openConnectedShell(['ana,Ana,Finance']);
  expect(await shell.run(['apply', 'people'])).toMatchObject({ code: 0 });
  const raw = new Sqlite(join(shell.folder, '.rollcall/rollcall.db'));
  raw.exec(
    "update runs set phase = 'verifying', ended_at = null, outcome = null; update batches set state = 'uploading'",
  );
  const id = raw.prepare('select id from runs').pluck().get() as string;

  expect(await shell.run(['runs'])).toMatchObject({ code: 0, stdout: expect.stringContaining('verifying') });
  const shown = await shell.run(['show', id]);
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('uploading') });
  expect(shown.stdout).toContain('A newer version of Rollcall works on this run; this version only shows it.');
  expect((await shell.run(['show', id, '--json'])).json()).toMatchObject({ phase: 'verifying', outcome: null });
  expect(raw.prepare('select phase, ended_at from runs').get()).toEqual({ phase: 'verifying', ended_at: null });
  raw.close();
});

test('an outcome of a newer version is shown as it is and never counts as done', async () => {
  const shell = await openConnectedShell(['ana,Ana,Finance']);
  await shell.run(['apply', 'people']);
  const raw = new Sqlite(join(shell.folder, '.rollcall/rollcall.db'));
  raw.exec("update runs set outcome = 'superseded'");
  const id = raw.prepare('select id from runs').pluck().get() as string;
  raw.close();

  expect(await shell.run(['show', id])).toMatchObject({ code: 0, stdout: expect.stringContaining('superseded') });
  expect(await shell.run(['runs'])).toMatchObject({ code: 0, stdout: expect.stringContaining('superseded') });
});

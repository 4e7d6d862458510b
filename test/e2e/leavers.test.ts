import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { useConnectedShells, writePeople } from '../cli/test-shell.ts';
import { openReceiver } from '../watch/alerts/receiver.ts';

/* The clock of stated leavers, with the real command line and a real receiver of notices. */

const openConnectedShell = useConnectedShells();
const people = Array.from({ length: 12 }, (_, i) => `${200 + i},Person${i},Support,active`);
const hourMs = 3_600_000;

interface Shown {
  readonly leavers: readonly {
    readonly identification: string;
    readonly state: string;
    readonly lateSeconds: number;
    readonly wait: { readonly cause: string; readonly cure: string } | null;
  }[];
}

it('a held leaver is told before the target is missed, with the command that resolves it, and is proved in the end', async () => {
  const shell = await openConnectedShell(people);
  const receiver = await openReceiver();
  await appendFile(join(shell.folder, 'rollcall.yaml'), `alerts:\n  - { kind: webhook, url: "${receiver.url}" }\n`);
  await shell.run(['apply', 'people']);
  const left = people.map((row, i) => (i < 7 ? row.replace('active', 'terminated') : row));
  await writePeople(shell, left);
  expect((await shell.run(['apply', 'people'])).code).toBe(3);
  const shown = async (...words: readonly string[]) =>
    (await shell.run(['leavers', 'people', ...words, '--json'])).json<Shown>().leavers;
  expect(await shown('--late')).toEqual([]);
  expect((await shown()).map(({ state, wait }) => [state, wait?.cause])).toEqual(
    Array(7).fill(['counting', 'approval']),
  );
  const codes = () =>
    receiver.received.flatMap(({ json }) => json<{ problems: { code: string; action: string }[] }>().problems);
  expect(codes().map(({ code }) => code)).toEqual(['changes-held']);

  // HR said it 23 hours ago.
  const db = new Sqlite(join(shell.folder, '.rollcall/rollcall.db'));
  db.prepare('update leavers set said_at = said_at - ?, clock_at = clock_at - ?').run(23 * hourMs, 23 * hourMs);
  db.close();
  await shell.run(['apply', 'people']);
  await shell.run(['apply', 'people']);
  const told = codes().filter(({ code }) => code === 'leavers-due');
  expect(told).toHaveLength(1);
  const cure = /^(rollcall approve \S+) /m.exec(told[0]?.action ?? '')?.[1] ?? '';
  expect(await shown('--due', 'week')).toHaveLength(7);

  const approve = cure.split(' ').slice(1);
  expect((await shell.run([...approve, '--yes'])).code).toBe(0);
  expect((await shell.run(['apply', 'people'])).code).toBe(0);
  expect([...shell.sandbox.state.users.values()].filter(({ enabled }) => !enabled)).toHaveLength(7);
  expect((await shown()).map(({ state, lateSeconds }) => [state, lateSeconds])).toEqual(Array(7).fill(['done', 0]));
  expect((await shell.run(['leavers', 'people'])).stdout).toContain('slowest this month 23 h');
  expect(receiver.received.some(({ text }) => text.includes('no leaver is late or due'))).toBe(true);
});

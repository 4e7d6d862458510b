import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ConnectedShell, useConnectedShells, writePeople } from './test-shell.ts';

const openConnectedShell = useConnectedShells();
const eight = Array.from({ length: 8 }, (_, i) => `${200 + i},Person,Support,active`);

/** A shell in which eight leavers are held. */
async function openHeld(): Promise<{ readonly shell: ConnectedShell; readonly run: string }> {
  const shell = await openConnectedShell(eight);
  await shell.run(['apply', 'people']);
  await writePeople(
    shell,
    eight.map((person) => person.replace('active', 'terminated')),
  );
  const { id: run } = (await shell.run(['apply', 'people', '--json'])).json<{ id: string }>();
  return { shell, run };
}

const disabledOf = ({ sandbox }: ConnectedShell): string[] =>
  [...sandbox.state.users].flatMap(([name, { enabled }]) => (enabled ? [] : [name])).sort();

test('holds lists who waits, why, until when, and the commands that decide it; a wrong selection approves nobody', async () => {
  const { shell, run } = await openHeld();
  const { stdout, code } = await shell.run(['holds', '--limit', '2']);
  const json = (await shell.run(['holds', '--json', '--sync', 'people'])).json<{ holds: { changes: object[] }[] }>();

  expect(code).toBe(0);
  expect(stdout).toMatch(/people: 8 disables held in run/);
  expect(stdout).toMatch(/ {2}disable {2}200 {2}Person Test {2}200@example\.com {2}left: .*\(enabled → disabled\)/);
  expect(stdout).toContain('… and 6 more');
  expect(stdout).toContain(`rollcall approve ${run} --only disables`);
  expect(stdout).toContain(`rollcall reject ${run} --only disables`);
  expect(json.holds).toMatchObject([{ run, class: 'disables', count: 8, isApprovable: true }]);
  expect(json.holds[0]?.changes[0]).toMatchObject({
    identification: '200',
    name: expect.stringContaining('Person'),
    email: expect.stringContaining('@'),
    kind: 'disable',
    isEnabled: true,
    changed: [],
  });
  expect(await shell.run(['holds', '--sync', 'none'])).toMatchObject({ code: 2 });
  expect(await shell.run(['approve', run, '--yes', '--except', '999'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('except names people without a held change in run'),
  });
  await shell.run(['apply', 'people']);
  expect(disabledOf(shell)).toEqual([]);
});

test('a part is rejected and approved in a name, the rest waits, and the audit says who and why', async () => {
  const { shell, run } = await openHeld();
  await writeFile(join(shell.folder, 'ids.txt'), '200\r\n\r\n 201 \n');
  const words = ['--yes', '--as', 'Ana Díaz', '--reason', 'on leave'];
  const rejected = await shell.run(['reject', run, '--ids', 'ids.txt', ...words]);
  const approved = await shell.run(['approve', run, '--only', 'Disables', '--except', '206', '207', '--yes']);
  const applied = await shell.run(['apply', 'people', '--json']);
  const audit = await shell.run(['audit', '--run', run, '--json']);
  const told = await shell.run(['audit', '--by', 'tester', '--since', '1h']);

  expect(rejected.stdout).toContain('rejected 2 changes');
  expect(rejected.stdout).toContain('6 changes of the run still wait');
  expect(approved.stdout).toContain('approved 4 changes');
  expect(disabledOf(shell)).toEqual(['202', '203', '204', '205']);
  expect(applied).toMatchObject({ code: 3 });
  expect(applied.json()).toMatchObject({ outcome: 'held', counts: { applied: 4, held: 2 }, facts: { rejected: 2 } });
  expect(audit.json()).toMatchObject({
    entries: [
      { by: 'tester', as: null, action: 'approve', detail: '4 changes', reason: null },
      { by: 'tester', as: 'Ana Díaz', action: 'reject', detail: '2 changes', reason: 'on leave' },
    ],
  });
  expect(told.stdout).toMatch(/tester \(as Ana Díaz\) {2}reject +people +\S+ +2 changes: on leave/);
  expect((await shell.run(['audit', '--since', '2099-01-01'])).stdout).toBe('no matching entries\n');
});

test('approve never overrules a rejection, in whatever run, without --reopen', async () => {
  const { shell, run } = await openHeld();
  const later = (await shell.run(['apply', 'people', '--json'])).json<{ id: string }>();
  await shell.run(['reject', later.id, '--yes', '--reason', 'not leavers']);
  const refused = await shell.run(['approve', run, '--yes']);
  const silent = await shell.run(['approve', run, '--reopen']);
  const declined = await shell.run(['approve', run, '--reopen'], { answer: 'n' });
  expect((await shell.run(['apply', 'people', '--json'])).json()).toMatchObject({ counts: { held: 0, applied: 0 } });
  const approved = await shell.run(['approve', run, '--reopen'], { answer: 'y' });
  await shell.run(['apply', 'people']);

  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`tester rejected 8 changes that run ${run}`),
  });
  expect(refused.stderr).toContain(`"rollcall approve ${run} --reopen"`);
  expect(silent).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
  expect(declined.stdout).toContain('rejected by tester: not leavers');
  expect(declined.stderr).toContain('approve 8 changes, which a person rejected?');
  expect(approved.stdout).toContain('approved 8 changes');
  expect(disabledOf(shell)).toHaveLength(8);
});

test('show says what became of the held changes of a run, part by part', async () => {
  const { shell, run } = await openHeld();
  await shell.run(['approve', run, '--except', '206', '207', '--yes']);
  const before = await shell.run(['show', run]);
  await writePeople(
    shell,
    eight.map((person, i) => (i < 6 ? person.replace('active', 'terminated') : person)),
  );
  const applied = (await shell.run(['apply', 'people', '--json'])).json<{ id: string }>();
  const after = await shell.run(['show', run]);
  const refused = await Promise.all(['approve', 'reject'].map((verb) => shell.run([verb, run, '--yes'])));

  expect(before.stdout).toContain('people: 2 changes need approval, 6 approved\n');
  expect(before.stdout).toContain('    2 open until ');
  expect(before.stdout).toContain('    6 approved by tester\n');
  expect(after.stdout).toContain('people: 6 approved, 2 lapsed: the reason ended\n');
  expect(after.stdout).toContain(`    6 approved by tester, applied in run ${applied.id}\n`);
  expect(after.stdout).toMatch(/decisions:\n {2}\S+ \S+ UTC {2}tester {2}approve {2}6 changes\n/);
  expect(after.stdout).not.toContain('to approve it');
  for (const { stderr } of refused) {
    expect(stderr).toContain('6 changes are already approved');
    expect(stderr).toContain('2 changes no longer wait');
  }
  const exported = await shell.run(['admin', 'export', '206']);
  expect(exported.stdout).toMatch(/people: open, left out of a decision, its reason ended \d/);
});

test('approve of a doubted read says what is approved, before it asks and after', async () => {
  const shell = await openConnectedShell(eight);
  await shell.run(['apply', 'people']);
  await writePeople(
    shell,
    eight.map((person, i) => (i < 6 ? person.replace('active', 'present') : person)),
  );
  const { id: run } = (await shell.run(['apply', 'people', '--json'])).json<{ id: string }>();
  const declined = await shell.run(['approve', run], { answer: 'n' });
  const approved = await shell.run(['approve', run, '--yes']);

  expect(declined.stdout).toBe(
    `the source of people looks wrong in run ${run}: 6 of 8 rows have a status that is not in lifecycle; first at line 2 (6 people are blocked, 0 in the last accepted read)\n` +
      'approving accepts this read of 8 rows: later reads are compared with it\n' +
      'nothing was changed\n',
  );
  expect(declined.stderr).toContain('approve the read of this run?');
  expect(approved.stdout).toContain(`approved the read of run ${run}: later reads are compared with it`);
});

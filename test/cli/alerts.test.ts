import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openReceiver, type Receiver } from '../watch/alerts/receiver.ts';
import { type ConnectedShell, useConnectedShells, writePeople } from './test-shell.ts';

const openConnectedShell = useConnectedShells();

async function shellWithAlerts(receiver: Receiver, more = ''): Promise<ConnectedShell> {
  const shell = await openConnectedShell(['ana,Ana,Finance', 'bea,Bea,Legal']);
  const path = join(shell.folder, 'rollcall.yaml');
  const alerts = `alerts:\n  - { kind: webhook, name: night, url: "${receiver.url}/secret-path" }\n${more}`;
  await writeFile(path, `${await readFile(path, 'utf8')}\n${alerts}`);
  return shell;
}

const titles = (receiver: Receiver) => receiver.received.splice(0).map((one) => one.json<{ title: string }>().title);

it('a run that fails in a shell is told once, and the next good one as well', async () => {
  const receiver = await openReceiver();
  const shell = await shellWithAlerts(receiver);
  expect((await shell.run(['apply', 'people'])).code).toBe(0);
  expect(titles(receiver)).toEqual([]);
  const people = join(shell.folder, 'employees.csv');
  const before = await readFile(people, 'utf8');
  await writeFile(people, 'nonsense\n');
  expect((await shell.run(['apply', 'people'])).code).toBe(1);
  expect((await shell.run(['apply', 'people'])).code).toBe(1);
  expect(titles(receiver)).toEqual(['CRITICAL sync people: the run failed: the source cannot be read']);
  const wrong = (await shell.run(['alerts', 'list', '--json'])).json<{ open: object[]; notices: object[] }>();
  expect(wrong.open).toMatchObject([{ subject: { kind: 'sync', name: 'people' }, topic: 'run', severity: 'critical' }]);
  expect(wrong.notices).toMatchObject([{ kind: 'problem', channel: 'night', state: 'delivered', tries: 1 }]);
  await writeFile(people, before);
  expect((await shell.run(['apply', 'people'])).code).toBe(0);
  expect(titles(receiver)).toEqual(['RECOVERED sync people: runs succeed again']);
  const { stdout } = await shell.run(['alerts', 'list']);
  expect(stdout).toContain('none');
  expect(stdout).toMatch(/recovered +sync people +run +night +delivered/);
  expect(stdout).not.toContain('secret-path');
});

it('a running deployment tells what fails in it, and sends what a shell could not', async () => {
  const receiver = await openReceiver();
  const shell = await shellWithAlerts(receiver);
  await writePeople(shell, []);
  receiver.answer(500);
  await shell.run(['apply', 'people']);
  await writeFile(join(shell.folder, 'employees.csv'), 'nonsense\n');
  receiver.received.length = 0;
  await shell.run(['apply', 'people']);
  const waiting = (await shell.run(['alerts', 'list', '--json'])).json<{ notices: { state: string }[] }>();
  expect(waiting.notices.some(({ state }) => state === 'waiting')).toBe(true);
  const stopping: (() => void)[] = [];
  const poll = setInterval(() => {
    if (receiver.received.length > 0) for (const stop of stopping.splice(0)) stop();
  }, 50);
  const onStdout = (_: string, stop: () => void) => void stopping.push(stop);
  receiver.received.length = 0;
  await shell.run(['start', '--json'], { onStdout });
  clearInterval(poll);
  expect(titles(receiver)).toEqual([expect.stringContaining('CRITICAL sync people')]);
});

it('alerts test says of each channel whether it took the notice, and is 1 when one did not', async () => {
  const receiver = await openReceiver();
  const shell = await shellWithAlerts(receiver, `  - { kind: slack, url: "${receiver.url}/slack" }\n`);
  const good = await shell.run(['alerts', 'test']);
  expect(good.code).toBe(0);
  expect(good.stdout).toBe('night  webhook  taken\nslack  slack    taken\n');
  expect(receiver.received.map(({ path }) => path).toSorted()).toEqual(['/secret-path', '/slack']);
  receiver.answer(404);
  const bad = await shell.run(['alerts', 'test', 'night', '--json']);
  expect(bad.code).toBe(1);
  expect(bad.json()).toEqual({
    channels: [{ channel: 'night', kind: 'webhook', error: expect.stringContaining('answered 404') }],
  });
  const none = await shell.run(['alerts', 'test', 'day']);
  expect(none.code).toBe(2);
  expect(none.stderr).toContain('no channel is called day; the configuration has: night, slack');
});

it('alerts ack, mute and unmute quiet a sync, say what is open, and are in the audit', async () => {
  const receiver = await openReceiver();
  const shell = await shellWithAlerts(receiver);
  await writeFile(join(shell.folder, 'employees.csv'), 'nonsense\n');
  await shell.run(['apply', 'people']);
  const acked = await shell.run(['alerts', 'ack', 'people', '--as', 'ana', '--reason', 'HR mends the file']);
  expect(acked).toMatchObject({ code: 0, stdout: 'sync people: 1 open problem acknowledged\n' });
  expect((await shell.run(['alerts', 'list'])).stdout).toContain('(acknowledged by tester) The run');
  const muted = await shell.run(['alerts', 'mute', 'people', '--for', '2h', '--json']);
  expect(muted.json()).toMatchObject({ subjects: [{ subject: { kind: 'sync', name: 'people' }, open: 1 }] });
  expect((await shell.run(['alerts', 'list'])).stdout).toMatch(/Muted\n {2}sync people +until .* by tester/);
  expect((await shell.run(['alerts', 'unmute', 'people'])).stdout).toBe('sync people is not muted; 1 open problem\n');
  const { entries } = (await shell.run(['audit', '--json'])).json<{ entries: { action: string; by: string }[] }>();
  expect(entries.map(({ action, by }) => `${by} ${action}`).slice(0, 3)).toEqual([
    'tester alerts-unmute',
    'tester alerts-mute',
    'tester alerts-ack',
  ]);
  const unknown = await shell.run(['alerts', 'ack', 'poeple']);
  expect(unknown).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no sync, connection or deployment is called poeple'),
  });
  const tooLong = await shell.run(['alerts', 'mute', 'people', '--for', '31d']);
  expect(tooLong).toMatchObject({ code: 2, stderr: expect.stringContaining('at most 30d') });
});

it('show --findings lists every finding with its code and place', async () => {
  const receiver = await openReceiver();
  const shell = await shellWithAlerts(receiver);
  const path = join(shell.folder, 'employees.csv');
  const rows = (await readFile(path, 'utf8')).trimEnd();
  const [, first = ''] = rows.split('\n');
  await writeFile(path, `${rows}\n${first.replace(',', ',Other ')}\n`);
  const { id: run } = (await shell.run(['apply', 'people', '--json'])).json<{ id: string }>();
  const { stdout } = await shell.run(['show', run, '--findings']);
  expect(stdout).toMatch(/^duplicate-key \(ana\b.*\): /m);
  expect(stdout).not.toContain('changes');
});

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { closeReceivers, openReceiver, type Receiver } from '../alerts/receiver.ts';
import { type ConnectedShell, useConnectedShells, writePeople } from './test-shell.ts';

const openConnectedShell = useConnectedShells();
afterEach(closeReceivers);

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
  expect(titles(receiver)).toEqual(['CRITICAL sync people: the run failed']);
  const wrong = (await shell.run(['alerts', 'list', '--json'])).json<{ standing: object[]; deliveries: object[] }>();
  expect(wrong.standing).toMatchObject([
    { subject: { kind: 'sync', name: 'people' }, topic: 'run', severity: 'critical' },
  ]);
  expect(wrong.deliveries).toMatchObject([{ kind: 'problem', channel: 'night', state: 'delivered', tries: 1 }]);
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
  const waiting = (await shell.run(['alerts', 'list', '--json'])).json<{ deliveries: { state: string }[] }>();
  expect(waiting.deliveries.some(({ state }) => state === 'waiting')).toBe(true);
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

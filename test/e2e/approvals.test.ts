import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type CommandOptions, type ConnectedShell, useConnectedShells, writePeople } from '../cli/test-shell.ts';
import { ask } from '../server/open-test-server.ts';

/* Approvals by two, with the real command line and real HTTP. */

const openConnectedShell = useConnectedShells();
const people = Array.from({ length: 12 }, (_, i) => `${200 + i},Person,Support,active`);
const tokenOf = (name: string): string => `token-of-${name}-in-this-test`;
const as = (name: string): CommandOptions => ({ env: { ROLLCALL_TOKEN: tokenOf(name) } });

/** A shell in which one leaver waits for two approvals, far below the limit of the guard. */
async function openRuled(approvals: string): Promise<{ readonly shell: ConnectedShell; readonly run: string }> {
  const shell = await openConnectedShell(people);
  const tokens = ['ana', 'bo', 'lea'].map(
    (name) => `    - { name: ${name}, role: operator, token: ${tokenOf(name)} }\n`,
  );
  const viewer = `    - { name: vic, role: viewer, token: ${tokenOf('vic')} }\n`;
  await appendFile(
    join(shell.folder, 'rollcall.yaml'),
    `approvals: ${approvals}\nserver:\n  port: 0\n  tokens:\n${tokens.join('')}${viewer}`,
  );
  await shell.run(['apply', 'people']);
  await writePeople(shell, [people[0]?.replace('active', 'terminated') ?? '', ...people.slice(1)]);
  const held = await shell.run(['apply', 'people', '--json'], as('ana'));
  expect(held.code, held.stderr).toBe(3);
  return { shell, run: held.json<{ id: string }>().id };
}

const isDisabled = ({ sandbox }: ConnectedShell): boolean => sandbox.state.users.get('200')?.enabled === false;

it('one disable below the limit waits for two people, and each place says who has approved', async () => {
  const { shell, run } = await openRuled('{ reason: required, disables: 2 }');
  const approve = ['approve', run, '--yes'];
  const why = ['--reason', 'left'];

  const login = await shell.run([...approve, ...why]);
  expect(login).toMatchObject({ code: 2, stderr: expect.stringContaining('set ROLLCALL_TOKEN') });
  expect((await shell.run(approve, as('ana'))).stderr).toContain('needs a reason');
  expect(await shell.run([...approve, ...why], as('nobody'))).toMatchObject({ code: 2 });

  const first = await shell.run([...approve, ...why, '--json'], as('ana'));
  expect(first.json()).toMatchObject({ changes: 0, pending: 1 });
  // The same person again, in another name, is still one.
  expect((await shell.run([...approve, ...why, '--as', 'Bo', '--json'], as('ana'))).json()).toMatchObject({
    pending: 1,
  });
  expect((await shell.run(['apply', 'people'], as('ana'))).code).toBe(3);
  expect(isDisabled(shell)).toBe(false);
  const said = '1 change has 1 of 2 approvals (token:ana)';
  for (const words of [['status'], ['holds']]) expect((await shell.run(words)).stdout).toContain(said);
  expect((await shell.run(['why', 'people', '200'])).stdout).toContain(said);

  const last = await shell.run(['runs', '--json']);
  const newest = last.json<{ runs: { id: string }[] }>().runs[0]?.id ?? '';
  const second = await shell.run(['approve', newest, '--yes', ...why, '--json'], as('bo'));
  expect(second.json()).toMatchObject({ changes: 1, pending: 0 });
  expect((await shell.run(['apply', 'people'], as('bo'))).code).toBe(0);
  expect(isDisabled(shell)).toBe(true);
  const audit = await shell.run(['audit', '--json']);
  const approvals = audit.json<{ entries: { by: string; action: string }[] }>().entries;
  expect(approvals.filter(({ action }) => action === 'approve').map(({ by }) => by)).toEqual([
    'token:bo',
    'token:ana',
    'token:ana',
  ]);
});

it('a plan that was shown, a reopening, an undo, a retry and an adopt need an identity on the command line', async () => {
  const { shell, run } = await openRuled('{ disables: 2 }');
  const { digest } = (await shell.run(['plan', 'people', '--json'])).json<{ digest: string }>();
  for (const words of [
    ['apply', 'people', '--approve', digest],
    ['approve', run, '--reopen', '--yes'],
    ['undo', run, '--yes'],
    ['retry', run],
    ['adopt', 'people', '201', '--yes'],
  ]) {
    const refused = await shell.run(words);
    expect(`${refused.stderr}${refused.stdout}`, words.join(' ')).toMatch(
      /set ROLLCALL_TOKEN|nothing to undo|nothing to adopt/,
    );
    expect(isDisabled(shell)).toBe(false);
  }
  // Two people may also approve what a plan shows.
  expect((await shell.run(['apply', 'people', '--approve', digest], as('ana'))).code).toBe(3);
  expect((await shell.run(['apply', 'people', '--approve', digest], as('bo'))).code).toBe(0);
  expect(isDisabled(shell)).toBe(true);
});

it('the person who requested the run, and one who is not named, may not approve; over HTTP the same rule holds', async () => {
  const { shell, run } = await openRuled('{ disables: { by: [token:ana, token:bo], notRequester: true } }');
  const listening = Promise.withResolvers<{ url: string; stop: () => void }>();
  const ended = shell.run(['start', '--role', 'server', '--json'], {
    onStdout: (text, stop) => listening.resolve({ url: (JSON.parse(text) as { url: string }).url, stop }),
  });
  const { url, stop } = await listening.promise;
  const approve = (name: string) =>
    ask(`${url}/api/runs/${run}/approve`, { method: 'POST', token: tokenOf(name), body: { reason: 'left', as: 'Bo' } });
  expect(await approve('ana')).toMatchObject({
    status: 409,
    json: { detail: expect.stringContaining('requested the run') },
  });
  expect(await approve('lea')).toMatchObject({
    status: 409,
    json: { detail: expect.stringContaining('may not approve') },
  });
  expect((await approve('vic')).status).toBe(403);
  expect(await approve('bo')).toMatchObject({ status: 200, json: { changes: 1, pending: 0 } });
  stop();
  await ended;
  expect((await shell.run(['apply', 'people'], as('lea'))).code).toBe(0);
  expect(isDisabled(shell)).toBe(true);
});

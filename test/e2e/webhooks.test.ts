import { createHmac } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/main/process.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { openTestShell } from '../cli/test-shell.ts';
import { bobPeople, bobUser, startBob } from '../fakes/hris/hibob.ts';
import { ask, operatorToken } from '../server/open-test-server.ts';
import { bobFields } from '../sources/hibob/under-test.ts';

const secret = 'the-secret-that-hibob-shows';

it('a message of the HR system disables a leaver, without any schedule', async () => {
  const { url: hr, people, server: bob } = await startBob(bobPeople(9));
  const sandbox = await startSandbox({ now: () => systemClock.now(), processingMs: 0 });
  onTestFinished(() => sandbox.close());
  const shell = await openTestShell();
  const config = {
    store: 'sqlite:./rollcall.db',
    connections: {
      acme: { baseUrl: sandbox.url, accessToken: sandbox.accessToken, limits: { requestsPerSecond: 1000 } },
    },
    syncs: {
      people: {
        connection: 'acme',
        source: { kind: 'hibob', url: hr, serviceUser: bobUser.id, token: bobUser.token, fields: bobFields },
        mapping: { identification: 'root.id', firstName: 'root.firstName', lastName: 'root.surname' },
        lifecycle: { status: 'rollcallStatus', active: ['active'], leaver: ['terminated'] },
        policy: 'sync',
        settle: { every: '50ms', deadline: '1m' },
      },
    },
    server: {
      port: 0,
      tokens: [{ name: 'ops', role: 'operator', token: operatorToken }],
      webhooks: { people: { kind: 'hibob', secret } },
    },
  };
  await writeFile(join(shell.folder, 'rollcall.yaml'), JSON.stringify(config));
  expect((await shell.run(['apply', 'people'])).code).toBe(0);

  const listening = Promise.withResolvers<{ readonly url: string; readonly stop: () => void }>();
  const ended = shell.run(['start', '--json'], {
    onStdout: (text, stop) => listening.resolve({ url: (JSON.parse(text) as { url: string }).url, stop }),
  });
  const { url, stop } = await listening.promise;

  const leaver = people[3] ?? expect.unreachable();
  people[3] = { ...leaver, status: 'Inactive', lifecycleStatus: 'terminated', terminationDate: '2026-01-02' };
  const asked = bob.requests.length;
  const body = JSON.stringify({
    type: 'employee.left',
    triggeredAt: '2026-01-02T00:00:01',
    data: { employeeId: leaver.id },
  });
  const headers = { 'bob-signature': createHmac('sha512', secret).update(body).digest('base64') };
  const sentAt = performance.now();
  const { status, json } = await ask(`${url}/api/webhooks/people`, { method: 'POST', token: null, body, headers });
  expect(status).toBe(200);

  const request = async () => (await ask(`${url}/api/requests/${json.trigger}`)).json;
  let seen = await request();
  while (seen.state !== 'ended') {
    await new Promise((resolve) => setTimeout(resolve, 20));
    seen = await request();
  }
  const ms = performance.now() - sentAt;
  process.stdout.write(`from the message to the read-back: ${Math.round(ms)} ms\n`);
  expect(seen).toMatchObject({ kind: 'webhook', users: 1, run: { read: 'point', outcome: 'succeeded' } });
  expect(seen.run.counts).toMatchObject({ disable: 1, applied: 1 });
  expect(sandbox.state.users.get(leaver.id)).toMatchObject({ enabled: false });
  // HiBob is asked once, for this person alone.
  expect(bob.requests.length - asked).toBe(1);
  stop();
  expect((await ended).code).toBe(0);
});

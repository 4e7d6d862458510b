import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { newUlid, systemClock } from '../../../src/main/process.ts';
import { silentLogger } from '../../../src/ports/runtime.ts';
import { openStore } from '../../../src/store/index.ts';
import { openAlerts } from '../../../src/watch/alerts/open-alerts.ts';
import { openRun } from '../../contracts/store-samples.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { openReceiver, sendingAtOnce } from './receiver.ts';

const script = new URL('./evaluate-and-die.ts', import.meta.url).pathname;

it('a process killed while it sends loses nothing: the next one sends the same notice', async () => {
  const folder = await temporaryFolder();
  const store = await openStore('sqlite:rollcall.db', { folder });
  const owned = await openRun(store, { id: 'run_1', now: systemClock.now() });
  const endedAt = systemClock.now();
  await store.runs.update(owned, { phase: 'done', endedAt, outcome: 'failed', reason: 'no source' });

  // It takes the request and never answers: the moment at which the process dies.
  const asked = Promise.withResolvers<string>();
  const silent = createServer((request) => asked.resolve(String(request.headers['x-rollcall-notice'])));
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const child = spawn(process.execPath, [script, folder, `http://127.0.0.1:${port}`], { stdio: 'ignore' });
  const died = once(child, 'exit');
  const id = await asked.promise;
  child.kill('SIGKILL');
  expect((await died)[1]).toBe('SIGKILL');
  silent.closeAllConnections();
  await new Promise<void>((resolve) => silent.close(() => resolve()));

  const receiver = await openReceiver();
  const lookAt = (ms: number) =>
    sendingAtOnce(
      openAlerts({
        channels: [
          { kind: 'webhook', name: 'hook', url: { reveal: () => receiver.url }, afterMs: 0, remindMs: undefined },
        ],
        place: { deployment: 'rollcall', publicUrl: undefined },
        syncs: [{ name: 'people', connection: 'acme', staleBefore: () => undefined }],
        connections: [],
        store,
        clock: { ...systemClock, now: () => systemClock.now() + ms },
        logger: silentLogger,
        newId: newUlid,
        random: () => 0.5,
      }),
    ).evaluate(new AbortController().signal);
  await lookAt(0);
  expect(receiver.received).toEqual([]);
  await lookAt(60_000);
  expect(receiver.received.map(({ headers }) => headers['x-rollcall-notice'])).toEqual([id]);
  await lookAt(600_000);
  expect(receiver.received).toHaveLength(1);
  await store.close();
});

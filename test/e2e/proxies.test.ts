import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { AppIo } from '../../src/app/app-io.ts';
import { planHere } from '../../src/app/previews.ts';
import { openConfiguredApp, systemClock } from '../../src/main/process.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { startRestFake } from '../fakes/hris/rest.ts';
import { listenWithTls, startProxy, type TestProxy } from '../support/http-proxy.ts';
import { makeCertificate } from '../support/services/authority.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openReceiver } from '../watch/alerts/receiver.ts';

const portOf = (url: string): number => Number(new URL(url).port);
const addressOf = ({ port }: TestProxy, credentials = ''): string => `http://${credentials}127.0.0.1:${port}`;

/** A platform behind TLS with an authority of its own, an HR system and a receiver of alerts, each behind its own proxy. */
async function openWorld() {
  const sandbox = await startSandbox({ now: () => systemClock.now() });
  onTestFinished(() => sandbox.close());
  const certificate = await makeCertificate();
  const tlsPort = await listenWithTls(certificate, portOf(sandbox.url));
  const hr = await startRestFake('cursor');
  const receiver = await openReceiver();
  const [toPlatform, toHr, toAlerts] = await Promise.all([
    startProxy(tlsPort, 'ana:secret'),
    startProxy(portOf(hr.server.url)),
    startProxy(portOf(receiver.url)),
  ]);
  const config = (connection: object, source: object) => ({
    connections: {
      acme: { baseUrl: `https://localhost:${tlsPort}`, accessToken: sandbox.accessToken, ...connection },
    },
    syncs: {
      people: {
        connection: 'acme',
        source: { ...hr.source, ...source },
        policy: 'upsert-only',
        mapping: { identification: 'id', firstName: 'first', lastName: 'last', email: 'mail' },
      },
    },
    alerts: [
      { name: 'hook', kind: 'webhook', url: 'http://alerts.example.com/in', insecure: true, secret: 's'.repeat(32) },
    ],
  });
  const open = async (connection: object, source: object = {}, env: NodeJS.ProcessEnv = {}): Promise<AppIo> => {
    const path = join(await temporaryFolder(), 'rollcall.json');
    await writeFile(path, JSON.stringify(config(connection, source)));
    const app = await openConfiguredApp(path, {
      env,
      mayPresentSeed: true,
      logs: 'off',
      stderr: { write: () => true },
    });
    onTestFinished(() => app.close());
    return app;
  };
  return { open, tlsPort, ca: certificate.ca, hr, receiver, toPlatform, toHr, toAlerts };
}

const plan = (app: AppIo) => planHere(app, 'people', { signal: AbortSignal.timeout(60_000), progress: () => {} });

it('platform and HR system are reached through the proxies of the configuration, TLS to the platform in a tunnel', async () => {
  const { open, tlsPort, ca, toPlatform, toHr } = await openWorld();
  const app = await open({ proxy: addressOf(toPlatform, 'ana:secret@'), ca }, { proxy: addressOf(toHr) });

  expect((await plan(app)).counts).toMatchObject({ create: 30 });
  expect(new Set(toPlatform.seen)).toEqual(new Set([`CONNECT localhost:${tlsPort}`]));
  expect(toHr.seen).toEqual(expect.arrayContaining([expect.stringMatching(/^GET http:\/\/127\.0\.0\.1:\d+\/people/)]));
});

it('inside the tunnel the certificate of the platform is verified', async () => {
  const { open, toPlatform } = await openWorld();
  const app = await open({ proxy: addressOf(toPlatform, 'ana:secret@') });

  await expect(plan(app)).rejects.toThrow(/certificate/);
  expect(toPlatform.seen.length).toBeGreaterThan(0);
});

it('alerts go through the proxy of the environment', async () => {
  const { open, receiver, toAlerts } = await openWorld();
  const app = await open({}, {}, { HTTP_PROXY: addressOf(toAlerts) });

  expect(await app.alerts.test(undefined, AbortSignal.timeout(30_000))).toMatchObject([{ error: undefined }]);
  expect(toAlerts.seen).toEqual(['POST http://alerts.example.com/in']);
  expect(receiver.received.map(({ path }) => path)).toEqual(['/in']);
});

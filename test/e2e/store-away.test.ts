import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/main/process.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { openHere } from '../chaos/open-here.ts';
import { ask } from '../server/open-test-server.ts';
import { memoryLogger } from '../support/memory-logger.ts';
import { plainSync } from '../support/office.ts';
import { startRollcall } from '../support/rollcall-process.ts';
import { findPostgresPrograms, startPostgresServer } from '../support/services/postgres-server.ts';
import { until } from '../support/services/redis.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const programs = await findPostgresPrograms();

describe.skipIf(programs === undefined)('PostgreSQL that goes away', () => {
  it('leaves the metrics of the process readable, names no host, and is back when it is back', async () => {
    const folder = await temporaryFolder();
    const postgres = await startPostgresServer(programs ?? '', await temporaryFolder());
    onTestFinished(() => postgres.stop('crash'));
    const store = `postgres://${postgres.user}:${encodeURIComponent(postgres.password)}@127.0.0.1:${postgres.port}/postgres`;
    const sandbox = await startSandbox({ now: () => Date.now(), processingMs: 10, faults: [] });
    onTestFinished(() => sandbox.close());
    const people = {
      ...plainSync(),
    };
    const config = join(folder, 'rollcall.json');
    const connections = { acme: { baseUrl: sandbox.url, accessToken: sandbox.accessToken } };
    await writeFile(config, JSON.stringify({ store, connections, syncs: { people }, server: { metrics: 'open' } }));
    const log = memoryLogger();
    const { app } = await openHere(config, { clock: systemClock, logger: log });
    const stopping = new AbortController();
    const listening = Promise.withResolvers<string>();
    const ended = app.start({
      signal: stopping.signal,
      progress: () => {},
      role: 'server',
      listen: { port: 0 },
      onListening: listening.resolve,
      onReady: () => {},
    });
    onTestFinished(async () => {
      stopping.abort(new Error('stop'));
      await ended.catch(() => {});
      await app.close().catch(() => {});
    });
    const url = await listening.promise;
    const metrics = async (): Promise<string> => (await ask(`${url}/metrics`)).text;
    await until(async () => (await ask(`${url}/readyz`)).status === 200);
    expect(await metrics()).toMatch(/^rollcall_store_up 1$/m);
    expect(await metrics()).toMatch(/^rollcall_sync_paused\{/m);

    const admin = await openAdmin(store);
    await admin.setReadOnly(true);
    await until(async () => (await ask(`${url}/readyz`)).status === 503);
    expect((await ask(`${url}/readyz`)).json).toMatchObject({ faults: { store: 'it is read-only' } });
    expect(await metrics()).toMatch(/^rollcall_store_up 0$/m);
    expect(await metrics()).toMatch(/^rollcall_sync_paused\{/m);
    expect((await ask(`${url}/healthz`)).status).toBe(200);
    await admin.setReadOnly(false);
    await until(async () => (await ask(`${url}/readyz`)).status === 200);

    await postgres.stop('fast');
    await until(async () => (await ask(`${url}/readyz`)).status === 503);
    const away = await ask(`${url}/metrics`);
    expect(away.status).toBe(200);
    expect(away.text).toMatch(/^rollcall_store_up 0$/m);
    expect(away.text).toMatch(/^rollcall_process_resident_memory_bytes \d+$/m);
    expect(away.text).not.toMatch(/^rollcall_sync_paused\{/m);
    for (const text of [away.text, (await ask(`${url}/readyz`)).text]) {
      expect(text).not.toContain('127.0.0.1');
      expect(text).not.toContain(`:${postgres.port}`);
    }
    // The process is not to be restarted for it.
    expect((await ask(`${url}/healthz`)).status).toBe(200);

    await postgres.start();
    await until(async () => (await ask(`${url}/readyz`)).status === 200);
    expect(await metrics()).toMatch(/^rollcall_store_up 1$/m);
  });

  it('is waited for by a start that finds it read-only: well, not ready, and started when it takes writes', async () => {
    const folder = await temporaryFolder();
    const postgres = await startPostgresServer(programs ?? '', await temporaryFolder());
    onTestFinished(() => postgres.stop('crash'));
    const store = `postgres://${postgres.user}:${encodeURIComponent(postgres.password)}@127.0.0.1:${postgres.port}/postgres`;
    const acme = { baseUrl: 'http://127.0.0.1:9', accessToken: 'unused' };
    const config = { store, connections: { acme }, server: { port: 0, metrics: 'open' } };
    await writeFile(join(folder, 'rollcall.yaml'), JSON.stringify(config));
    const admin = await openAdmin(store);
    await admin.setReadOnly(true);
    const deployment = startRollcall(folder, ['start']);
    await deployment.seen(/is not writable, because it is read-only: this process waits/);
    const [, url = ''] = await deployment.seen(/"url":"([^"]+)","serves":"health"/);
    expect((await ask(`${url}/healthz`)).status).toBe(200);
    expect((await ask(`${url}/startupz`)).status).toBe(200);
    expect(await ask(`${url}/readyz`)).toMatchObject({ status: 503, json: { faults: { store: 'it is read-only' } } });
    expect((await ask(`${url}/metrics`)).text).toMatch(/^rollcall_store_up 0$/m);
    await admin.setReadOnly(false);
    await deployment.seen(/"msg":"ready"/);
    deployment.child.kill('SIGTERM');
    expect((await deployment.ended).code).toBe(0);
  });
});

/** A connection that makes the whole server read-only, and not itself. */
async function openAdmin(store: string) {
  const client = new Client({ connectionString: store });
  await client.connect();
  await client.query('set default_transaction_read_only = off');
  onTestFinished(() => client.end().catch(() => {}));
  client.on('error', () => {});
  return {
    async setReadOnly(isReadOnly: boolean): Promise<void> {
      await client.query(`alter system set default_transaction_read_only = ${isReadOnly}`);
      await client.query('select pg_reload_conf()');
    },
  };
}

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { requestOrRun } from '../../src/app/requests.ts';
import { findRuns } from '../../src/app/runs.ts';
import { systemClock } from '../../src/main/process.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { openHere } from '../chaos/open-here.ts';
import { memoryLogger } from '../support/memory-logger.ts';
import { plainSync } from '../support/office.ts';
import { findPostgresPrograms, startPostgresServer } from '../support/services/postgres-server.ts';
import { until } from '../support/services/redis.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const programs = await findPostgresPrograms();
const count = 60;

describe.skipIf(programs === undefined)(
  'PostgreSQL that is away for longer than the lease of a deployment without Redis',
  () => {
    it('holds its run up, and nothing more: the process waits, and the run goes on soon after it is back', async () => {
      const folder = await temporaryFolder();
      const postgres = await startPostgresServer(programs ?? '', await temporaryFolder());
      onTestFinished(() => postgres.stop('crash'));
      const store = `postgres://${postgres.user}:${encodeURIComponent(postgres.password)}@127.0.0.1:${postgres.port}/postgres`;
      const sandbox = await startSandbox({ now: () => Date.now(), processingMs: 400 });
      onTestFinished(() => sandbox.close());
      const people = {
        ...plainSync(),
        delivery: 'csv',
        batchRows: 10,
        guards: { creates: { absolute: 1000, percent: 100 } },
        settle: { every: '500ms', visibleWithin: '20s', deadline: '5m' },
      };
      const rows = Array.from({ length: count }, (_, i) => `E${i},Ana,Li,e${i}@example.com,active`);
      await writeFile(join(folder, 'employees.csv'), `${['id,first,last,mail,status', ...rows].join('\n')}\n`);
      const config = join(folder, 'rollcall.json');
      const connections = { acme: { baseUrl: sandbox.url, accessToken: sandbox.accessToken } };
      await writeFile(config, JSON.stringify({ store, connections, syncs: { people } }));
      const log = memoryLogger();
      const { app } = await openHere(config, { clock: systemClock, logger: log });
      const stopping = new AbortController();
      const ready = Promise.withResolvers<void>();
      let end: string | undefined;
      const ended = app
        .start({
          signal: stopping.signal,
          progress: () => {},
          role: 'all',
          onListening: () => {},
          onReady: ready.resolve,
        })
        .then(
          () => (end = 'stopped'),
          (error: unknown) => (end = String(error)),
        );
      onTestFinished(async () => {
        stopping.abort(new Error('stop'));
        await ended;
        await app.close().catch(() => {});
      });
      await ready.promise;
      await requestOrRun(app, 'people', {
        signal: stopping.signal,
        progress: () => {},
        by: 'ana',
        scope: { kind: 'all' },
      });
      await until(async () => sandbox.state.requests.upload >= 2);

      await postgres.stop('fast');
      const waits = 'the store is unavailable: all work waits for it';
      await until(async () => log.messages('warn').includes(waits) || end !== undefined, 60_000);
      expect(end).toBeUndefined();
      const uploads = sandbox.state.requests.upload;
      expect(uploads).toBeLessThan(count / 10);
      await postgres.start();

      await until(async () => sandbox.state.users.size === count || end !== undefined, 60_000);
      expect(end).toBeUndefined();
      expect(log.messages('info')).toContain('the store is available again: work continues');
      await until(async () => (await findRuns(app, { limit: 1 }))[0]?.outcome !== undefined, 60_000);
      expect(await findRuns(app, { limit: 5 })).toMatchObject([{ outcome: 'succeeded', counts: { applied: count } }]);
      expect(log.messages('error')).not.toContain('run failed');
      expect(sandbox.state.log).toHaveLength(count);
    });
  },
);

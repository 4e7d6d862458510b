import { expect, it, onTestFinished } from 'vitest';
import { findAudit } from '../../src/app/audit.ts';
import { exportOrQueue } from '../../src/app/connections.ts';
import { exported, exportList } from '../../src/views/exports.ts';
import { openHere } from '../chaos/open-here.ts';
import { openExportingWorld } from '../support/exporting.ts';
import { FakeClock, someInstant } from '../support/fake-clock.ts';
import { silentLogger } from '../support/memory-logger.ts';
import { openTestServer, viewerToken } from './open-test-server.ts';

/** Four exports of a platform, served over HTTP. No deployment runs: passes are made here. */
async function openExports(rest: Readonly<Record<string, unknown>> = {}) {
  const clock = new FakeClock(someInstant);
  const world = await openExportingWorld(() => clock.now(), undefined);
  await world.configure({ schedule: { cron: '0 5 * * *' } }, {}, rest);
  const { app } = await openHere(world.config, { clock, logger: silentLogger });
  onTestFinished(() => app.close());
  const server = await openTestServer(app);
  const pass = (name: string) => exportOrQueue(app, name, { by: 'tests', signal: AbortSignal.timeout(60_000) });
  return { app, clock, pass, server, world };
}

it('lists the exports, where they stand, and why a pass failed and when it is tried again, also to a viewer', async () => {
  const { pass, server, world } = await openExports();
  world.addFeedback(someInstant - 5000, someInstant - 4000);
  await pass('feedback-csv');
  const { status, json } = await server.ask('/api/exports', { token: viewerToken });
  expect(status).toBe(200);
  expect(exportList.parse(json)).toEqual(json);
  const names = json.exports.map(({ name }: { name: string }) => name);
  expect(names.toSorted()).toEqual(['evaluations-csv', 'evaluations-jsonl', 'feedback-csv', 'feedback-jsonl']);
  const of = (name: string) => json.exports.find((one: { name: string }) => one.name === name);
  expect(of('feedback-csv')).toMatchObject({
    ...{ connection: 'acme', what: 'feedback', state: 'succeeded', items: 2, failures: 0, failure: null },
    place: expect.stringMatching(/exports\/feedback-csv$/),
    lastItemAt: new Date(someInstant - 4000).toISOString(),
    nextAt: expect.stringMatching(/T05:00:00/),
  });
  expect(of('feedback-jsonl')).toMatchObject({ state: 'never-ran', items: 0, lastItemAt: null, successAt: null });

  world.addFeedback(someInstant - 3000);
  world.setFaults('*:status=404');
  await expect(pass('feedback-jsonl')).rejects.toThrow();
  const failing = (await server.ask('/api/exports')).json.exports;
  expect(failing.find(({ name }: { name: string }) => name === 'feedback-jsonl')).toMatchObject({
    ...{ state: 'failing', failures: 1, failure: expect.stringContaining('404') },
    nextAt: new Date(someInstant + 60_000).toISOString(),
  });
});

it('a pass is requested, with a reason and from a day on; unknown names, wrong days and viewers are refused', async () => {
  const { app, server } = await openExports();
  const run = (name: string, body: object, token?: string) =>
    server.ask(`/api/exports/${name}/run`, { method: 'POST', body, ...(token === undefined ? {} : { token }) });
  const { status, json } = await run('feedback-csv', { from: '2026-01-01T00:00:00Z', reason: 'a new warehouse' });
  expect(status).toBe(200);
  expect(exported.parse(json)).toEqual(json);
  expect(json).toMatchObject({ name: 'feedback-csv', state: 'waiting' });
  expect(await findAudit(app, { limit: 10 })).toMatchObject([
    {
      action: 'run-export',
      by: 'token:ops',
      connection: 'acme',
      reason: 'a new warehouse',
      detail: /^feedback-csv from 2026-01-01/,
    },
  ]);
  expect(await run('feedback', {})).toMatchObject({ status: 404, text: expect.stringContaining('feedback-csv, ') });
  expect(await run('feedback-csv', { from: 'yesterday' })).toMatchObject({ status: 400 });
  expect(await run('feedback-csv', { form: '2026-01-01T00:00:00Z' })).toMatchObject({ status: 400 });
  expect(await run('feedback-csv', {}, viewerToken)).toMatchObject({ status: 403 });
  expect(await findAudit(app, { limit: 10 })).toHaveLength(1);
});

it('a token of some syncs sees the exports of their connections, and requests none', async () => {
  const people = {
    connection: 'acme',
    source: { kind: 'csv', path: './employees.csv' },
    policy: 'sync',
    mapping: { identification: 'id', firstName: 'first', lastName: 'last' },
    lifecycle: { status: 'status', active: ['active'], leaver: ['left'] },
  };
  const { app } = await openExports({ syncs: { people } });
  const token = 'a-token-of-some-syncs';
  const tokens = [{ name: 'some', role: 'operator' as const, syncs: ['people'], token }];
  const server = await openTestServer(app, { settings: { tokens } });
  expect((await server.ask('/api/exports', { token })).json.exports).toHaveLength(4);
  const refused = await server.ask('/api/exports/feedback-csv/run', { method: 'POST', body: {}, token });
  expect(refused.status).toBe(403);
});

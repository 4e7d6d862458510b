import { expect, it } from 'vitest';
import type { KnownProblem } from '../../src/ports/alerts.ts';
import { alertList, quieted } from '../../src/views/alerts.ts';
import { auditPage, connectionList } from '../../src/views/connections.ts';
import { adminToken, openAlerted } from '../support/alerted-office.ts';
import { openOffice, plainSync } from '../support/office.ts';
import { openTestServer, viewerToken } from './open-test-server.ts';

it('open alerts are listed, acknowledged and muted, and the overview counts them', async () => {
  const { server, office } = await openAlerted();
  const list = async () => {
    const { json } = await server.ask('/api/alerts');
    expect(alertList.parse(json)).toEqual(json);
    return json;
  };
  const post = (act: string, body: object, token?: string) =>
    server.ask(`/api/alerts/people/${act}`, { method: 'POST', body, ...(token === undefined ? {} : { token }) });
  expect(await list()).toMatchObject({
    open: [{ subject: { kind: 'sync', name: 'people' }, severity: 'critical', run: 'run_1', acknowledged: null }],
    muted: [],
  });
  expect((await server.ask('/api/overview')).json.alerts).toEqual({
    ...{ open: 1, acknowledged: 0, muted: 0, worst: 'critical' },
  });
  expect((await post('ack', {}, viewerToken)).status).toBe(403);
  const acked = await post('ack', { reason: 'known', as: 'ana' });
  expect(quieted.parse(acked.json)).toEqual(acked.json);
  expect(await list()).toMatchObject({ open: [{ acknowledged: { by: 'token:ops' } }] });
  expect(await post('mute', { minutes: 30 })).toMatchObject({ status: 200, json: { until: expect.any(String) } });
  expect(await list()).toMatchObject({ muted: [{ subject: { name: 'people' }, by: 'token:ops' }] });
  expect((await server.ask('/api/overview')).json.alerts).toMatchObject({ open: 1, acknowledged: 1, muted: 1 });
  expect((await post('unmute', {})).status).toBe(200);
  expect(await list()).toMatchObject({ muted: [] });
  expect((await server.ask('/api/alerts/nobody/ack', { method: 'POST', body: {} })).status).toBe(400);
  const { json } = await server.ask('/api/audit?action=alerts-ack');
  expect(auditPage.parse(json)).toEqual(json);
  expect(json.entries).toMatchObject([{ by: 'token:ops', as: 'ana', action: 'alerts-ack', reason: 'known' }]);
  const until = new Date(office.clock.now() - 3_600_000).toISOString();
  expect((await server.ask(`/api/audit?until=${until}`)).json.entries).toEqual([]);
});

it('a connection says which syncs use it and how to authorize it again; only an admin touches its token', async () => {
  const { server } = await openAlerted();
  const { json } = await server.ask('/api/connections');
  expect(connectionList.parse(json)).toEqual(json);
  expect(json.connections).toMatchObject([{ name: 'acme', syncs: ['people'], token: { state: 'static' }, steps: [] }]);
  const path = '/api/connections/acme/token/refresh';
  expect((await server.ask(path, { method: 'POST', body: {} })).status).toBe(403);
  // A configured access token cannot be refreshed, and the answer says so.
  const refused = await server.ask(path, { method: 'POST', body: {}, token: adminToken });
  expect(refused).toMatchObject({ status: 502, json: { code: 'TOKEN_UNAVAILABLE' } });
  const unknown = '/api/connections/other/token/revoke';
  expect((await server.ask(unknown, { method: 'POST', body: {}, token: adminToken })).status).toBe(404);
});

it('a viewer of one sync sees the trouble of its platform without the names of other syncs', async () => {
  const office = await openOffice({ syncs: { payroll: plainSync('./payroll.csv') } });
  const now = office.clock.now();
  const problem: KnownProblem = {
    ...{
      topic: 'platform',
      code: 'platform-ends-runs',
      severity: 'critical',
      worst: 'critical',
      key: 'PLATFORM_FAILED',
    },
    ...{ title: 'the platform answers with errors', action: 'rollcall check acme', unaffected: undefined },
    ...{
      summary: 'Runs of 2 syncs (payroll, people) failed',
      details: ['payroll: 502'],
      count: 2,
      run: 'run_of_payroll',
    },
    ...{ since: now, newsAt: now, told: {}, times: 1 },
  };
  const state = { version: 1, problems: { platform: problem }, firstSeenAt: now, judgedUntil: now, judgedRuns: [] };
  await office.engine.io.store.alerts.save(0, { subject: { kind: 'connection', name: 'acme' }, ...state }, []);
  const named = (name: string) => ({
    ...{ ...state, subject: { kind: 'source', name: `${name}.example.com` } as const },
    concerned: {
      source: {
        syncs: { [name]: { from: now, at: now }, payroll: { from: now, at: now } },
        cause: { topic: 'source', subject: `${name}.example.com` },
        reason: 'payroll failed',
      },
    } as const,
    problems: { source: { ...problem, topic: 'source', title: 'the HR system does not answer' } as const },
  });
  for (const name of ['people', 'payroll']) await office.engine.io.store.alerts.save(0, named(name), []);
  const tokens = [{ name: 'desk', role: 'viewer', syncs: ['people'], token: viewerToken }] as const;
  const server = await openTestServer(office.app, { settings: { tokens } });
  const { json, text } = await server.ask('/api/alerts', { token: viewerToken });
  expect(json.open).toMatchObject([
    {
      ...{ subject: { kind: 'connection', name: 'acme' }, severity: 'critical', action: 'rollcall check acme' },
      ...{ summary: 'the platform answers with errors', details: [], count: null, run: null },
    },
    { subject: { kind: 'source', name: 'people.example.com' }, summary: 'the HR system does not answer', details: [] },
  ]);
  expect(text).not.toContain('payroll');
});

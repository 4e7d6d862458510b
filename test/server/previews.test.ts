import { expect, it } from 'vitest';
import { openPreviews } from '../../jobs/open-previews.ts';
import { findChanges, findRuns } from '../../src/app/runs.ts';
import { makePreview } from '../../src/run/make-preview.ts';
import { foundChanges } from '../../src/views/changes.ts';
import { preview, previewList } from '../../src/views/previews.ts';
import { employees, type Office, openOffice, type Row, usersOf } from '../support/office.ts';
import { openTestServer, viewerToken } from './open-test-server.ts';

/** Does what the scheduler and a worker do with the previews that wait. */
async function work({ engine: { io } }: Office): Promise<void> {
  const make = (id: string) => makePreview(id, io, AbortSignal.timeout(60_000));
  await openPreviews.run({ engine: io, enqueue: (_, { preview = '' }) => make(preview) }, undefined);
}

const left = (...numbers: readonly number[]): Readonly<Record<string, Row>> =>
  Object.fromEntries(numbers.map((i) => [`E${i}`, { status: 'left' } as Row]));

async function openRun(count: number): Promise<Office> {
  const office = await openOffice({ sandbox: { people: usersOf(employees(count)) } });
  await office.applyRows(employees(count));
  return office;
}

async function ledgerOf({ engine: { io } }: Office): Promise<readonly unknown[]> {
  const entries: unknown[] = [];
  for await (const some of io.store.ledger.all('acme')) entries.push(...some);
  return entries;
}

it('a preview shows what a run would do, and changes nothing', async () => {
  const office = await openRun(20);
  const { store } = office.engine.io;
  // Seven leavers are more than a guard lets pass, and one person is missing.
  await office.writeEmployees(employees(20, left(1, 2, 3, 4, 5, 6, 7)).slice(0, 19));
  const ledger = await ledgerOf(office);
  const written = office.sandbox.state.log.length;
  const server = await openTestServer(office.app);
  const asked = await server.ask('/api/previews', { method: 'POST', body: { sync: 'people' } });
  expect(asked.status).toBe(202);
  expect(asked.json).toMatchObject({ state: 'waiting', users: null, report: null, isDeploymentRunning: false });
  const { id } = asked.json;
  await work(office);
  const { json } = await server.ask(`/api/previews/${id}`, { token: viewerToken });
  expect(preview.parse(json)).toEqual(json);
  expect(json).toMatchObject({
    state: 'done',
    requestedBy: 'token:ops',
    report: { counts: { disable: 7, held: 7 }, holds: [{ class: 'disables', count: 7 }], failure: null },
  });
  const search = await server.ask(`/api/previews/${id}/changes/search?sort=name&text=ana3`);
  expect(foundChanges.parse(search.json)).toEqual(search.json);
  expect(search.json).toMatchObject({ total: 1, all: 7, changes: [{ identification: 'E3', state: 'held' }] });
  expect((await server.ask(`/api/previews/${id}/changes/groups?by=kind`)).json.groups).toEqual([
    { key: 'disable', count: 7 },
  ]);
  expect((await server.ask(`/api/previews/${id}/changes/export?format=csv`)).text).toContain('E7');

  const list = await server.ask('/api/previews?sync=people');
  expect(previewList.parse(list.json)).toEqual(list.json);
  expect(list.json.previews).toMatchObject([{ id }]);

  expect(await ledgerOf(office)).toEqual(ledger);
  expect(office.sandbox.state.log.length).toBe(written);
  expect(await store.holds.listOpen('people')).toEqual([]);
  expect(await store.decisions.of('people', 'E3')).toEqual([]);
  expect((await findRuns(office.app, { limit: 10 })).length).toBe(1);
  const { run } = await office.apply();
  const [first] = await findChanges(office.app, run.id, { limit: 1 });
  expect(first?.hash).toBe((await server.ask(`/api/previews/${id}/changes/search`)).json.changes[0].hash);
});

it('a preview of named people is about them only, leavers too, and ends no decision of others', async () => {
  const office = await openRun(20);
  const { store } = office.engine.io;
  await office.applyRows(employees(20, left(1, 2, 3, 4, 5, 6, 7)));
  const held = await store.decisions.of('people', 'E5');
  expect(held).toMatchObject([{ state: 'open', endedAt: undefined }]);
  const server = await openTestServer(office.app);
  const body = { sync: 'people', users: ['E1', 'E9'] };
  const { id } = (await server.ask('/api/previews', { method: 'POST', body })).json;
  await work(office);
  const { json } = await server.ask(`/api/previews/${id}`);
  expect(json).toMatchObject({ state: 'done', users: ['E1', 'E9'], report: { counts: { disable: 1 } } });
  expect(await store.decisions.of('people', 'E5')).toEqual(held);
});

it('a preview expires, is refused to viewers and for unknown syncs, and at most 20 wait', async () => {
  const office = await openRun(2);
  const server = await openTestServer(office.app);
  const ask = (body: unknown, token?: string) =>
    server.ask('/api/previews', { method: 'POST', body, ...(token === undefined ? {} : { token }) });
  expect((await ask({ sync: 'people' }, viewerToken)).status).toBe(403);
  expect((await ask({ sync: 'nobody' })).status).toBe(404);
  expect((await ask({ sync: 'people', config: {} })).status).toBe(400);
  const { id, expiresAt } = (await ask({ sync: 'people', users: ['E1'] })).json;
  expect(Date.parse(expiresAt) - office.clock.now()).toBeGreaterThan(6 * 86_400_000);
  for (let i = 1; i < 20; i += 1) expect((await ask({ sync: 'people' })).status).toBe(202);
  expect((await ask({ sync: 'people' })).status).toBe(409);
  office.clock.jump(7 * 86_400_000 + 1000);
  expect((await server.ask(`/api/previews/${id}`)).status).toBe(404);
  expect((await server.ask(`/api/previews/${id}/events`)).status).toBe(404);
});

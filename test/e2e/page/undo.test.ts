import { expect, it } from 'vitest';
import { openTestServer, operatorToken, viewerToken } from '../../server/open-test-server.ts';
import { confirm, makeWaitingPreview, openBrowserPage, see } from '../../support/browser-page.ts';
import { employees, type Office, openOffice, type Row } from '../../support/office.ts';

const renamed = Object.fromEntries([1, 2, 3, 4].map((i): [string, Row] => [`E${i}`, { last: 'Wrong' }]));

/** A run has renamed four people. */
async function openRenamed() {
  const office = await openOffice();
  await office.applyRows(employees(12));
  const { run } = await office.applyRows(employees(12, renamed));
  return { office, run, server: await openTestServer(office.app) };
}

const namesIn = ({ sandbox }: Office) => ['E1', 'E4'].map((id) => sandbox.state.users.get(id)?.fields.lastName);

it('the API undoes a run, for operators, and keeps who asked and why', async () => {
  const { office, run, server } = await openRenamed();
  const path = `/api/runs/${run.id}/undo`;
  expect(await server.ask(path, { method: 'POST', token: viewerToken, body: {} })).toMatchObject({ status: 403 });
  const body = { users: ['E1'], reason: 'wrong export' };
  const answer = await server.ask(path, { method: 'POST', token: operatorToken, body });
  expect(answer).toMatchObject({ status: 202, json: { isNew: true } });
  await office.apply();
  expect(namesIn(office)).toEqual(['Díaz', 'Wrong']);
  const runs = await server.ask('/api/runs?trigger=undo', { token: viewerToken });
  expect(runs.json).toMatchObject({ runs: [{ undoes: run.id, users: 1, outcome: 'succeeded' }] });
  const audit = await server.ask('/api/audit?action=undo', { token: operatorToken });
  expect(audit.json).toMatchObject({ entries: [{ run: run.id, reason: 'wrong export' }] });
  const nobody = await server.ask(path, { method: 'POST', token: operatorToken, body: { users: ['E99'] } });
  expect(nobody.status).toBe(400);
});

see('a run is undone from its page: first the plan, then the run', async () => {
  const { office, run, server } = await openRenamed();
  const { page, show } = await openBrowserPage(server, { token: operatorToken, path: `/runs/${run.id}` });
  await confirm(page, 'Undo this run');
  await page.waitForURL(/\/previews\/preview_/);
  expect(await page.getByRole('button', { name: 'Undo', exact: true }).count()).toBe(0);
  await makeWaitingPreview(office, server);
  await page.getByText('What a run would do').waitFor();
  await page.getByRole('treegrid').getByText('E1', { exact: true }).first().waitFor();
  expect(namesIn(office)).toEqual(['Wrong', 'Wrong']);

  await confirm(page, 'Undo');
  await page.waitForURL(/\/runs\?sync=people/);
  await office.apply();
  expect(namesIn(office)).toEqual(['Díaz', 'Díaz']);
  const [undone] = await office.app.engine.store.runs.list({ trigger: 'undo', limit: 1 });
  await show(`/runs/${undone?.id}`);
  await page.getByRole('link', { name: run.id }).waitFor();
});

import { expect, it } from 'vitest';
import { makePreview } from '../../../src/run/make-preview.ts';
import { openTestServer, operatorToken, type TestServer, viewerToken } from '../../server/open-test-server.ts';
import { openBrowserPage, signIn } from '../../support/browser-page.ts';
import { employees, type Office, openOffice, type Row } from '../../support/office.ts';
import { findChromium } from '../../support/services/chromium.ts';

const chromiumPath = await findChromium('page/undo.test.ts');
const see = it.skipIf(chromiumPath === undefined);

const renamed = Object.fromEntries([1, 2, 3, 4].map((i): [string, Row] => [`E${i}`, { last: 'Wrong' }]));

/** A run has renamed four people. */
async function openRenamed() {
  const office = await openOffice();
  await office.applyRows(employees(12));
  const { run } = await office.applyRows(employees(12, renamed));
  return { office, run, server: await openTestServer(office.app) };
}

const namesIn = ({ sandbox }: Office) => ['E1', 'E4'].map((id) => sandbox.state.users.get(id)?.fields.lastName);

/** Does what a deployment does with the preview that waits, and lets the page see it. */
async function makeWaiting({ engine: { io } }: Office, server: TestServer): Promise<void> {
  const waiting = async (): Promise<string> => (await io.store.previews.unended(io.clock.now()))[0] ?? '';
  await expect.poll(waiting).not.toBe('');
  await makePreview(await waiting(), io, AbortSignal.timeout(60_000));
  await server.clock.advance(2000);
}

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
  const { page, complaints } = await openBrowserPage(chromiumPath ?? '', server);
  await page.goto(`${server.url}/runs/${run.id}`);
  await signIn(page, operatorToken);
  await page.getByRole('button', { name: 'Undo this run' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Undo this run' }).click();
  await page.waitForURL(/\/previews\/preview_/);
  expect(await page.getByRole('button', { name: 'Undo', exact: true }).count()).toBe(0);
  await makeWaiting(office, server);
  await page.getByText('What a run would do').waitFor();
  await page.getByRole('treegrid').getByText('E1', { exact: true }).first().waitFor();
  expect(namesIn(office)).toEqual(['Wrong', 'Wrong']);

  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Undo', exact: true }).click();
  await page.waitForURL(/\/runs\?sync=people/);
  await office.apply();
  expect(namesIn(office)).toEqual(['Díaz', 'Díaz']);
  const [undone] = await office.app.engine.store.runs.list({ trigger: 'undo', limit: 1 });
  await page.goto(`${server.url}/runs/${undone?.id}`);
  await page.getByRole('link', { name: run.id }).waitFor();
  expect(complaints).toEqual([]);
});

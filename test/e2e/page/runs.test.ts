import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findAudit } from '../../../src/app/audit.ts';
import { beginPause } from '../../../src/app/syncs.ts';
import { openTestServer, operatorToken, viewerToken } from '../../server/open-test-server.ts';
import { openBrowserPage, signIn } from '../../support/browser-page.ts';
import { employees, openOffice, type Row, usersOf } from '../../support/office.ts';
import { findChromium } from '../../support/services/chromium.ts';

const chromiumPath = await findChromium('page/runs.test.ts');
const see = it.skipIf(chromiumPath === undefined);

/** Two runs: the second one found two unreadable rows, and held seven disables. */
async function openRuns(token = operatorToken) {
  const before = employees(20, { E9: { last: '<b>Díaz</b>' } });
  const office = await openOffice({ sandbox: { people: usersOf(before.slice(3)) } });
  const { run: first } = await office.applyRows(before);
  const left = Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((i): [string, Row] => [`E${i}`, { status: 'left' }]));
  const odd = { E12: { status: 'on leave' }, E13: { status: 'sabbatical' } };
  const { run: second } = await office.applyRows(employees(20, { ...left, ...odd, E9: { last: 'Gómez' } }));
  const server = await openTestServer(office.app);
  const opened = await openBrowserPage(chromiumPath ?? '', server);
  const show = async (path: string): Promise<void> => {
    await opened.page.goto(`${server.url}${path}`);
    await opened.page.locator('main h1').waitFor();
  };
  await opened.page.goto(server.url);
  await signIn(opened.page, token);
  return { ...opened, office, server, first, second, show };
}

see('the address of a run shows its outcome, times, files, and findings by cause with their place', async () => {
  const { page, show, second, complaints } = await openRuns();
  await show(`/runs/${second.id}`);
  await page.getByRole('heading', { name: 'Run of people' }).waitFor();
  const text = await page.locator('main').innerText();
  expect(text).toContain(second.id);
  expect(text).toContain('Held');
  for (const word of ['Reading', 'Planning', 'Delivering', 'Reading back']) expect(text).toContain(word);
  const causes = (await page.locator('.cause', { hasText: 'status-unknown' }).allInnerTexts()).join('\n');
  expect(causes).toContain('status has a value that is in neither active nor leaver (2');
  expect(causes).toMatch(/E12.*line 13/s);
  expect(await page.locator('.list.holds').innerText()).toContain('7 disables');
  expect(await page.getByRole('table').innerText()).toContain('Ended');
  const figures = page.locator('.card', { hasText: 'Numbers of the read' });
  expect(await figures.innerText()).toMatch(/Rows of the source\s+20\s/);
  expect(await figures.innerText()).not.toMatch(/[a-z][A-Z]|,\d{3},\d{3}/);
  await page.getByRole('link', { name: 'Show all changes' }).first().click();
  await page.getByRole('treegrid').getByRole('row').nth(1).waitFor();
  await page.getByRole('combobox', { name: /^State/ }).selectOption('held');
  await expect.poll(() => page.getByRole('treegrid').getByRole('row').count()).toBe(8);
  expect(page.url()).toContain('state=held');
  await page.reload();
  await expect.poll(() => page.getByRole('treegrid').getByRole('row').count()).toBe(8);
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'CSV' }).click();
  expect((await download).suggestedFilename()).toBe(`run-${second.id}.csv`);
  expect(complaints).toEqual([]);
});

see('runs are listed with filters in the address', async () => {
  const { page, show, complaints } = await openRuns();
  await show('/runs');
  await expect.poll(() => page.locator('tbody tr').count()).toBe(2);
  await page.getByLabel('Outcome').selectOption('held');
  await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
  expect(page.url()).toContain('outcome=held');
  await page.getByLabel('Outcome').selectOption('failed');
  await page.getByText('No run matches the filter.').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect.poll(() => page.locator('tbody tr').count()).toBe(2);
  expect(complaints).toEqual([]);
});

see(
  'an operator pauses, resumes and requests a run after reading what it means; a viewer sees no such button',
  async () => {
    const { page, show, office, server } = await openRuns();
    await show('/syncs/people');
    const press = async (name: string, meaning: string): Promise<void> => {
      await page.getByRole('button', { name }).click();
      const dialog = page.getByRole('dialog');
      expect(await dialog.innerText()).toContain(meaning);
      await dialog.getByRole('button', { name }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await press('Pause', 'No run begins');
    await page.locator('.page-head').getByText('Paused').waitFor();
    await press('Resume', 'Waiting requests start');
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await press('Run now', 'Guards hold');
    await expect.poll(() => office.engine.io.store.triggers.waiting('people')).toHaveLength(1);
    const audit = await findAudit(office.app, { limit: 10 });
    expect(audit.filter(({ by }) => by === 'ops').map(({ action }) => action)).toEqual([
      ...['request-run', 'resume', 'pause'],
    ]);

    const viewer = await openBrowserPage(chromiumPath ?? '', server);
    await viewer.page.goto(`${server.url}/syncs/people`);
    await signIn(viewer.page, viewerToken);
    await viewer.page.getByRole('heading', { name: 'people' }).waitFor();
    expect(await viewer.page.getByRole('button', { name: /Pause|Resume|Run now|Full read/ }).count()).toBe(0);
  },
);

see('a person is explained; stored history is shown also when the source cannot be read', async () => {
  const { page, show, office } = await openRuns();
  await show('/people/people/E9');
  await page.locator('.steps').waitFor();
  const told = await page.locator('main').textContent();
  expect(told).toContain('"owner": "people"');
  expect(told).toContain('<b>Díaz</b>');
  expect(await page.locator('main b').count()).toBe(0);
  await rm(join(office.folder, 'employees.csv'));
  await page.reload();
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('alert').innerText()).toContain('cannot read');
  expect(await page.locator('main').innerText()).toMatch(/Update[\s\S]*Applied/);
});

see('the audit has filters; a connection shows its token', async () => {
  const { page, show, office, complaints } = await openRuns();
  await beginPause(office.app, 'people', { by: 'ops' });
  await show('/audit?action=pause');
  await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
  expect(await page.locator('tbody tr').innerText()).toContain('Pause');
  await show('/connections');
  await page.getByText('Fixed token').waitFor();
  await show('/alerts');
  await page.getByText('No alert is open.').waitFor();
  expect(complaints).toEqual([]);
});

see('the API can be tried from its own page', async () => {
  const { page, server, office } = await openRuns();
  await page.goto(`${server.url}/docs`);
  await page.getByLabel('Access token').fill(operatorToken);
  const form = page.locator('article#list-syncs form');
  await form.getByRole('button', { name: 'Try it' }).click();
  await form.locator('output .s2').waitFor();
  expect(await form.locator('output').textContent()).toContain('"name": "people"');
  const ask = page.locator('article#request-run form');
  await ask.getByRole('button', { name: 'Try it' }).click();
  await ask.locator('output .s2').waitFor();
  expect(await office.engine.io.store.triggers.waiting('people')).toHaveLength(1);
  expect(await page.getByLabel('Application token').count()).toBe(0);
});

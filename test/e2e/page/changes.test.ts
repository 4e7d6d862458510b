import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { makePreview } from '../../../src/run/make-preview.ts';
import { openTestServer, operatorToken, viewerToken } from '../../server/open-test-server.ts';
import { openBrowserPage, signIn } from '../../support/browser-page.ts';
import { employees, openOffice, usersOf } from '../../support/office.ts';
import { findChromium } from '../../support/services/chromium.ts';

const chromiumPath = await findChromium('page/changes.test.ts');
const see = it.skipIf(chromiumPath === undefined);

/** A run with three creates, then one with an update and a leaver. */
async function openChanges(token = viewerToken) {
  const before = employees(12, {});
  const office = await openOffice({ sandbox: { people: usersOf(before.slice(3)) } });
  await office.applyRows(before);
  const { run } = await office.applyRows(employees(12, { E9: { last: 'Gómez' }, E10: { status: 'left' } }));
  const server = await openTestServer(office.app);
  const opened = await openBrowserPage(chromiumPath ?? '', server, { at: office.clock.now() });
  await opened.page.goto(server.url);
  await signIn(opened.page, token);
  return { ...opened, office, server, run };
}

see(
  'the changes of all runs are listed with filters that stand in the address, and lead to person and run',
  async () => {
    const { page, run, complaints } = await openChanges();
    await page.getByRole('navigation').getByRole('link', { name: 'Changes' }).click();
    await page.getByRole('heading', { name: 'Changes of the last 30 days' }).waitFor();
    const rows = page.locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(5);
    expect(await rows.nth(0).innerText()).toMatch(/Disable[\s\S]*E10[\s\S]*Applied/);
    await page.getByRole('combobox', { name: 'Change' }).selectOption('update');
    await expect.poll(() => rows.count()).toBe(1);
    expect(page.url()).toContain('kind=update');
    expect(await rows.innerText()).toMatch(/E9[\s\S]*last name/);
    await page.reload();
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('searchbox', { name: 'Filter by name, e-mail or any value' }).fill('gomez');
    await page.keyboard.press('Enter');
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole('searchbox', { name: 'Filter by name, e-mail or any value' }).fill('no such person');
    await page.keyboard.press('Enter');
    await page.getByText('No change matches the filter.').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await expect.poll(() => rows.count()).toBe(5);
    await rows.nth(0).getByRole('link', { name: 'Run of people' }).click();
    await page.waitForURL(`**/runs/${run.id}`);
    await page.goBack();
    await rows.nth(0).getByRole('rowheader').getByRole('link').click();
    await page.waitForURL('**/people/people/E10');
    expect(complaints).toEqual([]);
  },
);

see('a report says who left or joined, and is a file too', async () => {
  const { page, complaints } = await openChanges();
  await page.goto(new URL('/changes', page.url()).href);
  await page.getByRole('link', { name: 'Who left or joined' }).click();
  const rows = page.locator('tbody tr');
  await expect.poll(() => rows.count()).toBe(1);
  expect(await rows.innerText()).toMatch(/E10[\s\S]*Disable · Applied[\s\S]*status "left"/);
  await page.getByLabel('Report').selectOption('joiners');
  await expect.poll(() => rows.count()).toBe(3);
  expect(await page.locator('main').innerText()).toContain('3 people · Applied 3');
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'CSV' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^joiners-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/);
  expect((await readFile(await file.path(), 'utf8')).trim().split('\n')).toHaveLength(4);
  await page.getByLabel('From').fill('2030-01-01');
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('alert').innerText()).toContain('are not two days in order');
  expect(complaints).toEqual([]);
});

see('an edit of the mapping shows whom it would change, and changes nothing', async () => {
  const { page, office, server, complaints } = await openChanges(operatorToken);
  const before = await JSON.stringify([...office.sandbox.state.users]);
  await page.goto(new URL('/syncs/people', page.url()).href);
  await page.getByText('Try an edit').click();
  const field = page.getByRole('textbox', { name: 'Try an edit' });
  const yaml = await field.inputValue();
  expect(yaml).toContain('firstName: first');
  await field.fill(yaml.replace('firstName: first', 'frstName: first'));
  await page.getByRole('button', { name: 'Preview the changes' }).click();
  expect(await page.getByRole('alert').innerText()).toMatch(
    /mapping:\d+ syncs\.people\.mapping\.frstName: .*firstName/,
  );
  await field.fill(`${yaml}area: "\${env:HOME}"\n`);
  await page.getByRole('button', { name: 'Preview the changes' }).click();
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('has a reference');
  await field.fill(yaml.replace('firstName: first', 'firstName: last'));
  await page.getByRole('button', { name: 'Preview the changes' }).click();
  await page.waitForURL('**/previews/*');
  const id = page.url().split('/').at(-1) ?? '';
  await makePreview(id, office.app.engine, new AbortController().signal);
  await page.reload();
  await page.getByText('11 changes').first().waitFor();
  expect(await page.locator('main').innerText()).toContain('11 configuration changes');
  await page.getByText('Edited mapping').click();
  expect(await page.locator('pre').innerText()).toContain('firstName: last');
  for (const path of ['', '/changes/search']) {
    expect((await server.ask(`/api/previews/${id}${path}`, { token: operatorToken })).status).toBe(200);
    expect((await server.ask(`/api/previews/${id}${path}`, { token: viewerToken })).status).toBe(403);
  }
  expect(await JSON.stringify([...office.sandbox.state.users])).toEqual(before);
  expect(complaints).toEqual([]);
});

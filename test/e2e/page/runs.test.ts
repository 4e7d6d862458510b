import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { findAudit } from '../../../src/app/audit.ts';
import { openTestServer, operatorToken, viewerToken } from '../../server/open-test-server.ts';
import { confirm, openBrowserPage, see, violationsOf } from '../../support/browser-page.ts';
import { employees, openManaged, openOffice, type Row, usersOf } from '../../support/office.ts';

see(
  'a run, the list of runs and a person are shown with their causes; an address that leads nowhere says so',
  async () => {
    const before = employees(20, { E9: { last: '<b>Díaz</b>' } });
    const office = await openOffice({ sandbox: { people: usersOf(before.slice(3)) } });
    await office.applyRows(before);
    // Two rows that cannot be read, and seven disables that a guard holds.
    const left = Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((i): [string, Row] => [`E${i}`, { status: 'left' }]));
    const odd = { E12: { status: 'on leave' }, E13: { status: 'sabbatical' } };
    const { run } = await office.applyRows(employees(20, { ...left, ...odd, E9: { last: 'Gómez' } }));
    const server = await openTestServer(office.app);
    const { page, show } = await openBrowserPage(server, { token: operatorToken });
    await show(`/runs/${run.id}`);
    await page.getByRole('heading', { name: 'Run of people' }).waitFor();
    const text = await page.locator('main').innerText();
    for (const word of [run.id, 'Needs approval', 'Reading', 'Planning', 'Delivering', 'Reading back'])
      expect(text).toContain(word);
    const causes = (await page.locator('.cause', { hasText: 'status-unknown' }).allInnerTexts()).join('\n');
    expect(causes).toContain('status has a value that is in neither active nor leaver (2');
    expect(causes).toMatch(/E12.*line 13/s);
    // The link is beside text, and color alone does not tell it from that.
    expect(await page.evaluate("getComputedStyle(document.querySelector('.findings a')).textDecorationLine")).toBe(
      'underline',
    );
    expect(await page.locator('.list.holds').innerText()).toContain('7 disables');
    expect(await page.getByRole('table').innerText()).toContain('Ended');
    expect(await violationsOf(page)).toEqual([]);
    const figures = page.locator('.card', { hasText: 'Read summary' });
    expect(await figures.innerText()).toMatch(/Rows of the source\s+20\s/);
    expect(await figures.innerText()).not.toMatch(/[a-z][A-Z]|,\d{3},\d{3}/);
    await page.getByRole('link', { name: 'Show all changes' }).first().click();
    const changes = page.getByRole('treegrid').getByRole('row');
    await changes.nth(1).waitFor();
    await page.getByRole('combobox', { name: /^State/ }).selectOption('held');
    await expect.poll(() => changes.count()).toBe(8);
    expect(page.url()).toContain('state=held');
    await page.reload();
    await expect.poll(() => changes.count()).toBe(8);
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'CSV' }).click();
    expect((await download).suggestedFilename()).toBe(`run-${run.id}.csv`);

    await show('/runs');
    const rows = page.locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByLabel('Outcome').selectOption('held');
    await expect.poll(() => rows.count()).toBe(1);
    expect(page.url()).toContain('outcome=held');
    await page.getByLabel('Outcome').selectOption('failed');
    await page.getByText('No run matches the filter.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => rows.count()).toBe(2);
    await show('/alerts');
    await page.getByText('No alert is open.').waitFor();

    await show('/runs/run_none');
    expect(await page.getByRole('alert').innerText()).toContain('NOT_FOUND');
    expect((await page.goto(`${server.url}/no/such/page`))?.status()).toBe(404);
    await page.getByRole('heading', { name: 'This page does not exist' }).waitFor();
    await page.getByRole('link', { name: 'Go to the overview' }).click();
    await page.waitForURL(`${server.url}/`);

    await show('/people/people/E9');
    await page.locator('.steps').waitFor();
    const told = await page.locator('main').textContent();
    expect(told).toContain('"owner": "people"');
    expect(told).toContain('<b>Díaz</b>');
    expect(await page.locator('main b').count()).toBe(0);
    // Stored history is shown also when the source cannot be read.
    await rm(join(office.folder, 'employees.csv'));
    await page.reload();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').innerText()).toContain('cannot read');
    expect(await page.locator('main').innerText()).toMatch(/Update[\s\S]*Applied/);
  },
);

see(
  'an operator pauses, resumes and requests a run after reading what it means, also from the page of the API; a viewer sees no such button',
  async () => {
    const office = await openManaged(3);
    const server = await openTestServer(office.app);
    const { page, show } = await openBrowserPage(server, { token: operatorToken, path: '/syncs/people' });
    await confirm(page, 'Pause', 'No run begins');
    await page.locator('.page-head').getByText('Paused').waitFor();
    await confirm(page, 'Resume', 'Waiting requests start');
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await confirm(page, 'Run now', 'Guards hold');
    const waiting = () => office.engine.io.store.triggers.waiting('people');
    await expect.poll(waiting).toHaveLength(1);
    const audit = await findAudit(office.app, { limit: 10 });
    expect(audit.filter(({ by }) => by === 'token:ops').map(({ action }) => action)).toEqual([
      'request-run',
      'resume',
      'pause',
    ]);
    await show('/audit?action=pause');
    const rows = page.locator('tbody tr');
    await expect.poll(() => rows.count()).toBeGreaterThan(0);
    expect(await rows.first().innerText()).toContain('Pause');
    await show('/connections');
    await page.getByText('Fixed token').waitFor();

    const viewer = await openBrowserPage(server, { token: viewerToken, path: '/syncs/people' });
    await viewer.page.getByRole('heading', { name: 'people' }).waitFor();
    expect(await viewer.page.getByRole('button', { name: /Pause|Resume|Run now|Full read/ }).count()).toBe(0);

    await page.goto(`${server.url}/docs`);
    await page.getByLabel('Access token').fill(operatorToken);
    const form = page.locator('article#list-syncs form');
    await form.getByRole('button', { name: 'Try it' }).click();
    await form.locator('output .s2').waitFor();
    expect(await form.locator('output').textContent()).toContain('"name": "people"');
    const ask = page.locator('article#request-run form');
    await ask.getByRole('button', { name: 'Try it' }).click();
    await ask.locator('output .s2').waitFor();
    expect(await ask.locator('output').textContent()).toContain('"isNew": true');
    expect(await waiting()).toHaveLength(1);
    expect(await page.getByLabel('Application token').count()).toBe(0);
  },
);

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestServer, operatorToken, type TestServer } from '../server/open-test-server.ts';
import { employees, type Office, openOffice, type Row, usersOf } from '../support/office.ts';
import { findChromium } from '../support/services/chromium.ts';

const chromiumPath = await findChromium('server-dashboard.test.ts');

describe.skipIf(chromiumPath === undefined)('the dashboard in a browser without a network', () => {
  let browser: Browser;
  let page: Page;
  let office: Office;
  let server: TestServer;
  const complaints: string[] = [];

  beforeEach(async () => {
    const before = employees(20, { E9: { last: '<b>Díaz</b>' } });
    office = await openOffice({ sandbox: { people: usersOf(before.slice(3)) } });
    await office.writeEmployees(before);
    await office.apply();
    const left = Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((i): [string, Row] => [`E${i}`, { status: 'left' }]));
    await office.writeEmployees(employees(20, { ...left, E9: { last: 'Gómez' } }));
    await office.apply();
    server = await openTestServer(office.app);
    browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] });
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    complaints.length = 0;
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
        complaints.push(message.text());
      }
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.route('**', (route) => {
      if (route.request().url().startsWith(server.url)) return route.continue();
      complaints.push(`asked for ${route.request().url()}`);
      return route.abort();
    });
    await page.goto(`${server.url}/classic`);
  });

  afterEach(async () => {
    await browser.close();
    expect(complaints).toEqual([]);
  });

  const enter = async (token: string): Promise<void> => {
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Open' }).click();
  };

  it('shows the run that an alert links to, with its reason and findings', async () => {
    const [run] = await office.app.runs({ limit: 1 });
    await page.goto(`${server.url}/classic/runs/${run?.id}`);
    await enter(operatorToken);
    await page.locator('#run dl').waitFor();
    const text = await page.locator('#run').innerText();
    expect(text).toContain(run?.id ?? '?');
    expect(text).toContain('held');
    await page.goto(`${server.url}/classic/runs/run_none`);
    await page.locator('#run .bad').waitFor();
  });

  it('shows nothing without a token that is known, and forgets it when told to', async () => {
    await enter('a-token-that-nobody-knows');
    await page.locator('#notice.bad').waitFor();
    expect(await page.locator('#board').isVisible()).toBe(false);
    await enter(operatorToken);
    await page.locator('#board').waitFor();
    await page.reload();
    await page.locator('#board').waitFor();
    await page.getByRole('button', { name: 'Forget token' }).click();
    expect(await page.locator('#enter').isVisible()).toBe(true);
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  it('shows syncs, runs and what waits; asks before it approves; and explains a person', async () => {
    await enter(operatorToken);
    const card = page.locator('.card');
    await card.waitFor();
    expect(await card.textContent()).toContain('people');
    expect(await page.locator('#runs tbody tr').count()).toBe(2);
    expect(await page.locator('#runs thead').textContent()).toContain('Read');
    expect(await page.locator('#runs tbody td[title="all employees"]').allTextContents()).toEqual(['full', 'full']);
    expect(await card.textContent()).toContain('Readall employees');
    expect(await page.locator('#runs svg').first().getAttribute('aria-label')).toContain('7 held');

    const verdicts: unknown[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/approve')) verdicts.push(request.postDataJSON());
    });
    await page.getByRole('button', { name: 'Approve…' }).click();
    const dialog = page.locator('dialog');
    await dialog.getByRole('button', { name: 'Back' }).waitFor();
    expect(await dialog.locator('li').count()).toBe(7);
    expect(await dialog.textContent()).toContain('disable E1');
    await dialog.getByRole('button', { name: 'Back' }).click();
    const byPage = async () => (await office.app.audit({ limit: 5 })).filter(({ by }) => by === 'ops');
    expect(await byPage()).toEqual([]);
    await page.getByRole('button', { name: 'Approve…' }).click();
    await dialog.getByRole('button', { name: 'Yes' }).click();
    await page.getByText('No changes are waiting for approval.').waitFor();
    expect(await byPage()).toMatchObject([{ action: 'approve' }]);
    expect(verdicts).toEqual([{ ids: ['E1', 'E2', 'E3', 'E4', 'E5', 'E6', 'E7'] }]);

    await page.getByLabel('Identification').fill('E9');
    await page.getByRole('button', { name: 'Look up' }).click();
    await page.locator('#person dl').waitFor();
    const told = await page.locator('#person').textContent();
    expect(told).toContain('owned by people');
    expect(told).toContain('<b>Díaz</b>');
    expect(await page.locator('#person b').count()).toBe(0);
  });

  it('tells what is stored of a person also when the source cannot be read', async () => {
    await rm(join(office.folder, 'employees.csv'));
    await enter(operatorToken);
    await page.getByLabel('Identification').fill('E9');
    await page.getByRole('button', { name: 'Look up' }).click();
    await page.locator('#person .bad').waitFor();
    expect(await page.locator('#person .bad').textContent()).toContain('cannot read');
    await page.locator('#person li').first().waitFor();
    expect(await page.locator('#person li').first().textContent()).toContain('update, applied');
  });

  it('has a page of the API from which it can be tried', async () => {
    await page.getByRole('link', { name: 'API' }).click();
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

  it('pauses and resumes a sync', async () => {
    await enter(operatorToken);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.locator('.badge', { hasText: 'paused' }).waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.locator('.badge', { hasText: 'idle' }).waitFor();
  });

  it.each([
    { width: 1280, height: 900 },
    { width: 390, height: 800 },
  ])('fits a window of $width pixels', async (size) => {
    await page.setViewportSize(size);
    await enter(operatorToken);
    await page.locator('.card').waitFor();
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
  });
});

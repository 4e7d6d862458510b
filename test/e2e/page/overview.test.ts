import { expect } from 'vitest';
import { beginPause } from '../../../src/app/syncs.ts';
import { openTestServer, operatorToken, viewerToken } from '../../server/open-test-server.ts';
import { openBrowserPage, see, signIn } from '../../support/browser-page.ts';
import { employees, openOffice, type Row, usersOf } from '../../support/office.ts';

see(
  'shows nothing without a known token; then what waits first, in the language of the browser, with ways to it',
  async () => {
    const before = employees(20);
    const office = await openOffice({ sandbox: { people: usersOf(before.slice(3)) } });
    await office.applyRows(before);
    // A guard holds the seven disables.
    const left = Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((i): [string, Row] => [`E${i}`, { status: 'left' }]));
    await office.applyRows(employees(20, left));
    const server = await openTestServer(office.app);
    const { page, show } = await openBrowserPage(server);
    await page.goto(server.url);
    await page.getByLabel('API token').fill('a-token-that-nobody-knows');
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(await page.getByRole('alert').innerText()).toContain('server.tokens');
    await signIn(page, operatorToken);

    const review = page.getByRole('link', { name: 'Review 7 changes' });
    await review.waitFor();
    expect(await page.locator('.waiting').innerText()).toContain('7 disables');
    const row = page.getByRole('row').filter({ hasText: 'people' }).first();
    expect(await row.innerText()).toContain('Healthy');
    expect(await row.innerText()).toMatch(/20 people in HR → 20 accounts/);
    // Two runs of one day are no chart yet.
    expect(await page.locator('.bars').count()).toBe(0);
    expect(await page.getByRole('navigation').innerText()).toContain('7');
    const month = page.locator('.month');
    expect(await month.innerText()).toMatch(/3 joiners\s+0 movers\s+0 leavers/);
    expect(await month.innerText()).toContain('Last 24 hours: 3 joiners · 0 movers · 0 leavers · 2 runs');

    await show('/runs');
    await review.click();
    await page.waitForURL('**/holds?sync=people');
    await show('/people');
    const waiting = page.getByRole('region', { name: 'Needs approval' });
    await waiting.getByRole('row').filter({ hasText: 'E3' }).getByRole('link').first().click();
    await page.getByRole('link', { name: 'Review the held change' }).click();
    await page.waitForURL('**/holds/*?text=E3');
    await page.getByRole('row', { name: 'E3' }).waitFor();

    expect(await page.evaluate('Object.keys(sessionStorage).length')).toBe(0);
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(operatorToken);
    await page.locator('.menu > button').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API token').waitFor();

    const { page: seen } = await openBrowserPage(server, { token: viewerToken, language: 'es-CO' });
    const revisar = seen.getByRole('link', { name: 'Revisar 7 cambios' });
    await revisar.waitFor();
    expect(await seen.locator('html').getAttribute('lang')).toBe('es');
    await revisar.click();
    await seen.getByText(/^7 inhabilitaciones: hasta \d en 24 horas no necesitan aprobación/).waitFor();
    await revisar.click();
    await seen.getByRole('row', { name: 'se fue: ' }).first().waitFor();
    await seen.goto(server.url);
    await seen.locator('.menu > button').click();
    await seen.getByLabel('Idioma').selectOption('English');
    await seen.reload();
    await seen.getByRole('link', { name: 'Review 7 changes' }).waitFor();
  },
);

see('is live by events: the page follows the store and says when it cannot', async () => {
  const office = await openOffice();
  const server = await openTestServer(office.app);
  const { page } = await openBrowserPage(server, { token: viewerToken });
  await page.locator('.live.live').waitFor();
  await page.getByLabel('Find a person').focus();
  await beginPause(office.app, 'people', { by: 'ops' });
  await server.clock.advance(2000);
  await page.getByText('Paused', { exact: true }).waitFor();
  expect(await page.evaluate('document.activeElement?.getAttribute("aria-label")')).toBe('Find a person');
  await server.close();
  await page.locator('.banner').waitFor();
  expect(await page.locator('.banner').innerText()).toContain('The data is from');
});

import { expect, it } from 'vitest';
import { beginPause } from '../../../src/app/syncs.ts';
import { openTestServer, operatorToken, viewerToken } from '../../server/open-test-server.ts';
import { openBrowserPage, signIn } from '../../support/browser-page.ts';
import { employees, openOffice, type Row, usersOf } from '../../support/office.ts';
import { findChromium } from '../../support/services/chromium.ts';

const chromiumPath = await findChromium('page/overview.test.ts');
const see = it.skipIf(chromiumPath === undefined);

/** A sync with seven disables that a guard held. */
async function openHeldOffice() {
  const before = employees(20);
  const office = await openOffice({ sandbox: { people: usersOf(before.slice(3)) } });
  await office.applyRows(before);
  const left = Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((i): [string, Row] => [`E${i}`, { status: 'left' }]));
  await office.applyRows(employees(20, left));
  return office;
}

see('shows nothing without a known token; then what waits first, and each sync with health and state', async () => {
  const office = await openHeldOffice();
  const server = await openTestServer(office.app);
  const { page, complaints } = await openBrowserPage(chromiumPath ?? '', server);
  await page.goto(server.url);
  await page.getByLabel('API token').fill('a-token-that-nobody-knows');
  await page.getByRole('button', { name: 'Sign in' }).click();
  expect(await page.getByRole('alert').innerText()).toContain('server.tokens');
  await signIn(page, operatorToken);

  await page.getByRole('link', { name: 'Review 7 changes' }).waitFor();
  expect(await page.locator('.waiting').innerText()).toContain('7 disables');
  const row = page.getByRole('row').filter({ hasText: 'people' }).first();
  expect(await row.innerText()).toContain('Healthy');
  expect(await page.locator('table .bars').getAttribute('aria-label')).toMatch(/changes in 7 days/);
  expect(await page.getByRole('navigation').innerText()).toContain('7');
  const people = page
    .locator('section', { has: page.getByRole('heading', { name: 'People' }) })
    .getByRole('row')
    .nth(1);
  expect((await people.innerText()).split(/\s*\t\s*|\n+/).slice(-6)).toEqual(['20', '20', '20', '20', '0', '–']);
  const month = await page.locator('.month').innerText();
  expect(month).toMatch(/3 joiners\s+0 movers\s+0 leavers/);
  expect(month).toContain('Last 24 hours: 3 joiners · 0 movers · 0 leavers · 2 runs');

  await page.reload();
  await page.getByRole('link', { name: 'Review 7 changes' }).waitFor();
  expect(await page.evaluate('Object.keys(sessionStorage).length')).toBe(0);
  expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(operatorToken);
  await page.locator('summary').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API token').waitFor();
  expect(complaints).toEqual([]);
});

see('a run, an alert and a person lead to the changes that wait; bars are red only for what failed', async () => {
  const office = await openHeldOffice();
  const server = await openTestServer(office.app);
  const { page, complaints } = await openBrowserPage(chromiumPath ?? '', server);
  await page.goto(`${server.url}/runs`);
  await signIn(page, operatorToken);
  const review = page.getByRole('link', { name: 'Review 7 changes' });
  await review.click();
  await page.waitForURL('**/holds?sync=people');
  await page.goto(server.url);
  await page.locator('.month .bars rect.create').waitFor();
  expect(await page.locator('.bars rect.bad').count()).toBe(0);
  await page.goto(`${server.url}/people/people/E3`);
  await page.getByRole('link', { name: 'Review the held change' }).click();
  await page.waitForURL('**/holds/*?text=E3');
  await page.getByRole('row', { name: 'E3' }).waitFor();
  expect(complaints).toEqual([]);
});

see('is live by events: the page follows the store and says when it cannot', async () => {
  const office = await openHeldOffice();
  const server = await openTestServer(office.app);
  const { page, complaints } = await openBrowserPage(chromiumPath ?? '', server);
  await page.goto(server.url);
  await signIn(page, viewerToken);
  await page.locator('.live.live').waitFor();
  const find = page.getByLabel('Find a person');
  await find.focus();
  await beginPause(office.app, 'people', { by: 'ops' });
  await server.clock.advance(2000);
  await page.getByText('Paused', { exact: true }).waitFor();
  expect(await page.evaluate('document.activeElement?.getAttribute("aria-label")')).toBe('Find a person');
  await server.close();
  await page.locator('.banner').waitFor();
  expect(await page.locator('.banner').innerText()).toContain('The data is from');
  expect(complaints).toEqual([]);
});

see('speaks Spanish to who prefers it, and keeps the choice of another language', async () => {
  const office = await openHeldOffice();
  const server = await openTestServer(office.app);
  const { page } = await openBrowserPage(chromiumPath ?? '', server, { language: 'es-CO' });
  await page.goto(server.url);
  await page.getByLabel('Token de la API').fill(viewerToken);
  await page.getByRole('button', { name: 'Iniciar sesión' }).click();
  await page.getByRole('link', { name: 'Revisar 7 cambios' }).waitFor();
  expect(await page.locator('html').getAttribute('lang')).toBe('es');
  await page.getByRole('link', { name: 'Revisar 7 cambios' }).click();
  await page.getByText(/^7 inhabilitaciones: el límite sin aprobación es \d en 24 horas/).waitFor();
  await page.getByRole('link', { name: 'Revisar 7 cambios' }).click();
  await page.getByRole('row', { name: 'se fue: ' }).first().waitFor();
  await page.goto(server.url);
  await page.locator('summary').click();
  await page.getByLabel('Idioma').selectOption('English');
  await page.reload();
  await page.getByRole('link', { name: 'Review 7 changes' }).waitFor();
});

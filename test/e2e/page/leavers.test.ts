import { expect } from 'vitest';
import { openTestServer, operatorToken } from '../../server/open-test-server.ts';
import { openBrowserPage, overflowOf, see } from '../../support/browser-page.ts';
import { employees, openManaged, type Row } from '../../support/office.ts';

const hourMs = 3_600_000;

see('lists who is late and in time, with what blocks each, and fits a narrow screen', async () => {
  const office = await openManaged(20);
  const left = (names: readonly string[]) =>
    employees(20, Object.fromEntries(names.map((name): [string, Row] => [name, { status: 'left' }])));
  await office.applyRows(left(['E9']));
  await office.applyRows(left(['E1', 'E2', 'E3', 'E4', 'E5', 'E6', 'E7', 'E9']));
  office.clock.jump(25 * hourMs);
  const server = await openTestServer(office.app);
  const at = office.clock.now();
  const { page, show } = await openBrowserPage(server, { token: operatorToken, at });
  const card = page.locator('.card', { has: page.getByRole('heading', { name: 'Leavers' }) });
  expect(await card.innerText()).toMatch(/7 leavers late[\s\S]*0 leavers due today · slowest this month/);

  await card.getByRole('link', { name: 'Leavers' }).click();
  const late = page.getByRole('row').filter({ hasText: 'E1' }).first();
  expect(await late.innerText()).toMatch(/Late[\s\S]*late/);
  const waits = page.getByRole('row', { name: /holds the disable for approval[\s\S]*rollcall approve run_/ });
  expect(await waits.count()).toBe(1);
  expect(await page.getByRole('row').filter({ hasText: 'E9' }).innerText()).toContain('Disabled');
  await page.getByLabel('State').selectOption('Late');
  await page.getByRole('row').filter({ hasText: 'E9' }).waitFor({ state: 'detached' });
  expect(await page.getByRole('row').count()).toBe(8);
  await show('/leavers?due=today');
  const folder = process.env.SCREENSHOTS_FOLDER;
  if (folder !== undefined) await page.screenshot({ path: `${folder}/leavers-wide.png` });
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await overflowOf(page)).toBe(0);
  if (folder !== undefined) await page.screenshot({ path: `${folder}/leavers-narrow.png` });
});

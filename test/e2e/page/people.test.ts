import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { planAdoption } from '../../../src/app/accounts/adopt.ts';
import { openTestServer, operatorToken, viewerToken } from '../../server/open-test-server.ts';
import { makeWaitingPreview, openBrowserPage, see, violationsOf } from '../../support/browser-page.ts';
import { employees, openManaged, openOffice, type Row, usersOf } from '../../support/office.ts';

/** Twenty synced people, of whom E3 has left and E5 has a new name since. */
async function openStaff() {
  const office = await openManaged(20);
  await office.applyRows(employees(20, { E5: { first: 'José', last: 'Núñez Díaz' } }));
  const later = { first: 'José María', last: 'Núñez Díaz' };
  await office.writeEmployees(employees(20, { E3: { status: 'left' }, E5: later }));
  return { office, server: await openTestServer(office.app) };
}

const step = (page: Page, name: string) => page.locator('.steps > li').filter({ hasText: name }).first();

see(
  'a person is found by a part of the name without accents, and the page says why; a sync shows its mapping',
  async () => {
    const { server } = await openStaff();
    const { page, show } = await openBrowserPage(server, { token: viewerToken });
    await page.getByLabel('Find a person').fill('jose nun');
    await page.getByLabel('Find a person').press('Enter');
    await page.getByRole('link', { name: 'José Núñez Díaz' }).click();
    expect(page.url()).toMatch(/\/people\/people\/E5$/);
    await step(page, 'Difference').waitFor();
    expect(await step(page, 'Difference').innerText()).toMatch(/Passed.*update/s);
    expect(await step(page, 'Difference').locator('ins').innerText()).toBe('José María');
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('José María Núñez Díaz');
    expect(await step(page, 'Source row').count()).toBe(0);
    await page.getByRole('button', { name: 'steps that passed' }).click();
    await step(page, 'Source row').locator('summary').click();
    expect(await step(page, 'Source row').innerText()).toContain('line 6');
    expect(await page.getByRole('heading', { name: 'History' }).isVisible()).toBe(true);
    expect(await page.getByRole('button', { name: 'Preview' }).count()).toBe(0);

    const odd = 'nobody/at all%2F';
    await show(`/people?q=${encodeURIComponent(odd)}`);
    await page.getByText('No person matches.').waitFor();
    await page.getByRole('link', { name: `Explain the identification ${odd} in people` }).click();
    await step(page, 'Conflicts').waitFor();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(odd);
    expect(await step(page, 'Conflicts').innerText()).toContain('Stopped');

    await show('/syncs/people');
    const email = page.getByRole('row').filter({ hasText: 'e-mail' });
    await email.waitFor();
    expect(await email.innerText()).toMatch(/mail.*keeps the value.*100 %/s);
    expect(await page.locator('.guards').innerText()).toMatch(/^updates\s+1 of \d+$/);
    await page.getByRole('button', { name: 'guards at 0' }).click();
    expect(await page.locator('.guards').innerText()).toMatch(/disables\s+0 of 5/);
    const setUp = 'Evidence for this mapping';
    expect(await page.getByRole('link', { name: setUp }).count()).toBe(0);
    const operator = await openBrowserPage(server, { token: operatorToken, path: '/syncs/people' });
    await operator.page.getByRole('link', { name: setUp }).click();
    await operator.page.getByLabel('Show values of people').check();
    await operator.page.getByText('ana2@example.com').first().waitFor({ state: 'attached' });
  },
);

see(
  'a preview has a link that a viewer opens and changes nothing; a leaver is synced now, after what would happen',
  async () => {
    const { office, server } = await openStaff();
    const { page, show } = await openBrowserPage(server, { token: operatorToken, path: '/syncs/people' });
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Preview' }).click();
    await page.waitForURL(/\/previews\/preview_/);
    const writes = office.sandbox.state.log.length;
    const id = await makeWaitingPreview(office, server);
    await page.getByText('What a run would do').waitFor();
    await page.getByRole('row').nth(2).waitFor();
    expect(await page.getByRole('treegrid').innerText()).toContain('José María Núñez');
    expect(office.sandbox.state.log.length).toBe(writes);
    const viewer = await openBrowserPage(server, { token: viewerToken, path: `/previews/${id}?kind=disable` });
    await viewer.page.getByRole('row').nth(1).waitFor();
    expect(await viewer.page.getByRole('treegrid').innerText()).toContain('E3');

    await show('/people/people/E3');
    await page.getByRole('button', { name: 'Preview' }).click();
    await makeWaitingPreview(office, server);
    const card = page.locator('.sync-now');
    await card.getByText('Disable').first().waitFor();
    expect(await card.innerText()).toMatch(/enabled\s+true\s+false/);
    expect(office.sandbox.state.users.get('E3')?.enabled).toBe(true);
    await card.getByRole('button', { name: 'Run now' }).click();
    await card.locator('.phases').waitFor();
    const { run } = await office.apply({ users: ['E3'] });
    expect(run.outcome).toBe('succeeded');
    await server.clock.advance(2000);
    await card.getByText('Succeeded').waitFor();
    expect(office.sandbox.state.users.get('E3')?.enabled).toBe(false);
    await page.getByRole('button', { name: /steps that passed/ }).click();
    await page.locator('.steps > li.ok').filter({ hasText: 'Read-back' }).waitFor();
  },
);

see('a person under two identifications is decided on the page, and the next run applies it', async () => {
  const office = await openManaged(20);
  await office.applyRows(employees(20).map((row) => (row.id === 'E7' ? { ...row, id: 'N7' } : row)));
  const server = await openTestServer(office.app);
  const { page } = await openBrowserPage(server, { token: operatorToken, path: '/people/people/N7' });
  const card = page.locator('section').filter({ hasText: 'two identifications' });
  await card.getByText('N7 seems to be the user of the account E7').waitFor();
  expect(await violationsOf(page)).toEqual([]);

  await card.getByRole('button', { name: 'Leave both for a time' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Last day').fill(new Date(office.clock.now() + 5 * 86_400_000).toISOString().slice(0, 10));
  await dialog.getByLabel('Reason').fill('works out the notice');
  await dialog.getByRole('button', { name: 'Leave both for a time' }).click();
  await card.getByText('is left out and the account of "E7" kept until').waitFor();
  expect((await office.apply()).findings).toMatchObject([{ code: 'left-as-decided', identification: 'N7' }]);

  await card.getByRole('button', { name: 'Replace the account' }).click();
  await dialog.getByRole('button', { name: 'Replace the account' }).click();
  await card.getByText('N7" gets an account and the account of "E7" is disabled').waitFor();
  expect((await office.apply()).run.counts).toMatchObject({ disable: 1, create: 1, held: 2 });
});

see('a record about another person than the account is decided on the page, and the next run applies it', async () => {
  const office = await openManaged(20);
  const held = await office.applyRows(
    employees(20, { E5: { first: 'Jonas', last: 'Weber', mail: 'new@example.com' } }),
  );
  expect(held.run.counts).toMatchObject({ update: 1, held: 1 });
  const [asked] = await planAdoption(office.app, 'people', ['E5'], AbortSignal.timeout(60_000));
  expect(asked).toMatchObject({ kind: 'none', ways: [{ way: 'same' }, { way: 'another' }] });
  const server = await openTestServer(office.app);
  const { page } = await openBrowserPage(server, { token: operatorToken, path: '/people/people/E5' });
  const card = page.locator('section').filter({ hasText: 'two people?' });
  await card.getByText('The record and the account of E5 seem to be about two people').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  expect(await card.getByRole('button').allInnerTexts()).toEqual(['Same person', 'Another person']);
  await card.getByRole('button', { name: 'Another person' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Another person' }).click();
  await card.getByText('is about another person: the account').waitFor();
  expect((await office.apply()).run.counts).toMatchObject({ disable: 1, applied: 1, held: 0 });
});

see(
  'the accounts of a platform are listed with who may have them, and an unknown one is left or disabled with a reason',
  async () => {
    const stray: Row = { id: 'P1', first: 'Nia', last: 'New', mail: 'p1@example.com', status: 'active' };
    const office = await openOffice({ sandbox: { people: usersOf([...employees(3), stray]) } });
    await office.applyRows([...employees(3), { ...stray, id: 'N1', mail: 'n1@example.com' }]);
    const server = await openTestServer(office.app);
    const { page } = await openBrowserPage(server, { token: operatorToken, path: '/syncs/people' });
    await page.getByRole('link', { name: 'Platform accounts' }).click();
    await page.getByText('E1', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Unmanaged 1' }).click();
    await page.getByText('E1', { exact: true }).waitFor({ state: 'detached' });
    expect(page.url()).toMatch(/\/syncs\/people\/accounts\?state=unmanaged$/);
    const row = page.getByRole('row').filter({ hasText: 'P1' });
    expect(await row.innerText()).toMatch(
      /no sync owns the account.*May be N1 \(same name only\); has another account/s,
    );
    await row.getByRole('button', { name: 'Leave' }).click();
    await page.getByLabel('Reason').fill('a service account');
    await page.getByRole('dialog').getByRole('button', { name: 'Leave the account' }).click();
    await page.getByText('stays as it is.').first().waitFor();
    await expect.poll(() => row.innerText()).toContain('left it as it is (a service account)');
    await row.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByText('within the guards of disables').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel('Reason').fill('left in 2024');
    await page.getByRole('dialog').getByRole('button', { name: 'Disable the account' }).click();
    await expect.poll(() => row.innerText()).toContain('decided to disable it (left in 2024)');
    expect(await row.getByRole('button', { name: 'Disable' }).count()).toBe(0);
    expect((await office.apply()).run.counts).toMatchObject({ disable: 1, applied: 1 });
    expect(office.sandbox.state.users.get('P1')?.enabled).toBe(false);
  },
);

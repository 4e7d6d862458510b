import { expect, it } from 'vitest';
import { decideRun } from '../../../src/app/approve.ts';
import { findAudit } from '../../../src/app/audit.ts';
import { describeHold } from '../../../src/app/changes/decide-hold.ts';
import { openTestServer, operatorToken, viewerToken } from '../../server/open-test-server.ts';
import { openBrowserPage, signIn } from '../../support/browser-page.ts';
import { holdCrowd } from '../../support/held-crowd.ts';
import { employees, openOffice, usersOf } from '../../support/office.ts';
import { findChromium } from '../../support/services/chromium.ts';

const chromiumPath = await findChromium('page/holds.test.ts');
const see = it.skipIf(chromiumPath === undefined);

async function openCrowd(count: number, token = operatorToken) {
  const office = await openOffice();
  const { store } = office.engine.io;
  const crowd = await holdCrowd(store, count, office.clock.now());
  const server = await openTestServer(office.app);
  const opened = await openBrowserPage(chromiumPath ?? '', server);
  await opened.page.goto(`${server.url}/holds/${crowd.hold}`);
  await signIn(opened.page, token);
  await opened.page.getByRole('row').nth(3).waitFor();
  return { ...opened, office, server, ...crowd };
}

see(
  'of 5,000 held changes, the operator filters, opens one, chooses a part and approves it with a reason',
  async () => {
    const { page, office, complaints, hold } = await openCrowd(5000);
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('people · 5,000 disables');
    await page.getByText('0 changes selected of 5,000').waitFor();
    await page.getByLabel('Select all that match the filter').check();
    await page.getByText('5,000 changes selected of 5,000').waitFor();
    await expect.poll(() => page.locator('.decision').innerText()).toMatch(/\d+ files?, about [\d,]+ requests/);

    await page.getByLabel('Filter by name, e-mail or any value').fill('nunez sales');
    await page.getByText(/^\d+ changes selected of 5,000$/).waitFor();
    await expect.poll(() => page.locator('.decision strong').innerText()).not.toMatch(/^5,000/);
    expect(page.url()).toContain('text=nunez+sales');
    const first = page.getByRole('row').nth(1);
    expect(await first.innerText()).toContain('Ñúñez');
    await first.getByRole('button').click();
    expect(await page.locator('.diff').innerText()).toMatch(/enabled\s+true\s+false/);
    await first.getByRole('checkbox').uncheck();
    const chosen = await page.locator('.decision strong').innerText();
    const count = Number(/^(\d+)/.exec(chosen)?.[1]);
    await page.locator('.decision .button.main:enabled').waitFor();
    await page.getByRole('button', { name: /^Approve \d+ disables/ }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.innerText()).toContain('The next run sends these changes');
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('confirmed by HR');
    await dialog.getByRole('button', { name: /^Approve/ }).click();
    // More than ten accounts are taken away: the tick is missing, and nothing was decided.
    await dialog.getByLabel(/^I looked at these \d+ people$/).check();
    await dialog.getByRole('button', { name: /^Approve/ }).click();
    const verdict = page.locator('.box[role=status]');
    await verdict.waitFor();
    const approved = Number(/^([\d,]+) changes approved/.exec(await verdict.innerText())?.[1]);
    expect(approved).toBeGreaterThan(10);
    expect(approved).toBeLessThanOrEqual(count);
    const left = await describeHold(office.app, hold);
    expect(left.waiting).toBe(5000 - approved);
    await page.getByText(`of ${left.waiting.toLocaleString('en-US')}`).waitFor();
    await page.getByRole('row', { name: 'Approved · ops · confirmed by HR' }).first().waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(2);
    expect(await findAudit(office.app, { limit: 1 })).toMatchObject([
      { action: 'approve', by: 'ops', reason: 'confirmed by HR' },
    ]);
    expect(complaints).toEqual([]);
  },
);

see('a hold whose rest waits in a newer hold says who decided, and links to it', async () => {
  const left = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`E${i + 1}`, { status: 'left' }]));
  const office = await openOffice({ sandbox: { people: usersOf(employees(30)) } });
  await office.writeEmployees(employees(30));
  await office.applyAll();
  const { run, holds } = await office.applyRows(employees(30, left));
  await decideRun(office.app, 'approve', run.id, { by: 'ana', reason: 'confirmed', except: ['E1', 'E2'] });
  const later = await office.apply();
  const server = await openTestServer(office.app);
  const { page, complaints } = await openBrowserPage(chromiumPath ?? '', server);
  await page.goto(`${server.url}/holds/${holds[0]?.id}`);
  await signIn(page, viewerToken);
  await page.getByText('10 approved · ana · confirmed').waitFor();
  expect(await page.locator('main').innerText()).toMatch(/people · 12 disables\s+Replaced/);
  await page.getByRole('link', { name: 'Review them in the newer hold' }).click();
  await page.waitForURL(`**/holds/${later.holds[0]?.id}`);
  await page.goto(`${server.url}/runs/${run.id}`);
  await page.getByText('2 changes wait for approval, 10 approved').waitFor();
  await page.goto(`${server.url}/holds`);
  await page.getByText('10 approved · ana · confirmed').waitFor();
  await page.getByRole('link', { name: 'people · 12 disables' }).click();
  await page.getByRole('row', { name: 'Approved · ana · confirmed' }).first().waitFor();
  expect(complaints).toEqual([]);
});

see('the whole way goes by keyboard: rows, choice, details, decision', async () => {
  const { page, office, complaints } = await openCrowd(300);
  const keys = page.keyboard;
  const answers = Promise.withResolvers<void>();
  await page.route('**/api/holds/**', async (route) => {
    await answers.promise;
    await route.continue();
  });
  await page.reload();
  await page.locator('.loading').waitFor();
  // Pressed before the page has its data, and not lost.
  for (const key of ['j', 'j', 'x']) await keys.press(key);
  answers.resolve();
  await page.getByText('1 change selected of 300').waitFor();
  for (const key of ['j', 'ArrowDown', 'k', 'Enter']) await keys.press(key);
  await page.locator('.diff').waitFor();
  expect(await page.evaluate('document.activeElement.getAttribute("aria-rowindex")')).toBe('4');
  await keys.press('Enter');
  for (const key of ['j', ' ']) await keys.press(key);
  await page.getByText('2 changes selected of 300').waitFor();
  await keys.press('End');
  await page.locator('[aria-rowindex="301"]:focus').waitFor();
  const reject = page.getByRole('button', { name: 'Reject…' });
  await page.locator('.decision .button.danger:enabled').waitFor();
  await reject.focus();
  await keys.press('Enter');
  await page.getByRole('dialog').waitFor();
  await keys.press('Escape');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Reject…');
  await page.locator('.decision .button.danger:enabled').waitFor();
  await keys.press('Enter');
  await page.getByRole('textbox', { name: 'Reason' }).focus();
  await keys.type('they work here');
  await keys.press('Tab');
  await keys.press('Tab');
  await keys.press('Enter');
  await page.getByText('2 changes rejected').waitFor();
  expect(await findAudit(office.app, { limit: 1 })).toMatchObject([{ action: 'reject', reason: 'they work here' }]);
  expect(complaints).toEqual([]);
});

see('of 100,000 held changes only those in sight are in the document, and the last one is there', async () => {
  const { page, complaints } = await openCrowd(100_000, viewerToken);
  expect(await page.getByRole('checkbox').count()).toBe(0);
  expect(await page.getByRole('button', { name: /Approve|Reject/ }).count()).toBe(0);
  const box = page.getByRole('treegrid');
  await box.hover();
  for (let i = 0; i < 40; i++) await page.mouse.wheel(0, 2500);
  await page.getByRole('row', { name: 'E002' }).first().waitFor();
  expect(await page.locator('.change-list .place').count()).toBeLessThan(100);
  await page.evaluate('document.querySelector(".change-list").scrollTo(0, 1e9)');
  await page.getByText('E100000', { exact: true }).waitFor();
  expect(complaints).toEqual([]);
});

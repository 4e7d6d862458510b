import { expect } from 'vitest';
import { decideRun } from '../../../src/app/approve.ts';
import { findAudit } from '../../../src/app/audit.ts';
import { describeHold } from '../../../src/app/changes/decide-hold.ts';
import { openTestServer, operatorToken, viewerToken } from '../../server/open-test-server.ts';
import { openBrowserPage, see } from '../../support/browser-page.ts';
import { isLong } from '../../support/drawn.ts';
import { holdCrowd } from '../../support/held-crowd.ts';
import { employees, openManaged, openOffice } from '../../support/office.ts';

async function openCrowd(count: number) {
  const office = await openOffice();
  const crowd = await holdCrowd(office.engine.io.store, count, office.clock.now());
  const server = await openTestServer(office.app);
  const open = async (token: string) => {
    const opened = await openBrowserPage(server, { token, path: `/holds/${crowd.hold}` });
    await opened.page.getByRole('row').nth(3).waitFor();
    return opened.page;
  };
  return { office, open, ...crowd };
}

const all = isLong ? 100_000 : 3000;
const many = all.toLocaleString('en-US');

see(
  `of ${many} held changes, the operator filters, opens one, chooses a part and approves it with a reason`,
  async () => {
    const { open, office, hold } = await openCrowd(all);
    const seen = await open(viewerToken);
    expect(await seen.getByRole('checkbox').count()).toBe(0);
    expect(await seen.getByRole('button', { name: /Approve|Reject/ }).count()).toBe(0);
    // Only what is in sight is in the document, and the last one is there.
    await seen.getByRole('treegrid').hover();
    for (let i = 0; i < 20; i++) await seen.mouse.wheel(0, 2500);
    await seen.getByRole('row', { name: 'E001' }).first().waitFor();
    expect(await seen.locator('.change-list .place').count()).toBeLessThan(100);
    await seen.evaluate('document.querySelector(".change-list").scrollTo(0, 1e9)');
    await seen.getByText(`E${String(all).padStart(6, '0')}`, { exact: true }).waitFor();

    const page = await open(operatorToken);
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(`people · ${many} disables`);
    await page.getByText(`0 changes selected of ${many}`).waitFor();
    await page.getByLabel('Select all that match the filter').check();
    await page.getByText(`${many} changes selected of ${many}`).waitFor();
    await expect.poll(() => page.locator('.decision').innerText()).toMatch(/\d+ files?, about [\d,]+ requests/);

    await page.getByLabel('Filter by name, e-mail or any value').fill('nunez sales');
    const chosen = page.locator('.decision strong');
    await expect.poll(() => chosen.innerText()).toMatch(/^\d+ changes selected/);
    await expect.poll(() => chosen.innerText()).not.toMatch(/^\d+,/);
    expect(page.url()).toContain('text=nunez+sales');
    const first = page.getByRole('row').nth(1);
    expect(await first.innerText()).toContain('Ñúñez');
    await first.getByRole('button').click();
    expect(await page.locator('.diff').innerText()).toMatch(/enabled\s+true\s+false/);
    await first.getByRole('checkbox').uncheck();
    const count = Number(/^(\d+)/.exec(await chosen.innerText())?.[1]);
    await page.locator('.decision .button.main:enabled').waitFor();
    await page.getByRole('button', { name: /^Approve \d+ disables/ }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.innerText()).toContain('The next run sends these changes');
    expect(await dialog.innerText()).toMatch(/(?:\S+ Ñúñez \(E\d+\),? ){10}and \d+ more/);
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
    expect(left.waiting).toBe(all - approved);
    await page.getByText(`of ${left.waiting.toLocaleString('en-US')}`).waitFor();
    await page.getByRole('row', { name: 'Approved · token:ops · confirmed by HR' }).first().waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(2);
    expect(await findAudit(office.app, { limit: 1 })).toMatchObject([
      { action: 'approve', by: 'token:ops', reason: 'confirmed by HR' },
    ]);
  },
);

see('a hold whose rest waits in a newer hold says who decided, and links to it', async () => {
  const left = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`E${i + 1}`, { status: 'left' }]));
  const office = await openManaged(30);
  const { run, holds } = await office.applyRows(employees(30, left));
  await decideRun(office.app, 'approve', run.id, { by: 'ana', reason: 'confirmed', except: ['E1', 'E2'] });
  const later = await office.apply();
  const server = await openTestServer(office.app);
  const { page, show } = await openBrowserPage(server, { token: viewerToken, path: `/holds/${holds[0]?.id}` });
  await page.getByText('10 approved · ana · confirmed').waitFor();
  expect(await page.locator('main').innerText()).toMatch(/people · 12 disables\s+Replaced/);
  await page.getByRole('link', { name: 'Review them in the newer hold' }).click();
  await page.waitForURL(`**/holds/${later.holds[0]?.id}`);
  await show(`/holds/${run.id}`);
  await page.waitForURL(`**/holds/${holds[0]?.id}`);
  await show(`/runs/${run.id}`);
  await page.getByText('2 changes need approval, 10 approved').waitFor();
  await show('/holds');
  await page.getByText('10 approved · ana · confirmed').waitFor();
  await page.getByRole('listitem').filter({ hasText: 'people · 12 disables' }).getByRole('link').click();
  await page.getByRole('row', { name: 'Approved · ana · confirmed' }).first().waitFor();
});

see('the whole way goes by keyboard: rows, choice, details, decision', async () => {
  const { open, office } = await openCrowd(300);
  const page = await open(operatorToken);
  const keys = page.keyboard;
  const pressAll = async (...some: readonly string[]) => {
    for (const key of some) await keys.press(key);
  };
  const answers = Promise.withResolvers<void>();
  await page.route('**/api/holds/**', async (route) => {
    await answers.promise;
    await route.continue();
  });
  await page.reload();
  await page.locator('.loading').waitFor();
  // Pressed before the page has its data, and not lost.
  await pressAll('j', 'j', 'x');
  answers.resolve();
  await page.getByText('1 change selected of 300').waitFor();
  await pressAll('j', 'ArrowDown', 'k', 'Enter');
  await page.locator('.diff').waitFor();
  expect(await page.evaluate('document.activeElement.getAttribute("aria-rowindex")')).toBe('4');
  await pressAll('Enter', 'j', ' ');
  await page.getByText('2 changes selected of 300').waitFor();
  await keys.press('End');
  await page.locator('[aria-rowindex="301"]:focus').waitFor();
  await page.getByRole('button', { name: 'Reject…', disabled: false }).waitFor();
  await page.getByRole('button', { name: 'Reject…' }).focus();
  await keys.press('Enter');
  await page.getByRole('dialog').waitFor();
  await keys.press('Escape');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Reject…');
  await page.getByRole('button', { name: 'Reject…', disabled: false }).waitFor();
  await keys.press('Enter');
  await page.getByRole('textbox', { name: 'Reason' }).focus();
  await keys.type('they work here');
  await pressAll('Tab', 'Tab', 'Enter');
  await page.getByText('2 changes rejected').waitFor();
  expect(await findAudit(office.app, { limit: 1 })).toMatchObject([{ action: 'reject', reason: 'they work here' }]);
});

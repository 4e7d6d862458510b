import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { openTestServer, operatorToken, viewerToken } from '../../server/open-test-server.ts';
import { makeWaitingPreview, openBrowserPage, see } from '../../support/browser-page.ts';
import { employees, openOffice, usersOf } from '../../support/office.ts';

/** A run with three creates, then one with an update and a leaver. */
async function openChanges(token: string) {
  const before = employees(12);
  const office = await openOffice({ sandbox: { people: usersOf(before.slice(3)) } });
  await office.applyRows(before);
  const { run } = await office.applyRows(employees(12, { E9: { last: 'Gómez' }, E10: { status: 'left' } }));
  const server = await openTestServer(office.app);
  return { office, server, run, ...(await openBrowserPage(server, { token, at: office.clock.now() })) };
}

see(
  'the changes of all runs and the leavers or joiners are listed with filters in the address, and are a file',
  async () => {
    const { page, run, show } = await openChanges(viewerToken);
    await page.getByRole('navigation').getByRole('link', { name: 'Changes' }).click();
    await page.getByRole('heading', { name: 'Changes of the last 30 days' }).waitFor();
    const rows = page.locator('tbody tr');
    const expectRows = (count: number) => expect.poll(() => rows.count()).toBe(count);
    await expectRows(5);
    const groups = page.locator('.group');
    expect(await groups.allInnerTexts()).toEqual([
      expect.stringMatching(/Run of people ·\s*Disable · Applied · left/),
      expect.stringMatching(/Update · Applied · \S/),
      expect.stringMatching(/Create · Applied · \S/),
    ]);
    await page.getByRole('combobox', { name: 'Change' }).selectOption('update');
    await expectRows(1);
    expect(page.url()).toContain('kind=update');
    expect(await rows.innerText()).toMatch(/E9[\s\S]*last name/);
    await page.reload();
    await expectRows(1);
    await page.getByRole('button', { name: 'Clear' }).click();
    const search = async (text: string) => {
      await page.getByRole('searchbox', { name: 'Filter by name, e-mail or any value' }).fill(text);
      await page.keyboard.press('Enter');
    };
    await search('gomez');
    await expectRows(1);
    await search('no such person');
    await page.getByText('No change matches the filter.').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await expectRows(5);
    await page.getByRole('link', { name: 'Run of people' }).first().click();
    await page.waitForURL(`**/runs/${run.id}`);
    await page.goBack();
    await rows.nth(0).getByRole('rowheader').getByRole('link').click();
    await page.waitForURL('**/people/people/E10');

    await show('/changes');
    await page.getByRole('link', { name: 'Who left or joined' }).click();
    await expectRows(1);
    expect(await rows.innerText()).toMatch(/E10[\s\S]*Disable · Applied[\s\S]*status is "left"/);
    await page.getByLabel('Report').selectOption('joiners');
    await expectRows(3);
    expect(await page.locator('main').innerText()).toContain('3 joiners');
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'CSV' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/^joiners-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/);
    expect((await readFile(await file.path(), 'utf8')).trim().split('\n')).toHaveLength(4);
    await page.getByLabel('From').fill('2030-01-01');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').innerText()).toContain('is after the last day');
  },
);

see('an edit of the mapping shows whom it would change, and changes nothing', async () => {
  const { page, show, office, server } = await openChanges(operatorToken);
  const before = JSON.stringify([...office.sandbox.state.users]);
  await show('/syncs/people');
  await page.getByText('Try another mapping').click();
  const field = page.getByRole('textbox', { name: 'Try another mapping' });
  const yaml = await field.inputValue();
  expect(yaml).toContain('firstName: first');
  const preview = async (text: string) => {
    await field.fill(text);
    await page.getByRole('button', { name: 'Preview the changes' }).click();
  };
  await preview(yaml.replace('firstName: first', 'frstName: first'));
  expect(await page.getByRole('alert').innerText()).toMatch(
    /mapping:\d+ syncs\.people\.mapping\.frstName: .*firstName/,
  );
  await preview(`${yaml}area: "\${env:HOME}"\n`);
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('has a reference');
  await preview(yaml.replace('firstName: first', 'firstName: last'));
  await page.waitForURL('**/previews/*');
  const id = await makeWaitingPreview(office, server);
  await page.getByText('11 changes').first().waitFor();
  expect(await page.locator('main').innerText()).toContain('11 configuration changes');
  await page.getByText('The mapping that was tried').click();
  expect(await page.locator('pre').innerText()).toContain('firstName: last');
  for (const path of ['', '/changes/search']) {
    expect((await server.ask(`/api/previews/${id}${path}`, { token: operatorToken })).status).toBe(200);
    expect((await server.ask(`/api/previews/${id}${path}`, { token: viewerToken })).status).toBe(403);
  }
  expect(JSON.stringify([...office.sandbox.state.users])).toEqual(before);
});

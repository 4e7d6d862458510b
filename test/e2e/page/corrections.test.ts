import { expect } from 'vitest';
import { openTestServer, viewerToken } from '../../server/open-test-server.ts';
import { openBrowserPage, overflowOf, see } from '../../support/browser-page.ts';
import { employees, openOffice } from '../../support/office.ts';

see('HR reads what to correct under the name of who corrects it, in two languages, wide and narrow', async () => {
  const office = await openOffice({ sync: { hrOwner: 'partner' } });
  const wrong = { E2: { mail: 'ana3@example.com', partner: 'Iván Roldán' }, E3: { partner: 'Marta Sosa' } };
  await office.applyRows(
    employees(8, { ...wrong, E5: { status: 'sabbatical' } }).map((row) => ({ partner: '', ...row })),
  );
  const blind = 'token-of-a-viewer-who-sees-nobody';
  const server = await openTestServer(office.app, {
    settings: {
      tokens: [
        { name: 'auditor', role: 'viewer', token: viewerToken },
        { name: 'blind', role: 'viewer', people: false, token: blind },
      ],
    },
  });
  const { page } = await openBrowserPage(server, { token: viewerToken, path: '/syncs/people' });
  await page.getByRole('link', { name: 'What HR has to correct' }).click();
  await page.getByRole('heading', { name: 'For HR to correct' }).waitFor();
  await expect
    .poll(() => page.locator('h2').allInnerTexts())
    .toEqual(['Iván Roldán (1)', 'Marta Sosa (1)', 'No one is named (1)']);
  expect(await page.getByRole('row').filter({ hasText: 'E2' }).first().innerText()).toMatch(
    /line 3, E3 \(line 4\).*same e-mail.*an e-mail of their own.*The account cannot be created/s,
  );
  await page.getByRole('link', { name: 'People', exact: true }).click();
  const skipped = page.getByRole('region', { name: 'Skipped, wholly or in part: people' });
  await skipped.getByRole('row').filter({ hasText: 'E2' }).first().waitFor();
  await page.goBack();
  const spanish = await openBrowserPage(server, { token: blind, language: 'es', width: 390 });
  await spanish.show('/syncs/people/data-quality');
  const text = await spanish.page.locator('main').innerText();
  expect(text).toContain('Otra persona tiene el mismo correo');
  expect(text).not.toMatch(/E2|Iván/);
  expect(await overflowOf(spanish.page)).toBeLessThanOrEqual(0);

  await office.applyRows(employees(8));
  await page.reload();
  await page.getByText('HR has nothing to correct.').waitFor();
});

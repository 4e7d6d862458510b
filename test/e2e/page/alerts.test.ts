import { expect, it } from 'vitest';
import { findAudit } from '../../../src/app/audit.ts';
import { operatorToken, viewerToken } from '../../server/open-test-server.ts';
import { openAlerted } from '../../support/alerted-office.ts';
import { openBrowserPage, signIn } from '../../support/browser-page.ts';
import { findChromium } from '../../support/services/chromium.ts';

const chromiumPath = await findChromium('page/alerts.test.ts');
const see = it.skipIf(chromiumPath === undefined);

see(
  'an operator reads what to do about an open alert, acknowledges it, mutes its sync, and takes that back',
  async () => {
    const { office, server } = await openAlerted();
    const { page, complaints } = await openBrowserPage(chromiumPath ?? '', server);
    await page.goto(`${server.url}/alerts`);
    await signIn(page, operatorToken);
    const alert = page.getByRole('listitem').filter({ hasText: 'The run failed' });
    expect(await alert.textContent()).toContain('rollcall show run_1');
    const press = async (name: string, meaning: string): Promise<void> => {
      await page.getByRole('button', { name, exact: true }).click();
      const dialog = page.getByRole('dialog');
      expect(await dialog.innerText()).toContain(meaning);
      await dialog.getByRole('button', { name, exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await press('Acknowledge', 'until an alert gets worse');
    await alert.getByText('acknowledged by').waitFor();
    await press('Mute', 'No alert about people is sent');
    await page.getByText('muted by').waitFor();
    await press('Unmute', 'sent again');
    await page.getByText('muted by').waitFor({ state: 'detached' });
    const audit = await findAudit(office.app, { limit: 10 });
    expect(audit.map(({ action }) => action)).toEqual(['alerts-unmute', 'alerts-mute', 'alerts-ack']);
    expect(complaints).toEqual([]);
  },
);

see('a viewer reads an alert, and sees no button', async () => {
  const { server } = await openAlerted();
  const { page } = await openBrowserPage(chromiumPath ?? '', server);
  await page.goto(`${server.url}/alerts`);
  await signIn(page, viewerToken);
  await page.getByText('The run failed').waitFor();
  expect(await page.getByRole('button', { name: /^(Acknowledge|Mute)$/ }).count()).toBe(0);
});

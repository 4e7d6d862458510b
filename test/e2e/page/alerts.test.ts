import { expect } from 'vitest';
import { findAudit } from '../../../src/app/audit.ts';
import { operatorToken, viewerToken } from '../../server/open-test-server.ts';
import { openAlerted } from '../../support/alerted-office.ts';
import { confirm, openBrowserPage, see } from '../../support/browser-page.ts';

see(
  'an operator reads what to do about an open alert, acknowledges it, mutes its sync, and takes that back; a viewer reads',
  async () => {
    const { office, server } = await openAlerted();
    const viewer = await openBrowserPage(server, { token: viewerToken, path: '/alerts' });
    await viewer.page.getByText('The run failed').waitFor();
    expect(await viewer.page.getByRole('button', { name: /^(Acknowledge|Mute)$/ }).count()).toBe(0);

    const { page } = await openBrowserPage(server, { token: operatorToken, path: '/alerts' });
    const alert = page.getByRole('listitem').filter({ hasText: 'The run failed' });
    expect(await alert.textContent()).toContain('rollcall show run_1');
    await confirm(page, 'Acknowledge', 'until an alert gets worse');
    await alert.getByText('acknowledged by').waitFor();
    await confirm(page, 'Mute', 'No alert about people is sent');
    await page.getByText('muted by').waitFor();
    await confirm(page, 'Unmute', 'sent again');
    await page.getByText('muted by').waitFor({ state: 'detached' });
    const audit = await findAudit(office.app, { limit: 10 });
    expect(audit.map(({ action }) => action)).toEqual(['alerts-unmute', 'alerts-mute', 'alerts-ack']);
  },
);

import { expect } from 'vitest';
import { findAudit } from '../../../src/app/audit.ts';
import { openBrowserPage, see } from '../../support/browser-page.ts';
import { openSignInServer } from '../../support/identity-provider.ts';

see(
  'a user signs in at the identity provider, comes back to the address, and signs out; one without a role reads why',
  async () => {
    const { publicUrl, issuer, office } = await openSignInServer();
    const signInAt = async (path: string, user: string) => {
      const { page } = await openBrowserPage({ url: publicUrl }, { alsoAt: issuer });
      await page.goto(`${publicUrl}${path}`);
      await page.getByRole('link', { name: 'Acme SSO' }).click();
      await page.locator('input[name=login]').fill(user);
      await page.locator('input[name=password]').fill('x');
      await page.getByRole('button').click();
      await page.getByRole('button', { name: 'Continue' }).click();
      return page;
    };
    const ana = await signInAt('/runs?sync=people', 'ana');
    await ana.getByRole('heading', { name: 'Runs' }).waitFor();
    expect(ana.url()).toBe(`${publicUrl}/runs?sync=people`);
    await ana.getByTitle('ana@example.com').click();
    await ana.getByRole('button', { name: 'Sign out' }).click();
    // The session at the provider ends too, which asks.
    await ana.getByRole('button', { name: /Yes/ }).click();
    await ana.getByRole('link', { name: 'Acme SSO' }).waitFor();
    expect(ana.url()).toBe(`${publicUrl}/sign-in`);
    const audit = await findAudit(office.app, { limit: 5 });
    expect(audit.map(({ by, action }) => `${by} ${action}`)).toContain('user:ana sign-in');

    const eve = await signInAt('/', 'eve');
    await eve.getByRole('alert').waitFor();
    expect(eve.url()).toBe(`${publicUrl}/sign-in?problem=no-role`);
  },
);

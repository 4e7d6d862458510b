import { expect, it } from 'vitest';
import { findAudit } from '../../../src/app/audit.ts';
import { openBrowserPage } from '../../support/browser-page.ts';
import { openSignInServer } from '../../support/identity-provider.ts';
import { findChromium } from '../../support/services/chromium.ts';

const chromiumPath = await findChromium('page/sign-in.test.ts');
const see = it.skipIf(chromiumPath === undefined);

/** Opens a path of the page, and signs in as this user at the provider. */
async function signInAt(path: string, user: string) {
  const { publicUrl, issuer, office } = await openSignInServer();
  const opened = await openBrowserPage(chromiumPath ?? '', { url: publicUrl }, { alsoAt: issuer });
  const { page } = opened;
  await page.goto(`${publicUrl}${path}`);
  await page.getByRole('link', { name: 'Acme SSO' }).click();
  await page.locator('input[name=login]').fill(user);
  await page.locator('input[name=password]').fill('x');
  await page.getByRole('button').click();
  await page.getByRole('button', { name: 'Continue' }).click();
  return { ...opened, publicUrl, office };
}

see('a user signs in at the identity provider, comes back to the address that was opened, and signs out', async () => {
  const { page, publicUrl, complaints, office } = await signInAt('/runs?sync=people', 'ana');
  await page.getByRole('heading', { name: 'Runs' }).waitFor();
  expect(page.url()).toBe(`${publicUrl}/runs?sync=people`);
  await page.getByTitle('ana@example.com').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  // The session at the provider ends too, which asks.
  await page.getByRole('button', { name: /Yes/ }).click();
  await page.getByRole('link', { name: 'Acme SSO' }).waitFor();
  expect(page.url()).toBe(`${publicUrl}/sign-in`);
  const audit = await findAudit(office.app, { limit: 5 });
  expect(audit.map(({ by, action }) => `${by} ${action}`)).toContain('user:ana@example.com sign-in');
  // The pages of this provider ask for fonts, which the test refuses.
  expect(complaints.filter((complaint) => !complaint.startsWith('asked for'))).toEqual([]);
});

see('the role of the groups decides which buttons are there', async () => {
  const { page } = await signInAt('/syncs/people', 'bea');
  await page.getByRole('heading', { name: 'people', exact: true }).waitFor();
  expect(await page.getByRole('button', { name: /Pause|Run now/ }).count()).toBe(0);
});

see('a user without a role reads why there is no way in', async () => {
  const { page, publicUrl } = await signInAt('/', 'eve');
  await page.getByRole('alert').waitFor();
  expect(page.url()).toBe(`${publicUrl}/sign-in?problem=no-role`);
});

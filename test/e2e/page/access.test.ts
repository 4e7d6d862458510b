import { expect, it } from 'vitest';
import type { ApprovalSettings } from '../../../src/core/guard/approvals.ts';
import { openTestServer } from '../../server/open-test-server.ts';
import { openBrowserPage, signIn } from '../../support/browser-page.ts';
import { employees, openOffice, usersOf } from '../../support/office.ts';
import { findChromium } from '../../support/services/chromium.ts';

/* Who may decide, and who sees people: the same rules as those of the API, on the page of a real browser. */

const chromiumPath = await findChromium('page/access.test.ts');
const see = it.skipIf(chromiumPath === undefined);

const tokens = (['ana', 'bo'] as const).map((name) => ({
  name,
  role: 'operator' as const,
  token: `token-of-${name}-here`,
}));
const monitor = { name: 'wall', role: 'monitor' as const, token: 'token-of-the-wall-here' };
const approvals: ApprovalSettings = {
  isReasonRequired: true,
  rules: { disables: { approvers: 2, above: 0, notRequester: false } },
};

/** An office in which six of twelve people leave at once: their disables are held, and each needs two people. */
async function openHeld() {
  const office = await openOffice({ sandbox: { people: usersOf(employees(12)) } });
  await office.applyRows(employees(12));
  const left = Object.fromEntries([1, 2, 3, 4, 5, 6].map((i) => [`E${i}`, { status: 'left' }]));
  const { run, holds } = await office.applyRows(employees(12, { ...left, E9: { status: 'strange' } }));
  const app = { ...office.app, engine: { ...office.app.engine, approvals } };
  const server = await openTestServer(app, {
    settings: { tokens: [...tokens, monitor] },
    parts: { store: office.engine.io.store },
  });
  return { office, server, run, hold: holds[0]?.id ?? '' };
}

see(
  'of two approvals, the page says who gave the first, takes no second from the same person, and ends with another',
  async () => {
    const { office, server, hold } = await openHeld();
    const open = async (name: string) => {
      const opened = await openBrowserPage(chromiumPath ?? '', server);
      await opened.page.goto(`${server.url}/holds/${hold}`);
      await signIn(opened.page, `token-of-${name}-here`);
      return opened;
    };
    const approve = async ({ page }: Awaited<ReturnType<typeof open>>): Promise<string> => {
      await page.getByLabel('Select all that match the filter').check();
      await page.getByRole('button', { name: 'Approve 6 disables' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('textbox', { name: 'Reason' }).fill('confirmed by HR');
      await dialog.getByRole('button', { name: /^Approve/ }).click();
      const verdict = page.locator('.box[role=status]');
      await verdict.waitFor();
      const said = await verdict.innerText();
      await verdict.getByRole('button', { name: 'Dismiss' }).click();
      return said;
    };
    const given = '6 changes have 1 of 2 approvals: ana. Another person must approve too.';
    const ana = await open('ana');
    for (let i = 0; i < 2; i += 1) {
      const said = await approve(ana);
      expect(said).toContain('6 changes have your approval. Another person must approve too.');
      expect(said).not.toMatch(/approved|next run/);
      await ana.page.getByText(given).waitFor();
    }

    await ana.page.goto(`${server.url}/holds`);
    await ana.page.getByText(given).waitFor();

    const bo = await open('bo');
    await bo.page.getByText(given).waitFor();
    expect(await approve(bo)).toMatch(/^6 changes approved/);
    expect((await office.apply()).run.counts).toMatchObject({ applied: 6, held: 0 });
    expect([...ana.complaints, ...bo.complaints]).toEqual([]);
  },
);

see('a monitor sees no person on any page, and in no answer that the page asks for', async () => {
  const { server, run, hold } = await openHeld();
  const { page, complaints } = await openBrowserPage(chromiumPath ?? '', server);
  const isPersonal = /\bE\d+\b|Ana\d|Díaz|ana\d+@/;
  const leaks: string[] = [];
  const answers: string[] = [];
  page.on('response', async (response) => {
    const { pathname } = new URL(response.url());
    if (!pathname.startsWith('/api/') || pathname.endsWith('/events')) return;
    answers.push(`${response.status()} ${pathname}`);
    if (isPersonal.test(await response.text().catch(() => ''))) leaks.push(pathname);
  });
  await page.goto(server.url);
  await signIn(page, monitor.token);
  const paths = [
    ...['/', '/runs', `/runs/${run.id}`, `/runs/${run.id}/changes`, '/holds', `/holds/${hold}`, '/changes', '/reports'],
    ...['/people?q=Ana1', '/people/people/E1', '/syncs/people', '/syncs/people/accounts', '/alerts', '/audit'],
    '/connections',
  ];
  for (const path of paths) {
    await page.goto(`${server.url}${path}`);
    await page.locator('main').waitFor();
    await expect.poll(() => page.locator('.loading').count()).toBe(0);
    // The page repeats what stands in its address.
    const shown = await page.locator('main').innerText();
    expect(shown.replaceAll(/\bE1\b|\bAna1\b/g, ''), path).not.toMatch(isPersonal);
    expect(shown.trim(), path).not.toBe('');
  }
  expect(leaks).toEqual([]);
  expect(answers.length).toBeGreaterThan(paths.length);
  await page.goto(`${server.url}/holds/${hold}`);
  await page.getByText('Your role does not show people, so the changes are counted only.').waitFor();
  expect(await page.getByRole('button', { name: /Approve|Reject/ }).count()).toBe(0);
  expect(complaints).toEqual([]);
});

import { expect } from 'vitest';
import type { ApprovalSettings } from '../../../src/core/guard/approvals.ts';
import { openTestServer } from '../../server/open-test-server.ts';
import { openBrowserPage, see } from '../../support/browser-page.ts';
import { employees, openManaged } from '../../support/office.ts';

/* Who may decide, and who sees people: the same rules as those of the API, on the page of a real browser. */

const tokens = [
  { name: 'ana', role: 'operator', token: 'token-of-ana-here' },
  { name: 'bo', role: 'operator', token: 'token-of-bo-here-' },
  { name: 'wall', role: 'monitor', token: 'token-of-the-wall-here' },
] as const;
const [ofAna, ofBo, ofWall] = tokens.map(({ token }) => token);
const approvals: ApprovalSettings = {
  isReasonRequired: true,
  rules: { disables: { approvers: 2, above: 0, notRequester: false } },
};

see(
  'a monitor sees no person on any page; of two approvals the page says who gave the first, and takes it once',
  async () => {
    const office = await openManaged(12);
    const left = Object.fromEntries([1, 2, 3, 4, 5, 6].map((i) => [`E${i}`, { status: 'left' }]));
    const { run, holds } = await office.applyRows(employees(12, { ...left, E9: { status: 'strange' } }));
    const app = { ...office.app, engine: { ...office.app.engine, approvals } };
    const server = await openTestServer(app, { settings: { tokens }, parts: { store: office.engine.io.store } });
    const hold = `/holds/${holds[0]?.id}`;

    const wall = await openBrowserPage(server, { token: ofWall ?? '' });
    const isPersonal = /\bE\d+\b|Ana\d|Díaz|ana\d+@/;
    const leaks: string[] = [];
    const answers: string[] = [];
    wall.page.on('response', async (response) => {
      const { pathname } = new URL(response.url());
      if (!pathname.startsWith('/api/') || pathname.endsWith('/events')) return;
      answers.push(pathname);
      if (isPersonal.test(await response.text().catch(() => ''))) leaks.push(pathname);
    });
    const paths = [
      ...[
        '/',
        '/runs',
        `/runs/${run.id}`,
        `/runs/${run.id}/changes`,
        '/holds',
        '/changes',
        '/reports',
        '/people?q=Ana1',
      ],
      ...[
        '/people/people/E1',
        '/syncs/people',
        '/syncs/people/accounts',
        '/syncs/people/data-quality',
        '/alerts',
        '/audit',
        '/connections',
        hold,
      ],
    ];
    for (const path of paths) {
      await wall.show(path);
      // The page repeats what stands in its address.
      const shown = (await wall.page.locator('main').innerText()).replaceAll(/\bE1\b|\bAna1\b/g, '');
      expect(shown, path).not.toMatch(isPersonal);
      expect(shown.trim(), path).not.toBe('');
    }
    expect(leaks).toEqual([]);
    expect(answers.length).toBeGreaterThan(paths.length);
    await wall.page.getByText('Your role does not show people, so the changes are counted only.').waitFor();
    expect(await wall.page.getByRole('button', { name: /Approve|Reject/ }).count()).toBe(0);

    const approve = async ({ page }: typeof wall): Promise<string> => {
      await page.getByText('0 changes selected of 6').waitFor();
      await page.getByRole('row').nth(1).waitFor();
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
    const given = '6 changes have 1 of 2 approvals: token:ana. Another person must approve too.';
    const ana = await openBrowserPage(server, { token: ofAna ?? '', path: hold });
    for (let i = 0; i < 2; i += 1) {
      const said = await approve(ana);
      expect(said).toContain('6 changes have your approval. Another person must approve too.');
      expect(said).not.toMatch(/approved|next run/);
      await ana.page.getByText(given).waitFor();
    }
    await ana.show('/holds');
    await ana.page.getByText(given).waitFor();
    const bo = await openBrowserPage(server, { token: ofBo ?? '', path: hold });
    await bo.page.getByText(given).waitFor();
    expect(await approve(bo)).toMatch(/^6 changes approved/);
    expect((await office.apply()).run.counts).toMatchObject({ applied: 6, held: 0 });
  },
);

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openTestServer } from '../../server/open-test-server.ts';
import { openBrowserPage, signIn } from '../../support/browser-page.ts';
import { drawFrom } from '../../support/drawn.ts';
import { findChromium } from '../../support/services/chromium.ts';
import { openShowcase, showcaseRoutes, showcaseToken } from '../../support/showcase.ts';

const chromiumPath = await findChromium('page/everybody.test.ts');
const see = it.skipIf(chromiumPath === undefined);
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds against WCAG 2.2 AA and its own good practices: rule, and where. */
async function violationsOf(page: Page, scheme: 'light' | 'dark'): Promise<readonly string[]> {
  // Evaluated by the debugger, which the content security policy does not bind.
  await page.evaluate(axe);
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  // The dark scheme differs in its colors alone.
  const runOnly = scheme === 'light' ? tags : { type: 'rule', values: ['color-contrast'] };
  return page.evaluate(`axe.run(document, { runOnly: ${JSON.stringify(runOnly)} }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html, failureSummary }) => id + ': ' + html.slice(0, 200) + ' ' + failureSummary)))`);
}

async function settle(page: Page): Promise<void> {
  await page.locator('main h1').waitFor();
  await expect.poll(() => page.locator('.loading, .row.blank').count()).toBe(0);
}

see.each(['light', 'dark'] as const)(
  'no page breaks a rule of accessibility, and each has a title of its own: %s',
  async (scheme) => {
    const showcase = await openShowcase();
    const server = await openTestServer(showcase.app, { settings: { tokens: showcase.tokens } });
    const { page, complaints } = await openBrowserPage(chromiumPath ?? '', server, { scheme, at: showcase.now });
    await page.goto(`${server.url}/sign-in`);
    await page.getByLabel('API token').waitFor();
    expect(await violationsOf(page, scheme), 'sign-in').toEqual([]);
    await signIn(page, showcaseToken);
    const found: string[] = [];
    const titles: string[] = [];
    for (const [name, path] of Object.entries(showcaseRoutes(showcase))) {
      await page.goto(`${server.url}${path}`);
      await settle(page);
      if (name === 'hold') await page.locator('.turn button').nth(1).click();
      titles.push(await page.title());
      found.push(...(await violationsOf(page, scheme)).map((one) => `${name}: ${one}`));
    }
    expect(found).toEqual([]);
    expect(new Set(titles).size, 'each page has a title of its own').toBe(titles.length);
    await page.goto(`${server.url}/holds/${showcase.crowd.hold}`);
    await page.getByRole('row').nth(3).waitFor();
    await page.getByLabel('Select all that match the filter').check();
    await page.locator('.decision .button.main:enabled').click();
    await page.getByRole('dialog').waitFor();
    expect(await violationsOf(page, scheme), 'dialog').toEqual([]);
    await page.keyboard.press('Escape');
    await page.locator('summary').click();
    expect(await violationsOf(page, scheme), 'menu').toEqual([]);
    expect(complaints).toEqual([]);
  },
);

see('every page fits 360 pixels, in Spanish too', async () => {
  const showcase = await openShowcase();
  const server = await openTestServer(showcase.app, { settings: { tokens: showcase.tokens } });
  const wide: string[] = [];
  for (const language of drawFrom(['en-US', 'es-MX'], 2)) {
    const { page } = await openBrowserPage(chromiumPath ?? '', server, {
      ...{ width: 360, height: 740, language, at: showcase.now },
    });
    await page.goto(server.url);
    await page.locator('input[type=password]').fill(showcaseToken);
    await page.locator('button[type=submit]').click();
    await page.getByRole('navigation').waitFor();
    for (const [name, path] of Object.entries(showcaseRoutes(showcase))) {
      await page.goto(`${server.url}${path}`);
      await settle(page);
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      if (overflow > 0) wide.push(`${name} in ${language}: ${overflow}`);
    }
  }
  expect(wide).toEqual([]);
});

see('an address that leads nowhere says so', async () => {
  const showcase = await openShowcase();
  const server = await openTestServer(showcase.app, { settings: { tokens: showcase.tokens } });
  const { page, complaints } = await openBrowserPage(chromiumPath ?? '', server, { at: showcase.now });
  await page.goto(`${server.url}/runs/run_none`);
  await signIn(page, showcaseToken);
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('alert').innerText()).toContain('NOT_FOUND');
  expect((await page.goto(`${server.url}/no/such/page`))?.status()).toBe(404);
  await page.getByRole('heading', { name: 'This page does not exist' }).waitFor();
  await page.getByRole('link', { name: 'Go to the overview' }).click();
  await page.waitForURL(`${server.url}/`);
  expect(complaints).toEqual([]);
});

import { expect } from 'vitest';
import { orderPreview } from '../../../src/app/previews.ts';
import { makePreview } from '../../../src/run/make-preview.ts';
import { openTestServer } from '../../server/open-test-server.ts';
import { openBrowserPage, overflowOf, see, signIn, violationsOf } from '../../support/browser-page.ts';
import { drawFrom } from '../../support/drawn.ts';
import { openShowcase, showcaseRoutes, showcaseToken } from '../../support/showcase.ts';

see.each(drawFrom(['en-US', 'es-MX'], 2))(
  'no page breaks a rule of accessibility, light or dark; each fits 360 pixels and has a title of its own: %s',
  async (language) => {
    const showcase = await openShowcase();
    const { app, crowd, tokens, now: at } = showcase;
    const { preview } = await orderPreview(app, 'people', { scope: { kind: 'all' }, by: 'ana' });
    await makePreview(preview.id, app.engine, AbortSignal.timeout(60_000));
    const server = await openTestServer(app, { settings: { tokens } });
    const { page, follow } = await openBrowserPage(server, { at, language });
    const found: string[] = [];
    const check = async (name: string): Promise<void> => {
      for (const scheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: scheme });
        found.push(...(await violationsOf(page, scheme)).map((one) => `${name}, ${scheme}: ${one}`));
      }
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize({ width: 360, height: 740 });
      const overflow = await overflowOf(page);
      if (overflow > 0) found.push(`${name} is ${overflow} pixels too wide`);
      await page.setViewportSize({ width: 1280, height: 900 });
    };
    await page.goto(`${server.url}/sign-in`);
    await page.locator('input[type=password]').waitFor();
    await check('sign-in');
    await signIn(page, showcaseToken);
    const titles: string[] = [];
    const routes = { ...showcaseRoutes(showcase), found: '/people?q=ana', preview: `/previews/${preview.id}` };
    for (const [name, path] of Object.entries(routes)) {
      await follow(path);
      if (name === 'hold') await page.locator('.turn button').nth(1).click();
      // What is folded opens.
      await page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true");
      for (const button of await page.locator('main .button.bare, #raw-title + .button').all()) await button.click();
      await expect.poll(() => page.locator('.loading').count()).toBe(0);
      if (name !== 'found') titles.push(await page.title());
      await check(name);
    }
    expect(new Set(titles).size, 'each page has a title of its own').toBe(titles.length);
    await follow(`/holds/${crowd.hold}`);
    await page.locator('.change-list .heads input[type=checkbox]').check();
    await page.locator('.decision .button.main:enabled').click();
    await page.getByRole('dialog').waitFor();
    await check('dialog');
    await page.keyboard.press('Escape');
    await page.locator('.menu > button').click();
    await check('menu');
    expect(found).toEqual([]);
  },
);

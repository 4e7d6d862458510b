import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'vitest';
import { openTestServer } from '../../server/open-test-server.ts';
import { openBrowserPage, see, signIn } from '../../support/browser-page.ts';
import { openShowcase, showcaseRoutes } from '../../support/showcase.ts';

const isWanted = process.env.SCREENSHOTS === 'write';
const folder = process.env.SCREENSHOTS_FOLDER ?? join(import.meta.dirname, '../../../docs/screenshots');

/** `npm run screenshots` writes docs/screenshots: every page, light and dark, wide and narrow. */
(isWanted ? see : it.skip)('writes the pictures of every page', async () => {
  const showcase = await openShowcase();
  const server = await openTestServer(showcase.app, { settings: { tokens: showcase.tokens } });
  await mkdir(folder, { recursive: true });
  for (const [size, width, height] of [['wide', 1440, 900] as const, ['narrow', 390, 844] as const]) {
    for (const scheme of ['light', 'dark'] as const) {
      const { page, show } = await openBrowserPage(server, { width, height, scheme, at: showcase.now });
      await page.goto(`${server.url}/sign-in`);
      await page.getByLabel('API token').waitFor();
      await page.screenshot({ path: join(folder, `sign-in-${size}-${scheme}.png`) });
      await signIn(page, showcase.tokens[0]?.token ?? '');
      for (const [name, path] of Object.entries(showcaseRoutes(showcase))) {
        await show(path);
        await page.waitForLoadState('load');
        if (name === 'hold') await page.locator('.turn button').nth(1).click();
        await page.waitForTimeout(150);
        await page.screenshot({ path: join(folder, `${name}-${size}-${scheme}.png`) });
      }
    }
  }
});

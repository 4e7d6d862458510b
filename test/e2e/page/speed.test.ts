import { it } from 'vitest';
import { openTestServer, operatorToken } from '../../server/open-test-server.ts';
import { openBrowserPage, see } from '../../support/browser-page.ts';
import { holdCrowd } from '../../support/held-crowd.ts';
import { openOffice } from '../../support/office.ts';

// npm run bench:page: prints what a browser measures. It asserts no time, so it is no part of the tests.

const isAsked = process.env.PAGE_SPEED !== undefined;

const watchStops = `
  window.stops = [];
  new PerformanceObserver((list) => window.stops.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'longtask' });
  window.answers = [];
  new PerformanceObserver((list) => window.answers.push(...list.getEntries().filter(({ interactionId }) => interactionId > 0).map(({ duration }) => duration)))
    .observe({ type: 'event', durationThreshold: 16 });
`;

(isAsked ? see : it.skip)('the page paints, answers keys and clicks, and scrolls 100,000 held changes', async () => {
  const office = await openOffice();
  const { hold } = await holdCrowd(office.engine.io.store, 100_000, office.clock.now());
  const server = await openTestServer(office.app);
  const { page } = await openBrowserPage(server, { token: operatorToken });
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  for (const path of ['/', `/holds/${hold}`]) {
    await page.goto(`${server.url}${path}`);
    await page.locator('main h1').waitFor();
    const [paint, shown] = await page.evaluate<[number, number]>(
      "[performance.getEntriesByName('first-contentful-paint')[0].startTime, performance.now()]",
    );
    say(
      `${path === '/' ? 'overview' : 'hold'}: first contentful paint ${paint.toFixed(0)} ms, heading there by ${shown.toFixed(0)} ms`,
    );
  }
  await page.getByRole('row').nth(3).waitFor();
  await page.evaluate(watchStops);
  await page.getByRole('treegrid').hover();
  for (let i = 0; i < 200; i++) await page.mouse.wheel(0, 2500);
  await page.evaluate('document.querySelector(".change-list").scrollTo(0, 1e9)');
  await page.getByText('E100000', { exact: true }).waitFor();
  const stops = await page.evaluate<number[]>('window.stops');
  say(
    `scrolling 100,000 rows: ${stops.length} stops of over 50 ms, the longest ${Math.max(0, ...stops).toFixed(0)} ms`,
  );
  for (const key of ['j', 'j', 'Enter', 'x', 'End', 'Home', 'k']) await page.keyboard.press(key);
  await page.getByLabel('Select all that match the filter').check();
  await page.getByRole('button', { name: 'Name', exact: true }).click();
  await page.getByLabel('Filter by name, e-mail or any value').pressSequentially('ana');
  await page.waitForTimeout(1500);
  const answers = await page.evaluate<number[]>('window.answers');
  say(
    `interaction to next paint, of ${answers.length} over 16 ms: the longest ${Math.max(0, ...answers).toFixed(0)} ms`,
  );
});

import { expect, onTestFinished } from 'vitest';
import { findAudit } from '../../../src/app/audit.ts';
import { exportOrQueue } from '../../../src/app/connections.ts';
import { openHere } from '../../chaos/open-here.ts';
import { openTestServer, operatorToken, viewerToken } from '../../server/open-test-server.ts';
import { openBrowserPage, overflowOf, see, violationsOf } from '../../support/browser-page.ts';
import { openExportingWorld } from '../../support/exporting.ts';
import { FakeClock, someInstant } from '../../support/fake-clock.ts';
import { silentLogger } from '../../support/memory-logger.ts';

see('the exports are listed with what they wrote and why they fail, and an operator requests a pass', async () => {
  const clock = new FakeClock(someInstant);
  const world = await openExportingWorld(() => clock.now(), undefined);
  await world.configure({ schedule: { cron: '0 5 * * *' } });
  const { app } = await openHere(world.config, { clock, logger: silentLogger });
  onTestFinished(() => app.close());
  const pass = (name: string) => exportOrQueue(app, name, { by: 'tests', signal: AbortSignal.timeout(60_000) });
  world.addFeedback(someInstant - 5000, someInstant - 4000);
  await pass('feedback-csv');
  world.setFaults('*:status=404');
  await expect(pass('feedback-jsonl')).rejects.toThrow();
  const server = await openTestServer(app);

  const narrow = { token: viewerToken, path: '/connections', scheme: 'dark', width: 390 } as const;
  const { page: seen } = await openBrowserPage(server, narrow);
  const exports = seen.locator('section').filter({ hasText: 'Exports' });
  await exports.getByText('feedback-csv', { exact: true }).waitFor();
  expect(await exports.getByRole('button').count()).toBe(0);
  expect(await overflowOf(seen)).toBe(0);

  const { page } = await openBrowserPage(server, { token: operatorToken, path: '/connections' });
  const row = (name: string) => page.getByRole('row').filter({ has: page.getByText(name, { exact: true }) });
  await row('feedback-csv').waitFor();
  expect(await row('feedback-csv').innerText()).toMatch(/Feedback.*exports\/feedback-csv\s+2\s/s);
  expect(await row('feedback-jsonl').innerText()).toMatch(/Failed once:.*404/s);
  expect(await violationsOf(page)).toEqual([]);
  await row('feedback-jsonl').getByRole('button', { name: 'Run now' }).click();
  await page.getByLabel('Reason').fill('the folder is there');
  await page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const [asked] = await findAudit(app, { limit: 1 });
  expect(asked).toMatchObject({ action: 'run-export', detail: 'feedback-jsonl', reason: 'the folder is there' });
});

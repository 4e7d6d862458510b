import { expect } from 'vitest';
import { openTestServer, operatorToken } from '../../server/open-test-server.ts';
import { openBrowserPage, see } from '../../support/browser-page.ts';
import { isLong } from '../../support/drawn.ts';
import { employees, openManaged, type Row } from '../../support/office.ts';

const people = 40;
const stepMs = 20 * 3_600_000;
/** In each round leavers are held and decided, two runs fail, and a person changes. */
const stepsOfRound = 6;
const rounds = isLong ? 3 : 2;
/** More than a guard lets pass, so they are held. */
const leaversAtOnce = 7;

see('over days of holds, decisions, failures and updates, the page shows what the store has', async () => {
  const office = await openManaged(people);
  const patch: Record<string, Row> = {};
  const server = await openTestServer(office.app);
  const { page } = await openBrowserPage(server, { token: operatorToken });

  const expected = { held: 0, failures: 0, failed: 0, runs: 1, disabled: 0, updated: 0 };
  const run = async (): Promise<void> => {
    await office.apply();
    expected.runs += 1;
  };
  const decide = async (action: 'approve' | 'reject'): Promise<void> => {
    const { holds } = (await server.ask('/api/holds')).json;
    const path = `/api/holds/${holds[0].id}/${action}`;
    expect((await server.ask(path, { method: 'POST', body: { reason: 'checked' } })).status).toBeLessThan(300);
    if (action === 'approve') expected.disabled += expected.held;
    expected.held = 0;
  };
  const fail = async (): Promise<void> => {
    await office.writeText('id,first\n');
    await run();
    expected.failed += 1;
    expected.failures += 1;
  };
  const write = (): Promise<void> => office.writeEmployees(employees(people, patch));

  for (let step = 0; step < rounds * stepsOfRound; step++) {
    office.clock.jump(stepMs);
    const round = Math.floor(step / stepsOfRound);
    if (step % stepsOfRound === 1) {
      for (let i = 1; i <= leaversAtOnce; i++) patch[`E${round * leaversAtOnce + i}`] = { status: 'left' };
      await write();
      await run();
      expected.held = leaversAtOnce;
    } else if (step % stepsOfRound === 2) {
      await decide(round % 2 === 0 ? 'approve' : 'reject');
      await run();
    } else if (step % stepsOfRound === 3 || step % stepsOfRound === 4) {
      await fail();
    } else if (step % stepsOfRound === 5) {
      patch[`E${people - round}`] = { last: `Gómez ${round}` };
      expected.updated += 1;
      expected.failures = 0;
      await write();
      await run();
    } else {
      await run();
    }

    const [sync] = (await server.ask('/api/overview')).json.syncs;
    expect({ step, held: sync.holds.changes, failures: sync.health.failures }).toEqual({
      ...{ step, held: expected.held, failures: expected.failures },
    });
    const { syncs } = (await server.ask('/api/overview/days?days=40&timezone=UTC')).json;
    const sum = (name: string): number =>
      syncs[0].days.reduce((total: number, day: Readonly<Record<string, number>>) => total + (day[name] ?? 0), 0);
    expect({ step, runs: sum('runs'), failed: sum('failedRuns'), disabled: sum('leaver') }).toEqual({
      ...{ step, runs: expected.runs, failed: expected.failed, disabled: expected.disabled },
    });
    const disabled = [...office.sandbox.state.users.values()].filter(({ enabled }) => !enabled).length;
    expect(disabled).toBe(expected.disabled);

    // The server shares one reading of the overview for a moment of its own clock.
    await server.clock.advance(60_000);
    await page.reload();
    await page.locator('main table').first().waitFor();
    const text = await page.locator('main').innerText();
    const waits = `${expected.held} changes need approval`;
    expect(text.includes(waits), `${step}: ${text}`).toBe(expected.held > 0);
    expect(text, String(step)).toContain(expected.failures > 0 ? 'Failing' : 'Healthy');
    const badge = await page.getByRole('link', { name: /^Holds/ }).innerText();
    expect(/\d+/.exec(badge)?.[0] ?? '0', String(step)).toBe(String(expected.held));
  }
  expect(expected.disabled).toBe(leaversAtOnce * Math.ceil(rounds / 2));
});

import { expect, it } from 'vitest';
import { countDays } from '../../src/app/overview.ts';
import { describeRun } from '../../src/app/runs.ts';
import { renderRuns } from '../../src/cli/render/run.ts';
import { openStyle } from '../../src/cli/terminal.ts';
import { openRun, requestRun } from '../../src/run/request-run.ts';
import { employees, type Office, openOffice, usersOf } from '../support/office.ts';

/** A run of the schedule, a minute after the one before. */
async function runSlot({ engine, app, clock }: Office): Promise<string> {
  clock.jump(60_000);
  const key = `people@${new Date(clock.now()).toISOString()}`;
  await requestRun({ sync: 'people', kind: 'schedule', scope: { kind: 'all' }, key }, engine.io);
  const opened = await openRun('people', engine.io);
  const id = opened?.run.id ?? '';
  await app.drive(id, { signal: AbortSignal.timeout(60_000), progress: () => {} });
  return id;
}

it('runs of a schedule that find nothing to do are one run in the list, and what changes is one of its own', async () => {
  const people = employees(20, { E3: { status: '' } });
  const office = await openOffice({ sandbox: { people: usersOf(employees(20)) }, sync: { lifecycle: undefined } });
  await office.writeEmployees(people);
  const ids: string[] = [];
  for (let slot = 0; slot < 5; slot++) ids.push(await runSlot(office));
  await office.writeEmployees(employees(20, { E5: { last: 'Paz' } }));
  ids.push(await runSlot(office), await runSlot(office), await runSlot(office));
  const runs = await office.engine.io.store.runs.list({ limit: 20 });
  // The first run stores the configuration, and says so.
  expect(runs.map(({ id, outcome, idle }) => [ids.indexOf(id), outcome, idle?.count])).toEqual([
    [7, 'nothing-to-do', 2],
    [5, 'succeeded', undefined],
    [4, 'nothing-to-do', 4],
    [0, 'nothing-to-do', undefined],
  ]);
  expect(renderRuns(runs, office.clock.now(), openStyle({ isTerminal: false, env: {}, config: undefined }))).toMatch(
    /nothing to do, 4 times since 2026-11-21 12:0\d UTC/,
  );
  await expect(describeRun(office.app, ids[2] ?? '')).rejects.toThrow(
    `run ${ids[2]} found nothing to do, as the next one did, and is no longer kept: run ${ids[4]} of people (4 times since`,
  );
  const { syncs } = await countDays(office.app, { days: 1, timezone: 'UTC' });
  expect(syncs[0]?.days[0]?.runs).toBe(8);
});

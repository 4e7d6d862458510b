import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { migrateLater } from '../../contracts/store-newer.ts';
import { isLong } from '../../support/drawn.ts';
import { employees } from '../../support/office.ts';
import { findRedisProgram, startRedis, until } from '../../support/services/redis.ts';
import { count, type Drill, openDrill } from './drill.ts';

const redis = isLong ? await findRedisProgram() : undefined;

describe.skipIf(redis === undefined)('with Redis, in real time', () => {
  const all = { absolute: 1000, percent: 100 };

  async function openWithRedis(sync: object) {
    const server = await startRedis(redis ?? '');
    onTestFinished(() => server.close());
    const drill = await openDrill({
      speed: 1,
      redis: server.url,
      people: 60,
      processingMs: 2000,
      sync: { batchRows: 20, delivery: 'csv', guards: { updates: all, firstSight: all }, ...sync },
    });
    return { drill, server };
  }

  /** A scheduler and two workers. A run of sixty people is under way when the first worker has sent a file. */
  async function openCrew() {
    const { drill, server } = await openWithRedis({ schedule: undefined });
    const wanted = employees(60, Object.fromEntries(employees(60).map(({ id = '' }) => [id, { last: 'Núñez' }])));
    await drill.writeEmployees(wanted);
    const scheduler = await drill.start('--role', 'scheduler');
    const worker = await drill.start('--role', 'worker');
    await drill.command('resync', 'people');
    await until(async () => drill.sandbox.state.requests.upload >= 1, 60_000);
    return { drill, server, scheduler, worker };
  }

  async function expectEachOnce(drill: Drill): Promise<void> {
    await until(async () => (await drill.runs()).length > 0, 90_000);
    expect((await drill.runs()).map(({ outcome }) => outcome)).toEqual(['succeeded']);
    const updated = drill.sandbox.state.log.map(({ identification, kind }) => `${identification} ${kind}`);
    expect(updated.toSorted()).toEqual(
      employees(60)
        .map(({ id }) => `${id} updated`)
        .toSorted(),
    );
    await wait(12_000);
    expect(drill.told()).toEqual([]);
  }

  it('kill -9 of the worker in the middle of a run: another ends it, nothing twice, no notice', async () => {
    const { drill, worker } = await openCrew();
    worker.child.kill('SIGKILL');
    await drill.start('--role', 'worker');
    await expectEachOnce(drill);
    count('kill -9 of the only worker in mid-run; another starts', drill, '60 changes, none twice');
  });

  it('SIGSTOP of a worker for longer than its lease: another goes on, and the first one repeats nothing', async () => {
    const { drill, worker } = await openCrew();
    worker.child.kill('SIGSTOP');
    await drill.start('--role', 'worker');
    await until(async () => drill.sandbox.state.requests.upload >= 3, 120_000);
    await wait(5000);
    worker.child.kill('SIGCONT');
    await expectEachOnce(drill);
    count('SIGSTOP of a worker in mid-run beyond its lease, SIGCONT', drill, '60 changes, none twice');
  });

  it('Redis is emptied in the middle of a run: the run is queued again, nothing twice, no notice', async () => {
    const { drill, server } = await openCrew();
    await server.command('FLUSHALL');
    await expectEachOnce(drill);
    count('Redis is emptied in mid-run', drill, '60 changes, none twice');
  });

  it('a rolling update to a version with more tables in the middle of a run: nothing twice, no notice', async () => {
    const { drill, scheduler, worker } = await openCrew();
    expect((await migrateLater(`sqlite:${join(drill.folder, 'rollcall.db')}`)).applied).toEqual(['999-later']);
    await drill.start('--role', 'scheduler');
    await drill.start('--role', 'worker');
    for (const { child } of [scheduler, worker]) child.kill('SIGTERM');
    for (const { ended } of [scheduler, worker]) expect(await ended).toMatchObject({ code: 0 });
    await expectEachOnce(drill);
    count('Rolling update in mid-run: more tables, then new processes, then SIGTERM', drill, '60 changes, none twice');
  });

  it('two schedulers: each slot is one run, also when one of them is killed', async () => {
    const { drill } = await openWithRedis({ schedule: { cron: '* * * * *' } });
    await drill.writeEmployees(employees(60));
    const [first] = await Promise.all([drill.start('--role', 'scheduler'), drill.start('--role', 'scheduler')]);
    await drill.start('--role', 'worker');
    const ended = async (runs: number) => until(async () => (await drill.runs()).length >= runs, 200_000);
    await ended(1);
    first.child.kill('SIGKILL');
    const atKill = (await drill.runs()).length;
    await ended(atKill + 2);
    const slots = (await drill.runs()).map(({ startedAt }) => startedAt.slice(0, 16));
    expect(slots).toEqual([...new Set(slots)]);
    expect(drill.told()).toEqual([]);
    count('Two schedulers, one of them killed', drill, `${slots.length} slots, as many runs`);
  });
});

/** Nights in which Spain changes its clocks. `slot`: the ten minutes in which the run begins. */
const nights = [
  { night: 'skips 02:30', from: '2027-03-28T00:45:00Z', slot: '2027-03-28T01:0' },
  { night: 'has 02:30 twice', from: '2026-10-25T00:15:00Z', slot: '2026-10-25T00:3' },
];

it.runIf(isLong).each(nights)(
  'a night that $night: one run of the slot, and no notice',
  async ({ from, slot, night }) => {
    const schedule = { cron: '30 2 * * *', timezone: 'Europe/Madrid' };
    const drill = await openDrill({ speed: 120, from, sync: { schedule } });
    await drill.writeEmployees(employees(6));
    await drill.start();
    await drill.minutes(110);
    expect((await drill.runs()).map(({ startedAt }) => startedAt.slice(0, 15))).toEqual([slot]);
    expect(drill.told()).toEqual([]);
    count(`A night that ${night}`, drill, '1 run');
  },
);

it.runIf(isLong)('the clock jumps an hour ahead and back: no slot twice, and one notice with its end', async () => {
  const drill = await openDrill({ speed: 30, jumpMs: 3_600_000 });
  await drill.writeEmployees(employees(6));
  const { child, seen } = await drill.start();
  await seen(/"outcome":"nothing-to-do"/);
  for (const _ of ['ahead', 'back']) {
    const before = (await drill.runs()).length;
    child.kill('SIGUSR2');
    await until(async () => (await drill.runs()).length > before + 1, 90_000);
  }
  await until(async () => drill.told().includes('recovery clock-off'), 90_000);
  expect(drill.told()).toEqual(['problem clock-off', 'recovery clock-off']);
  const slots = (await drill.runs()).map(({ startedAt }) => startedAt.slice(0, 16));
  expect(slots).toEqual([...new Set(slots)]);
  count('The clock jumps an hour ahead, and later back', drill, `${slots.length} runs, no slot twice`);
});

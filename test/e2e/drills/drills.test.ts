import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { isLong } from '../../support/drawn.ts';
import { employees } from '../../support/office.ts';
import { findPostgresPrograms, startPostgresServer } from '../../support/services/postgres-server.ts';
import { until } from '../../support/services/redis.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { count, type Deployment, type Drill, type Health, openDrill, ready } from './drill.ts';

const works = (program: string, ...words: readonly string[]) =>
  promisify(execFile)(program, [...words]).then(
    () => true,
    () => false,
  );
const speed = 30;
const hasTold = (drill: Drill, what: string, times = 1) =>
  until(async () => drill.told().filter((one) => one === what).length >= times, 90_000);

/** Runs succeed before anything is broken. */
async function startWell(drill: Drill, ...words: readonly string[]): Promise<Deployment> {
  await drill.writeEmployees(employees(6));
  const deployment = await drill.start(...words);
  await deployment.seen(/"outcome":"nothing-to-do"/);
  return deployment;
}

it('many runs fail, and the first failure is acknowledged: one notice, one end, no escalation', async () => {
  const [runs, pagedAfter] = isLong ? [9, '7m'] : [4, '3m'];
  const drill = await openDrill({ speed, channels: [{ name: 'pager', after: pagedAfter }] });
  const deployment = await startWell(drill);
  await drill.writeEmployees([]);
  await hasTold(drill, 'problem run-failed');
  await drill.command('alerts', 'ack', 'people');
  // A failure a minute, until the pager would have been called.
  await deployment.seen(new RegExp(`(?:"outcome":"failed"[\\s\\S]*?){${runs}}`));
  expect(drill.told()).toEqual(['problem run-failed']);
  expect(drill.told('pager')).toEqual([]);
  // Another reason is news, acknowledged or not.
  await rm(join(drill.folder, 'people.csv'));
  await hasTold(drill, 'problem run-failed', 2);
  await drill.writeEmployees(employees(6));
  await hasTold(drill, 'recovery run-failed');
  await drill.minutes(2);
  expect(drill.told()).toEqual(['problem run-failed', 'problem run-failed', 'recovery run-failed']);
  count('Nine runs fail, acknowledged after the first; then another reason', drill);
});

it.runIf(isLong)('a platform fails that 15 syncs use: one notice, its number corrected once, one end', async () => {
  const syncs = Array.from({ length: 15 }, (_, i) => `office${i + 1}`);
  const drill = await openDrill({ speed, syncs, people: 15 });
  for (const [i, sync] of syncs.entries()) await drill.writeEmployees(employees(15).slice(i, i + 1), `${sync}.csv`);
  const running = await drill.start();
  for (const sync of syncs) await running.seen(new RegExp(`"sync":"${sync}","outcome"`));
  drill.setFaults('*:status=502');
  await hasTold(drill, 'problem platform-ends-runs');
  for (const sync of syncs) await running.seen(new RegExp(`"sync":"${sync}","outcome":"failed"`));
  await drill.minutes(5);
  drill.setFaults();
  await hasTold(drill, 'recovery platform-ends-runs');
  await drill.minutes(6);
  const told = drill.told();
  expect([...new Set(told)]).toEqual(['problem platform-ends-runs', 'recovery platform-ends-runs']);
  expect(told.length).toBeLessThanOrEqual(3);
  count('The platform of 15 syncs answers 502 for minutes', drill);
});

it.runIf(isLong)('a source fails and works by turns: counted, and its end is told once it stays away', async () => {
  const drill = await openDrill({ speed: 120, sync: { freshness: '7d' } });
  await startWell(drill);
  for (let turn = 0; turn < 5; turn += 1) {
    const failures = async () => (await drill.runs()).filter(({ outcome }) => outcome === 'failed').length;
    const [before, good] = [await failures(), (await drill.runs())[0]?.id];
    await drill.writeEmployees([]);
    await until(async () => (await failures()) > before);
    await drill.writeEmployees(employees(6));
    await until(async () => {
      const [newest] = await drill.runs();
      return newest?.id !== good && newest?.outcome === 'nothing-to-do';
    });
  }
  await hasTold(drill, 'recovery run-failed', 2);
  expect(drill.told()).toEqual([
    'problem run-failed',
    'recovery run-failed',
    'problem run-failed',
    'recovery run-failed',
  ]);
  count('A source fails and works five times within an hour', drill);
});

it.runIf(isLong)(
  'a channel hangs: the other gets each notice at once, and is told that the first gets none',
  async () => {
    const syncs = ['one', 'two', 'three', 'four', 'five', 'six'];
    const hanging = createServer(() => {});
    await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void hanging.close());
    const { port } = hanging.address() as AddressInfo;
    const drill = await openDrill({ speed, syncs, channels: [{ name: 'hung', url: `http://127.0.0.1:${port}` }] });
    await drill.start();
    await hasTold(drill, 'problem channel-failing');
    const delays = (await drill.delays()).map((ms) => Math.round(ms / 1000));
    expect(drill.told()).toEqual([...syncs.map(() => 'problem run-failed'), 'problem channel-failing']);
    count('A channel hangs, and six syncs fail', drill, `${Math.max(...delays)} s after the run at most`);
    // The process looks every five seconds, and this machine is busy.
    expect(Math.max(...delays)).toBeLessThan(60);
  },
);

it.runIf(isLong)(
  'the disk of the store is full: not ready, but healthy; a start waits; one note afterwards',
  async (test) => {
    const disk = await temporaryFolder();
    if (!(await works('mount', '-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', disk)))
      return test.skip('a file system in memory needs root');
    onTestFinished(() => works('umount', '-l', disk).then(() => {}));
    const drill = await openDrill({ speed, store: `sqlite:${disk}/rollcall.db` });
    const filler = join(disk, 'filler');
    await playTroubledStore(drill, 'its disk is full', async (isFull) => {
      if (!isFull) return rm(filler);
      // Down to the last bytes.
      for (const size of ['64k', '512'])
        await works('dd', 'if=/dev/zero', `of=${filler}`, `bs=${size}`, 'oflag=append', 'conv=notrunc');
    });
    count('The disk is full, also for a restart', drill);
  },
);

const postgres = isLong ? await findPostgresPrograms() : undefined;

it.skipIf(postgres === undefined)('PostgreSQL is read-only: the same', async () => {
  const server = await startPostgresServer(postgres ?? '', await temporaryFolder());
  onTestFinished(() => server.stop('crash'));
  const url = `postgres://${server.user}:${encodeURIComponent(server.password)}@127.0.0.1:${server.port}/postgres`;
  const admin = new Client({ connectionString: url });
  await admin.connect();
  admin.on('error', () => {});
  onTestFinished(() => admin.end());
  await admin.query('set default_transaction_read_only = off');
  // The time of such a deployment is that of PostgreSQL.
  const drill = await openDrill({ speed: 1, store: url });
  await playTroubledStore(drill, 'it is read-only', async (isReadOnly) => {
    await admin.query(`alter system set default_transaction_read_only = ${isReadOnly}`);
    await admin.query('select pg_reload_conf()');
  });
  count('PostgreSQL is read-only, also for a restart', drill);
});

/** The store takes no write: while the process runs, and while one that was killed starts again. */
async function playTroubledStore(
  drill: Drill,
  fault: string,
  trouble: (isOn: boolean) => Promise<void>,
): Promise<void> {
  const troubled = { ready: 503, fault, healthy: 200, storeUp: '0' };
  const well = { ready: 200, fault: undefined, healthy: 200, storeUp: '1' };
  const becomes = (deployment: Deployment, health: Health) =>
    expect.poll(() => deployment.health().catch(() => undefined)).toEqual(health);
  const first = await startWell(drill);
  await becomes(first, well);
  await trouble(true);
  await becomes(first, troubled);
  await drill.minutes(1.3);
  expect(await first.health()).toEqual(troubled);
  await trouble(false);
  await becomes(first, well);
  await hasTold(drill, 'note store-was-away');
  await trouble(true);
  await becomes(first, troubled);
  first.child.kill('SIGKILL');
  await first.ended;
  const second = await drill.startUnready();
  await drill.minutes(1.3);
  expect(await second.health()).toEqual(troubled);
  expect(second.child.exitCode).toBeNull();
  await trouble(false);
  await second.seen(ready);
  await becomes(second, well);
  await hasTold(drill, 'note store-was-away', 2);
  await drill.minutes(0.3);
  expect(drill.told()).toEqual(['note store-was-away', 'note store-was-away']);
}

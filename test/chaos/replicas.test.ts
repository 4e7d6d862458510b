import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { drawFrom, drawPlaces, isLong } from '../support/drawn.ts';
import { employees } from '../support/office.ts';
import { type RedisSpace, startRedisService } from '../support/services/redis-service.ts';
import { closeAfterAll, openWorld, recoveryMs } from '../work/queue/with-redis.ts';
import { countUp } from './count-up.ts';
import { expectPromisesKept, runToTheEnd } from './kill-world.ts';

closeAfterAll();

const service = await startRedisService('replicas that are killed');
const newSpace = async (): Promise<RedisSpace> => (await service?.newSpace()) ?? expect.fail('there is no Redis');
const people = employees(9);

const cases = [
  ['files', { batchRows: 5 }, 27],
  ['direct calls', { delivery: 'direct', policy: 'upsert-only' }, 43],
] as const;

describe.skipIf(service === undefined)('three replicas that deliver one run', () => {
  it.each(drawFrom(cases, 2))(
    'bring it to its end at whatever checkpoint one is killed, delivering by %s',
    async (name, sync, share) => {
      const redis = await newSpace();
      const recoveries: number[] = [];
      let points = 0;
      const kill = async (n: number): Promise<'killed' | 'over'> => {
        const where = { url: redis.url, prefix: `${name.slice(0, 5)}-${n}` };
        const world = await openWorld({ redis: where, employees: people, sync });
        // They count together: the nth checkpoint of the run is one place, whoever comes to it. The shell is one of them.
        const die = { at: 'checkpoint', n, countedIn: world.countingFolder } as const;
        const replicas = [world.replica({ die }), world.replica({ die }), world.replica({ die })];
        await Promise.all(replicas.map((replica) => replica.line('ready')));
        const shell = world.command({ command: 'resync', die });
        const processes = [shell, ...replicas];
        const deaths = processes.map(async ({ ended }) =>
          (await ended).signal === 'SIGKILL' ? Date.now() : undefined,
        );
        const [run] = await world.ended(1, 50_000);
        for (const { process } of replicas) process.kill('SIGTERM');
        const ends = await Promise.all(processes.map(({ ended }) => ended));
        const diedAt = (await Promise.all(deaths)).find((at) => at !== undefined);
        const killed = ends.find(({ signal }) => signal === 'SIGKILL');
        for (const end of ends) if (end !== killed) expect(end).toMatchObject({ code: 0, errors: '' });
        const text = `killed at ${n}, ${killed?.lines.at(-1)}`;
        // What may have been sent and was not seen is unresolved: a later run sends it, once the wait for it is over.
        if (run?.outcome !== 'succeeded') {
          expect(run, text).toMatchObject({ outcome: 'partial', counts: { failed: 0 } });
          expect(run?.counts.unresolved, text).toBeGreaterThan(0);
        }
        if (diedAt !== undefined) {
          const tookMs = Math.max(0, (run?.endedAt ?? 0) - diedAt);
          process.stderr.write(`${name}: ${text}: ${run?.outcome} after ${tookMs} ms\n`);
          expect(tookMs, text).toBeLessThan(recoveryMs);
          recoveries.push(tookMs);
        }
        await runToTheEnd(world);
        await expectPromisesKept(world, people);
        if (killed === undefined) points = (await readdir(world.countingFolder)).length;
        await world.close();
        return killed === undefined ? 'over' : 'killed';
      };
      await countUp(kill, drawPlaces(share));
      const most = Math.max(...recoveries);
      process.stderr.write(`${name}: ${recoveries.length} of ${points} points, recovered within ${most} ms\n`);
      if (isLong) expect(recoveries).toHaveLength(points);
      expect(points).toBeGreaterThan(15);
    },
  );

  it('do not make the job fail, however many are killed after each other', async () => {
    const redis = await newSpace();
    const world = await openWorld({ redis: redis.url, employees: people, sync: { batchRows: 9 } });
    const first = world.replica({ die: { at: 'checkpoint', n: 2 } });
    await first.line('ready');
    await world.ask();
    expect((await first.ended).signal).toBe('SIGKILL');
    for (let i = 1; i < (isLong ? 5 : 2); i += 1) {
      const replica = world.replica({ die: { at: 'checkpoint', n: 1 } });
      expect((await replica.ended).signal).toBe('SIGKILL');
    }
    const last = world.replica();
    const [run] = await world.ended(1);
    expect(run?.outcome).toBe('succeeded');
    last.process.kill('SIGTERM');
    await last.ended;
    await expectPromisesKept(world, people);
  });
});

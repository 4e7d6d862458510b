import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { RunningSandbox } from '../../src/sandbox/index.ts';
import { seededRandom } from '../../src/sandbox/people/seed-users.ts';
import { drawSeeds } from '../support/drawn.ts';
import { employees } from '../support/office.ts';
import { until } from '../support/services/redis.ts';
import {
  expectPromisesKept,
  fatesEndMs,
  type KillWorld,
  leaseEndsMs,
  openKillWorld,
  runToTheEnd,
} from './kill-world.ts';

const people = employees(4, { E2: { last: 'Núñez' } });
const hourMs = 3_600_000;

function tokens({ applicationToken }: RunningSandbox, refreshToken: string) {
  const limits = { requestsPerSecond: 1000, concurrency: 4, timeout: '60s' };
  return { applicationToken, refreshToken, limits };
}

/** A connection that begins with its first refresh token; presenting a used one revokes everything that came from it. */
function open(): Promise<KillWorld> {
  return openKillWorld({
    users: employees(2),
    employees: people,
    speed: 15,
    accessTokenLifeMs: hourMs,
    sync: { delivery: 'csv', policy: 'upsert-only' },
    root: { encryptionKey: Buffer.alloc(32, 7).toString('base64') },
    connection: (sandbox) => tokens(sandbox, sandbox.refreshToken),
  });
}

/** What a person does about REAUTH_REQUIRED: authorizes again and puts the new first token into the configuration. */
async function authorizeAgain(world: KillWorld): Promise<void> {
  const config = JSON.parse(await readFile(world.config, 'utf8'));
  config.connections.acme = {
    ...config.connections.acme,
    ...tokens(world.sandbox, world.sandbox.authorize().refreshToken),
  };
  await writeFile(world.config, JSON.stringify(config));
}

/** I6: once, and once more for each answer that was lost. */
function expectPresentedAtMost({ sandbox }: KillWorld, most: number): void {
  expect(sandbox.state.refreshes.filter(({ times }) => times > most)).toEqual([]);
  const granted = sandbox.state.refreshes.filter(({ outcome }) => outcome === 'granted').map(({ token }) => token);
  expect(granted).toEqual([...new Set(granted)]);
}

async function killedInExchange(world: KillWorld, fault: string): Promise<void> {
  world.setFaults(fault);
  const presented = world.sandbox.state.requests.token;
  const child = world.command({ command: 'apply' });
  while (world.sandbox.state.requests.token === presented) await wait(5);
  await wait(50);
  child.process.kill('SIGKILL');
  await child.ended;
  world.setFaults();
}

describe('a process killed while the first refresh token is on its way', () => {
  it('is followed by one that presents it once more, if it never arrived', async () => {
    const world = await open();
    await killedInExchange(world, 'token:hang@1');
    await runToTheEnd(world);
    expect(world.sandbox.state.refreshes[0]).toMatchObject({ token: 1, times: 1, outcome: 'granted' });
    expectPresentedAtMost(world, 2);
    await expectPromisesKept(world, people);
  });

  it.each(['token:hang-after-commit@1', 'token:drip=40@1'])(
    'and its answer is lost: a person is asked, and with a new one everything goes on (%s)',
    async (fault) => {
      const world = await open();
      await killedInExchange(world, fault);
      for (let i = 0; i < 3; i += 1) {
        world.clock.jump(fatesEndMs);
        const { run, resumed } = await world.apply();
        expect([...resumed, run].map(({ outcome }) => outcome)).toContain('failed');
        expect(run.reason).toMatch(/first token|refresh token/);
      }
      expect(world.sandbox.state.refreshes.map(({ token, outcome }) => [token, outcome])).toEqual([
        [1, 'granted'],
        [1, 'used'],
      ]);
      expect(world.sandbox.state.log).toEqual([]);
      await authorizeAgain(world);
      await runToTheEnd(world);
      expectPresentedAtMost(world, 2);
      await expectPromisesKept(world, people);
    },
  );
});

describe('a process killed while a later refresh is under way', () => {
  it('is followed by one that works with the access token that still lives', async () => {
    const world = await open();
    expect((await world.apply()).run.outcome).toBe('succeeded');
    world.clock.jump(0.8 * hourMs);
    await killedInExchange(world, 'token:hang-after-commit@1');
    world.clock.jump(leaseEndsMs);
    await world.writeEmployees(employees(4, { E2: { last: 'Núñez' }, E1: { last: 'Peña' } }));
    const report = await world.apply();
    const outcomes = [...report.resumed, report.run].map(({ outcome }) => outcome);
    expect(outcomes).toContain('succeeded');
    expect(outcomes).not.toContain('failed');
    expect(world.sandbox.state.users.get('E1')?.fields.lastName).toBe('Peña');
    expectPresentedAtMost(world, 2);
  });
});

describe('a process killed at any moment around an exchange', () => {
  it.each(drawSeeds(100, 1))('never locks out more than the lost answer does (seed %i)', async (seed) => {
    const random = seededRandom(seed + 2_000_000);
    const world = await open();
    const kills = 2;
    for (let kill = 0; kill < kills; kill += 1) {
      world.setFaults('token:slow=80');
      const presented = world.sandbox.state.requests.token;
      const child = world.command({ command: 'apply' });
      const giveUpAt = Date.now() + 3000;
      while (world.sandbox.state.requests.token === presented && Date.now() < giveUpAt) await wait(2);
      await wait(random() * 160);
      child.process.kill('SIGKILL');
      await child.ended;
      // The lease outlives every call in the real world: what the killed process sent has arrived before the next one asks.
      const { state } = world.sandbox;
      await until(async () => state.refreshes.length === state.requests.token);
      world.clock.jump(0.8 * hourMs);
    }
    world.setFaults();
    const { run } = await world.apply();
    expectPresentedAtMost(world, kills + 1);
    if (run.outcome === 'failed') {
      const last = world.sandbox.state.refreshes.at(-1);
      // Refused at the second presentation, or none is left because one never went out and one was not answered to us.
      if (last?.outcome === 'granted') expect(run.reason).toMatch(/two presentations .* had no answer/);
      else expect(last, 'only a lost answer locks out').toMatchObject({ outcome: 'used' });
      expect(last?.times).not.toBe(1);
      await authorizeAgain(world);
    }
    await runToTheEnd(world);
    expectPresentedAtMost(world, kills + 1);
    await expectPromisesKept(world, people);
  });
});

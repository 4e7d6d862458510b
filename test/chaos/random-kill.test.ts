import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { parseFault } from '../../src/sandbox/index.ts';
import { seededRandom } from '../../src/sandbox/people/seed-users.ts';
import { drawFrom, drawSeeds } from '../support/drawn.ts';
import { employees, type Row } from '../support/office.ts';
import { expectPromisesKept, leaseEndsMs, openKillWorld, runToTheEnd, type WorldOptions } from './kill-world.ts';

interface Office {
  readonly options: WorldOptions;
  readonly employees: readonly Row[];
}

/** Some people, some of them new, changed, returning or leaving, and a way to deliver them. */
function randomOffice(random: () => number): Office {
  const everyone = employees(4 + Math.floor(random() * 8));
  const users = everyone.filter(() => random() < 0.6).map((row) => (random() < 0.2 ? { ...row, status: 'left' } : row));
  const changed = everyone.map((row) => {
    if (random() < 0.15 && users.some(({ id }) => id === row.id)) return { ...row, status: 'left' };
    return random() < 0.4 ? { ...row, last: 'Núñez' } : row;
  });
  const delivery = random() < 0.7 ? 'csv' : 'auto';
  const faults = random() < 0.4 ? [`file:fail-if=${everyone[Math.floor(random() * everyone.length)]?.id}@1-4`] : [];
  // A few people are few for the guards: what a second run still enables would wait for approval.
  const guards = { enables: { absolute: 20 } };
  const sync = { delivery, guards, batchRows: 1 + Math.floor(random() * 4) };
  return { options: { users, employees: changed, faults, sync }, employees: changed };
}

describe('a process killed right before or after a write to the store', () => {
  it.each(drawSeeds(100, 2))('keeps every promise (seed %i)', async (seed) => {
    const random = seededRandom(seed);
    const office = randomOffice(random);
    const world = await openKillWorld(office.options);
    const kills = 1 + Math.floor(random() * 3);
    for (let kill = 0; kill < kills; kill += 1) {
      const n = 1 + Math.floor(random() * 80);
      const { errors } = await world.command({ command: 'apply', die: { at: 'write', n } }).ended;
      expect(errors).toBe('');
      world.clock.jump(leaseEndsMs);
    }
    await runToTheEnd(world);
    await expectPromisesKept(world, office.employees);
  });
});

describe('a process killed at any moment', () => {
  it.each(drawSeeds(100, 1))('keeps every promise (seed %i)', async (seed) => {
    const random = seededRandom(seed + 1_000_000);
    const office = randomOffice(random);
    const world = await openKillWorld({ ...office.options, speed: 20 });
    const child = world.command({ command: 'apply' });
    // Nothing happens before it asks for the first page of users.
    while (world.sandbox.state.requests.search === 0) await wait(5);
    await wait(random() * 700);
    child.process.kill('SIGKILL');
    await child.ended;
    await runToTheEnd(world);
    await expectPromisesKept(world, office.employees);
  });
});

/** Calls whose fate the killed process cannot know: the platform did it, or did not. */
const calls = [
  ['upload:hang@1', 'csv', 'upload'],
  ['upload:hang-after-commit@1', 'csv', 'upload'],
  ['create:hang@2', 'direct', 'create'],
  ['create:hang-after-commit@2', 'direct', 'create'],
  ['update:hang@1', 'direct', 'update'],
  ['update:hang-after-commit@1', 'direct', 'update'],
] as const;

describe('a process killed while a call is under way', () => {
  it.each(drawFrom(calls, 3))('reads back before it sends anything again: %s', async (fault, delivery, operation) => {
    const people = employees(5, { E2: { last: 'Núñez' } });
    const world = await openKillWorld({
      users: employees(3),
      employees: people,
      sync: { delivery, policy: 'upsert-only' },
    });
    world.sandbox.setFaults([parseFault(fault)]);
    const nth = Number(fault.at(-1));
    const child = world.command({ command: 'apply' });
    while (world.sandbox.state.requests[operation] < nth) await wait(5);
    await wait(50);
    child.process.kill('SIGKILL');
    await child.ended;
    const taken = fault.includes('commit');
    world.clock.jump(leaseEndsMs);
    const resumed = await world.apply();
    const writes = world.sandbox.state.log.length;
    if (taken) expect(resumed.resumed[0]?.outcome).toBe('succeeded');
    else
      expect(resumed.resumed[0]).toMatchObject({
        outcome: 'partial',
        counts: { unresolved: delivery === 'csv' ? 3 : 1 },
      });
    if (!taken && delivery === 'csv') expect(writes).toBe(0);
    const reports = await runToTheEnd(world);
    const repeated = reports.reduce((sum, { run }) => sum + run.counts.repeated, 0);
    expect(repeated).toBe(taken ? 0 : delivery === 'csv' ? 3 : 1);
    await expectPromisesKept(world, people);
  });
});

import { describe, expect, it } from 'vitest';
import { drawFrom, drawPlaces, isLong } from '../support/drawn.ts';
import { employees } from '../support/office.ts';
import { countUp } from './count-up.ts';
import {
  expectPromisesKept,
  fatesEndMs,
  type KillWorld,
  leaseEndsMs,
  openKillWorld,
  runToTheEnd,
  type WorldOptions,
} from './kill-world.ts';

const before = employees(6, { E3: { status: 'left' } }).slice(0, 4);
const now = employees(6, { E2: { last: 'Núñez' }, E3: { status: 'active' }, E4: { status: 'left' } });

/** An update, an enable, a disable and two creates, in three files. */
const byFile: WorldOptions = { users: before, employees: now, sync: { delivery: 'csv', batchRows: 3 } };

/** An update and two creates, call by call. */
const byCall: WorldOptions = {
  users: employees(2),
  employees: employees(4, { E2: { last: 'Núñez' } }),
  sync: { delivery: 'direct', policy: 'upsert-only' },
};

/** One bad row: the file is halved until it stands alone, and it is good once the fault has ended. */
const bySplitting: WorldOptions = {
  users: [],
  employees: employees(isLong ? 6 : 3),
  faults: ['file:fail-if=E3'],
  sync: { delivery: 'csv' },
};

/** E-mails that pass from one to the next, in three files one after the other. */
const byChain: WorldOptions = {
  users: employees(9),
  employees: employees(9, {
    E1: { mail: 'ana2@example.com' },
    E2: { mail: 'ana3@example.com' },
    E3: { mail: 'new@example.com' },
  }),
  sync: { delivery: 'csv' },
};

/** The places of the sweeps that this run plays: an odd share, so that each place meets each delivery. */
const places = drawPlaces(25);

const cases: readonly (readonly [string, WorldOptions])[] = [
  ['files', byFile],
  ['direct calls', byCall],
  ['a failing file that is split', bySplitting],
  ['a chain of e-mails', byChain],
];

async function killAt(world: KillWorld, at: 'checkpoint' | 'write', n: number): Promise<'killed' | 'over'> {
  const ended = await world.command({ command: 'apply', die: { at, n } }).ended;
  expect(ended.errors).toBe('');
  if (ended.signal === 'SIGKILL') return 'killed';
  expect(ended.code).toBe(0);
  return 'over';
}

type Play = (world: KillWorld, n: number) => ReturnType<typeof killAt>;

/** Plays this run's places, each in a world of its own. Returns how many there are in all. */
const sweep = (options: WorldOptions, play: Play): Promise<number> =>
  countUp(async (n) => play(await openKillWorld(options), n), places);

describe.each(drawFrom(cases, 2))('a process killed at every checkpoint, delivering by %s', (_name, options) => {
  it('goes on without losing or repeating anything', async () => {
    const kills = await sweep(options, async (world, n) => {
      const ended = await killAt(world, 'checkpoint', n);
      await runToTheEnd(world);
      await expectPromisesKept(world, options.employees);
      return ended;
    });
    expect(kills).toBeGreaterThan(10);
  });

  it('goes on when the processes that take it up are killed too, each one later', async () => {
    const world = await openKillWorld(options);
    const { first, step } = places;
    for (let n = first; (await killAt(world, 'checkpoint', n)) === 'killed'; n += step) world.clock.jump(leaseEndsMs);
    await runToTheEnd(world);
    await expectPromisesKept(world, options.employees);
  });
});

describe('a process killed at some checkpoint', () => {
  const everyone = employees(12);

  it('never lets through what a guard holds, and delivers the rest', async () => {
    const leaving = everyone.map((row, i) => (i < 7 ? { ...row, status: 'left' } : row));
    const rows = [...leaving, ...employees(13).slice(12)];
    const options: WorldOptions = { users: everyone, employees: rows, sync: { delivery: 'csv' } };
    const kills = await sweep(options, async (world, n) => {
      const ended = await killAt(world, 'checkpoint', n);
      for (let i = 0; i < 2; i += 1) {
        world.clock.jump(fatesEndMs);
        await world.apply();
      }
      const { run, holds } = await world.apply();
      expect(run).toMatchObject({ outcome: 'held', counts: { held: 7, disable: 7, applied: 0 } });
      expect(holds).toMatchObject([{ class: 'disables', state: 'open' }]);
      expect(world.sandbox.state.log.map(({ kind }) => kind)).toEqual(['created']);
      return ended;
    });
    expect(kills).toBeGreaterThan(10);
  });

  it('counts an absence once for one read of the source', async () => {
    const options: WorldOptions = {
      users: everyone,
      employees: everyone,
      sync: { missing: { afterReads: 3, minAge: '0s' } },
    };
    const kills = await sweep(options, async (world, n) => {
      await world.apply();
      await world.writeEmployees(everyone.slice(0, 11));
      const ended = await killAt(world, 'checkpoint', n);
      for (let i = 0; i < 3; i += 1) {
        world.clock.jump(fatesEndMs);
        await world.apply();
      }
      expect(world.sandbox.state.log).toEqual([]);
      return ended;
    });
    expect(kills).toBeGreaterThan(5);
  });
});

import { appendFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exportOrQueue, listExports } from '../../src/app/connections.ts';
import { parseFault } from '../../src/sandbox/index.ts';
import { startChild } from '../chaos/child.ts';
import { openHere } from '../chaos/open-here.ts';
import { SharedClock } from '../chaos/shared-clock.ts';
import { isLong } from '../support/drawn.ts';
import { type ExportingWorld, lists, openExportingWorld, type Target, targets } from '../support/exporting.ts';
import { FastClock } from '../support/fast-clock.ts';
import { silentLogger } from '../support/memory-logger.ts';
import { startPostgres } from '../support/services.ts';

const postgres = await startPostgres();
const usable = targets.filter((target) => target !== 'postgres' || postgres !== undefined);
const hourMs = 3_600_000;
const start = Date.UTC(2026, 10, 21, 12);

class Crash extends Error {}

/** Makes a pass in this process. It dies at the nth checkpoint: nothing of it is stored afterwards. */
async function pass(world: ExportingWorld, name: string, clock: FastClock, dieAt = Number.POSITIVE_INFINITY) {
  let passed = 0;
  let diedAt: string | undefined;
  const { app } = await openHere(world.config, {
    clock,
    logger: silentLogger,
    checkpoint: (place) => {
      passed += 1;
      if (passed !== dieAt) return;
      diedAt = place;
      throw new Crash(place);
    },
    watchStore: (store) => ({
      ...store,
      exports: {
        ...store.exports,
        save: async (...given) => {
          if (diedAt !== undefined) throw new Crash(diedAt);
          return store.exports.save(...given);
        },
      },
    }),
  });
  try {
    const result = await exportOrQueue(app, name, { by: 'tests', signal: AbortSignal.timeout(60_000) });
    return { diedAt, items: result.kind === 'ran' ? result.items : undefined };
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
    return { diedAt, items: undefined };
  } finally {
    await app.close();
  }
}

/** Makes a pass of each export in one process. */
async function passAll(world: ExportingWorld, names: readonly string[], clock: FastClock): Promise<void> {
  const { app } = await openHere(world.config, { clock, logger: silentLogger });
  for (const name of names) await exportOrQueue(app, name, { by: 'tests', signal: AbortSignal.timeout(60_000) });
  await app.close();
}

async function expectEachOnce(world: ExportingWorld): Promise<void> {
  for (const list of lists) {
    for (const target of usable) {
      const written = await world.written(list, target);
      expect([...written].sort(), `${list} in ${target}`).toEqual([...world.existing[list]].sort());
    }
  }
}

/** A write that a kill has torn: bytes that the store does not know. */
async function tear(world: ExportingWorld, name: string): Promise<void> {
  const place = join(world.folder, 'exports', name);
  const parts = (await readdir(place).catch(() => [])).filter((one) => one.endsWith('.part'));
  for (const part of parts) await appendFile(join(place, part), '99999,half a r');
}

/** Each item is read by six exports, one page after the other. */
const most = isLong ? 9 : 5;

const step = fc.oneof(
  fc.record({
    kind: fc.constant('add' as const),
    ages: fc.array(fc.integer({ min: 0, max: 59 }), { maxLength: most }),
  }),
  fc.record({ kind: fc.constant('burst' as const), count: fc.integer({ min: 2, max: most }) }),
  fc.record({ kind: fc.constant('pass' as const), dieAt: fc.option(fc.integer({ min: 1, max: 14 })) }),
);

describe('an export', () => {
  it('writes each item once, whatever the page size, what comes late, and where a pass dies', async () => {
    const property = fc.asyncProperty(
      fc.integer({ min: 1, max: 7 }),
      fc.array(step, { minLength: 3, maxLength: most }),
      async (pageSize, steps) => {
        const clock = new FastClock(start);
        const world = await openExportingWorld(() => clock.now(), postgres);
        await world.configure({}, { pageSize });
        const names = lists.flatMap((list) => usable.map((target) => `${list}-${target}`));
        const play = async (dieAt: number | undefined) => {
          if (dieAt === undefined) return passAll(world, names, clock);
          for (const name of names) {
            const { diedAt } = await pass(world, name, clock, dieAt);
            if (diedAt === 'export-read' || diedAt === 'export-written') await tear(world, name);
          }
        };
        let evaluations = 0;
        for (const one of steps) {
          clock.jump(2 * hourMs);
          const now = clock.now();
          if (one.kind === 'pass') await play(one.dieAt ?? undefined);
          else if (one.kind === 'burst') world.addFeedback(...Array.from({ length: one.count }, () => now));
          else {
            // Within the overlap: they show up after a pass that has read their time.
            const times = one.ages.map((age) => now - age * 60_000);
            world.addFeedback(...times);
            for (const at of times) {
              evaluations += 1;
              world.putEvaluation(evaluations, at - 3 * hourMs, at);
            }
          }
        }
        clock.jump(2 * hourMs);
        await play(undefined);
        // A state that was replaced before any pass saw it is no item; these are all seen.
        for (let id = 1; id <= Math.min(evaluations, 3); id += 1) world.putEvaluation(id, start, clock.now());
        clock.jump(hourMs / 2);
        await play(undefined);
        await expectEachOnce(world);
      },
    );
    await fc.assert(property, { numRuns: isLong ? 16 : 3 });
  }, 300_000);

  const openWorld = async (keys: Readonly<Record<string, unknown>> = {}) => {
    const clock = new FastClock(start);
    const world = await openExportingWorld(() => clock.now(), postgres);
    await world.configure(keys);
    return { clock, world };
  };

  it('reads what is new with one request, and makes no file without an item', async () => {
    const { clock, world } = await openWorld();
    world.addFeedback(start - 5000, start - 4000);
    expect(await pass(world, 'feedback-csv', clock)).toMatchObject({ items: 2 });
    const before = world.sandbox.state.requests.feedbacks;
    clock.jump(hourMs);
    expect(await pass(world, 'feedback-csv', clock)).toMatchObject({ items: 0 });
    expect(world.sandbox.state.requests.feedbacks - before).toBe(1);
    expect(await readdir(join(world.folder, 'exports', 'feedback-csv'))).toHaveLength(1);
  });

  it.each([
    [{}, 'A1', null, null],
    [{ people: 'none' }, null, null, null],
    [{ people: 'full', comments: true }, 'A1', 'Ana', 'private'],
  ])('with %j writes of people and texts what is asked for', async (keys, sender, first, comment) => {
    const { clock, world } = await openWorld(keys);
    world.addFeedback(start);
    world.putEvaluation(1, start, start);
    const rowOf = async (list: string) => {
      await pass(world, `${list}-jsonl`, clock);
      const place = join(world.folder, 'exports', `${list}-jsonl`);
      const [name = ''] = await readdir(place);
      return JSON.parse(await readFile(join(place, name), 'utf8'));
    };
    clock.jump(1000);
    expect(await rowOf('feedback')).toMatchObject({ id: '1', sender, sender_first_name: first, comment });
    expect(await rowOf('evaluations')).toMatchObject({ id: '1', evaluator: sender, comment });
  });

  it('writes everything since a day again on request, and one row of each item into a table', async () => {
    const { clock, world } = await openWorld();
    world.addFeedback(start - 48 * hourMs, start);
    clock.jump(1000);
    const names = usable.map((target): readonly [string, Target] => [`feedback-${target}`, target]);
    for (const [name] of names) await pass(world, name, clock);
    const { app } = await openHere(world.config, { clock, logger: silentLogger });
    try {
      for (const [name] of names) {
        const order = { by: 'tests', signal: AbortSignal.timeout(60_000), readFrom: start - hourMs };
        expect(await exportOrQueue(app, name, order)).toMatchObject({ items: 1 });
      }
    } finally {
      await app.close();
    }
    for (const [, target] of names) {
      const twice = target === 'postgres' ? ['1', '2'] : ['1', '2', '2'];
      expect((await world.written('feedback', target)).toSorted()).toEqual(twice);
    }
  });

  it('advances nothing when the platform ignores the bounds or fails, and says so', async () => {
    const { clock, world } = await openWorld();
    world.addFeedback(start);
    clock.jump(1000);
    world.sandbox.setFaults([parseFault('*:status=404')]);
    await expect(pass(world, 'feedback-csv', clock)).rejects.toMatchObject({ code: 'PLATFORM_NOT_FOUND' });
    world.sandbox.setFaults([]);
    const { app } = await openHere(world.config, { clock, logger: silentLogger });
    const [state] = (await listExports(app)).filter(({ settings }) => settings.name === 'feedback-csv');
    await app.close();
    expect(state?.state).toMatchObject({ failures: 1, items: 0, readUntil: undefined });
    expect(state?.state?.retryAt).toBeGreaterThan(clock.now());
    expect(await pass(world, 'feedback-csv', clock)).toMatchObject({ items: 1 });
  });
});

describe('the schedule of exports under start', () => {
  it('writes each item once, also over a kill -9 and what was missed meanwhile', async () => {
    // A minute takes three seconds.
    const clock = new SharedClock({ anchor: Date.now(), speed: 20 });
    const world = await openExportingWorld(() => clock.now(), undefined);
    await world.configure({ schedule: { cron: '* * * * *' } });
    const deploy = async () => {
      const child = startChild({ command: 'start', config: world.config, time: clock.parameters });
      await child.line('ready');
      return child;
    };
    const allWritten = () =>
      expect
        .poll(
          async () =>
            (await Promise.all(lists.map((list) => world.written(list, 'jsonl')))).map(({ length }) => length),
          { timeout: 60_000, interval: 200 },
        )
        .toEqual(lists.map((list) => world.existing[list].size));
    const add = (id: number) => {
      const at = clock.now() - 1000;
      world.addFeedback(at);
      world.putEvaluation(id, at, at);
    };
    add(1);
    const first = await deploy();
    await allWritten();
    add(2);
    first.process.kill('SIGKILL');
    await first.ended;
    add(3);
    await deploy();
    await allWritten();
    for (const list of lists) {
      expect([...(await world.written(list, 'csv'))].sort()).toEqual([...world.existing[list]].sort());
      expect([...(await world.written(list, 'jsonl'))].sort()).toEqual([...world.existing[list]].sort());
    }
  }, 120_000);
});

import { appendFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { drawFrom, drawPlaces } from '../support/drawn.ts';
import { lists, openExportingWorld, targets } from '../support/exporting.ts';
import { startPostgres } from '../support/services.ts';
import { startChild } from './child.ts';
import { countUp } from './count-up.ts';
import { leaseEndsMs } from './kill-world.ts';
import { SharedClock } from './shared-clock.ts';

const postgres = await startPostgres();
/** A pass has some twenty places; this run plays some of them. */
const places = { ...drawPlaces(12), atATime: 1 };
const cases = lists.flatMap((list) =>
  targets.filter((target) => target !== 'postgres' || postgres !== undefined).map((target) => [list, target] as const),
);

it.each(drawFrom(cases, 3))(
  'an export of %s to %s that is killed at every step repeats and loses nothing',
  async (list, target) => {
    const clock = new SharedClock({ anchor: Date.now(), speed: 100 });
    const world = await openExportingWorld(() => clock.now(), postgres);
    await world.configure({}, { pageSize: 2 });
    const now = clock.now();
    const times = [9, 8, 7, 6, 5].map((days) => now - days * 86_400_000);
    world.addFeedback(...times);
    times.forEach((at, i) => void world.putEvaluation(i + 1, at, at));
    const name = `${list}-${target}`;
    let late = 0;
    for (const at of ['checkpoint', 'write'] as const) {
      const kills = await countUp(async (n) => {
        // Longer than the overlap, so that a pass reads few items again.
        clock.jump(2 * 3_600_000);
        // Something is new for each process, of a time that others have read.
        late += 1;
        world.addFeedback(clock.now() - 60_000);
        world.putEvaluation(100 + late, clock.now() - 60_000, clock.now() - 60_000);
        const order = { command: 'export', export: name, die: { at, n }, config: world.config } as const;
        const ended = await startChild({ ...order, time: clock.parameters }).ended;
        expect(ended.errors).toBe('');
        if (ended.signal !== 'SIGKILL') {
          expect(ended.code).toBe(0);
          return 'over';
        }
        const part = (await readdir(join(world.folder, 'exports', name)).catch(() => [])).at(-1) ?? '';
        // A torn write: the disk has more than the store knows of.
        if (part.endsWith('.part') && ended.lines.includes('died at export-written'))
          await appendFile(join(world.folder, 'exports', name, part), '9,');
        return 'killed';
      }, places);
      expect(kills).toBeGreaterThan(5);
    }
    clock.jump(leaseEndsMs);
    const order = { command: 'export', export: name, config: world.config } as const;
    expect((await startChild({ ...order, time: clock.parameters }).ended).result).toMatchObject({ kind: 'ran' });
    expect([...(await world.written(list, target))].sort()).toEqual([...world.existing[list]].sort());
  },
  600_000,
);

import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { rollingCheck } from '../../src/run/lead/survey.ts';
import { isLong } from '../support/drawn.ts';
import { employees, plainMapping, type Row } from '../support/office.ts';
import { leaseEndsMs, openKillWorld } from './kill-world.ts';

const size = isLong ? 10_000 : 200;
/** Eight levels of people below each other. */
const width = isLong ? 3.2 : 2;
/** SIGKILL goes to the process after so many parts of the day's changes of leaders. */
const killedAfter = isLong ? [0.01, 0.3, 0.6, 0.95] : [0.4];
const many = { absolute: 1_000_000, percent: 0 };
const disables = { ...many, cap: 'none' };
const guards = { creates: many, disables, leads: many, updates: many, emailChanges: many, firstSight: many };

const bossOf = (i: number): number => Math.max(0, Math.floor((i - 1) / width));

/** Everybody by id: E1 leads all. The boss of each has a lower number, so no circle can come up. */
function tree(): Map<string, Row> {
  const rows = employees(size).map((row, i): Row => ({ boss: i === 0 ? '' : `E${bossOf(i) + 1}`, ...row }));
  return new Map(rows.map((row) => [row.id ?? '', row]));
}

/**
 * Moves one person in five to another boss, lets one in fifty leave with their people given to the boss above, and hires
 * people below managers who come only on the next day.
 */
function reorganize(people: ReadonlyMap<string, Row>, day: number): Map<string, Row> {
  const next = new Map(people);
  const put = (id: string, patch: Row) => next.set(id, { ...(next.get(id) ?? {}), ...patch });
  for (const [i, id] of [...people.keys()].entries()) {
    if (people.get(id)?.status !== 'active' || !id.startsWith('E')) continue;
    if (i > 20 && i % 5 === day) put(id, { boss: `E${Math.max(1, bossOf(i) - day)}` });
    if (i > 20 && i % 50 === 7 * day) put(id, { status: 'left', boss: '' });
  }
  const gone = new Map([...next.values()].filter(({ status }) => status === 'left').map((row) => [row.id, row]));
  for (const [id, row] of next) {
    let boss = row.boss ?? '';
    while (gone.has(boss)) boss = people.get(boss)?.boss ?? 'E1';
    if (row.status === 'active' && boss !== row.boss) put(id, { boss: boss === '' ? 'E1' : boss });
  }
  for (let i = 0; i < size / 100; i += 1) {
    const hired = { first: 'Ana', last: 'Díaz', status: 'active' };
    put(`J${day}-${i}`, { ...hired, id: `J${day}-${i}`, mail: `j${day}-${i}@example.com`, boss: `L${day}-${i}` });
    if (day > 1) {
      const id = `L${day - 1}-${i}`;
      put(id, { ...hired, id, mail: `l${day - 1}-${i}@example.com`, boss: 'E2' });
    }
  }
  return next;
}

/** The main leader that each active person is to have: none where the manager has no record yet. */
function wantedIn(people: ReadonlyMap<string, Row>): ReadonlyMap<string, string | undefined> {
  const active = [...people.values()].filter(({ status }) => status === 'active');
  return new Map(active.map(({ id = '', boss = '' }) => [id, people.has(boss) ? boss : undefined]));
}

it(
  'a tree of eight levels is as HR has it after two reorganizations with joiners, leavers, late managers and killed processes',
  async () => {
    const sync = { mapping: { ...plainMapping, manager: 'boss' }, guards };
    const world = await openKillWorld({ users: [], employees: [], sync, speed: 20 });
    const { requests, leadersOf } = world.sandbox.state;
    const counted = () => ({
      lists: requests.leaders,
      adds: requests['add-leaders'],
      removes: requests['remove-leaders'],
    });
    const figures: string[] = [];
    let before: ReadonlyMap<string, string | undefined> = new Map();
    /** Applies a day of HR, over some processes that are killed, and checks the leaders, and what they cost. */
    const live = async (people: ReadonlyMap<string, Row>, kills: readonly number[]): Promise<void> => {
      const start = counted();
      const wanted = wantedIn(people);
      const led = [...wanted].filter(([id, boss]) => boss !== undefined && boss !== before.get(id));
      const replaced = led.filter(([id]) => before.get(id) !== undefined);
      await world.writeEmployees([...people.values()]);
      for (const share of kills) {
        const child = world.command({ command: 'apply' });
        let isOver = false;
        const ended = child.ended.finally(() => (isOver = true));
        while (!isOver && counted().adds < start.adds + Math.ceil(led.length * share)) await wait(1);
        child.process.kill('SIGKILL');
        expect((await ended).signal).toBe('SIGKILL');
        world.clock.jump(leaseEndsMs);
      }
      let runs = kills.length;
      for (let isOver = false; !isOver; runs += 1) {
        expect(runs).toBeLessThan(4 + kills.length);
        const { run } = await world.apply();
        isOver = run.outcome === 'nothing-to-do';
        if (kills.length > 0 || isOver) continue;
        const planned = run.plan?.budget?.requests ?? 0;
        expect(run.requests?.leaders).toBeLessThanOrEqual(planned);
      }
      expect([...wanted].filter(([id, boss]) => leadersOf(id).main !== boss)).toEqual([]);
      const now = counted();
      const [lists, adds, removes] = [now.lists - start.lists, now.adds - start.adds, now.removes - start.removes];
      // A killed process may have made the last call before it could store that.
      for (const [made, least] of [
        [adds, led.length],
        [removes, replaced.length],
      ] as const) {
        expect(made).toBeGreaterThanOrEqual(least);
        expect(made).toBeLessThanOrEqual(least + kills.length);
      }
      const checks = Math.min(rollingCheck, people.size) * runs;
      expect(lists).toBeLessThanOrEqual(1.2 * (led.length + checks));
      const killed = `${kills.length} processes killed, ${runs} runs`;
      figures.push(
        `${people.size} people, ${led.length} changed, ${killed}: ${lists} lists, ${adds} POST, ${removes} DELETE`,
      );
      before = wanted;
    };

    const first = tree();
    await live(first, []);
    const second = reorganize(first, 1);
    await live(second, killedAfter);
    await live(reorganize(second, 2), killedAfter);
    if (isLong) process.stdout.write(`${figures.join('\n')}\n`);
  },
  isLong ? 1_800_000 : 60_000,
);

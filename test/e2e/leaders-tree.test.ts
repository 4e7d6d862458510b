import { expect, it } from 'vitest';
import { isLong } from '../support/drawn.ts';
import { employees, openOffice, plainMapping, type Row } from '../support/office.ts';

const size = isLong ? 10_000 : 200;
/** Eight levels of people below each other. */
const width = isLong ? 3.2 : 2;
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

it(
  'a tree of eight levels is as HR has it after two reorganizations with joiners, leavers, late managers and runs that break off',
  async () => {
    let breaksLeft = 0;
    let passed = 0;
    const office = await openOffice({
      sync: { mapping: { ...plainMapping, manager: 'boss' }, guards },
      checkpoint(name) {
        if (breaksLeft === 0 || !['change-accepted', 'read-back', 'batch-sending'].includes(name)) return;
        passed += 1;
        if (passed % 17 !== 0) return;
        breaksLeft -= 1;
        throw new Error('broken off');
      },
    });
    const { requests } = office.sandbox.state;
    const leaderRequests = () => requests.leaders + requests['add-leaders'] + requests['remove-leaders'];
    const figures: string[] = [];
    /** Applies a day of HR, over some runs that break off, and checks the leaders, and what they cost. */
    const live = async (people: ReadonlyMap<string, Row>, breaks: number): Promise<void> => {
      const before = leaderRequests();
      await office.writeEmployees([...people.values()]);
      breaksLeft = breaks;
      let runs = 0;
      let led = 0;
      for (let isOver = false; !isOver; runs += 1) {
        expect(runs).toBeLessThan(3 + 2 * breaks);
        const report = await office.apply().catch(() => undefined);
        led += report?.run.counts.lead ?? 0;
        isOver = report?.run.outcome === 'nothing-to-do';
      }
      expect(breaksLeft).toBe(0);
      const wrong = [...people.values()].filter(({ id = '', boss = '', status }) => {
        const wanted = boss === '' || !people.has(boss) ? undefined : boss;
        return status === 'active' && office.sandbox.state.leadersOf(id).main !== wanted;
      });
      expect(wrong.map(({ id }) => id)).toEqual([]);
      const spent = leaderRequests() - before;
      // A list, a DELETE and a POST, and the list again; each run reads its rolling check.
      const checks = Math.min(200, people.size) * runs;
      expect(spent).toBeLessThanOrEqual(1.2 * (4 * led + checks));
      figures.push(`${people.size} people, ${led} leaders set in ${runs} runs, ${spent} requests for leaders`);
    };

    const first = tree();
    await live(first, 0);
    const second = reorganize(first, 1);
    await live(second, 2);
    await live(reorganize(second, 2), 2);
    if (isLong) process.stdout.write(`${figures.join('\n')}\n`);
  },
  isLong ? 1_800_000 : 60_000,
);

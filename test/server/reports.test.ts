import { expect, it } from 'vitest';
import { decideRun } from '../../src/app/approve.ts';
import { reportPeople } from '../../src/app/changes/reports.ts';
import { readOverview } from '../../src/app/overview.ts';
import { undoRun } from '../../src/app/undo.ts';
import { personReport, recentChanges, reportHead } from '../../src/views/reports.ts';
import { employees, openOffice, type Row, usersOf } from '../support/office.ts';
import { openTestServer, operatorToken } from './open-test-server.ts';

const hourMs = 3_600_000;

/** Twenty people, of whom three have no account. Then seven leave: their disables are held, and six are approved later. */
async function openMonth() {
  const before = employees(20);
  const office = await openOffice({ sandbox: { people: usersOf(before.slice(3)) } });
  const joinedAt = office.clock.now();
  await office.applyRows(before);
  office.clock.jump(2 * hourMs);
  const saidAt = office.clock.now();
  const left = Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((i): [string, Row] => [`E${i}`, { status: 'left' }]));
  const { run } = await office.applyRows(employees(20, left));
  office.clock.jump(2 * hourMs);
  const approvedAt = office.clock.now();
  await decideRun(office.app, 'approve', run.id, { by: 'ana', except: ['E7'] });
  office.clock.jump(hourMs);
  await office.apply();
  const server = await openTestServer(office.app);
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  const days = `from=${day(joinedAt)}&to=${day(office.clock.now())}`;
  return { office, server, joinedAt, saidAt, approvedAt, days };
}

it('a report says of each leaver and joiner when HR said it, when the platform showed it, and who approved', async () => {
  const { server, joinedAt, saidAt, approvedAt, days } = await openMonth();
  const leavers = (await server.ask(`/api/reports/leavers?${days}`)).json;
  expect(personReport.parse(leavers)).toEqual(leavers);
  expect(leavers.counts).toEqual({ leaver: 6, held: 1 });
  const instants = ({ saidAt: said, shownAt: shown }: { saidAt: string; shownAt: string }) =>
    [said, shown].map((one) => Date.parse(one));
  const [said, shown] = instants(leavers.people[0]);
  expect(said).toBeGreaterThanOrEqual(saidAt);
  expect(said).toBeLessThan(approvedAt);
  expect(shown).toBeGreaterThan(approvedAt);
  expect(leavers.people[0]).toMatchObject({
    ...{ identification: 'E1', name: expect.any(String), change: 'disable', state: 'applied', approvedBy: 'ana' },
  });
  expect(Date.parse(leavers.people[0].approvedAt)).toBeGreaterThan(saidAt);
  const held = leavers.people.find(({ identification }: { identification: string }) => identification === 'E7');
  expect(held).toMatchObject({ state: 'held', countedAs: 'held', shownAt: null, approvedBy: null });

  const joiners = (await server.ask(`/api/reports/joiners?${days}`)).json;
  expect(joiners.people.map((one: { identification: string }) => one.identification)).toEqual(['E1', 'E2', 'E3']);
  expect(instants(joiners.people[0])[0]).toBeGreaterThanOrEqual(joinedAt);
  expect(joiners.people[0]).toMatchObject({ change: 'create', state: 'applied', approvedBy: null });
  const refused = async (day: string) => (await server.ask(`/api/reports/leavers?from=${day}&to=2026-02-01`)).json;
  expect((await refused('2026-02-02')).detail).toBe('the first day, 2026-02-02, is after the last day, 2026-02-01');
  expect((await refused('2026-13-01')).status).toBe(400);
  expect((await server.ask('/api/reports/leavers?from=1999-01-01&to=1999-01-31')).json.people).toEqual([]);
  const { entries } = (await server.ask('/api/audit?action=export-changes', { token: operatorToken })).json;
  expect(entries[0].detail).toMatch(/^report of leavers/);
});

it('a report of many people asks the store as often as one of few', async () => {
  const { office, joinedAt } = await openMonth();
  const { app } = office;
  const asked: string[] = [];
  const store = new Proxy(app.engine.store, {
    get: (parts, part, self) => {
      asked.push(String(part));
      return Reflect.get(parts, part, self);
    },
  });
  const [from, to] = [joinedAt, office.clock.now()].map((at) => new Date(at).toISOString().slice(0, 10));
  const questions = async (kind: 'leavers' | 'joiners') => {
    asked.length = 0;
    const { people } = await reportPeople(
      { ...app, engine: { ...app.engine, store } },
      { kind, from: from ?? '', to: to ?? '' },
    );
    return [people.length, asked.toSorted()];
  };
  expect(await questions('leavers')).toEqual([7, ['batches', 'decisions', 'reports', 'reports', 'reports', 'rosters']]);
  expect(await questions('joiners')).toEqual([3, ['batches', 'decisions', 'reports', 'reports', 'reports']]);
});

it('a leaver is someone who left: no rejected accident, no undone disable; report and page say the same figure', async () => {
  const office = await openOffice({ sandbox: { people: usersOf(employees(20)) } });
  const day = new Date(office.clock.now()).toISOString().slice(0, 10);
  await office.applyRows(employees(20));
  const left = (...numbers: readonly number[]) =>
    employees(20, Object.fromEntries(numbers.map((i): [string, Row] => [`E${i}`, { status: 'left' }])));
  const { run } = await office.applyRows(left(1, 2, 3, 4, 5, 6, 7, 8, 9));
  await decideRun(office.app, 'reject', run.id, { by: 'ana', reason: 'accident' });
  const { run: leaving } = await office.applyRows(left(11, 12, 13));
  await office.writeEmployees(left(11, 12));
  const watch = { signal: AbortSignal.timeout(200_000), progress: () => {} };
  await undoRun(office.app, leaving.id, { ...watch, users: ['E13'], by: 'ana', reason: 'wrong list' });
  const report = await reportPeople(office.app, { kind: 'leavers', from: day, to: day });
  expect(report.counts).toEqual({ leaver: 2, rejected: 9, undone: 1 });
  expect(reportHead(report)).toBe(`2 leavers from ${day} to ${day}; not counted: 9 rejected, 1 undone`);
  expect(new Set(report.people.map(({ reason }) => reason))).toEqual(new Set(['left: status is "left"']));
  const [people] = (await readOverview(office.app)).syncs;
  expect(people?.lastDay).toMatchObject({ leaver: 2, joiner: 0, returner: 0, undone: 1 });
  // E13 leaves again, and is held this time: one person stays one row.
  await office.applyRows(left(11, 12));
  await office.applyRows(left(1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13));
  const later = await reportPeople(office.app, { kind: 'leavers', from: day, to: day });
  expect(later.people.map(({ identification }) => identification).toSorted()).toEqual(
    report.people.map(({ identification }) => identification).toSorted(),
  );
  expect(later.counts).toEqual({ leaver: 2, held: 10 });
});

it('the changes of the last 30 days are one list, filtered and paged by key', async () => {
  const { office, server } = await openMonth();
  const all = (await server.ask('/api/changes?limit=200')).json;
  expect(recentChanges.parse(all)).toEqual(all);
  expect(all.next).toBe(null);
  const names = (list: { changes: { run: string; identification: string }[] }) =>
    list.changes.map(({ run, identification }) => `${run} ${identification}`);
  const paged: string[] = [];
  for (let cursor = ''; ; ) {
    const page = (await server.ask(`/api/changes?limit=3${cursor}`)).json;
    paged.push(...names(page));
    if (page.next === null) break;
    cursor = `&cursor=${encodeURIComponent(page.next)}`;
  }
  expect(paged).toEqual(names(all));
  expect(new Set(paged).size).toBe(paged.length);
  const creates = (await server.ask('/api/changes?kind=create')).json;
  expect(creates.changes.map((one: { identification: string }) => one.identification)).toEqual(['E1', 'E2', 'E3']);
  const one = (await server.ask('/api/changes?text=e7&state=held')).json;
  expect(one.changes.every((found: { identification: string }) => found.identification === 'E7')).toBe(true);
  expect(one.changes.length).toBeGreaterThan(0);
  expect((await server.ask('/api/changes?cursor=nothing')).status).toBe(400);
  office.clock.jump(31 * 24 * hourMs);
  expect((await server.ask('/api/changes')).json.changes).toEqual([]);
});

it('a report of leavers has their last day of work, where the lifecycle maps it', async () => {
  const staff = (over: Readonly<Record<string, Row>>) =>
    employees(9, over).map((row) => ({ ...row, end: row.status === 'left' ? '2026-11-15' : '' }));
  const office = await openOffice({
    sandbox: { people: usersOf(staff({})) },
    sync: { lifecycle: { status: 'status', active: ['active'], leaver: ['left'], leaveDate: 'end' } },
  });
  await office.applyRows(staff({}));
  await office.applyRows(staff({ E4: { status: 'left' } }));
  const day = new Date(office.clock.now()).toISOString().slice(0, 10);
  const { people } = await reportPeople(office.app, { kind: 'leavers', from: day, to: day });
  expect(people).toMatchObject([{ identification: 'E4', leaveDate: '2026-11-15' }]);
});

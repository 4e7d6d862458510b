import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import { decideRun } from '../../src/app/approve.ts';
import { changeGroups, effect, foundChanges } from '../../src/views/changes.ts';
import { closedHolds, holdDetail } from '../../src/views/holds.ts';
import { employees, openOffice, plainMapping, type Row, usersOf } from '../support/office.ts';
import { openTestServer, viewerToken } from './open-test-server.ts';

const offices = ['Córdoba', 'Montevideo', 'Salta'];

/** Thirty people in three offices; twelve of them left, so all twelve disables are held. */
async function openHeld() {
  const people = (patch: Readonly<Record<string, Row>> = {}) =>
    employees(
      30,
      Object.fromEntries(
        Array.from({ length: 30 }, (_, i) => {
          const id = `E${i + 1}`;
          return [id, { office: offices[i % 3] ?? '', ...(i % 5 === 0 ? { last: 'Ñúñez' } : {}), ...patch[id] }];
        }),
      ),
    );
  const office = await openOffice({
    sandbox: { people: usersOf(people()) },
    sync: { mapping: { ...plainMapping, office: 'office' } },
  });
  await office.writeEmployees(people());
  await office.applyAll();
  const left = Object.fromEntries(
    Array.from({ length: 12 }, (_, i): [string, Row] => [`E${i + 1}`, { status: 'left' }]),
  );
  const { run, holds } = await office.applyRows(people(left));
  const server = await openTestServer(office.app);
  const id = holds[0]?.id ?? '';
  const get = async (path: string) => (await server.ask(`/api/holds/${id}${path}`)).json;
  return { office, server, run, id, get };
}

const names = ({ changes }: { changes: { identification: string }[] }) => changes.map((one) => one.identification);

it('a hold says why and what an approval does; its changes are found, sorted, counted in groups and exported', async () => {
  const { get, run, id, server } = await openHeld();
  const detail = await get('');
  expect(holdDetail.parse(detail)).toEqual(detail);
  expect(detail).toMatchObject({
    ...{ id, class: 'disables', count: 12, isApprovable: true, state: 'open' },
    reason: expect.stringContaining('12 disables'),
    run: { id: run.id, outcome: 'held' },
    kinds: { groups: [{ key: 'disable', count: 12 }], total: 12, isCut: false },
    effect: { changes: 12, kinds: { disable: 12, create: 0 }, undeliverable: 0, budget: { files: 1 } },
  });
  expect(detail.reasons.groups[0].key).toMatch(/^left/);
  expect(await server.ask('/api/holds/nothing')).toMatchObject({ status: 404, json: { code: 'NOT_FOUND' } });

  const all = await get('/changes/search?limit=5&offset=3');
  expect(foundChanges.parse(all)).toEqual(all);
  expect(all).toMatchObject({ offset: 3, total: 12, all: 12 });
  expect(names(all)).toEqual(['E12', 'E2', 'E3', 'E4', 'E5']);
  expect(all.changes[1]).toMatchObject({
    ...{ name: 'Ana2 Díaz', email: 'ana2@example.com', isEnabled: true, kind: 'disable', state: 'held' },
    decision: { state: 'open', by: null },
  });
  expect(names(await get('/changes/search?text=cordoba nunez'))).toEqual(['E1']);
  expect(names(await get('/changes/search?text=ANA11@'))).toEqual(['E11']);
  expect(names(await get('/changes/search?field=office&value=Salta&sort=email&order=desc'))).toEqual([
    'E9',
    'E6',
    'E3',
    'E12',
  ]);
  expect(await get('/changes/search?kind=create')).toMatchObject({ changes: [], total: 0, all: 12 });
  const byName = await get('/changes/search?sort=name&limit=4');
  expect(names(byName)).toEqual(['E10', 'E12', 'E2', 'E3']);
  const inRun = await server.ask(`/api/runs/${run.id}/changes/search?state=held&text=montevideo`);
  expect(inRun.json).toMatchObject({ total: 4, all: 12 });
  for (const wrong of ['sort=salary', 'field=nothing', 'offset=-1', 'txt=a']) {
    expect((await server.ask(`/api/runs/${run.id}/changes/search?${wrong}`)).status, wrong).toBe(400);
  }

  const groups = await get('/changes/groups?by=value:office');
  expect(changeGroups.parse(groups)).toEqual(groups);
  expect(groups.groups).toEqual(offices.map((key) => ({ key, count: 4 })));
  const csv = await server.ask(`/api/holds/${id}/changes/export?format=csv&field=office&value=Salta&sort=email`);
  const rows = parse<Record<string, string>>(csv.text, { columns: true });
  expect(rows.map((row) => row.identification)).toEqual(['E12', 'E3', 'E6', 'E9']);
  expect(csv.headers.get('content-disposition')).toMatch(/^attachment; filename="hold-[\w.-]+\.csv"$/);
  const json = await server.ask(`/api/holds/${id}/changes/export?format=json`);
  expect(JSON.parse(json.text)).toHaveLength(12);
  const none = await server.ask(`/api/holds/${id}/changes/export?format=json&text=nobody`);
  expect(JSON.parse(none.text)).toEqual([]);
});

it('a hold that was decided in part says what became of its changes, and which hold has the rest', async () => {
  const { get, office, run, server } = await openHeld();
  const reason = 'confirmed by HR';
  await decideRun(office.app, 'approve', run.id, { by: 'ana', reason, except: ['E1', 'E2', 'E3'] });
  expect(await get('')).toMatchObject({ state: 'open', count: 3, size: 12, replacedBy: null });
  const listed = await get('/changes/search');
  expect(listed).toMatchObject({ total: 12, all: 12 });
  expect(listed.changes[0]).toMatchObject({ identification: 'E1', decision: { state: 'open' } });
  expect(listed.changes[1]).toMatchObject({
    identification: 'E10',
    decision: { state: 'approved', by: 'ana', reason },
  });
  const later = await office.apply();
  const detail = await get('');
  expect(holdDetail.parse(detail)).toEqual(detail);
  expect(detail).toMatchObject({ count: 0, size: 12, replacedBy: later.holds[0]?.id });
  const open = { by: null, why: null, run: null, end: null, count: 3 };
  const approved = { by: 'ana', why: reason, run: later.run.id, end: 'applied', count: 9 };
  expect(detail.ends).toHaveLength(2);
  expect(detail.ends).toEqual(
    expect.arrayContaining([
      { state: 'open', classes: ['disables'], ...open },
      { state: 'approved', classes: ['disables'], ...approved },
    ]),
  );
  const { json } = await server.ask(`/api/runs/${run.id}`);
  expect(json).toMatchObject({ reason: '12 changes need approval', heldEnds: detail.ends });
  expect(json.reasonNow).toBe('3 changes need approval, 9 approved');
  await decideRun(office.app, 'reject', later.run.id, { by: 'bea', reason: 'they work here' });
  const closed = (await server.ask('/api/holds/closed?limit=1')).json;
  expect(closedHolds.parse(closed)).toEqual(closed);
  expect(closed.holds).toMatchObject([{ state: 'rejected', count: 3, ends: [{ by: 'bea', why: 'they work here' }] }]);
  const before = (await server.ask(`/api/holds/closed?cursor=${closed.next}`)).json;
  expect(before).toMatchObject({ holds: [{ id: detail.id, ends: detail.ends.map(() => ({})) }], next: null });
});

it('a part is chosen by filter and decided only as it was seen', async () => {
  const { get, id, server, office, run } = await openHeld();
  const post = (act: string, body: object, token?: string) =>
    server.ask(`/api/holds/${id}/${act}`, { method: 'POST', body, ...(token === undefined ? {} : { token }) });
  const salta = { filter: { field: 'office', value: 'Salta' } };
  const preview = await post('effect', { ...salta, except: ['E3'] }, viewerToken);
  expect(effect.parse(preview.json)).toEqual(preview.json);
  expect(preview.json).toMatchObject({ changes: 3, kinds: { disable: 3 }, budget: { files: 1 } });
  expect(preview.json.budget.requests).toBeGreaterThan(0);

  expect((await post('approve', salta, viewerToken)).status).toBe(403);
  const stale = await post('approve', { ...salta, expect: 5 });
  expect(stale).toMatchObject({ status: 409, json: { code: 'CONFLICT' } });
  expect(await get('/changes/search')).toMatchObject({ total: 12 });

  const rejected = await post('reject', { ...salta, expect: 4, reason: 'on leave', as: 'ana' });
  expect(rejected).toMatchObject({ status: 200, json: { run: run.id, changes: 4 } });
  expect(await get('/changes/search')).toMatchObject({ total: 12, all: 12 });
  expect(await get('')).toMatchObject({ count: 8 });
  expect((await server.ask('/api/overview')).json.waiting).toMatchObject({ changes: 8 });
  const { entries } = (await server.ask('/api/audit?action=reject')).json;
  expect(entries).toMatchObject([{ action: 'reject', detail: '4 changes', reason: 'on leave', by: 'token:ops' }]);

  expect(await post('approve', { ids: ['E1', 'E2'] })).toMatchObject({ status: 200, json: { changes: 2 } });
  expect((await post('approve', { ids: ['E30'] })).status).toBe(400);
  expect(await post('approve', { expect: 6 })).toMatchObject({ status: 200, json: { changes: 6 } });
  expect((await post('approve', { filter: { text: 'nobody' } })).status).toBe(409);
  expect((await office.apply()).run.counts).toMatchObject({ held: 0, applied: 8 });
  expect(await get('')).toMatchObject({ count: 0, isApprovable: false });
});

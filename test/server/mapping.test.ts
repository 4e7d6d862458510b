import { expect, it } from 'vitest';
import { syncMapping } from '../../src/views/syncs.ts';
import { employees, openOffice, plainMapping, type Row, usersOf } from '../support/office.ts';
import { openTestServer, viewerToken } from './open-test-server.ts';

it('the mapping of a sync is a table with fill-rates of the last read, and guards with their use', async () => {
  const mapping = {
    ...plainMapping,
    email: { from: 'mail', transform: ['trim', 'lowercase'] },
    area: { from: 'area', whenEmpty: 'clear' },
    account: { value: 'Acme UY' },
    job: { expression: "first & ' of ' & area" },
  };
  const office = await openOffice({ sandbox: { people: usersOf(employees(20)) }, sync: { mapping } });
  const rows = employees(20).map((row, i): Row => ({ ...row, area: i < 5 ? 'Sales' : '', status: row.status ?? '' }));
  await office.writeEmployees(rows);
  const server = await openTestServer(office.app);
  const read = async () => {
    const { json } = await server.ask('/api/syncs/people/mapping', { token: viewerToken });
    expect(syncMapping.parse(json)).toEqual(json);
    return json;
  };
  expect(await read()).toMatchObject({ readAt: null, rows: null, managed: 0 });
  await office.applyAll();
  await office.applyRows(rows.map((row) => (row.id === 'E1' ? { ...row, status: 'left' } : row)));
  const json = await read();
  const field = (name: string) => json.fields.find((one: { field: string }) => one.field === name);
  expect(json).toMatchObject({ source: 'csv', rows: 20, managed: 20, enabled: 19 });
  expect(field('email')).toMatchObject({ kind: 'from', origin: 'mail', transforms: ['trim', 'lowercase'] });
  expect(field('area')).toMatchObject({ whenEmpty: 'clear', unseen: [] });
  expect(field('area').fillRate).toBeCloseTo(0.25, 1);
  expect(field('account')).toMatchObject({ kind: 'value', origin: 'Acme UY', reads: [] });
  expect(field('job')).toMatchObject({ kind: 'expression', reads: ['first', 'area'] });
  const guard = json.guards.find((one: { class: string }) => one.class === 'disables');
  expect(guard).toEqual({ class: 'disables', absolute: 5, percent: 5, cap: 100, allowed: 5, used: 1 });

  expect((await server.ask('/api/syncs/nobody/mapping')).status).toBe(404);

  const setUp = (body: object) => server.ask('/api/syncs/people/set-up', { method: 'POST', body });
  const shown = (await setUp({ answers: { job: '-' } })).json;
  expect(shown).toMatchObject({ rows: 20, users: 20, canWrite: false, written: null });
  expect(shown.yaml).toContain('identification: id');
  expect((await setUp({ isFinal: true })).status).toBe(409);
});

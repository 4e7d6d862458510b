import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { employees, openOffice, type Row } from '../support/office.ts';
import { startPostgres } from '../support/services.ts';

const postgres = await startPostgres();

const table = 'create table staff (id text primary key, first text, last text, mail text, status text, since date)';

it.skipIf(postgres === undefined)('people of a PostgreSQL table come, change and leave on the platform', async () => {
  const url = (await postgres?.newDatabase()) ?? '';
  const run = async (statement: string): Promise<unknown> => postgres?.query(url, statement);
  const insert = ({ id, first, last, mail, status }: Row): Promise<unknown> =>
    run(`insert into staff values ('${id}', '${first}', '${last}', '${mail}', '${status}', '2024-02-29')`);
  await run(table);
  for (const row of employees(12)) await insert(row);
  const office = await openOffice({
    sync: {
      source: { kind: 'sql', url, query: 'select * from staff', key: 'id', statementTimeout: '24h' },
      mapping: { identification: 'id', firstName: 'first', lastName: 'last', email: 'mail', orgEntryDate: 'since' },
      lifecycle: { status: 'status', active: ['active'], leaver: ['left'] },
    },
  });

  expect((await office.applyAll()).run).toMatchObject({ outcome: 'succeeded', counts: { create: 12, applied: 12 } });
  expect(office.sandbox.state.users.get('E3')).toMatchObject({ enabled: true, fields: { lastName: 'Díaz' } });

  await run("update staff set last = 'Núñez' where id = 'E2'");
  await run("update staff set status = 'left' where id = 'E3'");
  expect((await office.applyAll()).run).toMatchObject({ outcome: 'succeeded', counts: { update: 1, disable: 1 } });
  expect(office.sandbox.state.users.get('E2')).toMatchObject({ fields: { lastName: 'Núñez' } });
  expect(office.sandbox.state.users.get('E3')).toMatchObject({ enabled: false });

  expect((await office.plan()).counts).toMatchObject({ create: 0, update: 0, disable: 0, held: 0 });
});

it.skipIf(postgres === undefined)('a column that is no longer granted holds the run and names itself', async () => {
  const url = (await postgres?.newDatabase()) ?? '';
  const reader = new URL(url);
  const role = `reader_${randomUUID().replaceAll('-', '')}`;
  [reader.username, reader.password] = [role, 'r3ader'];
  const run = async (statement: string): Promise<unknown> => postgres?.query(url, statement);
  await run(table);
  await run("insert into staff values ('E1', 'Ana', 'Díaz', 'ana@example.com', 'active', '2024-02-29')");
  await run(`create role ${role} login password 'r3ader'`);
  onTestFinished(async () => {
    await run(`drop owned by ${role}`);
    await run(`drop role ${role}`);
  });
  await run(`grant select on staff to ${role}`);
  const query = 'select id, first, last, mail, status from staff';
  const office = await openOffice({
    sync: { source: { kind: 'sql', url: reader.href, query, key: 'id', statementTimeout: '24h' } },
  });
  expect((await office.applyAll()).run).toMatchObject({ outcome: 'succeeded', counts: { create: 1 } });

  await run(`revoke select on staff from ${role}`);
  await run(`grant select (id, first, last, status) on staff to ${role}`);
  const { run: ended } = await office.apply();
  expect(ended).toMatchObject({ outcome: 'failed', counts: { update: 0, disable: 0 } });
  expect(ended.reason).toContain('Grant it select');
  expect(office.sandbox.state.users.get('E1')).toMatchObject({ enabled: true });
});

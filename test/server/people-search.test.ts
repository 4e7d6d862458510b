import { expect, it } from 'vitest';
import { erasePerson } from '../../src/app/privacy.ts';
import { foundPeople } from '../../src/views/people.ts';
import { employees, type Office, openOffice, type Row, usersOf } from '../support/office.ts';
import { openTestServer } from './open-test-server.ts';

async function openSearch(office: Office) {
  const server = await openTestServer(office.app);
  return async (query: string) => {
    const { status, json } = await server.ask(`/api/people?${query}`);
    expect(status).toBe(200);
    expect(foundPeople.parse(json)).toEqual(json);
    const ids = json.people.map(({ identification }: { identification: string }) => identification);
    return { ...json, ids } as typeof json & { ids: readonly string[] };
  };
}

const others = [
  { id: 'P77', first: 'Óscar', last: 'Núñez', mail: 'oscar@platform.example', status: 'active' },
  { id: 'P78', first: 'Zoe', last: 'Only', mail: 'zoe@platform.example', status: 'active' },
];

it('people are found by parts of name, e-mail and identification, in source and platform', async () => {
  const named = { E3: { first: 'José', last: 'Pérez' }, E4: { first: 'Josefina', last: 'Perez Lima' } };
  const rows = [...employees(30, named as unknown as Record<string, Row>)];
  const left: Row = { id: 'L1', first: 'Lea', last: 'Gone', mail: 'lea@example.com', status: 'left' };
  const office = await openOffice({ sandbox: { people: usersOf([...rows, ...others]) } });
  await office.writeEmployees([...rows, left]);
  const search = await openSearch(office);
  expect(await search('q=perez')).toMatchObject({ total: 0, syncs: [{ sync: 'people', readAt: null, people: 0 }] });
  await office.apply();

  expect((await search('q=jose+PEREZ')).ids).toEqual(['E3', 'E4']);
  expect((await search('q=e3')).ids[0]).toBe('E3');
  expect((await search('q=ana3%40example')).ids).toEqual(['E3']);
  expect((await search('q=nunez')).people).toEqual([
    {
      sync: 'people',
      identification: 'P77',
      name: 'Óscar Núñez',
      email: 'oscar@platform.example',
      side: 'platform',
      standing: '',
      isOnPlatform: true,
    },
  ]);
  expect((await search('q=lea')).people).toMatchObject([{ side: 'source', standing: 'leaver', isOnPlatform: false }]);
  const { syncs, total, next, ids } = await search('q=example.com&limit=20');
  expect(syncs).toMatchObject([{ people: 33 }]);
  expect([total, next]).toEqual([31, 20]);
  const rest = await search('q=example.com&limit=20&offset=20');
  expect([...ids, ...rest.ids].length).toBe(31);
  expect(new Set([...ids, ...rest.ids]).size).toBe(31);
  expect(rest.next).toBeNull();
  expect((await search('q=%25_%27')).total).toBe(0);
});

it('a later read replaces what it changes, and a person who was forgotten is found no more', async () => {
  const office = await openOffice({ sandbox: { people: usersOf(employees(300)) } });
  await office.applyRows(employees(300));
  const { store } = office.engine.io;
  const before = await store.directories.digests('people');
  expect(before.size).toBeGreaterThan(1);
  const search = await openSearch(office);
  expect((await search('q=ana7')).ids).toContain('E7');
  await office.writeEmployees(employees(301, { E7: { first: 'Renata' } as Row }));
  await office.applyAll();
  // Created by the run that read, so the platform did not show the account yet.
  expect((await search('q=e301')).people).toMatchObject([{ identification: 'E301', isOnPlatform: true }]);
  const after = await store.directories.digests('people');
  const changed = [...after].filter(([page, digest]) => before.get(page) !== digest);
  expect(changed.length).toBeLessThanOrEqual(2);
  expect((await search('q=renata')).ids).toEqual(['E7']);
  expect((await search('q=ana301')).ids).toEqual(['E301']);

  await erasePerson(office.app, 'E7', { by: 'ana' });
  expect((await search('q=renata')).total).toBe(0);
  await office.apply();
  expect((await search('q=renata')).ids).toEqual(['E7']);
});

it('a plan, a preview and a read that is doubted leave the directory as it is', async () => {
  const office = await openOffice({ sandbox: { people: usersOf(employees(40)) } });
  await office.applyRows(employees(40));
  const { store } = office.engine.io;
  const before = await store.directories.digests('people');
  await office.writeEmployees(employees(20));
  await office.plan();
  await office.apply();
  expect(await store.directories.digests('people')).toEqual(before);
  expect((await (await openSearch(office))('q=ana39')).ids).toEqual(['E39']);
});

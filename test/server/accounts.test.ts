import { describe, expect, it } from 'vitest';
import { adoptPeople } from '../../src/app/accounts/adopt.ts';
import { openAccounts } from '../../src/app/accounts/list-accounts.ts';
import { decideRun } from '../../src/app/approve.ts';
import { tracePerson } from '../../src/app/people.ts';
import { accountPage } from '../../src/views/accounts.ts';
import { employees, type Office, openOffice, plainMapping, plainSync, type Row, usersOf } from '../support/office.ts';
import { openTestServer, testTokens } from './open-test-server.ts';

const secondSync = {
  ...plainSync('./second.csv'),
  settle: { every: '2s', visibleWithin: '20s' },
};
const signal = AbortSignal.timeout(600_000);

const ours = employees(12);
const known = (id: string, over: Partial<Row> = {}): Row => ({
  id,
  first: 'Óscar',
  last: 'Núñez',
  mail: `${id}@platform.example`,
  status: 'active',
  ...over,
});
const unknown = [
  known('P1', { mail: 'new@example.com', first: 'Nia', last: 'New' }),
  known('P2', { first: 'Oscar' }),
  known('P3', { first: '=HYPERLINK("x")', last: 'Root' }),
];
/** New people: the first has the e-mail of P1, the second the name of P2. */
const comers = [
  known('N1', { first: 'Nia', last: 'New', mail: 'new@example.com' }),
  known('N2', { mail: 'n2@example.com' }),
];
const left: Row = { ...(ours[11] as Row), status: 'left' };

async function openWorld(): Promise<Office> {
  const office = await openOffice({ sandbox: { people: usersOf([...ours, ...unknown]) } });
  await office.applyRows(ours);
  await office.applyRows([...ours.slice(0, 11), left, ...comers]);
  return office;
}

async function every(office: Office) {
  const list = await openAccounts(office.app, 'people');
  const found = await Array.fromAsync(list.each());
  return new Map(found.map(({ account }) => [account.identification, account]));
}

it('every account of the platform has a state; the list is paged and filtered, and its numbers are those of the plan', async () => {
  const office = await openWorld();
  const accounts = await every(office);
  const numbers = Object.fromEntries(
    [...Map.groupBy(accounts.values(), ({ state }) => state)].map(([state, some]) => [state, some.length]),
  );
  const [run] = await office.engine.io.store.runs.list({ limit: 1 });
  expect(numbers).toEqual({ owned: 12, unmanaged: 3, 'disabled-by-us': 1 });
  expect(numbers.unmanaged).toBe(run?.plan?.unmanaged);
  expect(accounts.get('E12')).toMatchObject({ isEnabled: false, why: expect.stringContaining('(leaver)') });
  // Created after the read.
  expect(accounts.get('N2')).toMatchObject({ state: 'owned', isEnabled: true, name: 'Óscar Núñez' });
  expect(accounts.get('N1')).toBeUndefined();
  expect(accounts.get('P1')).toMatchObject({
    state: 'unmanaged',
    isConflict: true,
    lastUpdate: expect.stringMatching(/^2026/),
    matches: [{ identification: 'N1', by: 'email-and-name', hasAccount: false }],
  });
  expect(accounts.get('P2')).toMatchObject({
    isConflict: false,
    matches: [{ identification: 'N2', by: 'name', hasAccount: true }],
  });

  const token = 'a-token-of-some-syncs';
  const tokens = [...testTokens, { name: 'some', role: 'viewer' as const, syncs: ['people'], token }];
  const server = await openTestServer(office.app, { settings: { tokens } });
  const ask = async (query: string) => {
    const { status, json } = await server.ask(`/api/syncs/people/accounts?${query}`);
    expect(status).toBe(200);
    expect(accountPage.parse(json)).toEqual(json);
    return {
      ...json,
      ids: json.accounts.map(({ identification }: { identification: string }) => identification),
    };
  };
  const all: string[] = [];
  for (let offset = 0; offset !== null; ) {
    const { ids, next } = await ask(`limit=5&offset=${offset}`);
    all.push(...ids);
    offset = next;
  }
  // In order of name, whatever its case and accents.
  expect(all.slice(-3)).toEqual(['P1', 'N2', 'P2']);
  expect(all.toSorted()).toEqual([...accounts.keys()].toSorted());
  const counts = { owned: 1, unmanaged: 1 };
  expect(await ask('state=unmanaged&q=nunez')).toMatchObject({ found: 1, counts });
  expect((await ask('limit=1')).counts).toEqual({ owned: 12, unmanaged: 2, conflict: 1, 'disabled-by-us': 1 });
  expect((await ask('state=unmanaged')).ids.toSorted()).toEqual(['P2', 'P3']);
  expect((await ask('state=conflict')).ids).toEqual(['P1']);
  expect((await ask('q=nunez+oscar&state=unmanaged')).ids).toEqual(['P2']);
  expect((await server.ask('/api/syncs/nobody/accounts')).status).toBe(404);
  // A token of some syncs gets no account that may be those of other syncs.
  const { json } = await server.ask('/api/syncs/people/accounts?limit=200', { token });
  expect(json.accounts.length).toBe(13);
});

it('says on what a likely match stands, the strongest first, with birth dates where the mapping has them', async () => {
  const born = (id: string, birthDate: string) => ({
    identification: id,
    enabled: true,
    fields: { firstName: 'Óscar', lastName: 'Núñez', birthDate },
  });
  const stray = born('P4', '1990-01-02');
  const rows = [
    known('N1', { mail: 'n1@example.com', born: '1985-05-05' }),
    known('N2', { mail: 'n2@example.com', born: '' }),
    known('N3', { mail: 'n3@example.com', born: '1990-01-02' }),
  ];
  const matchesIn = async (mapping: object) => {
    const office = await openOffice({
      sandbox: { people: [...usersOf(ours), stray] },
      sync: { mapping: { ...plainMapping, ...mapping } },
    });
    await office.applyRows([...ours.map((row) => ({ ...row, born: '' })), ...rows]);
    return (await every(office)).get('P4')?.matches.map(({ identification, by }) => `${identification} ${by}`);
  };
  expect(await matchesIn({ birthDate: { from: 'born', format: 'yyyy-MM-dd' } })).toEqual([
    'N3 name-and-birth-date',
    'N2 name',
    'N1 name-not-birth-date',
  ]);
  expect((await matchesIn({}))?.toSorted()).toEqual(['N1 name', 'N2 name', 'N3 name']);
});

it('an account is left as it is, for good or for a time, with a reason', async () => {
  const office = await openWorld();
  const order = { way: 'leave', by: 'ana', signal } as const;
  const leave = (ids: readonly string[], more: object) => adoptPeople(office.app, 'people', ids, { ...order, ...more });
  await expect(leave(['P2'], {})).rejects.toThrow(/needs a reason/);
  await expect(leave(['E1'], { reason: 'x' })).rejects.toThrow(/Nothing was decided/);
  await expect(leave(['P2', 'N1'], { reason: 'x' })).rejects.toThrow(/an end/);
  await leave(['P2'], { reason: 'service account' });
  await leave(['P3'], { reason: 'until May', until: { inMs: 86_400_000 } });
  const now = await every(office);
  expect(now.get('P2')).toMatchObject({
    decision: 'leave',
    why: expect.stringContaining('ana left it as it is (service'),
  });
  expect(now.get('P3')?.decision).toBe('leave');
  office.clock.jump(2 * 86_400_000);
  const later = await every(office);
  expect([later.get('P2')?.decision, later.get('P3')?.decision]).toEqual(['leave', undefined]);
});

describe('a decision to disable an account', () => {
  const order = { way: 'disable', by: 'ana', reason: 'left in 2024', signal } as const;
  const enabled = (office: Office, id: string) => office.sandbox.state.users.get(id)?.enabled;

  it('is refused, for all or none, where no run could act by it', async () => {
    const office = await openOffice({
      sandbox: { people: usersOf([...ours, ...unknown]) },
      sync: { protected: ['P3'] },
    });
    await office.applyRows(ours);
    await office.applyRows([...ours.slice(0, 11), left, ...comers]);
    const refused = adoptPeople(office.app, 'people', ['P1', 'P2', 'P3', 'E1', 'E12', 'N1'], order);
    await expect(refused).rejects.toThrow(
      /^Nothing was decided\. P1: .* may be a rename.*P3: .* protected .*E1: sync people owns .*E12: sync people owns .*N1: /,
    );
    await expect(adoptPeople(office.app, 'people', ['P9'], order)).rejects.toThrow(/unknown to sync people/);
    await expect(
      adoptPeople(office.app, 'people', ['P2'], { ...order, until: { at: office.clock.now() - 1 } }),
    ).rejects.toThrow(/ends in the future/);
    expect((await office.apply()).run.counts).toMatchObject({ disable: 0 });
  });

  it('has no effect once HR has the person, and the run, the list and why say so', async () => {
    const office = await openWorld();
    await adoptPeople(office.app, 'people', ['P2', 'P3'], order);
    const back = known('P2', { first: 'Oscar', status: 'unknown' });
    const { run, findings } = await office.applyRows([...ours.slice(0, 11), left, back]);
    // The record of P2 cannot be used: its person is protected all the same.
    expect(run.counts).toMatchObject({ disable: 1, applied: 1 });
    expect([enabled(office, 'P2'), enabled(office, 'P3')]).toEqual([true, false]);
    expect(findings).toContainEqual(expect.objectContaining({ code: 'status-unknown', identification: 'P2' }));
    await office.writeEmployees([...ours.slice(0, 11), left, known('P2', { first: 'Oscar' })]);
    const { decision } = await tracePerson(office.app, 'people', 'P2', signal);
    expect(decision?.finding?.message).toMatch(/ana decided .* no effect: HR has the person now\. To withdraw/);
    expect((await every(office)).get('P2')).toMatchObject({
      decision: 'disable',
      why: expect.stringContaining('which has no effect: HR has the person now'),
    });
    const told = await office.apply();
    expect(told.findings).toMatchObject([{ code: 'decision-without-effect', identification: 'P2' }]);
    // By now the account is ours.
    expect((await office.apply()).findings).toEqual([]);
    const owned = (await every(office)).get('P2');
    expect([owned?.state, owned?.decision]).toEqual(['owned', undefined]);
  });

  it('ends by its time, by a later decision, and with the account that it is about', async () => {
    const office = await openWorld();
    await adoptPeople(office.app, 'people', ['P2'], { ...order, until: { inMs: 86_400_000 } });
    await adoptPeople(office.app, 'people', ['P3'], order);
    expect((await every(office)).get('P2')?.why).toMatch(/ana decided to disable it until 2026-.* \(left in 2024\)/);
    await adoptPeople(office.app, 'people', ['P3'], { ...order, way: 'leave', reason: 'needed after all' });
    office.clock.jump(2 * 86_400_000);
    await office.writeEmployees([...ours.slice(0, 11), left, known('N3'), known('N4')]);
    expect((await office.apply()).run.counts).toMatchObject({ disable: 0 });

    await adoptPeople(office.app, 'people', ['P2'], order);
    const user = `${office.sandbox.url}/_sandbox/users/P2`;
    await fetch(user, { method: 'DELETE' });
    const headers = { 'content-type': 'application/json' };
    await fetch(user, {
      method: 'PUT',
      headers,
      body: JSON.stringify({ enabled: true, fields: { firstName: 'O', lastName: 'N' } }),
    });
    const { run, findings } = await office.apply();
    expect(run).toMatchObject({ counts: { disable: 0 }, plan: { unmanaged: 3 } });
    expect(findings).toMatchObject([{ code: 'decision-without-effect', message: /created again/ }]);
  });

  it('waits for a full read that proves the absence', async () => {
    const office = await openWorld();
    await adoptPeople(office.app, 'people', ['P2'], order);
    expect((await office.apply({ users: ['P2'] })).run.counts).toMatchObject({ disable: 0 });
    expect(enabled(office, 'P2')).toBe(true);
    expect((await office.apply()).run.counts).toMatchObject({ disable: 1, applied: 1 });
    expect(enabled(office, 'P2')).toBe(false);
  });

  it('leaves the account to another sync that has the person as active', async () => {
    const office = await openOffice({
      sandbox: { people: usersOf([...ours, ...unknown]) },
      syncs: { second: { ...secondSync, guards: { updates: { absolute: 0, percent: 0 } } } },
    });
    await office.applyRows(ours);
    await office.writeEmployees([known('P2', { first: 'Other' })], 'second.csv');
    // The update is held, so the second sync does not own the account yet.
    await office.apply({ sync: 'second' });
    await adoptPeople(office.app, 'people', ['P2'], order);
    const { run, findings } = await office.apply();
    expect(run.counts).toMatchObject({ disable: 0 });
    expect(findings).toMatchObject([
      { code: 'decision-without-effect', message: /sync second has the person as active/ },
    ]);
  });

  it('also disables an account that a new person replaces, after an approval', async () => {
    const office = await openWorld();
    await adoptPeople(office.app, 'people', ['N1'], { ...order, way: 'replace' });
    const held = await office.apply();
    expect(held.run.counts).toMatchObject({ disable: 1, create: 1, held: 2 });
    await decideRun(office.app, 'approve', held.run.id, { by: 'eva' });
    await office.apply();
    expect([enabled(office, 'P1'), enabled(office, 'N1')]).toEqual([false, true]);
  });
});

it('before the first accepted read there is no list, and it says what to do', async () => {
  const office = await openOffice({ sandbox: { people: usersOf(ours) } });
  await expect(openAccounts(office.app, 'people')).rejects.toThrow(/rollcall apply people/);
});

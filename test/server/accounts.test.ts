import { expect, it } from 'vitest';
import { decidePairs } from '../../src/app/accounts/adopt.ts';
import { openAccounts } from '../../src/app/accounts/list-accounts.ts';
import { accountPage } from '../../src/views/accounts.ts';
import { employees, type Office, openOffice, type Row, usersOf } from '../support/office.ts';
import { openTestServer } from './open-test-server.ts';

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

it('every account of the platform has a state, and the numbers are those of the plan', async () => {
  const office = await openWorld();
  const accounts = await every(office);
  const numbers = Object.fromEntries(
    [...Map.groupBy(accounts.values(), ({ state }) => state)].map(([state, some]) => [state, some.length]),
  );
  const [run] = await office.engine.io.store.runs.list({ limit: 1 });
  expect(numbers).toEqual({ owned: 12, unmanaged: 3, 'disabled-by-us': 1 });
  expect(numbers.unmanaged).toBe(run?.facts.unmanaged);
  expect(accounts.get('E12')).toMatchObject({ isEnabled: false, why: expect.stringContaining('(leaver)') });
  // Created after the read.
  expect(accounts.get('N2')).toMatchObject({ state: 'owned', isEnabled: true, name: 'Óscar Núñez' });
  expect(accounts.get('N1')).toBeUndefined();
  expect(accounts.get('P1')).toMatchObject({
    state: 'unmanaged',
    isConflict: true,
    lastUpdate: expect.stringMatching(/^2026/),
    matches: [{ identification: 'N1', by: ['email', 'name'], hasAccount: false }],
  });
  expect(accounts.get('P2')).toMatchObject({
    isConflict: false,
    matches: [{ identification: 'N2', by: ['name'], hasAccount: true }],
  });
});

it('the list goes on where a page ended, and is filtered by state, conflict and words', async () => {
  const office = await openWorld();
  const server = await openTestServer(office.app);
  const ask = async (query: string) => {
    const { status, json } = await server.ask(`/api/syncs/people/accounts?${query}`);
    expect(status).toBe(200);
    expect(accountPage.parse(json)).toEqual(json);
    return {
      next: json.next,
      ids: json.accounts.map(({ identification }: { identification: string }) => identification),
    };
  };
  const all: string[] = [];
  for (let after = ''; ; ) {
    const { ids, next } = await ask(`limit=5${after === '' ? '' : `&after=${after}`}`);
    all.push(...ids);
    if (next === null) break;
    after = next;
  }
  expect(all.toSorted()).toEqual([...(await every(office)).keys()].toSorted());
  expect((await ask('state=unmanaged')).ids.toSorted()).toEqual(['P1', 'P2', 'P3']);
  expect((await ask('conflict=true')).ids).toEqual(['P1']);
  expect((await ask('q=nunez+oscar&state=unmanaged')).ids).toEqual(['P2']);
  expect((await server.ask('/api/syncs/nobody/accounts')).status).toBe(404);
});

it('a token of some syncs gets no account that may be those of other syncs', async () => {
  const office = await openWorld();
  const tokens = [{ name: 'some', role: 'viewer' as const, syncs: ['people'], token: 'a-token-of-some-syncs' }];
  const server = await openTestServer(office.app, { settings: { tokens } });
  const { json } = await server.ask('/api/syncs/people/accounts?limit=200', { token: 'a-token-of-some-syncs' });
  expect(json.accounts.length).toBe(13);
});

it('an account is left as it is, for good or for a time, with a reason', async () => {
  const office = await openWorld();
  const order = { way: 'leave', by: 'ana', signal } as const;
  const leave = (ids: readonly string[], more: object) => decidePairs(office.app, 'people', ids, { ...order, ...more });
  await expect(leave(['P2'], {})).rejects.toThrow(/needs a reason/);
  await expect(leave(['E1'], { reason: 'x' })).rejects.toThrow(/Nothing was decided/);
  await expect(leave(['P2', 'N1'], { reason: 'x' })).rejects.toThrow(/an end/);
  await leave(['P2'], { reason: 'service account' });
  await leave(['P3'], { reason: 'until May', until: { inMs: 86_400_000 } });
  const now = await every(office);
  expect(now.get('P2')).toMatchObject({ isLeft: true, why: expect.stringContaining('ana left it as it is (service') });
  expect(now.get('P3')?.isLeft).toBe(true);
  office.clock.jump(2 * 86_400_000);
  const later = await every(office);
  expect([later.get('P2')?.isLeft, later.get('P3')?.isLeft]).toEqual([true, false]);
});

it('before the first accepted read there is no list, and it says what to do', async () => {
  const office = await openOffice({ sandbox: { people: usersOf(ours) } });
  await expect(openAccounts(office.app, 'people')).rejects.toThrow(/rollcall apply people/);
});

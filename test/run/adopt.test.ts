import { expect, it } from 'vitest';
import { adoptPeople, planAdoption } from '../../src/app/accounts/adopt.ts';
import { decideRun } from '../../src/app/approve.ts';
import { findAudit } from '../../src/app/audit.ts';
import { tracePerson } from '../../src/app/people.ts';
import type { CheckpointName } from '../../src/ports/runtime.ts';
import {
  employees,
  type Office,
  type OfficeOptions,
  openOffice,
  plainMapping,
  plainSync,
  type Row,
  usersOf,
} from '../support/office.ts';

const second = {
  ...plainSync('./second.csv'),
  settle: { every: '2s', visibleWithin: '20s' },
};
const staff = employees(20);
const others = employees(5).map((row): Row => ({ ...row, id: `X${row.id}`, mail: `x.${row.mail}` }));
const first = (row: Row | undefined): Row => row ?? {};
const signal = AbortSignal.timeout(200_000);
const ana = { by: 'ana', signal };

async function twoSyncs(options: Partial<OfficeOptions> = {}): Promise<Office> {
  const office = await openOffice({
    sandbox: { people: usersOf([...staff, ...others]) },
    syncs: { second },
    ...options,
  });
  await office.writeEmployees(staff);
  await office.writeEmployees(others, 'second.csv');
  await office.apply();
  await office.apply({ sync: 'second' });
  return office;
}

const ownerOf = async (office: Office, id: string) => (await office.engine.io.store.ledger.get('acme', id))?.owner;
const auditOf = async (office: Office) =>
  (await findAudit(office.app, { limit: 50 }))
    .filter(({ action }) => action === 'adopt')
    .map(({ action, by, sync, detail, reason }) => ({
      action,
      by,
      sync,
      detail,
      reason,
    }));

it('a leaver of one sync who is active in the other moves only by hand, and is enabled then', async () => {
  const office = await twoSyncs();
  await office.writeEmployees(staff.map((row) => (row.id === 'E1' ? { ...row, status: 'left' } : row)));
  expect((await office.apply()).run.counts).toMatchObject({ disable: 1, applied: 1 });
  await office.writeEmployees([...others, first(staff[0])], 'second.csv');
  const refused = await office.apply({ sync: 'second' });
  expect(refused.run.counts).toMatchObject({ enable: 0 });
  expect(refused.findings).toContainEqual(
    expect.objectContaining({ identification: 'E1', message: expect.stringContaining('rollcall adopt second E1') }),
  );
  const preview = await planAdoption(office.app, 'second', ['E1'], signal);
  expect(preview).toMatchObject([
    { identification: 'E1', kind: 'move', owner: 'people', account: { enabled: false }, isDone: false },
  ]);
  expect(await ownerOf(office, 'E1')).toBe('people');
  expect(await auditOf(office)).toEqual([]);
  expect(await adoptPeople(office.app, 'second', ['E1'], { ...ana, reason: 'hired again' })).toMatchObject([
    { isDone: true },
  ]);
  expect(await auditOf(office)).toEqual([
    { action: 'adopt', by: 'ana', sync: 'second', detail: 'users of other syncs: E1 (people)', reason: 'hired again' },
  ]);
  expect((await office.apply({ sync: 'second' })).run.counts).toMatchObject({ enable: 1, applied: 1 });
  expect((await office.apply()).run.counts).toMatchObject({ disable: 0 });
  expect(await ownerOf(office, 'E1')).toBe('second');
});

it('adopting twice changes nothing more, and an unknown person stops all of it', async () => {
  const office = await twoSyncs();
  await expect(adoptPeople(office.app, 'second', ['E1', 'e2', 'Nobody'], ana)).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringMatching(/unknown to sync second.*: e2, Nobody\. Nothing was changed/),
  });
  expect(await ownerOf(office, 'E1')).toBe('people');
  expect(await adoptPeople(office.app, 'second', ['E1', 'E1'], ana)).toMatchObject([{ kind: 'move', isDone: true }]);
  expect(await adoptPeople(office.app, 'second', ['E1'], ana)).toMatchObject([
    { kind: 'none', effect: 'already belongs to sync second' },
  ]);
  expect(await auditOf(office)).toHaveLength(1);
  await expect(adoptPeople(office.app, 'third', ['E1'], ana)).rejects.toMatchObject({ code: 'USAGE' });
});

it('a conversion gives the leaver’s account to the new record, with everything in it', async () => {
  const office = await twoSyncs();
  const again = { ...first(staff[2]), id: 'N3' };
  const rows = [...staff.map((row) => (row.id === 'E3' ? { ...row, status: 'left' } : row)), again];
  const held = await office.applyRows(rows);
  expect(held.run.counts).toMatchObject({ disable: 0, create: 0 });
  expect(held.findings).toContainEqual(
    expect.objectContaining({ code: 'conversion', message: expect.stringContaining('rollcall adopt people N3') }),
  );
  const before = office.sandbox.state.users.get('E3');
  const [preview] = await planAdoption(office.app, 'people', ['N3'], signal);
  expect(preview).toMatchObject({ kind: 'rename', other: 'E3', account: { id: String(before?.id), enabled: true } });
  expect(await adoptPeople(office.app, 'people', ['N3'], ana)).toMatchObject([{ kind: 'rename', isDone: true }]);
  expect(office.sandbox.state.users.get('E3')).toBeUndefined();
  expect(office.sandbox.state.users.get('N3')).toMatchObject({ id: before?.id, enabled: true, fields: before?.fields });
  expect((await auditOf(office))[0]?.detail).toBe('account of E3 gets the identification N3');
  expect((await office.apply()).run.counts).toMatchObject({ create: 0, disable: 0, failed: 0, held: 0 });
  expect(await ownerOf(office, 'N3')).toBe('people');
  expect((await office.apply()).run.outcome).toBe('nothing-to-do');
});

it('a rename keeps the history of the person, and why tells it under both identifications', async () => {
  const office = await twoSyncs();
  await office.writeEmployees(staff.map((row) => (row.id === 'E1' ? { ...row, last: 'Nueva' } : row)));
  expect((await office.apply()).run.counts).toMatchObject({ update: 1, applied: 1 });
  const rows = [...staff.slice(1), { ...first(staff[0]), id: 'R1', last: 'Nueva' }];
  await office.applyRows(rows);
  await adoptPeople(office.app, 'people', ['R1'], { ...ana, reason: 'new numbers' });
  expect((await office.apply()).run.outcome).toBe('nothing-to-do');

  const renames = [{ from: 'E1', to: 'R1', at: expect.any(Number), by: 'ana', reason: 'new numbers' }];
  const now = await tracePerson(office.app, 'people', 'R1', signal);
  expect(now).toMatchObject({ renames, ledger: { owner: 'people', writtenAt: expect.any(Number) } });
  expect(now.history).toMatchObject([{ identification: 'E1', kind: 'update', state: 'applied' }]);
  const before = await tracePerson(office.app, 'people', 'E1', signal);
  expect(before).toMatchObject({ renames, ledger: undefined });
});

it('where the platform cannot change an identification, the preview says what to do, and nothing is sent', async () => {
  const office = await twoSyncs({
    sandbox: { people: usersOf([...staff, ...others]), quirks: { userId: 'identification' } },
    dialect: { userId: 'identification' },
  });
  await office.applyRows([...staff.slice(1), { ...first(staff[0]), id: 'R1' }]);
  const log = office.sandbox.state.log.length;
  expect(await adoptPeople(office.app, 'people', ['R1'], ana)).toMatchObject([
    { kind: 'none', other: 'E1', effect: expect.stringContaining('Change E1 to R1 on the platform by hand') },
  ]);
  expect(office.sandbox.state.log).toHaveLength(log);
  expect(await auditOf(office)).toEqual([]);
});

it.each<CheckpointName>(['ledger-written', 'change-accepted'])(
  'killed at %s, the same command finishes it',
  async (at) => {
    let isArmed = false;
    const office = await twoSyncs({
      checkpoint(place) {
        if (!isArmed || place !== at) return;
        isArmed = false;
        throw new Error('killed');
      },
    });
    await office.applyRows([...staff.slice(1), { ...first(staff[0]), id: 'R1' }]);
    isArmed = true;
    const ids = ['XE1', 'R1'];
    await expect(adoptPeople(office.app, 'people', ids, ana)).rejects.toThrow('killed');
    await adoptPeople(office.app, 'people', ids, ana);
    expect(await ownerOf(office, 'XE1')).toBe('people');
    expect(office.sandbox.state.users.has('R1')).toBe(true);
    expect(office.sandbox.state.users.has('E1')).toBe(false);
    expect([await ownerOf(office, 'E1'), await ownerOf(office, 'R1')]).toEqual([undefined, 'people']);
    expect((await auditOf(office)).map(({ detail }) => detail).sort()).toEqual([
      'account of E1 gets the identification R1',
      'users of other syncs: XE1 (second)',
    ]);
  },
);

it('what neither a sync nor another account has is explained', async () => {
  const office = await twoSyncs();
  await office.writeEmployees([
    ...staff,
    { id: 'N1', first: 'New', last: 'One', mail: 'n1@example.com', status: 'active' },
  ]);
  expect(await planAdoption(office.app, 'people', ['N1'], signal)).toMatchObject([
    { kind: 'none', effect: 'has no account yet: the next run of people creates it' },
  ]);
});

it('a rename is refused where the call would clear a value that neither the platform nor the ledger shows', async () => {
  const people = [...usersOf(staff)].map((user) => ({
    ...user,
    fields: { ...user.fields, phoneNumber: `+598 ${user.identification}` },
  }));
  const office = await openOffice({
    sandbox: { people, quirks: { put: 'replaces' } },
    dialect: { put: 'replaces', mayClear: ['job', 'seniority'] },
    sync: { mapping: { ...plainMapping, phoneNumber: 'phone' } },
  });
  const rows = staff.map((row): Row => ({ ...row, phone: row.id === 'E1' ? '' : `+598 ${row.id}` }));
  await office.applyRows(rows);
  await office.applyRows(rows.map((row) => (row.id === 'E1' || row.id === 'E3' ? { ...row, id: `N${row.id}` } : row)));
  expect(await planAdoption(office.app, 'people', ['NE1'], signal)).toMatchObject([
    { kind: 'none', effect: expect.stringContaining('would clear phoneNumber') },
  ]);
  // The ledger knows the phone number that a run wrote.
  await adoptPeople(office.app, 'people', ['NE3'], ana);
  expect(office.sandbox.state.users.get('NE3')?.fields.phoneNumber).toBe('+598 E3');
});

it('why of a person who belongs to another sync says whose user it is, and how old the read of that sync is', async () => {
  const office = await twoSyncs();
  await office.writeEmployees([...others, first(staff[0])], 'second.csv');
  await office.apply({ sync: 'second' });
  const next = async () => (await tracePerson(office.app, 'second', 'E1', signal)).next;
  expect(await next()).toMatch(/the user belongs to sync people, and only that sync changes it\. .* ago\)$/);
  office.clock.jump(25 * 3_600_000);
  expect(await next()).toMatch(/25 h ago\), older than handOver\.maxAge, so the user does not move to second before/);
});

/** A platform that cannot change an identification. E3 left, and N3 is the same person under a new number. */
async function refusedConversion(options: Partial<OfficeOptions> = {}) {
  const office = await openOffice({
    sandbox: { people: usersOf(staff), quirks: { userId: 'identification' } },
    dialect: { userId: 'identification' },
    ...options,
  });
  await office.applyRows(staff);
  const rows = staff.map((row) => (row.id === 'E3' ? { ...row, status: 'left' } : row));
  const held = await office.applyRows([...rows, { ...first(staff[2]), id: 'N3' }]);
  expect(held.findings).toContainEqual(expect.objectContaining({ code: 'conversion', identification: 'N3' }));
  return { office, rows: [...rows, { ...first(staff[2]), id: 'N3' }] };
}

const enabledOf = (office: Office, id: string) => office.sandbox.state.users.get(id)?.enabled;

it.each(['N3', 'E3'])('a refused adoption of %s offers the other ways, for either of the two', async (id) => {
  const { office } = await refusedConversion();
  const [preview] = await planAdoption(office.app, 'people', [id], signal);
  expect(preview).toMatchObject({ identification: id, kind: 'none' });
  expect(preview?.ways?.map(({ way }) => way)).toEqual(['leave', 'replace', 'apart']);
  expect(preview?.ways?.[1]?.effect).toBe(
    'the account of E3 is disabled, and N3 gets an account. Both changes wait for approval',
  );
});

it('the leaver of a refused pair is disabled when only that is approved, and the create waits', async () => {
  const { office } = await refusedConversion();
  await adoptPeople(office.app, 'people', ['N3'], { ...ana, way: 'replace' });
  await decideRun(office.app, 'approve', (await office.apply()).run.id, { by: 'eva', ids: ['E3'] });
  expect((await office.apply()).run.counts).toMatchObject({ disable: 1, create: 1, applied: 1, held: 1 });
  expect((await office.apply()).run.counts).toMatchObject({ disable: 0, create: 1, applied: 0, held: 1 });
  expect([enabledOf(office, 'E3'), enabledOf(office, 'N3')]).toEqual([false, undefined]);
});

it('a user whom the source no longer names is disabled at once, if a person approves that a new one replaces them', async () => {
  const office = await openOffice({
    sandbox: { people: usersOf(staff), quirks: { userId: 'identification' } },
    dialect: { userId: 'identification' },
  });
  await office.applyRows(staff);
  const rows = [...staff.slice(1), { ...first(staff[0]), id: 'R1' }];
  expect((await office.applyRows(rows)).findings).toContainEqual(expect.objectContaining({ code: 'rename-conflict' }));
  await adoptPeople(office.app, 'people', ['R1'], { ...ana, way: 'replace' });
  const held = await office.apply();
  expect(held.run.counts).toMatchObject({ disable: 1, create: 1, held: 2 });
  await decideRun(office.app, 'approve', held.run.id, { by: 'eva' });
  await office.apply();
  expect([enabledOf(office, 'E1'), enabledOf(office, 'R1')]).toEqual([false, true]);
});

it('with parkEmail the e-mail goes over where a platform refuses two users with one', async () => {
  const { office } = await refusedConversion({
    sandbox: { people: usersOf(staff), quirks: { userId: 'identification', uniqueEmail: true } },
    sync: { parkEmail: 'parked+{identification}@example.com' },
  });
  await adoptPeople(office.app, 'people', ['N3'], { ...ana, way: 'replace' });
  for (let runs = 0; runs < 6; runs += 1) {
    const { run } = await office.apply();
    if (run.counts.held > 0) await decideRun(office.app, 'approve', run.id, { by: 'eva' });
  }
  expect([enabledOf(office, 'E3'), enabledOf(office, 'N3')]).toEqual([false, true]);
  expect(office.sandbox.state.users.get('N3')?.fields.email).toBe(staff[2]?.mail);
});

it('a pair that is left keeps the account and the row out until the end, with who and why, and is no trouble', async () => {
  const { office } = await refusedConversion();
  const until = { inMs: 48 * 3_600_000 };
  await adoptPeople(office.app, 'people', ['N3'], { ...ana, way: 'leave', until, reason: 'works out her notice' });
  const left = await office.apply();
  expect(left.run).toMatchObject({ outcome: 'nothing-to-do', counts: { disable: 0, create: 0 } });
  expect(left.findings).toMatchObject([
    {
      code: 'left-as-decided',
      identification: 'N3',
      message: expect.stringMatching(/ana decided this: works out her notice$/),
    },
  ]);
  expect((await tracePerson(office.app, 'people', 'N3', signal)).decision?.finding?.code).toBe('left-as-decided');
  office.clock.jump(49 * 3_600_000);
  const ended = await office.apply();
  expect(ended.findings).toContainEqual(expect.objectContaining({ code: 'conversion' }));
  expect([enabledOf(office, 'E3'), enabledOf(office, 'N3')]).toEqual([true, undefined]);
});

it('the row of a pair that is left is gone: the account is decided by its own record', async () => {
  const { office, rows } = await refusedConversion();
  await adoptPeople(office.app, 'people', ['N3'], { ...ana, way: 'leave', until: { inMs: 9e7 }, reason: 'notice' });
  expect((await office.applyRows(rows.filter(({ id }) => id !== 'N3'))).run.counts).toMatchObject({ disable: 1 });
  expect(enabledOf(office, 'E3')).toBe(false);
});

it('two people are each decided alone', async () => {
  const { office, rows } = await refusedConversion();
  await adoptPeople(office.app, 'people', ['E3'], { ...ana, way: 'apart' });
  const apart = await office.apply();
  expect(apart.run.counts).toMatchObject({ disable: 1, create: 0, applied: 1 });
  expect(apart.findings).toContainEqual(expect.objectContaining({ code: 'email-conflict', identification: 'N3' }));
  const own = rows.map((row) => (row.id === 'N3' ? { ...row, mail: 'n3@example.com' } : row));
  expect((await office.applyRows(own)).run.counts).toMatchObject({ create: 1, applied: 1 });
});

it.each<[Parameters<typeof adoptPeople>[3], string[], RegExp]>([
  [{ ...ana, way: 'leave', reason: 'why' }, ['N3'], /requires a reason and an end/],
  [{ ...ana, way: 'leave', until: { inMs: 1000 } }, ['N3'], /decision to leave accounts needs a reason/],
  [{ ...ana, way: 'leave', until: { at: 5 }, reason: 'why' }, ['N3'], /ends in the future/],
  [{ ...ana, way: 'replace', until: { inMs: 1000 } }, ['N3'], /replace has no end/],
  [{ ...ana, way: 'apart' }, ['N3', 'E5'], /same person: E5\. Nothing was decided/],
])('%o about %o is refused', async (order, ids, message) => {
  const { office } = await refusedConversion();
  await expect(adoptPeople(office.app, 'people', ids, order)).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringMatching(message),
  });
  expect(await findAudit(office.app, { limit: 50, actions: ['decide-accounts'] })).toEqual([]);
});

import { describe, expect, it } from 'vitest';
import { decideRun } from '../../src/app/approve.ts';
import { tracePerson } from '../../src/app/people.ts';
import { findChanges } from '../../src/app/runs.ts';
import { employees, type Office, openOffice, plainMapping, type Row, usersOf } from '../support/office.ts';
import { holdPromises } from '../support/oracle.ts';

holdPromises();

const staff: readonly Row[] = employees(45).map((row) => ({ ...row, area: 'Sales', team: 'North' }));
const usual = { ...plainMapping, area: 'area' };
const swapped = { ...usual, firstName: 'last', area: 'team' };

/** An office whose platform is as the configuration wants it, after the run that stored the baseline. */
async function open(sync: Readonly<Record<string, unknown>> = {}, rows = staff): Promise<Office> {
  const people = [...usersOf(rows)].map((user) => ({ ...user, fields: { ...user.fields, area: 'Sales' } }));
  const office = await openOffice({ sandbox: { people }, sync: { mapping: usual, ...sync } });
  const { run } = await office.applyRows(rows);
  expect(run).toMatchObject({ outcome: 'nothing-to-do', plan: { isFirstConfiguration: true } });
  return office;
}

const shown = (office: Office, id: string) => office.sandbox.state.users.get(id)?.fields;
const writes = (office: Office) =>
  [...office.sandbox.state.users.values()].filter(({ fields }) => fields.firstName === 'Díaz');
const decide = (office: Office, action: 'approve' | 'reject', run: string, ids?: readonly string[]) =>
  decideRun(office.app, action, run, { by: 'ana', reason: 'as agreed', ...(ids === undefined ? {} : { ids }) });
const holdsOf = async (office: Office) =>
  (await office.engine.io.store.holds.listOpen('people')).map((hold) => [hold.class, hold.size]);

describe('an edit of the mapping that changes 45 people', () => {
  it('is held as a whole, while the joiners and leavers of the day go on', async () => {
    const office = await open();
    await office.edit({ mapping: swapped });
    const joiner = {
      id: 'N1',
      first: 'Noa',
      last: 'Paz',
      mail: 'noa@example.com',
      area: 'Legal',
      team: 'South',
      status: 'active',
    };
    const rows = staff.map((row) => (row.id === 'E1' ? { ...row, status: 'left' } : row));
    const { run } = await office.applyRows([...rows, joiner]);
    expect(run.outcome).toBe('held');
    expect(run.counts).toMatchObject({ create: 1, disable: 1, update: 44, held: 44, applied: 2 });
    expect(run.plan?.edit).toEqual({
      people: 44,
      parts: { firstName: 44, area: 44 },
      classes: { updates: 44 },
      keys: ['mapping.firstName', 'mapping.area'],
    });
    const [hold] = await office.engine.io.store.holds.listOpen('people');
    expect(hold?.reason).toBe(
      'this edit changes 44 people: firstName 44, area 44; for example E2, E3, E4. Edited: mapping.firstName, mapping.area. Up to 10 people in 24 hours need no approval',
    );
    expect(await holdsOf(office)).toEqual([['configuration', 44]]);
    expect(office.sandbox.state.users.get('E1')?.enabled).toBe(false);
    // A person who comes while the edit waits gets what the approved configuration gives.
    expect(shown(office, 'N1')).toMatchObject({ firstName: 'Noa', area: 'Legal' });
    expect(writes(office)).toEqual([]);
  });

  it('holds with it what HR changes in the same fields, and says so; other fields go on', async () => {
    const office = await open();
    await office.edit({ mapping: { ...usual, area: 'team' } });
    const rows = staff.map((row) => {
      if (row.id === 'E1') return { ...row, area: 'Legal' };
      return row.id === 'E2' ? { ...row, team: 'Sales', last: 'Paz' } : row;
    });
    const { run } = await office.applyRows(rows);
    // E2 is equal by both mappings, so that only HR's change is made.
    expect(run.counts).toMatchObject({ update: 45, held: 44, applied: 1 });
    expect([shown(office, 'E1')?.area, shown(office, 'E2')?.lastName]).toEqual(['Sales', 'Paz']);
    const [hold] = await office.engine.io.store.holds.listOpen('people');
    expect(hold?.reason).toContain('. HR changed such a value of 1 of them too, which waits with the edit. Edited: ');
  });
});

describe('small edits', () => {
  it('are named by why', async () => {
    const office = await open();
    await office.edit({ mapping: swapped });
    const { run } = await office.apply();
    const { change } = await tracePerson(office.app, 'people', 'E4', AbortSignal.timeout(60_000));
    expect(change?.reason).toBe(
      'differs in firstName, area; because the configuration was edited (mapping.firstName, mapping.area)',
    );
    const [held] = await findChanges(office.app, run.id, { limit: 1, classes: ['configuration'] });
    expect(held?.classes).toEqual(['updates', 'configuration']);
  });
});

it('an edit of the source is held above ten people', async () => {
  const office = await open();
  await office.writeEmployees(
    staff.map((row) => ({ ...row, last: 'Ruiz' })),
    'others.csv',
  );
  await office.edit({ source: { kind: 'csv', path: './others.csv', complete: 'stable' } });
  expect((await office.applyRows(staff)).run).toMatchObject({ outcome: 'held', counts: { applied: 0, update: 45 } });
  expect(await holdsOf(office)).toEqual([['configuration', 45]]);
});

describe('an edit that names people by another column', () => {
  it.each<[what: string, patch: object, people: number]>([
    ['holds all whom it makes others, but no leaver', { identification: 'code', lastName: 'code' }, 88],
    ['changes no one whose fields stay equal', { identification: 'code' }, 0],
    ['holds nothing where it names the same', { identification: { from: 'id', transform: ['trim'] } }, 0],
  ])('%s', async (_, patch, people) => {
    const rows = staff.map((row) => ({ ...row, code: `C${row.id}` }));
    const office = await open({ missing: { afterReads: 1, minAge: '0s' }, match: ['identification'] }, rows);
    await office.edit({ mapping: { ...usual, ...patch } });
    const { run } = await office.applyRows(rows.map((row, i) => (i === 0 ? { ...row, status: 'left' } : row)));
    expect([run.plan?.edit?.people ?? 0, run.counts.held, run.counts.applied]).toEqual([people, people, 1]);
  });
});

it('an edit of the rule that tells which record counts holds the people whose other record counts now', async () => {
  const rows = staff.flatMap((row) => [
    { ...row, rank: '1' },
    { ...row, rank: '2', area: 'North' },
  ]);
  const office = await open({ prefer: "rank = '1'" }, rows);
  await office.edit({ prefer: "rank = '2'" });
  const { run } = await office.applyRows(rows);
  expect([run.plan?.edit?.parts, run.counts.held]).toEqual([{ area: 45 }, 45]);
});

describe('a run that cannot measure an edit', () => {
  it('sends nothing of it: a read without proof, however few it shows', async () => {
    const rows = staff.map((row, i) => ({ ...row, team: i < 4 ? 'North' : 'Sales' }));
    const office = await open({}, rows);
    await office.edit({ mapping: { ...usual, area: 'team' } });
    await office.writeEmployees(rows.slice(0, 20));
    const { run } = await office.apply();
    expect(run.counts).toMatchObject({ applied: 0 });
    expect((await office.applyRows(rows)).run).toMatchObject({ outcome: 'succeeded', counts: { applied: 4 } });
  });
});

it('an outbox gets nothing of an edit that waits', async () => {
  const office = await open({ delivery: 'outbox' });
  await office.edit({ mapping: swapped });
  expect((await office.applyRows(staff)).run).toMatchObject({ outcome: 'held', counts: { held: 45 } });
  expect((await office.apply()).run.delivery?.exportedTo).toBeUndefined();
});

it('an edited scope takes over the users of another sync with their approved change, not before', async () => {
  const guests = Array.from({ length: 15 }, (_, i) => `E${i + 1}`);
  const rows = staff.map((row): Row => ({ ...row, team: guests.includes(row.id ?? '') ? 'Guest' : 'Staff' }));
  const source = { kind: 'csv', path: './guests.csv', complete: 'stable' };
  const second = {
    ...{ connection: 'acme', policy: 'sync', source, mapping: usual, missing: 'never', settle: { every: '2s' } },
    lifecycle: { status: 'status', active: ['active'], leaver: ['left'] },
    scope: "team = 'Guest'",
  };
  const people = [...usersOf(rows)].map((user) => ({ ...user, fields: { ...user.fields, area: 'Sales' } }));
  const scope = "team = 'Staff'";
  const office = await openOffice({ sandbox: { people }, sync: { mapping: usual, scope }, syncs: { second } });
  const ofGuests = rows.filter(({ id = '' }) => guests.includes(id));
  // A scope whose column has a value for the first time in most rows is doubted.
  const outside = ['Gone', 'Other'].map((team) => ({ ...rows[0], id: team, email: `${team}@corp.test`, team }));
  await office.writeEmployees([...ofGuests, ...outside], 'guests.csv');
  await office.apply({ sync: 'second' });
  await office.applyRows(rows);
  const owners = async () => {
    const entries = await office.engine.io.store.ledger.getMany('acme', guests);
    return guests.map((name) => entries.get(name)?.owner).join();
  };
  const all = (owner: string) => guests.map(() => owner).join();
  expect(await owners()).toBe(all('second'));
  await office.writeEmployees([...ofGuests.map((row) => ({ ...row, team: 'Gone' })), ...outside], 'guests.csv');
  await office.apply({ sync: 'second' });

  // E1 is equal, and the others differ.
  const renamed = rows.map((row) => (guests.indexOf(row.id ?? '') > 0 ? { ...row, last: 'Paz' } : row));
  await office.edit({ scope: undefined });
  const held = await office.applyRows(renamed);
  expect(held.run).toMatchObject({ outcome: 'held', counts: { update: 14, held: 14, applied: 0 } });
  expect(held.findings.map(({ code }) => code)).not.toContain('handed-over');
  expect((await office.apply({ users: ['E1', 'E2'] })).run.counts).toMatchObject({ applied: 0, held: 1 });
  expect(await owners()).toBe(all('second'));
  await decide(office, 'approve', (await office.apply()).run.id, ['E2']);
  expect((await office.apply()).run.counts).toMatchObject({ applied: 1, held: 13 });
  expect(await owners()).toBe(all('second').replace('second,second', 'second,people'));
  await decide(office, 'approve', (await office.apply()).run.id);
  const { run, findings } = await office.apply();
  expect(run.counts).toMatchObject({ applied: 13, held: 0 });
  expect(findings.filter(({ code }) => code === 'handed-over')).toHaveLength(14);
  expect(await owners()).toBe(all('people'));
});

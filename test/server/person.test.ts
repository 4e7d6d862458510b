import { expect, it } from 'vitest';
import { decideRun } from '../../src/app/approve.ts';
import { findChanges } from '../../src/app/runs.ts';
import { person } from '../../src/views/people.ts';
import { employees, type Office, openOffice, type Row, usersOf } from '../support/office.ts';
import { openTestServer } from './open-test-server.ts';

interface Step {
  readonly step: string;
  readonly state: string;
  readonly summary: string;
  readonly details: readonly { readonly name: string; readonly value: string; readonly before?: string }[];
  readonly run: string | null;
}

async function stepsOf(office: Office, identification: string) {
  const server = await openTestServer(office.app);
  const { status, json } = await server.ask(`/api/syncs/people/people/${identification}`);
  expect(status).toBe(200);
  expect(person.parse(json)).toEqual(json);
  const steps: readonly Step[] = json.steps;
  const states = Object.fromEntries(steps.map(({ step, state }) => [step, state]));
  const step = (name: string) => steps.find((one) => one.step === name) as Step;
  return { json, states, step };
}

const reached = { source: 'ok', mapping: 'ok', scope: 'ok', conflicts: 'ok', difference: 'ok' };
const unsent = { batch: 'not-reached', platform: 'not-reached', 'read-back': 'not-reached' };

it('the steps of a person lead from the record to the read-back, and name the change that the run plans', async () => {
  const office = await openOffice({ sandbox: { people: usersOf(employees(3)) } });
  await office.writeEmployees(employees(3, { E2: { mail: 'ana.new@example.com' } as Row }));
  const before = await stepsOf(office, 'E2');
  expect(before.states).toEqual({ ...reached, guard: 'not-reached', ...unsent });
  expect(before.step('source').details).toContainEqual({ name: 'record', value: 'line 3' });
  expect(before.step('mapping').details).toContainEqual({
    name: 'email',
    value: 'ana.new@example.com',
    origin: 'from mail',
  });
  expect(before.step('difference').details).toEqual([
    { name: 'email', value: 'ana.new@example.com', before: 'ana2@example.com' },
  ]);

  const { run } = await office.apply();
  const [change] = await findChanges(office.app, run.id, { limit: 10 });
  expect(before.json.change).toMatchObject({ kind: 'update', hash: change?.hash });
  const after = await stepsOf(office, 'E2');
  expect(after.json.change).toBeNull();
  expect(after.states).toEqual({
    ...reached,
    guard: 'not-reached',
    batch: 'ok',
    platform: 'ok',
    'read-back': 'ok',
  });
  expect(after.step('batch').run).toBe(run.id);
});

it('a person shows the columns that the configuration reads, and every column of the record on request', async () => {
  const office = await openOffice({ sandbox: { people: usersOf(employees(1)) } });
  await office.writeEmployees(employees(1, { E1: { salary: '5000' } }));
  const server = await openTestServer(office.app);
  const columnsOf = async (query: string) => {
    const { json } = await server.ask(`/api/syncs/people/people/E1${query}`);
    return Object.keys(json.records[0].record.fields);
  };
  const read = ['id', 'first', 'last', 'mail', 'status'];
  expect(await columnsOf('')).toEqual(read);
  expect(await columnsOf('?row=true')).toEqual([...read, 'salary']);
});

it('a held change stops at the guard, with the reason and its run; a rejected one with who rejected it', async () => {
  const office = await openOffice({ sandbox: { people: usersOf(employees(20)) } });
  await office.applyRows(employees(20));
  const left = Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((i) => [`E${i}`, { status: 'left' } as Row]));
  const { run } = await office.applyRows(employees(20, left));
  expect(run.outcome).toBe('held');
  const held = await stepsOf(office, 'E3');
  expect(held.states).toEqual({ ...reached, guard: 'stopped', ...unsent });
  expect(held.step('guard')).toMatchObject({ summary: expect.stringContaining('7 disables'), run: run.id });
  await decideRun(office.app, 'reject', run.id, { by: 'ana', ids: ['E3'], reason: 'still here' });
  const rejected = await stepsOf(office, 'E3');
  expect(rejected.step('guard')).toMatchObject({
    state: 'stopped',
    summary: 'the disable was rejected by ana',
    details: [{ name: 'reason', value: 'still here' }],
  });
});

it('a person stops where the run stops: no record, out of scope, a shared e-mail, a failed file', async () => {
  const office = await openOffice({
    sandbox: { people: usersOf(employees(8)) },
    sync: { scope: "first != 'Outside'", delivery: 'csv' },
    faults: ['file:fail-if=E9'],
  });
  await office.writeEmployees([
    ...employees(9, {
      E4: { first: 'Outside' } as Row,
      E5: { mail: 'one@example.com' } as Row,
      E6: { mail: 'one@example.com' } as Row,
      E7: { first: 'Renamed' } as Row,
    }),
  ]);
  await office.applyAll();
  expect((await stepsOf(office, 'X1')).states).toMatchObject({ mapping: 'not-reached', conflicts: 'stopped' });
  expect((await stepsOf(office, 'E4')).states).toMatchObject({ scope: 'stopped', conflicts: 'not-reached' });
  const shared = await stepsOf(office, 'E5');
  expect(shared.states).toMatchObject({ scope: 'ok', conflicts: 'stopped', difference: 'not-reached' });
  expect(shared.step('conflicts').summary).toContain('e-mail');
  const failed = await stepsOf(office, 'E9');
  expect(failed.json.change.kind).toBe('create');
  expect(Object.values(failed.states).at(-1)).not.toBe('ok');
});

import { expect, it } from 'vitest';
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

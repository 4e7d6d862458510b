import { expect, it } from 'vitest';
import { employees, type Office, openOffice, usersOf } from '../../support/office.ts';
import { holdPromises } from '../../support/oracle.ts';

holdPromises();

const creates = 80;
const guards = { creates: { absolute: 1000 } };

interface Onboarding {
  /** Users who are on the platform before. */
  readonly users: number;
  readonly lookWithin: string;
  /** Happens between plan and delivery. */
  readonly meanwhile?: (office: Office) => void;
  readonly batchRows?: number;
}

/** Applies a plan of many creates, and counts the requests after the plan. */
async function onboarded({ users, lookWithin, meanwhile = () => {}, batchRows = 1000 }: Onboarding) {
  let act = (): void => {};
  const before = employees(users);
  const settle = { every: '2s', visibleWithin: '20s', lookWithin };
  const office = await openOffice({
    sandbox: { people: usersOf(before) },
    sync: { guards, settle, batchRows },
    dialect: { search: { pageSize: 10 } },
    checkpoint: (place) => {
      if (place === 'plan-stored') act();
    },
  });
  await office.applyRows(before);
  await office.writeEmployees(employees(users + creates));
  let planned = { ...office.sandbox.state.requests };
  act = () => {
    planned = { ...office.sandbox.state.requests };
    meanwhile(office);
  };
  const report = await office.apply();
  const { requests } = office.sandbox.state;
  return { office, report, searches: requests.search - planned.search, reads: requests.read - planned.read };
}

/** Pages of a scan of everybody, and what proves it complete. */
const scanOf = (users: number): number => Math.ceil(users / 10) + 2;

it('many creates in several files need no lookup after the plan, and one scan reads them all back', async () => {
  const { report, searches, reads } = await onboarded({ users: 40, lookWithin: '15m', batchRows: 20 });
  expect(report.run).toMatchObject({ outcome: 'succeeded', counts: { create: creates, applied: creates } });
  expect(report.batches.length).toBeGreaterThan(1);
  expect(searches).toBeLessThanOrEqual(scanOf(40 + creates));
  expect(reads).toBe(0);
});

it('of many creates, a user who has come onto the platform meanwhile is not created again', async () => {
  const meanwhile = ({ sandbox }: Office) => {
    sandbox.state.patchUser('E60', { enabled: true, fields: { firstName: 'By', lastName: 'Hand' } });
  };
  const { office, report } = await onboarded({ users: 40, lookWithin: '0s', meanwhile });
  expect(report.run).toMatchObject({ outcome: 'partial', counts: { applied: creates - 1, failed: 1 } });
  expect(report.findings).toContainEqual(expect.objectContaining({ code: 'lookup-disagrees', identification: 'E60' }));
  expect(office.sandbox.state.users.get('E60')?.fields.firstName).toBe('By');
});

import { describe, expect, it } from 'vitest';
import { fakeEmployees, startBamboohr } from '../fakes/hris/bamboohr.ts';
import { bobPeople, bobUser, startBob } from '../fakes/hris/hibob.ts';
import { personioClient, personioPeople, startPersonio } from '../fakes/hris/personio.ts';
import { withdraw } from '../fakes/hris/vendor-server.ts';
import { fakeWorkers, startWorkday, workdayUser } from '../fakes/hris/workday.ts';
import { bamboohrConfig, datasets } from '../sources/bamboohr/under-test.ts';
import { bobFields } from '../sources/hibob/under-test.ts';
import { reportColumns } from '../sources/workday/under-test.ts';
import { openOffice } from '../support/office.ts';
import { holdPromises } from '../support/oracle.ts';

holdPromises();

/** A real HR system over HTTP with twenty people, and what a sync needs to read it. */
interface Vendor {
  readonly source: Readonly<Record<string, unknown>>;
  readonly mapping: Readonly<Record<string, string>>;
  readonly port: number;
}

const gone = '2025-12-31';
const limits = { requestsPerSecond: 1000, deadline: '48h', timeout: '48h' };
const lifecycle = { status: 'rollcallStatus', active: ['active', 'leave'], leaver: ['terminated'] };

async function personio(): Promise<Vendor> {
  // Three have left by the date alone: their status is still ACTIVE.
  const people = personioPeople(20).map((person, index) => {
    return { ...person, status: 'ACTIVE' as const, left: index < 3 ? gone : null };
  });
  const { server } = await startPersonio(people);
  return {
    port: server.port,
    source: { kind: 'personio', api: 'v1', url: server.url, ...personioClient, limits },
    mapping: { identification: 'id', firstName: 'first_name', lastName: 'last_name', email: 'email' },
  };
}

async function hibob(): Promise<Vendor> {
  const { server, url } = await startBob(bobPeople(20));
  const login = { serviceUser: bobUser.id, token: bobUser.token };
  return {
    port: server.port,
    source: { kind: 'hibob', url, ...login, fields: bobFields, limits },
    mapping: { identification: 'id', firstName: 'root.firstName', lastName: 'root.surname', email: 'email' },
  };
}

async function bamboohr(): Promise<Vendor> {
  const fake = await startBamboohr({ people: fakeEmployees(20) });
  return {
    port: fake.port,
    source: bamboohrConfig(fake, { ...datasets, limits }),
    mapping: { identification: 'employeeNumber', firstName: 'firstName', lastName: 'lastName', email: 'email' },
  };
}

async function workday(): Promise<Vendor> {
  const workers = fakeWorkers(20, { 21003: { active: false, terminated: true, left: gone } });
  const fake = await startWorkday({ workers });
  const auth = { kind: 'basic', ...workdayUser };
  const report = { api: 'raas', url: fake.reportUrl, columns: reportColumns };
  return {
    port: fake.port,
    source: { kind: 'workday', ...report, auth, limits },
    mapping: { identification: 'Employee_ID', firstName: 'First_Name', lastName: 'Last_Name', email: 'Work_Email' },
  };
}

async function open({ source, mapping }: Vendor) {
  const office = await openOffice({ sandbox: { people: [] }, sync: { source, mapping, lifecycle } });
  const { run } = await office.apply();
  expect(run.outcome).toBe('succeeded');
  return office;
}

describe('a right to a date from which only the status is derived, withdrawn between two runs', () => {
  it.each([
    ['personio v1', personio, 'termination_date', 'termination_date'],
    ['hibob', hibob, 'terminationDate', 'internal.terminationDate'],
    ['bamboohr datasets', bamboohr, 'terminationDate', 'terminationDate'],
    ['workday raas', workday, 'Termination_Date', 'Termination_Date'],
  ])('%s: holds the run and names the field', async (_, start, wireName, path) => {
    const vendor = await start();
    const office = await open(vendor);
    const sent = office.sandbox.state.log.length;

    withdraw(vendor.port, [wireName]);
    const { run, findings } = await office.apply();

    expect(run).toMatchObject({ outcome: 'held', counts: { applied: 0 } });
    const told = findings.filter(({ code }) => code === 'field-vanished').map(({ message }) => message);
    expect(told).toEqual([
      expect.stringMatching(
        new RegExp(`^lifecycle\\.status \\(by rollcallStatus\\) reads \`${path}\`, but no record has this field`),
      ),
    ]);
    expect(office.sandbox.state.log).toHaveLength(sent);
  });

  it('enables no leaver again, although each of them looks active now', async () => {
    const vendor = await personio();
    const { source, mapping } = vendor;
    const people = personioPeople(20).map(({ id, first, last, email }) => {
      return {
        identification: id.replace('#', ''),
        enabled: true,
        fields: { firstName: first, lastName: last, email },
      };
    });
    const office = await openOffice({ sandbox: { people }, sync: { source, mapping, lifecycle } });
    expect((await office.apply()).run).toMatchObject({ outcome: 'succeeded', counts: { disable: 3 } });

    withdraw(vendor.port, ['termination_date']);
    const { run } = await office.apply();
    withdraw(vendor.port, []);

    expect(run).toMatchObject({ outcome: 'held', counts: { enable: 3, held: 3, applied: 0 } });
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
  });
});

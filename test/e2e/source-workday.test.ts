import { expect, it } from 'vitest';
import { type FakeWorkday, fakeWorkers, startWorkday, workdayUser } from '../fakes/hris/workday.ts';
import { openOffice } from '../support/office.ts';

const lifecycle = { status: 'rollcallStatus', active: ['active', 'leave', 'suspended'], leaver: ['terminated'] };
const limits = { requestsPerSecond: 1000, deadline: '48h' };
const auth = { kind: 'basic', ...workdayUser };

const apis = [
  {
    api: 'raas',
    source: ({ reportUrl: url }: FakeWorkday) => ({
      columns: [
        'WID',
        'Employee_ID',
        'First_Name',
        'Last_Name',
        'Work_Email',
        'Hire_Date',
        'Active_Status',
        'Terminated',
      ],
      url,
    }),
    mapping: {
      identification: 'Employee_ID',
      firstName: 'First_Name',
      lastName: 'Last_Name',
      email: 'Work_Email',
      orgEntryDate: 'Hire_Date',
    },
  },
  {
    api: 'soap',
    source: ({ soapUrl: url }: FakeWorkday) => ({ url, pageSize: 5 }),
    mapping: {
      identification: 'employeeId',
      firstName: 'firstName',
      lastName: 'lastName',
      email: 'workEmail',
      orgEntryDate: 'hireDate',
      area: 'organizations.COST_CENTER',
    },
  },
];

it.each(apis)('workers of Workday ($api) come, change and leave on the platform', async ({ api, source, mapping }) => {
  const workday = await startWorkday({ workers: fakeWorkers(12, { 21012: { active: false, hired: '2027-01-01' } }) });
  const sync = { source: { kind: 'workday', api, auth, limits, ...source(workday) }, mapping, lifecycle };
  const office = await openOffice({ sync });

  expect((await office.applyAll()).run).toMatchObject({ outcome: 'succeeded', counts: { create: 11, applied: 11 } });
  expect(office.sandbox.state.users.get('21003')).toMatchObject({ enabled: true, fields: { lastName: 'Müller' } });

  const [, second, third] = workday.workers;
  if (second === undefined || third === undefined) throw new Error('there are twelve workers');
  workday.workers[1] = { ...second, last: 'Schmidt' };
  workday.workers[2] = { ...third, active: false, terminated: true, left: '2026-11-20' };
  expect((await office.applyAll()).run).toMatchObject({ outcome: 'succeeded', counts: { update: 1, disable: 1 } });
  expect(office.sandbox.state.users.get('21002')).toMatchObject({ fields: { lastName: 'Schmidt' } });
  expect(office.sandbox.state.users.get('21003')).toMatchObject({ enabled: false });

  expect((await office.plan()).counts).toMatchObject({ create: 0, update: 0, disable: 0, held: 0 });
});

it.each(apis)(
  'a right that is taken away ($api) holds every change, though each worker reads as if the field were empty',
  async ({ api, source, mapping }) => {
    const workday = await startWorkday({ workers: fakeWorkers(12) });
    const sync = {
      source: { kind: 'workday', api, auth, limits, ...source(workday) },
      mapping: { ...mapping, email: { from: mapping.email, whenEmpty: 'clear' } },
      lifecycle,
    };
    const office = await openOffice({ sync });
    await office.applyAll();
    workday.workers.forEach((worker, index) => {
      workday.workers[index] = { ...worker, last: `${worker.last}-Puig`, mail: undefined };
    });

    const { run, findings } = await office.apply();

    expect(run).toMatchObject({ outcome: 'held', counts: { applied: 0 } });
    const messages = findings.map(({ message }) => message).join();
    expect(messages).toContain(`\`${mapping.email}\`, but no record has this field any longer`);
  },
);

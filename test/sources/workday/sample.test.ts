import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { ReadRequest } from '../../../src/ports/source.ts';
import { openSource } from '../../../src/sources/registry.ts';
import { readPeople } from '../../contracts/source.ts';
import { startVendor } from '../../fakes/hris/vendor-server.ts';
import { sourceBase } from '../../support/source-base.ts';

const auth = { kind: 'basic', username: 'ISU@acme', password: 'x' };
/** The clock runs a thousand times as fast as the server. */
const limits = { deadline: '48h' };

async function readSample(file: string, contentType: string, config: (url: string) => unknown, request?: ReadRequest) {
  const body = await readFile(new URL(`../../../src/sources/workday/sample/${file}`, import.meta.url), 'utf8');
  const headers = { 'content-type': contentType };
  const { url } = await startVendor({ isData: () => true, answer: () => ({ status: 200, headers, body }) });
  return readPeople(openSource(config(url), sourceBase('/')), request);
}

describe('the sample of a report', () => {
  const columns = ['WID', 'Employee_ID', 'Work_Email', 'Hire_Date', 'Termination_Date', 'Active_Status', 'Terminated'];
  const read = (more: readonly string[] = [], settings: object = {}, request?: ReadRequest) =>
    readSample(
      'report.json',
      'application/json',
      (url) => ({ kind: 'workday', api: 'raas', url, auth, columns: [...columns, ...more], limits, ...settings }),
      request,
    );

  it('is read with plain dates, all digits, null for what Workday left out, and the derived status', async () => {
    const { people, end } = await read(['On_Leave']);
    expect(people).toMatchObject([
      { Employee_ID: '021001', Termination_Date: null, On_Leave: null, rollcallStatus: 'active' },
      {
        Employee_ID: '90071992547409931234',
        Work_Email: null,
        Termination_Date: '2025-12-31',
        rollcallStatus: 'terminated',
      },
      { Employee_ID: '21003', Hire_Date: '2027-02-01', rollcallStatus: 'prehire' },
      { Employee_ID: '21004', Hire_Date: '2018-06-01', Termination_Date: null, rollcallStatus: 'leave' },
    ]);
    expect(end).toMatchObject({ complete: true, rows: 4, evidence: 'the report ended normally, after 4 rows' });
    expect(end).not.toHaveProperty('notReturned');
  });

  it('names the columns that came for nobody, and gives none that are not listed', async () => {
    const { people, end } = await read(['Cost_Centre']);
    expect(end).toMatchObject({ complete: true, notReturned: ['Cost_Centre'] });
    expect(people[0]).toMatchObject({ Cost_Centre: null });
    expect(people[0]).not.toHaveProperty('Cost_Center');
  });

  it('names them, too, where the read is not complete', async () => {
    const { end } = await read(['Cost_Centre'], { countColumn: 'Rows' });
    expect(end).toMatchObject({ complete: false, notReturned: ['Cost_Centre'] });
  });

  it('does not give a column that came for nobody as empty to whom it looks up', async () => {
    const request = { kind: 'point', field: 'Employee_ID', identifications: ['21003'] } as const;
    const { people } = await read(['Cost_Centre'], {}, request);
    expect(people).toMatchObject([{ Employee_ID: '21003', Termination_Date: null }]);
    expect(people[0]).not.toHaveProperty('Cost_Centre');
  });
});

it('the sample of Get_Workers is read as flat fields; what nobody shows is absent, what only some have is null', async () => {
  const { people, end } = await readSample('get-workers.xml', 'text/xml', (url) => ({
    kind: 'workday',
    api: 'soap',
    url: `${url}/ccx/service/acme/Human_Resources/v45.0`,
    auth,
    workers: 'employees',
  }));
  expect(people).toEqual([
    {
      wid: '3aa5550b7fe348b98d7b5741afc65534',
      employeeId: '021001',
      contingentWorkerId: null,
      workerType: 'employee',
      workerId: '021001',
      userId: 'mlindqvist',
      firstName: 'Maja',
      lastName: 'Lindqvist',
      displayName: 'Maja Lindqvist & Co',
      preferredFirstName: 'Majé',
      preferredLastName: 'Lindqvist',
      workEmail: 'maja.lindqvist@example.com',
      workPhone: '+46 (8) 123456',
      active: true,
      terminated: false,
      onLeave: false,
      hireDate: '2022-01-10',
      originalHireDate: '2021-12-31',
      positionId: 'P-77',
      positionTitle: 'Analyst',
      jobTitle: 'Financial Analyst',
      jobProfile: 'Analyst II',
      location: 'Stockholm',
      managerId: '20007',
      organizations: { COST_CENTER: 'CC-100 Finance', COMPANY: 'Acme AB' },
      rollcallStatus: 'active',
    },
    expect.objectContaining({
      workerType: 'contingent',
      contingentWorkerId: 'C-7',
      jobTitle: 'Consultant',
      rollcallStatus: 'prehire',
    }),
    {
      wid: 'w3',
      employeeId: '21003',
      contingentWorkerId: null,
      workerType: 'employee',
      workerId: '21003',
      userId: null,
      rollcallStatus: 'unknown',
    },
  ]);
  expect(people[1]).not.toHaveProperty('workEmail');
  expect(end).toHaveProperty('notReturned', ['terminationDate', 'endEmploymentDate']);
  expect(end).toMatchObject({ complete: true, evidence: 'page 1 of 1 was the last, after 3 people' });
});

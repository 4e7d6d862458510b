import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { openSource } from '../../../src/sources/registry.ts';
import { readPeople } from '../../contracts/source.ts';
import { startVendor } from '../../fakes/hris/vendor-server.ts';
import { sourceBase } from '../../support/source-base.ts';

const sample = (name: string) =>
  readFile(new URL(`../../../src/sources/bamboohr/sample/${name}.json`, import.meta.url), 'utf8');

const answers: Readonly<Record<string, string>> = {
  '/api/v1_2/datasets/employee/fields': await sample('fields'),
  '/api/v2/datasets/employee/data': await sample('dataset'),
  '/api/v1/employees': await sample('employees'),
  '/api/v1/reports/custom': await sample('report'),
};

async function readSample(api: string, fields: readonly string[]) {
  const answer = ({ url }: { readonly url: URL }) => ({ status: 200, body: answers[url.pathname] ?? '' });
  const { url } = await startVendor({ isData: () => false, answer });
  const auth = { kind: 'basic', username: 'key', password: 'x' };
  const config = { kind: 'bamboohr', company: 'acme', baseUrl: `${url}/api/`, auth, api, fields };
  return readPeople(openSource(config, sourceBase('/')));
}

it('the sample of the dataset is read, with somebody who has no number, and a date that is none', async () => {
  const { people, end } = await readSample('datasets', ['employeeNumber', 'email', 'jobInformationDepartment']);

  expect(end).toMatchObject({ complete: true, rows: 2, evidence: 'page 1 of 1, after 2 people' });
  expect(people).toMatchObject([
    { eeid: '4', employeeNumber: '1', hireDate: '2021-03-01', terminationDate: null, rollcallStatus: 'active' },
    { eeid: '115', employeeNumber: null, hireDate: null, rollcallStatus: 'unknown' },
  ]);
});

it('the sample of the list is read, and what is restricted is not there at all', async () => {
  const { people, end } = await readSample('employees', ['workEmail', 'departmentName', 'birthDate']);

  expect(end).toMatchObject({ complete: true, rows: 2, notReturned: ['birthDate'] });
  expect(people[0]).toMatchObject({ employeeId: '123', workEmail: 'ava.nguyen@example.com', rollcallStatus: 'active' });
  expect(people[1]).toMatchObject({ departmentName: null, rollcallStatus: 'prehire' });
  expect(people.map((one) => ['workEmail' in one, 'birthDate' in one, '_restrictedFields' in one])).toEqual([
    [true, false, false],
    [false, false, false],
  ]);
});

it('the sample of the report is read, and each way to write nothing is empty', async () => {
  const { people, end } = await readSample('report', ['employeeNumber', 'department', 'supervisorEId', 'badgeNumber']);

  expect(end).toMatchObject({ complete: true, rows: 3, notReturned: ['badgeNumber'] });
  expect(people).toMatchObject([
    { terminationDate: null, rollcallStatus: 'active' },
    { employeeNumber: '0017', terminationDate: '2026-06-30', rollcallStatus: 'terminated' },
    {
      department: null,
      hireDate: null,
      terminationDate: null,
      employmentHistoryStatus: null,
      rollcallStatus: 'unknown',
    },
  ]);
});

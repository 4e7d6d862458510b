import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { openSource } from '../../../src/sources/registry.ts';
import { readPeople } from '../../contracts/source.ts';
import { startVendor } from '../../fakes/hris/vendor-server.ts';
import { sourceBase } from '../../support/source-base.ts';

async function readSample(more: Readonly<Record<string, unknown>> = {}) {
  const body = await readFile(
    new URL('../../../src/sources/successfactors/sample/per-person.json', import.meta.url),
    'utf8',
  );
  const { url } = await startVendor({ isData: () => true, answer: () => ({ status: 200, body }) });
  const auth = { kind: 'basic', user: 'api', password: 'x' };
  const config = { kind: 'successfactors', url, companyId: 'acmeT1', auth, ...more };
  return readPeople(openSource(config, sourceBase('/')));
}

it('a person with an ended assignment abroad stands for the employment at home, and is no leaver', async () => {
  const { people, end } = await readSample();
  expect(end).toMatchObject({ complete: true, rows: 3, evidence: 'the last page has no __next, after 3 people' });
  expect(people[0]).toEqual({
    personIdExternal: '0108733',
    userId: '103255',
    username: 'pholm',
    displayName: 'Pat Holm',
    firstName: 'Patrik',
    lastName: 'Holm',
    preferredName: 'Pat',
    workEmail: 'pat.holm@example.com',
    phone: '+1 555 555-3222',
    jobTitle: 'Engineer',
    jobCode: 'J1',
    department: 'Engineering',
    location: '1710-2001',
    company: '1710',
    costCenter: '17101101',
    managerId: '82094',
    emplStatus: 'A',
    isContingentWorker: false,
    assignmentClass: 'ST',
    hireDate: '2016-04-14',
    originalHireDate: '2016-04-14',
    endDate: null,
    activeEmploymentsCount: '1',
    latestTerminationDate: '2024-12-31',
    jobInfo: expect.objectContaining({ customString5: 'x', emplStatus: '4606', endDate: null }),
    employment: expect.objectContaining({ userId: '103255' }),
    rollcallStatus: 'active',
  });
});

it('what was not expanded or has not begun is absent, and no e-mail at all is empty', async () => {
  const { people } = await readSample();
  expect(people[1]).toMatchObject({ workEmail: null, hireDate: '2027-01-01', rollcallStatus: 'prehire' });
  for (const name of ['firstName', 'phone', 'jobTitle', 'managerId', 'activeEmploymentsCount']) {
    expect(people[1]).not.toHaveProperty(name);
  }
});

it('nobody employed any more is a leaver; NO_MANAGER is nobody; without types the primary e-mail counts', async () => {
  const { people } = await readSample();
  expect(people[2]).toMatchObject({
    managerId: null,
    workEmail: 'lu.chen@example.com',
    rollcallStatus: 'terminated',
  });
  // An id of the picklist without its code says nothing.
  expect(people[2]).not.toHaveProperty('emplStatus');
});

it('ids of the picklist become codes by the configuration', async () => {
  const { people } = await readSample({ statusCodes: { '4610': 'T' } });
  expect(people.map(({ emplStatus }) => emplStatus)).toEqual(['A', undefined, 'T']);
});

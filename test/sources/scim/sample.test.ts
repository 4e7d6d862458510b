import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { openSource } from '../../../src/sources/registry.ts';
import { readWhole } from '../../contracts/source.ts';
import { startVendor } from '../../fakes/hris/vendor-server.ts';
import { sourceBase } from '../../support/source-base.ts';

const sample = await readFile(new URL('../../../src/sources/scim/sample/users.json', import.meta.url), 'utf8');
const attributes = ['externalId', 'name.givenName', 'emails', 'title', 'enterprise.department'];

it('the sample is read with short names, addresses and statuses as the page of the docs says', async () => {
  const server = await startVendor({
    isData: () => false,
    answer: ({ url }) => ({ status: url.pathname === '/Users' ? 200 : 404, body: sample }),
  });
  const config = { kind: 'scim', baseUrl: server.url, auth: { kind: 'none' }, attributes, total: 'exact' };

  const { pages, end } = await readWhole(openSource(config, sourceBase('/')));

  expect(end).toMatchObject({ complete: true, rows: 4, evidence: 'totalResults of 4 is reached, after 4 people' });
  const people = pages.flatMap(({ records }) => records.map(({ fields }) => fields));
  expect(people[0]).toMatchObject({
    title: 'Guide',
    enterprise: { department: 'Tours', manager: { value: '26118915' } },
    workEmail: 'Ana.Diaz@example.com',
    rollcallStatus: 'active',
  });
  expect(people[1]).toMatchObject({ externalId: '90071992547409931', title: null, enterprise: { department: null } });
  expect(people.map(({ workEmail }) => workEmail)).toEqual([
    'Ana.Diaz@example.com',
    'sam.park@example.com',
    'mia.berg@example.com',
    null,
  ]);
  expect(people.map(({ rollcallStatus }) => rollcallStatus)).toEqual(['active', 'active', 'terminated', 'active']);
});

import { describe, expect, it } from 'vitest';
import type { ReadRequest } from '../../../src/ports/source.ts';
import { openSource, parseSource } from '../../../src/sources/registry.ts';
import { readPeople, readWhole } from '../../contracts/source.ts';
import { type FakeBamboohr, type FakeEmployee, fakeEmployees, startBamboohr } from '../../fakes/hris/bamboohr.ts';
import { jsonReply } from '../../fakes/hris/json-reply.ts';
import { startVendor } from '../../fakes/hris/vendor-server.ts';
import { sourceBase } from '../../support/source-base.ts';
import { bamboohrConfig, datasets, employees, report } from './under-test.ts';

type Settings = Readonly<Record<string, unknown>>;

async function readFrom(fake: FakeBamboohr, settings: Settings, request: ReadRequest = { kind: 'full' }) {
  return readPeople(openSource(bamboohrConfig(fake, settings), sourceBase('/')), request);
}

async function serve(count: number, patch: Readonly<Record<number, Partial<FakeEmployee>>> = {}) {
  return startBamboohr({ people: fakeEmployees(count).map((one, index) => ({ ...one, ...patch[index] })) });
}

const asked = ({ requests }: FakeBamboohr, path: RegExp) => requests.filter(({ url }) => path.test(url.pathname));

describe('datasets', () => {
  it('asks for the fields that there are, in the order of the key, and names those that there are not', async () => {
    const fake = await serve(3);

    const { end, people } = await readFrom(fake, { ...datasets, fields: [...datasets.fields, 'badge'] });

    expect(end).toMatchObject({ complete: true, notReturned: ['badge'] });
    expect(people[0]).not.toHaveProperty('badge');
    const [request] = asked(fake, /data$/);
    const { fields, orderBy } = JSON.parse(request?.body ?? '{}');
    expect(orderBy).toBe('eeid asc');
    expect(fields).toEqual(['eeid', ...datasets.fields, 'status', 'employmentStatus', 'hireDate', 'terminationDate']);
  });

  it('a filter that is refused is told with what to do', async () => {
    const fake = await startBamboohr({ people: fakeEmployees(3), refuses: 'filter' });

    await expect(readFrom(fake, datasets, { kind: 'delta', since: '2026-11-21T09:00:00Z' })).rejects.toMatchObject({
      retry: 'never',
      message: expect.stringContaining('remove `deltas` from the sync'),
    });
    await expect(readFrom(fake, datasets)).resolves.toMatchObject({ end: { complete: true } });
  });

  it('a field that is taken away is not asked for any more, and clears nothing', async () => {
    const fake = await serve(3);
    fake.hide('email', 'status');

    const { end, people } = await readFrom(fake, datasets);

    expect(end).toMatchObject({ complete: true, notReturned: ['email', 'status'] });
    expect(people.filter((one) => 'email' in one || 'rollcallStatus' in one)).toEqual([]);
  });

  it('a key that is not there is refused with the names that look like one', async () => {
    const fake = await serve(3);

    await expect(readFrom(fake, { ...datasets, key: 'id' })).rejects.toMatchObject({
      code: 'SOURCE_UNAVAILABLE',
      retry: 'never',
      message: expect.stringMatching(/no field id, .*eeid, employeeNumber, supervisorEid\.$/),
    });
  });

  it('a key that somebody does not have proves no absence', async () => {
    const fake = await serve(3, { 1: { number: null } });

    const { end, people } = await readFrom(fake, { ...datasets, key: 'employeeNumber' });

    expect(people).toHaveLength(3);
    expect(end).toMatchObject({ complete: true, doubts: ['1 record has no employeeNumber'] });
  });

  it('a delta without lastChanged says why it cannot be', async () => {
    const fake = await serve(3);
    fake.hide('lastChanged');

    const reading = readFrom(fake, datasets, { kind: 'delta', since: '2026-11-21T09:00:00Z' });

    await expect(reading).rejects.toMatchObject({ retry: 'never', message: expect.stringContaining('lastChanged') });
  });
});

describe('employees', () => {
  it('asks for what does not come anyway, and never filters or sorts when everybody is meant', async () => {
    const fake = await serve(3);

    await readFrom(fake, { ...employees, fields: [...employees.fields, 'reportsToId'] });

    const [request] = asked(fake, /employees$/);
    expect(Object.fromEntries(request?.url.searchParams ?? [])).toEqual({
      'page[limit]': '1000',
      fields: 'workEmail,departmentName,reportsToId,employmentStatusName,hireDate',
    });
  });

  it('a restricted value of one person is not visible, and an unknown field comes for nobody', async () => {
    const fake = await serve(3, { 1: { restricted: ['workEmail'] } });

    const { end, people } = await readFrom(fake, { ...employees, fields: [...employees.fields, 'employeeNumber'] });

    expect(people.map((one) => one.workEmail)).toEqual(['ana1@example.com', undefined, 'ana3@example.com']);
    expect(people.map((one) => 'workEmail' in one)).toEqual([true, false, true]);
    expect(end).toMatchObject({ complete: true, notReturned: ['employeeNumber'] });
  });

  it.each([
    ['neither a cursor nor a total', { page: {} }],
    ['a cursor that is none', { page: { nextCursor: { after: '1' } }, total: 1 }],
  ])('an answer with %s is no last page', async (_, meta) => {
    const server = await startVendor({
      isData: () => true,
      answer: () => jsonReply({ data: [{ employeeId: '1' }], meta }),
    });
    const config = bamboohrConfig(await serve(1), { ...employees, baseUrl: server.url });

    await expect(readWhole(openSource(config, sourceBase('/')))).rejects.toMatchObject({
      code: 'SOURCE_UNAVAILABLE',
      retry: 'backoff',
    });
  });

  it('nobody changed, written as an empty list, is an empty delta', async () => {
    const fake = await serve(3);

    const { end, people } = await readFrom(fake, employees, { kind: 'delta', since: '2026-11-21T09:00:00Z' });

    expect(people).toEqual([]);
    expect(end).toMatchObject({ complete: true, rows: 0 });
    expect(asked(fake, /changed$/)[0]?.url.search).toBe('?since=2026-11-21T08%3A55%3A00%2B00%3A00');
  });

  it('many who changed are asked for a hundred at a time, deleted ones not at all', async () => {
    const fake = await serve(350);

    const { end, people } = await readFrom(fake, employees, { kind: 'delta', since: '2026-01-01T00:00:00Z' });

    expect(people).toHaveLength(350);
    expect(end).toMatchObject({ complete: true, evidence: 'all ids were requested, after 350 people' });
    expect(asked(fake, /employees$/).map(({ url }) => url.searchParams.get('filter[ids]')?.split(',').length)).toEqual([
      100, 100, 100, 50,
    ]);
    expect(asked(fake, /employees$/).at(-1)?.url.search).not.toContain('999999');
  });

  it.each<[string, readonly string[], readonly string[], number]>([
    ['employeeId', ['7', ' 9 ', 'nobody', '4711'], ['7', '9'], 1],
    ['workEmail', ['ANA7@example.com'], ['7'], 1],
  ])('looks people up by %s', async (field, identifications, ids, requests) => {
    const fake = await serve(20);

    const { end, people } = await readFrom(fake, employees, { kind: 'point', field, identifications });

    expect(people.map(({ employeeId }) => employeeId)).toEqual(ids);
    expect(end.complete).toBe(true);
    expect(asked(fake, /employees$/)).toHaveLength(requests);
    expect(asked(fake, /employees$/)[0]?.url.searchParams.get('filter[ids]')).toBe(
      field === 'employeeId' ? '7,9,4711' : null,
    );
  });
});

describe('report', () => {
  it('shows people who have not begun with their department, and the manager by id', async () => {
    const manager = { id: '1', number: '70000' };
    const fake = await serve(3, { 2: { hired: '2027-01-04', status: 'Inactive', department: 'Sales', manager } });

    const { people } = await readFrom(fake, { ...report, fields: [...report.fields, 'supervisorEId', 'supervisorId'] });

    expect(people[2]).toMatchObject({ department: 'Sales', supervisorEId: '1', supervisorId: '70000' });
    expect(people[2]).toMatchObject({ hireDate: '2027-01-04', rollcallStatus: 'prehire' });
  });

  it('fields that are not shown are named, and clear nothing', async () => {
    const fake = await serve(3);
    fake.hide('workEmail');

    const { end, people } = await readFrom(fake, { ...report, fields: [...report.fields, 'customShirt'] });

    expect(end).toMatchObject({ complete: true, notReturned: ['workEmail', 'customShirt'] });
    expect(people.filter((one) => 'workEmail' in one)).toEqual([]);
  });
});

describe('settings', () => {
  const base = { kind: 'bamboohr', company: 'acme', auth: { kind: 'none' }, fields: ['firstName'] };

  it.each<[string, Settings, readonly (string | number)[]]>([
    ['an address instead of the company', { company: 'https://acme.bamboohr.com' }, ['company']],
    ['pages larger than datasets give', { pageSize: 2000 }, ['pageSize']],
    ['no fields', { fields: [] }, ['fields']],
    ['a meaning that there is not', { status: { map: { Away: 'active' } } }, ['status', 'map', 'Away']],
    ['a misspelt key', { apis: 'report' }, ['apis']],
  ])('refuses %s', (_, settings, path) => {
    const parsed = parseSource({ ...base, ...settings });
    expect(parsed.ok ? [] : parsed.problems.map((problem) => problem.path)).toEqual([path]);
  });
});

describe('refusals', () => {
  it('are told by their code, and not by the detail, which may quote people', async () => {
    const body = JSON.stringify({ title: 'Unprocessable', status: 422, code: 'DATASET_NOT_FOUND', detail: 'Ana Díaz' });
    const { url: baseUrl } = await startVendor({ isData: () => false, answer: () => ({ status: 422, body }) });
    const auth = { kind: 'basic', username: 'key', password: 'x' };
    const source = openSource({ kind: 'bamboohr', company: 'acme', baseUrl, auth, ...datasets }, sourceBase('/'));

    const failed = await readWhole(source).catch((error: unknown) => error);

    expect(failed).toMatchObject({ code: 'SOURCE_UNAVAILABLE', retry: 'never' });
    expect(String(failed)).toContain(
      'GET /api/v1_2/datasets/employee/fields was answered 422 (DATASET_NOT_FOUND). Check `fields` and `key`',
    );
    expect(String(failed)).not.toContain('Ana');
  });

  it('of a wrong key, or of what may not be seen, are not tried again', async () => {
    const fake = await serve(3);
    const auth = { kind: 'basic', username: 'wrong', password: 'x' };

    await expect(readFrom(fake, { ...employees, auth })).rejects.toMatchObject({ retry: 'never' });
    await expect(readFrom(fake, { ...employees, baseUrl: `${fake.baseUrl}/elsewhere` })).rejects.toThrow(
      /^GET \/api\/v1\/employees was answered 404\. Check `company`/,
    );
    expect(fake.requests).toHaveLength(2);
  });
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { CheckLine } from '../../src/app/app-io.ts';
import { checkAll } from '../../src/app/connections.ts';
import { sourceKinds } from '../../src/sources/registry.ts';
import { bamboohrKey, fakeEmployees, startBamboohr } from '../fakes/hris/bamboohr.ts';
import { deelPeople, startDeel } from '../fakes/hris/deel.ts';
import { factorialEmployees, startFactorial } from '../fakes/hris/factorial.ts';
import { bobPeople, bobUser, startBob } from '../fakes/hris/hibob.ts';
import { humaansPeople, startHumaans } from '../fakes/hris/humaans.ts';
import { mergeEmployees, startMerge } from '../fakes/hris/merge.ts';
import { personioClient, personioPeople, startPersonio } from '../fakes/hris/personio.ts';
import { ripplingWorkers, startRippling } from '../fakes/hris/rippling.ts';
import { fakeUsers, startScim } from '../fakes/hris/scim.ts';
import { basicUser, companyId, fakePeople, startSuccessFactors } from '../fakes/hris/successfactors.ts';
import { startUkg, ukgEmployments } from '../fakes/hris/ukg.ts';
import { startVendor } from '../fakes/hris/vendor-server.ts';
import { fakeWorkers, startWorkday, workdayUser } from '../fakes/hris/workday.ts';
import { bobFields } from '../sources/hibob/under-test.ts';
import { scimConfig } from '../sources/scim/under-test.ts';
import { reportColumns } from '../sources/workday/under-test.ts';
import { drawFrom } from '../support/drawn.ts';
import { openOffice } from '../support/office.ts';

type Settings = Readonly<Record<string, unknown>>;

/** A vendor's fake, as the configuration names it. */
interface Vendor {
  readonly name: string;
  /** What `init --source` calls it. */
  readonly starter: string;
  /** People's names: a source field that each record has. */
  readonly mapped: string;
  readonly key: string;
  readonly records: number;
  start(people: number): Promise<Settings>;
  /** Credentials that the fake does not take. */
  readonly wrong: Settings;
}

const personio = (api: 'v1' | 'v2', starter: string, records: number): Vendor => ({
  ...{ name: `personio (${api})`, starter, mapped: 'first_name', key: 'id', records },
  start: async (people) => {
    const { server } = await startPersonio(personioPeople(people));
    return { kind: 'personio', api, url: server.url, ...personioClient };
  },
  wrong: { clientSecret: 'another' },
});

const vendors: readonly Vendor[] = [
  {
    ...{ name: 'hibob', starter: 'hibob', mapped: 'root.firstName', key: 'root.id', records: 500 },
    start: async (people) => {
      const { url } = await startBob(bobPeople(people));
      return { kind: 'hibob', url, serviceUser: bobUser.id, token: bobUser.token, fields: bobFields };
    },
    wrong: { token: 'another' },
  },
  personio('v1', 'personio-v1', 100),
  personio('v2', 'personio', 50),
  {
    ...{ name: 'bamboohr', starter: 'bamboohr', mapped: 'firstName', key: 'employeeNumber', records: 500 },
    start: async (people) => {
      const { baseUrl } = await startBamboohr({ people: fakeEmployees(people) });
      const auth = { kind: 'basic', username: bamboohrKey, password: 'x' };
      const fields = ['employeeNumber', 'firstName', 'lastName'];
      return { kind: 'bamboohr', company: 'acme', baseUrl, api: 'datasets', auth, fields, pageSize: 500 };
    },
    wrong: { auth: { kind: 'basic', username: 'another', password: 'x' } },
  },
  {
    ...{ name: 'rest (preset rippling)', starter: 'rippling', mapped: 'work_email', key: 'id', records: 100 },
    start: async (people) => {
      const { server } = await startRippling(ripplingWorkers(people));
      return { kind: 'rest', preset: 'rippling', baseUrl: server.url, auth: { kind: 'bearer', token: 'r1ppling' } };
    },
    wrong: { auth: { kind: 'bearer', token: 'another' } },
  },
  {
    ...{ name: 'workday (raas)', starter: 'workday', mapped: 'First_Name', key: 'Employee_ID', records: 500 },
    start: async (people) => {
      const { reportUrl: url } = await startWorkday({ workers: fakeWorkers(people) });
      return { kind: 'workday', api: 'raas', url, auth: { kind: 'basic', ...workdayUser }, columns: reportColumns };
    },
    wrong: { auth: { kind: 'basic', username: workdayUser.username, password: 'another' } },
  },
  {
    ...{
      name: 'successfactors',
      starter: 'successfactors',
      mapped: 'firstName',
      key: 'personIdExternal',
      records: 500,
    },
    start: async (people) => {
      const { url } = await startSuccessFactors({ people: fakePeople(people) });
      const auth = { kind: 'basic', user: basicUser.user, password: basicUser.password };
      return { kind: 'successfactors', url, companyId, auth, entity: 'PerPerson', pageSize: 500 };
    },
    wrong: { auth: { kind: 'basic', user: basicUser.user, password: 'another' } },
  },
];

/** Of a server that was closed just now. */
async function closedAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

async function openOtherService(): Promise<string> {
  const { url } = await startVendor({ isData: () => false, answer: () => ({ status: 404, body: 'nothing here' }) });
  return url;
}

const names = { firstName: { value: 'Ana' }, lastName: { value: 'Díaz' }, email: { value: 'ana@example.com' } };

async function check(
  { mapped, key }: Pick<Vendor, 'mapped' | 'key'>,
  source: Settings,
  sections: Settings = {},
): Promise<CheckLine> {
  const office = await openOffice({
    sync: {
      source: { ...source, limits: { requestsPerSecond: 1000, timeout: '24h', deadline: '48h' } },
      // Only a field that takes any text: what looks like another column is judged elsewhere.
      mapping: { identification: key, ...names, area: mapped },
      lifecycle: { status: 'rollcallStatus', active: ['active'], leaver: ['terminated'] },
      ...sections,
    },
  });
  const lines: CheckLine[] = [];
  for await (const line of checkAll(office.app, undefined, AbortSignal.timeout(200_000))) lines.push(line);
  const [found] = lines.filter(({ subject }) => subject === 'sync people');
  if (found === undefined) throw new Error('the source was not looked at');
  return found;
}

describe.each(drawFrom(vendors, 2))('check of a source of $name', (vendor) => {
  it('says that it gets in, after the first page and no more', async () => {
    const line = await check(vendor, await vendor.start(1_200));

    expect(line).toEqual({
      subject: 'sync people',
      state: 'ok',
      message: expect.stringContaining(
        `access works; the first page has ${vendor.records} records, and every mapped field`,
      ),
    });
  });

  it('fails with wrong credentials', async () => {
    const line = await check(vendor, { ...(await vendor.start(20)), ...vendor.wrong });

    expect(line).toMatchObject({ state: 'failed', message: expect.stringMatching(/40[13]|refused|credential/) });
    expect(line.message).not.toMatch(/another|access works/);
  });

  it.each([
    ['nobody answers', closedAddress, /ECONNREFUSED/],
    ['there is another service', openOtherService, /404|no JSON|400/],
  ])('fails with an address where %s', async (_, open, message) => {
    const source = await vendor.start(20);
    const key = 'url' in source ? 'url' : 'baseUrl';
    const { pathname } = new URL(String(source[key]));
    const address = `${await open()}${pathname === '/' ? '' : pathname}`;

    const line = await check(vendor, { ...source, [key]: address });

    expect(line).toMatchObject({ state: 'failed', message: expect.stringMatching(message) });
  });

  it('fails where the source has no employees', async () => {
    const line = await check(vendor, await vendor.start(0));

    expect(line).toMatchObject({ state: 'failed', message: expect.stringMatching(/the read is empty|no .*employees/) });
  });

  it('warns of a mapped field that the first page does not show', async () => {
    const misspelt: Vendor = { ...vendor, mapped: `${vendor.mapped}s` };

    const line = await check(misspelt, await vendor.start(20));

    expect(line.state).toBe(vendor.name === 'workday (raas)' ? 'failed' : 'warning');
    expect(line.message).toContain(misspelt.mapped);
  });
});

/** Keys of which only the fake knows the value. */
const places = [
  ...['url', 'baseUrl', 'auth', 'serviceUser', 'token', 'clientId', 'clientSecret', 'companyId', 'company', 'headers'],
];

const basicWorkday = { kind: 'basic', ...workdayUser };

/** A fake for every starter of a named HR system: `rest`, `csv` and `sql` are the customer's own. */
const starterFakes: Readonly<Record<string, (people: number) => Promise<Settings>>> = {
  ...Object.fromEntries(vendors.map(({ starter, start }) => [starter, start])),
  'bamboohr-report': async (count) => {
    const { baseUrl } = await startBamboohr({ people: fakeEmployees(count) });
    return { baseUrl, auth: { kind: 'basic', username: bamboohrKey, password: 'x' } };
  },
  'workday-soap': async (count) => {
    // Somebody has left: nobody's last day is not shown.
    const [first, ...others] = fakeWorkers(count);
    const left = first === undefined ? [] : [{ ...first, active: false, terminated: true, left: '2025-12-31' }];
    const { soapUrl: url } = await startWorkday({ workers: [...left, ...others] });
    return { url, auth: basicWorkday };
  },
  scim: async (count) => {
    const { baseUrl, auth } = scimConfig(await startScim({ users: fakeUsers(count) }));
    return { baseUrl, auth };
  },
  merge: async (count) => {
    const { server } = await startMerge(mergeEmployees(count));
    const headers = { 'X-Account-Token': 'acc0unt' };
    return { baseUrl: server.url, auth: { kind: 'bearer', token: 'm3rge' }, headers };
  },
  deel: async (count) => {
    const { server } = await startDeel(deelPeople(count));
    return { baseUrl: server.url, auth: { kind: 'bearer', token: 'd33l' } };
  },
  factorial: async (count) => {
    const { server } = await startFactorial(factorialEmployees(count));
    return { baseUrl: server.url, auth: { kind: 'headers', headers: { 'x-api-key': 'f4ctorial' } } };
  },
  humaans: async (count) => {
    const { server } = await startHumaans(humaansPeople(count));
    return { baseUrl: server.url, auth: { kind: 'bearer', token: 'hum44ns' } };
  },
  ukg: async (count) => {
    const { server } = await startUkg(ukgEmployments(count));
    const headers = { 'us-customer-api-key': 'cust0mer' };
    return { baseUrl: server.url, auth: { kind: 'basic', username: 'svc', password: 'p4ss' }, headers };
  },
};

const starters = sourceKinds.flatMap(({ starters: all }) => all);

it('every starter of a named HR system has its fake here', () => {
  const named = starters.map(({ name }) => name).filter((name) => !['rest', 'csv', 'sql'].includes(name));

  expect(Object.keys(starterFakes).sort()).toEqual(named.sort());
});

it.each(Object.keys(starterFakes))('what `init --source %s` writes passes, and maps what is there', async (name) => {
  const starter = starters.find((one) => one.name === name);
  const { source } = parse(starter?.source ?? '') as { readonly source: Settings };
  const told = (await starterFakes[name]?.(20)) ?? {};
  const own = Object.fromEntries(Object.entries(told).filter(([key]) => !(key in source) || places.includes(key)));

  const line = await check({ key: '', mapped: '' }, { ...source, ...own }, parse(starter?.mapping ?? '') as Settings);

  expect(line).toMatchObject({ state: 'ok', message: expect.stringContaining('every mapped field is present') });
});

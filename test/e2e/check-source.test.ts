import { expect, it } from 'vitest';
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
import { fakeWorkers, startWorkday, workdayUser } from '../fakes/hris/workday.ts';
import { scimConfig } from '../sources/scim/under-test.ts';
import { openOffice } from '../support/office.ts';

type Settings = Readonly<Record<string, unknown>>;

async function check(source: Settings, sections: Settings): Promise<CheckLine> {
  const limits = { requestsPerSecond: 1000, timeout: '24h', deadline: '48h' };
  const office = await openOffice({ sync: { source: { ...source, limits }, ...sections } });
  const lines: CheckLine[] = [];
  for await (const line of checkAll(office.app, undefined, AbortSignal.timeout(200_000))) lines.push(line);
  const [found] = lines.filter(({ subject }) => subject === 'sync people');
  if (found === undefined) throw new Error('the source was not looked at');
  return found;
}

const startPersonioFake = async (count: number): Promise<Settings> => {
  const { server } = await startPersonio(personioPeople(count));
  return { url: server.url, ...personioClient };
};

/** Keys of which only the fake knows the value. */
const places = [
  ...['url', 'baseUrl', 'auth', 'serviceUser', 'token', 'clientId', 'clientSecret', 'companyId', 'company', 'headers'],
];

const basicWorkday = { kind: 'basic', ...workdayUser };

/** A fake for every starter of a named HR system: `rest`, `csv` and `sql` are the customer's own. */
const starterFakes: Readonly<Record<string, (people: number) => Promise<Settings>>> = {
  hibob: async (count) => {
    const { url } = await startBob(bobPeople(count));
    return { url, serviceUser: bobUser.id, token: bobUser.token };
  },
  personio: startPersonioFake,
  'personio-v1': startPersonioFake,
  bamboohr: async (count) => {
    const { baseUrl } = await startBamboohr({ people: fakeEmployees(count) });
    return { baseUrl, auth: { kind: 'basic', username: bamboohrKey, password: 'x' } };
  },
  rippling: async (count) => {
    const { server } = await startRippling(ripplingWorkers(count));
    return { baseUrl: server.url, auth: { kind: 'bearer', token: 'r1ppling' } };
  },
  workday: async (count) => {
    const { reportUrl: url } = await startWorkday({ workers: fakeWorkers(count) });
    return { url, auth: basicWorkday };
  },
  successfactors: async (count) => {
    const { url } = await startSuccessFactors({ people: fakePeople(count) });
    return { url, companyId, auth: { kind: 'basic', user: basicUser.user, password: basicUser.password } };
  },
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

  const line = await check({ ...source, ...own }, parse(starter?.mapping ?? '') as Settings);

  expect(line).toMatchObject({ state: 'ok', message: expect.stringContaining('every mapped field is present') });
});

import { pagesOf, type SourceCase, type SourceUnderTest } from '../../contracts/source.ts';
import type { FaultName } from '../../contracts/source-faults.ts';
import { deelPeople, startDeel } from '../../fakes/hris/deel.ts';
import { factorialEmployees, startFactorial } from '../../fakes/hris/factorial.ts';
import { humaansPeople, startHumaans } from '../../fakes/hris/humaans.ts';
import { mergeEmployees, startMerge } from '../../fakes/hris/merge.ts';
import { ripplingWorkers, startRippling } from '../../fakes/hris/rippling.ts';
import { startUkg, ukgEmployments } from '../../fakes/hris/ukg.ts';
import type { VendorServer } from '../../fakes/hris/vendor-server.ts';
import { changeSome, impossibleOverHttp, overHttp } from '../over-http.ts';

const key = 'an API key does not expire during a read, and cannot be renewed';
const textIds = 'ids are text';
const always = impossibleOverHttp('an answer shows one moment; see `person slipped`', { 'token ends': key });
const untold = 'the API reports no total';
const noTotal = { 'total too large': untold, 'total too small': untold, 'total nonsense': untold } as const;
const afterPerson = { 'person slipped': 'a page continues after a person, so a deletion hides no person' } as const;
const noCursor = {
  'cursor again': 'pages have numbers, so there is no cursor',
  'page emptied': 'pages have numbers, so an empty one is the end',
} as const;

/** Fields of each API from which its preset derives the status. */
const statusInputs: Readonly<Record<string, readonly string[]>> = {
  rippling: ['status'],
  merge: ['employment_status'],
  deel: ['hiring_status'],
  factorial: ['terminated_on'],
  humaans: ['employmentStartDate', 'employmentEndDate'],
  ukg: ['employeeStatusCode', 'lastHireDate'],
};

/** Fields that each preset picks from lists, and the keys of the elements that decide which one, and what of it. */
const pickInputs: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  rippling: { mobilePhone: ['type', 'value'] },
  merge: { jobTitle: ['effective_date', 'job_title'], department: ['type'] },
  deel: { workEmail: ['type', 'value'], 'contract.start_date': ['is_ended', 'start_date'] },
};

/** What is known of each preset's fake, to be read. */
interface Vendor {
  readonly server: VendorServer;
  readonly elsewhere: VendorServer;
  readonly preset: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly field: string;
  readonly identifications: readonly string[];
  readonly change?: SourceUnderTest['change'];
}

function presetCase(
  preset: string,
  impossible: Partial<Record<FaultName, string>>,
  start: (fault: FaultName | undefined, pages: ReturnType<typeof pagesOf>) => Promise<Omit<Vendor, 'preset'>>,
  more: Pick<SourceCase, 'ahead'> = {},
): SourceCase {
  return {
    name: `rest (preset ${preset})`,
    async prepare(fault, crowd) {
      const pages = pagesOf(crowd);
      const { server, elsewhere, config, field, identifications, change } = await start(fault, pages);
      const source = {
        kind: 'rest',
        preset,
        baseUrl: server.url,
        ...(preset === 'rippling' ? {} : { paging: { size: pages.pageSize } }),
        limits: { requestsPerSecond: 5, deadline: '48h', timeout: '48h' },
        ...config,
      };
      return {
        ...overHttp(source, server, elsewhere),
        field,
        identifications,
        ...(change === undefined ? {} : { change }),
      };
    },
    statusInputs: statusInputs[preset] ?? [],
    pickInputs: pickInputs[preset] ?? {},
    impossible: { ...always, ...impossible },
    ...more,
  };
}

const changedAt = '2026-11-21T11:00:00Z';

export const rippling = presetCase(
  'rippling',
  { ...noTotal, ...afterPerson, 'long ids': textIds },
  async (fault, { count, pageSize }) => {
    const { server, elsewhere, workers } = await startRippling(ripplingWorkers(count), fault, pageSize);
    const identifications = ripplingWorkers(count).map(({ work_email }) => work_email);
    const config = { auth: { kind: 'bearer', token: 'r1ppling' } };
    const change = changeSome(workers, { updated_at: changedAt }, ({ work_email }) => work_email);
    return { server, elsewhere, config, field: 'work_email', identifications, change };
  },
);

export const merge = presetCase(
  'merge',
  { ...noTotal, ...afterPerson, 'long ids': textIds },
  async (fault, { count }) => {
    const { server, elsewhere, employees } = await startMerge(mergeEmployees(count), fault);
    const identifications = mergeEmployees(count).map(({ id }) => id);
    const config = { auth: { kind: 'bearer', token: 'm3rge' }, headers: { 'X-Account-Token': 'acc0unt' } };
    const change = changeSome(employees, { modified_at: changedAt }, ({ id }) => id);
    return { server, elsewhere, config, field: 'id', identifications, change };
  },
);

export const deel = presetCase('deel', { ...noCursor, 'long ids': textIds }, async (fault, { count }) => {
  const fake = await startDeel(deelPeople(count), fault);
  const identifications = deelPeople(count).map(({ id }) => id);
  return { ...fake, config: { auth: { kind: 'bearer', token: 'd33l' } }, field: 'id', identifications };
});

export const factorial = presetCase('factorial', { ...noTotal, ...afterPerson }, async (fault, { count }) => {
  const fake = await startFactorial(factorialEmployees(count, fault), fault);
  const identifications = factorialEmployees(count, fault).map(({ id }) => id.replace('#', ''));
  const config = { auth: { kind: 'headers', headers: { 'x-api-key': 'f4ctorial' } } };
  return { ...fake, config, field: 'id', identifications };
});

export const humaans = presetCase('humaans', { ...noCursor, 'long ids': textIds }, async (fault, { count }) => {
  const fake = await startHumaans(humaansPeople(count), fault);
  const identifications = humaansPeople(count).map(({ id }) => id);
  return { ...fake, config: { auth: { kind: 'bearer', token: 'hum44ns' } }, field: 'id', identifications };
});

export const ukg = presetCase(
  'ukg',
  { ...noTotal, ...noCursor, 'long ids': textIds },
  async (fault, { count }) => {
    const fake = await startUkg(ukgEmployments(count), fault);
    const identifications = ukgEmployments(count).map(({ employeeNumber }) => employeeNumber);
    const config = {
      auth: { kind: 'basic', username: 'svc', password: 'p4ss' },
      headers: { 'us-customer-api-key': 'cust0mer' },
    };
    return { ...fake, config, field: 'employeeNumber', identifications };
  },
  { ahead: { kind: 'everybody', why: 'the second list (`join`) is read first, and held completely' } },
);

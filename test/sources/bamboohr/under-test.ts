import { onTestFinished } from 'vitest';
import { openSourceTokens } from '../../../src/main/engine.ts';
import { openSeal } from '../../../src/platform/tokens/seal.ts';
import { noMetrics } from '../../../src/ports/metrics.ts';
import type { SourceBase } from '../../../src/ports/source.ts';
import { openSource } from '../../../src/sources/registry.ts';
import { openStore } from '../../../src/store/index.ts';
import { type Crowd, pagesOf, type SourceCase, type SourceUnderTest } from '../../contracts/source.ts';
import { type FaultName, noFile, noTextRows } from '../../contracts/source-faults.ts';
import {
  bamboohrKey,
  type FakeBamboohr,
  type FakeEmployee,
  fakeEmployees,
  startBamboohr,
} from '../../fakes/hris/bamboohr.ts';
import { startVendor, withdraw } from '../../fakes/hris/vendor-server.ts';
import { FastClock } from '../../support/fast-clock.ts';
import { memoryLogger } from '../../support/memory-logger.ts';
import { watchSockets } from '../../support/open-sockets.ts';
import { sourceBase } from '../../support/source-base.ts';
import { bytesOverHttp } from '../../support/taken-bytes.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

type Settings = Readonly<Record<string, unknown>>;

/** The clock of the suite runs a thousand times as fast as the server. */
const patient = { requestsPerSecond: 1000, timeout: '24h', deadline: '48h' };

const numbered = 'pages have numbers, which do not expire and always increase';
const notFrozen = 'each page shows the moment of its request: see `person slipped`';
const asOneAnswer = 'a report is one answer, without pages or a total';

export const bamboohrDatasets: SourceCase = {
  name: 'bamboohr (datasets)',
  statusInputs: ['status', 'hireDate', 'terminationDate'],
  prepare: (fault, crowd) => prepare(fault, crowd, 'employeeNumber', datasets),
  impossible: {
    'cursor again': numbered,
    'page emptied': numbered,
    'cursor expired': numbered,
    'a pipe': noFile,
    'stray quotes': noTextRows,
    'still written': notFrozen,
  },
};

export const bamboohrEmployees: SourceCase = {
  name: 'bamboohr (employees)',
  statusInputs: ['status', 'hireDate'],
  prepare: (fault, crowd) => prepare(fault, crowd, 'employeeId', employees),
  impossible: {
    'page emptied': 'the total shows it: see `total too large`',
    'a pipe': noFile,
    'stray quotes': noTextRows,
    'still written': notFrozen,
  },
};

export const bamboohrReport: SourceCase = {
  name: 'bamboohr (report)',
  statusInputs: ['status', 'hireDate', 'terminationDate'],
  prepare: (fault, crowd) => prepare(fault, crowd, 'employeeNumber', report),
  ahead: { kind: 'buffers', why: 'the report is one answer, which is read from the socket in pieces' },
  impossible: {
    'cut body': 'a report is streamed: a cut one ends the read, and the engine reads again: see `cut for good`',
    'total too large': asOneAnswer,
    'total too small': asOneAnswer,
    'total nonsense': asOneAnswer,
    'page again': asOneAnswer,
    'cursor again': asOneAnswer,
    'page emptied': asOneAnswer,
    'person slipped': asOneAnswer,
    'cursor expired': asOneAnswer,
    'pages shrink': asOneAnswer,
    'a pipe': noFile,
    'stray quotes': noTextRows,
    'still written': asOneAnswer,
  },
};

/** The ways to read, with the fields that the fake has. */
export const datasets = {
  api: 'datasets',
  fields: ['employeeNumber', 'firstName', 'lastName', 'email', 'jobInformationDepartment', 'supervisorEid'],
};
export const employees = { api: 'employees', fields: ['firstName', 'lastName', 'workEmail', 'departmentName'] };
export const report = { api: 'report', fields: ['employeeNumber', 'firstName', 'lastName', 'workEmail', 'department'] };

async function prepare(
  fault: FaultName | undefined,
  crowd: Crowd | undefined,
  field: string,
  ways: Settings,
): Promise<SourceUnderTest> {
  const { count, pageSize } = pagesOf(crowd);
  const isReport = ways.api === 'report';
  const [settings, strikeAt] = isReport ? [ways, 1] : [{ ...ways, pageSize }, 2];
  // A report is one answer, which has to be longer than the buffers on its way.
  const people = fakeEmployees(isReport && crowd === 'many' ? 2_500 : count).map((one, index): FakeEmployee => {
    const long = `90071992547409${String(index).padStart(5, '0')}`;
    return fault === 'long ids' ? { ...one, id: long, number: long } : one;
  });
  const other = await startVendor({ isData: () => true, answer: () => ({ status: 200, body: '{"data":[]}' }) });
  const fake = await startBamboohr({ people, fault, strikeAt, otherHost: `${other.url}/api/v1/employees` });
  const auth = { kind: 'refresh-token', tokenUrl: fake.tokenUrl, clientId: 'rollcall', refreshToken: 'r0' };
  const isByToken = fault === 'token ends';
  const config = bamboohrConfig(fake, { ...settings, ...(isByToken ? { auth } : {}), limits: patient });
  const source = openSource(config, isByToken ? await baseWithTokenManager() : sourceBase('/'));
  return {
    source,
    field,
    identifications: people.map(({ id, number }) => (field === 'employeeId' ? id : (number ?? ''))),
    openResources: watchSockets(fake.port),
    bytesTaken: bytesOverHttp(fake.port),
    withdraw: (name) => withdraw(fake.port, [name]),
    change: async () => change(fake, field),
    verify() {
      if (other.requests.length > 0) throw new Error('another host was asked');
      if (fake.reused.length > 0) throw new Error('a refresh token was presented twice');
    },
  };
}

function change(
  { people }: FakeBamboohr,
  field: string,
): { readonly since: string; readonly changed: readonly string[] } {
  const changed = [5, 9, 33];
  for (const index of changed) {
    const one = people[index];
    if (one !== undefined) people[index] = { ...one, last: 'Schmidt', changedAt: '2026-11-21T11:00:00+00:00' };
  }
  const nameOf = (one: FakeEmployee | undefined): string => (field === 'employeeId' ? one?.id : one?.number) ?? '';
  return { since: '2026-11-21T09:00:00Z', changed: changed.map((index) => nameOf(people[index])) };
}

/** A token manager on a real store. */
async function baseWithTokenManager(): Promise<SourceBase> {
  const folder = await temporaryFolder();
  const store = await openStore('sqlite:store.db', { folder });
  onTestFinished(() => store.close());
  // Slower than the suite's clock: a token manager that seems to have stood still presents nothing.
  const clock = new FastClock(Date.UTC(2026, 10, 21, 12));
  const logger = memoryLogger();
  const seal = openSeal(Buffer.alloc(32, 7).toString('base64'));
  const parts = { store, seal, clock, logger, mayPresentSeed: true, metrics: noMetrics };
  return sourceBase(folder, { openTokens: (grant) => openSourceTokens('people', grant, parts) });
}

/** The section `source` for a fake. */
export function bamboohrConfig({ baseUrl }: FakeBamboohr, settings: Settings): Settings {
  const auth = { kind: 'basic', username: bamboohrKey, password: 'x' };
  return {
    kind: 'bamboohr',
    company: 'acme',
    baseUrl,
    auth,
    limits: { requestsPerSecond: 1000, deadline: '48h' },
    ...settings,
  };
}

import { onTestFinished } from 'vitest';
import { openSourceTokens } from '../../../src/main/engine.ts';
import { openSeal } from '../../../src/platform/tokens/seal.ts';
import { noMetrics } from '../../../src/ports/metrics.ts';
import type { SourceBase } from '../../../src/ports/source.ts';
import { openStore } from '../../../src/store/index.ts';
import { type Crowd, pagesOf, type SourceCase, type SourceUnderTest } from '../../contracts/source.ts';
import type { FaultName } from '../../contracts/source-faults.ts';
import {
  bamboohrKey,
  type FakeBamboohr,
  type FakeEmployee,
  fakeEmployees,
  startBamboohr,
} from '../../fakes/hris/bamboohr.ts';
import { longId } from '../../fakes/hris/roster.ts';
import { startVendor } from '../../fakes/hris/vendor-server.ts';
import { FastClock } from '../../support/fast-clock.ts';
import { memoryLogger } from '../../support/memory-logger.ts';
import { sourceBase } from '../../support/source-base.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { changeSome, impossibleOverHttp, overHttp, patient } from '../over-http.ts';

type Settings = Readonly<Record<string, unknown>>;

const numbered = 'pages have numbers, which do not expire and always increase';
const notFrozen = 'each page shows the moment of its request: see `person slipped`';
const asOneAnswer = 'a report is one answer, without pages or a total';

export const bamboohrDatasets: SourceCase = {
  name: 'bamboohr (datasets)',
  statusInputs: ['status', 'hireDate', 'terminationDate'],
  prepare: (fault, crowd) => prepare(fault, crowd, 'employeeNumber', datasets),
  impossible: impossibleOverHttp(notFrozen, {
    'cursor again': numbered,
    'page emptied': numbered,
    'cursor expired': numbered,
  }),
};

export const bamboohrEmployees: SourceCase = {
  name: 'bamboohr (employees)',
  statusInputs: ['status', 'hireDate'],
  prepare: (fault, crowd) => prepare(fault, crowd, 'employeeId', employees),
  impossible: impossibleOverHttp(notFrozen, {
    'page emptied': 'the total shows it: see `total too large`',
  }),
};

export const bamboohrReport: SourceCase = {
  name: 'bamboohr (report)',
  statusInputs: ['status', 'hireDate', 'terminationDate'],
  prepare: (fault, crowd) => prepare(fault, crowd, 'employeeNumber', report),
  ahead: { kind: 'buffers', why: 'the report is one answer, which is read from the socket in pieces' },
  impossible: impossibleOverHttp(asOneAnswer, {
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
  }),
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
    return fault === 'long ids' ? { ...one, id: longId(index), number: longId(index) } : one;
  });
  const other = await startVendor({ isData: () => true, answer: () => ({ status: 200, body: '{"data":[]}' }) });
  const fake = await startBamboohr({ people, fault, strikeAt, otherHost: `${other.url}/api/v1/employees` });
  const auth = { kind: 'refresh-token', tokenUrl: fake.tokenUrl, clientId: 'rollcall', refreshToken: 'r0' };
  const isByToken = fault === 'token ends';
  const config = bamboohrConfig(fake, { ...settings, ...(isByToken ? { auth } : {}), limits: patient });
  const http = overHttp(config, fake, other, isByToken ? await baseWithTokenManager() : undefined);
  const nameOf = ({ id, number }: FakeEmployee): string => (field === 'employeeId' ? id : (number ?? ''));
  return {
    ...http,
    field,
    identifications: people.map(nameOf),
    change: changeSome(fake.people, { last: 'Schmidt', changedAt: '2026-11-21T11:00:00+00:00' }, nameOf),
    verify() {
      http.verify();
      if (fake.reused.length > 0) throw new Error('a refresh token was presented twice');
    },
  };
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

import { type Crowd, pagesOf, type SourceCase, type SourceUnderTest } from '../../contracts/source.ts';
import type { FaultName } from '../../contracts/source-faults.ts';
import { longId } from '../../fakes/hris/roster.ts';
import { startVendor } from '../../fakes/hris/vendor-server.ts';
import { type FakeWorkday, type FakeWorker, fakeWorkers, startWorkday, workdayUser } from '../../fakes/hris/workday.ts';
import { changeSome, impossibleOverHttp, overHttp } from '../over-http.ts';

export const reportColumns = [
  'WID',
  'Employee_ID',
  'First_Name',
  'Last_Name',
  'Work_Email',
  'Hire_Date',
  'Termination_Date',
  'Active_Status',
  'Terminated',
  'Organizations_group',
];

const asOneAnswer = 'a report is one answer, without pages';
const asOfOneInstant = 'all pages have one As_Of_Entry_DateTime; if it does not hold, see `person slipped`';

export const workdayRaas: SourceCase = {
  name: 'workday (raas)',
  statusInputs: ['Active_Status', 'Terminated', 'Hire_Date', 'Termination_Date'],
  prepare: (fault, crowd) =>
    prepare(fault, crowd, 'Employee_ID', ({ reportUrl: url }) => {
      return { api: 'raas', url, columns: reportColumns, countColumn: 'Row_Count' };
    }),
  ahead: { kind: 'buffers', why: 'the report is one answer, which is read from the socket in pieces' },
  impossible: impossibleOverHttp(asOneAnswer, {
    'cut body': 'a report is streamed: a cut one ends the read, and the engine reads again: see `cut for good`',
    'page again': asOneAnswer,
    'cursor again': asOneAnswer,
    'page emptied': asOneAnswer,
    'person slipped': asOneAnswer,
    'cursor expired': asOneAnswer,
    'pages shrink': asOneAnswer,
  }),
};

export const workdaySoap: SourceCase = {
  name: 'workday (soap)',
  statusInputs: ['Active', 'Terminated', 'On_Leave', 'Hire_Date', 'Termination_Date'],
  prepare: (fault, crowd) =>
    prepare(fault, crowd, 'employeeId', ({ soapUrl: url }) => {
      return { api: 'soap', url, pageSize: pagesOf(crowd).pageSize };
    }),
  impossible: impossibleOverHttp(asOfOneInstant, {
    'cursor again': 'pages have numbers: see `page again`',
    'page emptied': 'pages have numbers and a total: see `total too large`',
    'cursor expired': 'pages have numbers, which do not expire',
  }),
};

async function prepare(
  fault: FaultName | undefined,
  crowd: Crowd | undefined,
  field: 'Employee_ID' | 'employeeId',
  more: (workday: FakeWorkday) => object,
): Promise<SourceUnderTest> {
  // A report is one answer, which has to be longer than the buffers on its way.
  const isReport = field === 'Employee_ID';
  const workers = fakeWorkers(isReport && crowd === 'many' ? 2_500 : pagesOf(crowd).count).map(
    (worker, index): FakeWorker => {
      if (fault === 'long ids') return { ...worker, id: longId(index) };
      return index % 10 === 0 ? { ...worker, active: false, terminated: true, left: '2025-12-31' } : worker;
    },
  );
  const other = await startVendor({ isData: () => true, answer: () => ({ status: 200, body: '{"Report_Entry":[]}' }) });
  const workday = await startWorkday({ workers, fault, strikeAt: isReport ? 1 : 2, otherHost: other.url });
  const auth =
    fault === 'token ends'
      ? { kind: 'client-credentials', tokenUrl: workday.tokenUrl, clientId: 'rollcall', clientSecret: 'secret' }
      : { kind: 'basic', ...workdayUser };
  const changed = { last: 'Schmidt', changedAt: '2026-11-21T11:00:00.000Z' };
  return {
    ...overHttp({ kind: 'workday', auth, ...more(workday) }, workday, other),
    field,
    identifications: workers.map(({ id }) => id),
    ...(isReport ? {} : { change: changeSome(workday.workers, changed, ({ id }) => id) }),
  };
}

import type { FaultName } from '../../contracts/source-faults.ts';
import { givenSize } from './roster.ts';
import { startVendor, type VendorReply, type VendorRequest, type VendorServer } from './vendor-server.ts';

/** A worker of the made-up tenant `acme`. */
export interface FakeWorker {
  readonly id: string;
  readonly wid: string;
  readonly first: string;
  readonly last: string;
  readonly mail: string | undefined;
  readonly isContingent?: boolean;
  readonly active: boolean;
  readonly terminated: boolean;
  readonly onLeave?: boolean;
  readonly hired: string;
  readonly left?: string;
  readonly changedAt: string;
}

export interface FakeWorkday extends VendorServer {
  readonly workers: FakeWorker[];
  readonly reportUrl: string;
  readonly soapUrl: string;
  readonly tokenUrl: string;
}

export const workdayUser = { username: 'ISU_Rollcall@acme', password: 'geheim & <sicher>' };

export interface FakeWorkdayOptions {
  readonly workers: readonly FakeWorker[];
  readonly fault?: FaultName | undefined;
  readonly strikeAt?: number;
  /** Largest page that Get_Workers gives. */
  readonly maxPage?: number;
  /** Host that the fault `other host` leads to. */
  readonly otherHost?: string;
}

const reportPath = '/ccx/service/customreport2/acme/ISU_Rollcall/Rollcall_Employees';
const soapPath = '/ccx/service/acme/Human_Resources/v45.0';
const tokenPath = '/ccx/oauth2/acme/token';

/** Workday as far as RaaS, Get_Workers and its token endpoint go. */
export async function startWorkday(options: FakeWorkdayOptions): Promise<FakeWorkday> {
  const { fault } = options;
  const workers = [...options.workers];
  let token = 1;
  let endedBelow = 0;
  const { strikeAt = 2 } = options;
  const server = await startVendor({
    fault,
    strikeAt,
    isData: ({ url }) => url.pathname !== tokenPath,
    answer(request, number) {
      if (request.url.pathname === tokenPath) {
        token += 1;
        return json({ access_token: `token-${token}`, token_type: 'Bearer', expires_in: 31_536_000 });
      }
      const shown = Number(/^Bearer token-(\d+)$/.exec(request.headers.authorization ?? '')?.[1] ?? Infinity);
      // All tokens given out so far end at the fault's time.
      if (fault === 'token ends' && number === strikeAt) endedBelow = Math.max(endedBelow, shown + 1);
      if (shown < endedBelow) return { status: 401, body: '' };
      if (fault === 'other host') return { status: 302, headers: { location: options.otherHost ?? '' }, body: '' };
      if (request.url.pathname === reportPath) return report(request, workers, fault);
      if (request.url.pathname === soapPath) return getWorkers(request, number, workers, options);
      return { status: 404, body: '' };
    },
  });
  return {
    ...server,
    workers,
    reportUrl: `${server.url}${reportPath}`,
    soapUrl: `${server.url}${soapPath}`,
    tokenUrl: `${server.url}${tokenPath}`,
  };
}

function json(value: unknown): VendorReply {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

/** Empty values are left out; dates carry a zone; there are no pages. */
function report(request: VendorRequest, workers: readonly FakeWorker[], fault: FaultName | undefined): VendorReply {
  const { authorization } = request.headers;
  const basic = `Basic ${Buffer.from(`${workdayUser.username}:${workdayUser.password}`).toString('base64')}`;
  if (authorization !== basic && authorization?.startsWith('Bearer token-') !== true) return { status: 401, body: '' };
  if (request.url.searchParams.get('format') !== 'json') return { status: 200, body: '<wd:Report_Data/>' };
  if (fault === 'error with 200') return json({ error: 'invalid request', message: 'validation failed' });
  const people = fault === 'empty' ? [] : [...workers];
  if (fault === 'person twice' && people[7] !== undefined) people.push(people[7]);
  const off = { 'total too large': 1, 'total too small': -1 }[fault as string] ?? 0;
  const rows = people.map((worker, index) => {
    const row: Record<string, unknown> = {
      WID: worker.wid,
      Employee_ID: worker.id,
      First_Name: worker.first,
      Last_Name: worker.last,
      ...(worker.mail === undefined ? {} : { Work_Email: worker.mail }),
      Hire_Date: `${worker.hired}-08:00`,
      ...(worker.left === undefined ? {} : { Termination_Date: `${worker.left}-08:00` }),
      Active_Status: worker.active ? '1' : '0',
      Terminated: worker.terminated ? '1' : '0',
      Row_Count: fault === 'total nonsense' ? 'many' : people.length + off,
      Organizations_group: [{ Organization: 'Finance', Type: 'Supervisory' }],
    };
    return `${index === 0 ? '' : ','}${JSON.stringify(row)}`;
  });
  const body = `{"Report_Entry":[${rows.join('')}]}`;
  // Ids may come as bare numbers, with more digits than a double holds.
  const bare = fault === 'long ids' ? body.replace(/"Employee_ID":"(\d+)"/g, '"Employee_ID":$1') : body;
  return { status: 200, headers: { 'content-type': 'application/json' }, body: bare };
}

function getWorkers(
  request: VendorRequest,
  number: number,
  workers: FakeWorker[],
  { fault, maxPage = 999 }: FakeWorkdayOptions,
): VendorReply {
  const login = `<wsse:Username>${workdayUser.username}</wsse:Username>`;
  const password = 'PasswordText">geheim &amp; &lt;sicher&gt;</wsse:Password>';
  const isKnown = request.headers.authorization?.startsWith('Bearer token-') === true;
  if (!isKnown && (!request.body.includes(login) || !request.body.includes(password))) {
    return soapFault('SOAP-ENV:Client.authenticationError', 'invalid username or password');
  }
  const said = (name: string): string | undefined =>
    new RegExp(`<bsvc:${name}>([^<]*)</bsvc:${name}>`).exec(request.body)?.[1];
  const asOf = said('As_Of_Entry_DateTime') ?? '';
  if (Number.isNaN(Date.parse(asOf))) return soapFault('SOAP-ENV:Client.validationError', 'As_Of_Entry_DateTime');
  if (fault === 'error with 200') return xml('<wd:Get_Workers_Response xmlns:wd="urn:com.workday/bsvc"/>');
  if (fault === 'person slipped' && number === 2) workers.splice(0, 1);
  const found = workers.filter((worker) => matches(worker, said, request.body));
  const asked = givenSize(Math.min(Number(said('Count') ?? 100), maxPage), fault);
  const people = fault === 'empty' ? [] : found;
  const pages = Math.ceil(people.length / asked);
  const wanted = Number(said('Page') ?? 1);
  const page = fault === 'page again' && wanted > 1 ? wanted - 1 : wanted;
  const shown = people.slice((page - 1) * asked, page * asked);
  const double = shown[3];
  if (fault === 'person twice' && page === 2 && double !== undefined) shown.push(double);
  const off = { 'total too large': 1, 'total too small': -1 }[fault as string] ?? 0;
  return xml(
    '<wd:Get_Workers_Response xmlns:wd="urn:com.workday/bsvc" wd:version="v45.0"><wd:Response_Results>' +
      `<wd:Total_Results>${fault === 'total nonsense' ? 'many' : people.length + off}</wd:Total_Results><wd:Total_Pages>${pages}</wd:Total_Pages>` +
      `<wd:Page_Results>${shown.length}</wd:Page_Results><wd:Page>${page}</wd:Page></wd:Response_Results>` +
      `<wd:Response_Data>${shown.map(workerXml).join('')}</wd:Response_Data></wd:Get_Workers_Response>`,
  );
}

function matches(worker: FakeWorker, said: (name: string) => string | undefined, body: string): boolean {
  if (said('Exclude_Employees') === 'true' && worker.isContingent !== true) return false;
  if (said('Exclude_Contingent_Workers') === 'true' && worker.isContingent === true) return false;
  const [from, through] = [said('Updated_From'), said('Updated_Through')];
  if (from !== undefined && through !== undefined && (worker.changedAt < from || worker.changedAt > through))
    return false;
  const [starts, ends] = [said('Effective_From'), said('Effective_Through')];
  if (starts !== undefined && ends !== undefined) {
    const dates = [worker.hired, worker.left ?? ''];
    return dates.some((date) => date >= starts.slice(0, 10) && date <= ends.slice(0, 10));
  }
  const ids = [...body.matchAll(/<bsvc:ID bsvc:type="(\w+)">([^<]*)<\/bsvc:ID>/g)];
  return ids.length === 0 || ids.some(([, type = '', id]) => idOf(worker, type) === id);
}

function idOf(worker: FakeWorker, type: string): string | undefined {
  if (type === 'WID') return worker.wid;
  return (type === 'Contingent_Worker_ID') === (worker.isContingent === true) ? worker.id : undefined;
}

function xml(body: string, status = 200): VendorReply {
  return {
    status,
    headers: { 'content-type': 'text/xml;charset=UTF-8' },
    body:
      '<?xml version="1.0" encoding="UTF-8"?><env:Envelope xmlns:env="http://schemas.xmlsoap.org/soap/envelope/">' +
      `<env:Body>${body}</env:Body></env:Envelope>`,
  };
}

function soapFault(code: string, text: string): VendorReply {
  const fault = `<faultcode>${code}</faultcode><faultstring>${text}</faultstring>`;
  return xml(
    `<SOAP-ENV:Fault xmlns:SOAP-ENV="http://schemas.xmlsoap.org/soap/envelope/">${fault}</SOAP-ENV:Fault>`,
    500,
  );
}

/** Booleans as 1 and true side by side, single elements without a list, dates with a zone: as Workday writes them. */
function workerXml(worker: FakeWorker): string {
  const type = worker.isContingent === true ? 'Contingent_Worker_ID' : 'Employee_ID';
  const mail = worker.mail === undefined ? '' : mailXml(worker.mail);
  const left = worker.left === undefined ? '' : `<wd:Termination_Date>${worker.left}-08:00</wd:Termination_Date>`;
  return (
    `<wd:Worker><wd:Worker_Reference wd:Descriptor="${worker.first}"><wd:ID wd:type="WID">${worker.wid}</wd:ID>` +
    `<wd:ID wd:type="${type}">${worker.id}</wd:ID></wd:Worker_Reference><wd:Worker_Data>` +
    `<wd:Worker_ID>${worker.id}</wd:Worker_ID><wd:Personal_Data><wd:Name_Data><wd:Legal_Name_Data>` +
    `<wd:Name_Detail_Data wd:Formatted_Name="${worker.first} ${worker.last}"><wd:First_Name>${worker.first}</wd:First_Name>` +
    `<wd:Last_Name>${worker.last}</wd:Last_Name></wd:Name_Detail_Data></wd:Legal_Name_Data></wd:Name_Data>` +
    `<wd:Contact_Data>${mail}</wd:Contact_Data></wd:Personal_Data><wd:Employment_Data>` +
    '<wd:Worker_Job_Data wd:Primary_Job="true"><wd:Position_Data><wd:Position_ID>P-1</wd:Position_ID>' +
    '<wd:Business_Title>Analyst</wd:Business_Title><wd:Position_Organizations_Data><wd:Position_Organization_Data>' +
    '<wd:Organization_Data><wd:Organization_Name>Finance</wd:Organization_Name><wd:Organization_Type_Reference>' +
    '<wd:ID wd:type="Organization_Type_ID">COST_CENTER</wd:ID></wd:Organization_Type_Reference></wd:Organization_Data>' +
    '</wd:Position_Organization_Data></wd:Position_Organizations_Data></wd:Position_Data></wd:Worker_Job_Data>' +
    `<wd:Worker_Status_Data><wd:Active>${worker.active ? '1' : '0'}</wd:Active><wd:Hire_Date>${worker.hired}-08:00</wd:Hire_Date>` +
    `<wd:Termination_Status_Data><wd:Terminated>${worker.terminated}</wd:Terminated>${left}</wd:Termination_Status_Data>` +
    `<wd:Leave_Status_Data><wd:On_Leave>${worker.onLeave === true ? '1' : '0'}</wd:On_Leave></wd:Leave_Status_Data>` +
    '</wd:Worker_Status_Data></wd:Employment_Data></wd:Worker_Data></wd:Worker>'
  );
}

function mailXml(mail: string): string {
  return (
    `<wd:Email_Address_Data><wd:Email_Address>${mail}</wd:Email_Address><wd:Usage_Data wd:Public="1">` +
    '<wd:Type_Data wd:Primary="1"><wd:Type_Reference><wd:ID wd:type="Communication_Usage_Type_ID">WORK</wd:ID>' +
    '</wd:Type_Reference></wd:Type_Data></wd:Usage_Data></wd:Email_Address_Data>'
  );
}

/** Made-up employees 21001, 21002, …; `patch` changes some by their id. */
export function fakeWorkers(count: number, patch: Readonly<Record<string, Partial<FakeWorker>>> = {}): FakeWorker[] {
  return Array.from({ length: count }, (_, index) => {
    const id = String(21001 + index);
    return {
      id,
      wid: `wid${id.padStart(29, '0')}`,
      first: `Ana${index + 1}`,
      last: 'Müller',
      mail: `ana${index + 1}@example.com`,
      active: true,
      terminated: false,
      hired: '2019-03-04',
      changedAt: '2026-01-01T00:00:00.000Z',
      ...patch[id],
    };
  });
}

import type { FaultName } from '../../contracts/source-faults.ts';
import { givenSize } from './roster.ts';
import { startVendor, type VendorReply, type VendorRequest, type VendorServer } from './vendor-server.ts';

export interface FakeEmployee {
  readonly id: string;
  readonly number: string | null;
  readonly first: string;
  readonly last: string;
  readonly mail: string | null;
  readonly status: 'Active' | 'Inactive';
  readonly employment: string | null;
  readonly hired: string;
  readonly left: string | null;
  readonly department: string | null;
  readonly manager?: { readonly id: string; readonly number: string };
  readonly changedAt: string;
  /** Fields of the list that this account may not see of this person. */
  readonly restricted?: readonly string[];
}

export interface FakeBamboohrOptions {
  readonly people: readonly FakeEmployee[];
  readonly fault?: FaultName | undefined;
  /** The request for people that meets a fault which passes. */
  readonly strikeAt?: number;
  /** Largest page of the list of employees. */
  readonly maxLimit?: number;
  readonly otherHost?: string;
  /** What the employee dataset does not take. */
  readonly refuses?: 'filter';
}

export interface FakeBamboohr extends VendorServer {
  readonly people: FakeEmployee[];
  readonly baseUrl: string;
  readonly tokenUrl: string;
  /** Takes the right away to see fields, by their names in each of the APIs. */
  hide(...fields: readonly string[]): void;
  /** Refresh tokens that were presented again. */
  readonly reused: readonly string[];
}

export const bamboohrKey = 'k3y-of-hr';
const basic = `Basic ${Buffer.from(`${bamboohrKey}:x`).toString('base64')}`;

/** BambooHR as far as datasets, employees, reports, changed ids and its token endpoint go. */
export async function startBamboohr(options: FakeBamboohrOptions): Promise<FakeBamboohr> {
  const { fault, strikeAt = 2 } = options;
  const people = [...options.people];
  const reused: string[] = [];
  let hidden: readonly string[] = [];
  let pair = 0;
  let endedBelow = 1;
  const server = await startVendor({
    fault,
    strikeAt,
    isData: ({ url }) => /\/(data|employees|custom)$/.test(url.pathname),
    answer(request, number) {
      const { pathname } = request.url;
      if (pathname === '/token.php') {
        const { refresh_token: presented = '' } = Object.fromEntries(new URLSearchParams(request.body));
        if (presented !== `r${pair}`) reused.push(presented);
        if (presented !== `r${pair}`) return json(400, { error: 'invalid_grant' });
        pair += 1;
        return json(200, { access_token: `a${pair}`, refresh_token: `r${pair}`, expires_in: 31_536_000 });
      }
      const { authorization = '' } = request.headers;
      const shown = Number(/^Bearer a(\d+)$/.exec(authorization)?.[1] ?? (authorization === basic ? Infinity : 0));
      if (fault === 'token ends' && number === strikeAt) endedBelow = Math.max(endedBelow, shown + 1);
      if (shown < endedBelow) return { status: 401, body: '' };
      if (request.headers.accept !== 'application/json') return { status: 404, body: '' };
      if (fault === 'other host') return { status: 302, headers: { location: options.otherHost ?? '' }, body: '' };
      if (fault === 'person slipped' && number === 2) people.splice(0, 1);
      const scene = { people: fault === 'empty' ? [] : people, hidden, number, options };
      const isData = /\/(data|employees|custom)$/.test(pathname);
      if (isData && fault === 'error with 200')
        return json(200, { error: { code: 'BadRequest', message: 'Ana Díaz' } });
      switch (`${request.method} ${pathname}`) {
        case 'GET /api/v1_2/datasets/employee/fields':
          return fieldList(request, hidden);
        case 'POST /api/v2/datasets/employee/data':
          return dataset(request, scene);
        case 'GET /api/v1/employees':
          return employees(request, scene);
        case 'GET /api/v1/employees/changed':
          return changed(request, people);
        case 'POST /api/v1/reports/custom':
          return report(request, scene);
        default:
          return { status: 404, body: '' };
      }
    },
  });
  return {
    ...server,
    people,
    reused,
    baseUrl: `${server.url}/api`,
    tokenUrl: `${server.url}/token.php`,
    hide: (...fields) => {
      hidden = fields;
    },
  };
}

interface Scene {
  readonly people: readonly FakeEmployee[];
  readonly hidden: readonly string[];
  readonly number: number;
  readonly options: FakeBamboohrOptions;
}

const datasetFields: Readonly<Record<string, (one: FakeEmployee) => string | null>> = {
  eeid: ({ id }) => id,
  employeeNumber: ({ number }) => number,
  firstName: ({ first }) => first,
  lastName: ({ last }) => last,
  email: ({ mail }) => mail,
  jobInformationDepartment: ({ department }) => department,
  status: ({ status }) => status,
  employmentStatus: ({ employment }) => employment,
  hireDate: ({ hired }) => hired,
  terminationDate: ({ left }) => left,
  supervisorEid: ({ manager }) => manager?.id ?? null,
  lastChanged: ({ changedAt }) => changedAt,
};

/** Pages beyond the last one are the last one again. */
function fieldList({ url }: VendorRequest, hidden: readonly string[]): VendorReply {
  const names = Object.keys(datasetFields).filter((name) => !hidden.includes(name));
  const size = Math.min(5, Number(url.searchParams.get('page_size') ?? 500));
  const pages = Math.ceil(names.length / size);
  const page = Math.min(pages, Number(url.searchParams.get('page') ?? 1));
  const fields = names.slice((page - 1) * size, page * size).map((name) => ({ name, label: name, parentType: null }));
  const pagination = { total_records: names.length, current_page: page, total_pages: String(pages) };
  return json(200, { name: 'employee', label: 'Employee', fields, pagination });
}

function dataset(request: VendorRequest, { people, hidden, options: { fault, refuses } }: Scene): VendorReply {
  if (request.headers['content-type'] !== 'application/json') return problem(400, 'INVALID_BODY');
  const body = JSON.parse(request.body);
  const { fields = [], page = 1, pageSize = 100, filter, orderBy } = body;
  if (pageSize > 1000) return problem(422, 'INVALID_PAGE_SIZE');
  const known = (name: string): boolean => Object.hasOwn(datasetFields, name) && !hidden.includes(name);
  if (!fields.every(known)) return problem(422, 'FIELD_NOT_FOUND');
  const sorted = String(orderBy ?? '').split(' ');
  if (orderBy !== undefined && !fields.includes(sorted[0])) return problem(400, 'UE-1001');
  const since = /^lastChanged gt '([^']+)'$/.exec(filter ?? '')?.[1];
  if (filter !== undefined && (since === undefined || refuses === 'filter')) return problem(422, 'INVALID_FILTER');
  const found = people.filter(({ changedAt }) => since === undefined || Date.parse(changedAt) > Date.parse(since));
  // Without an order there is none.
  const rows = orderBy === undefined ? [...found.slice(page * 7), ...found.slice(0, page * 7)] : found;
  const size = givenSize(pageSize, fault);
  const pages = Math.max(1, Math.ceil(rows.length / size));
  const from = ((fault === 'page again' ? 1 : page) - 1) * size;
  const shown = withDouble(rows.slice(from, from + size), fault, page > 1);
  return numbersBare(fault, {
    data: shown.map((one) => ({
      fields: Object.fromEntries(fields.map((name: string) => [name, datasetFields[name]?.(one) ?? null])),
    })),
    links: page < pages ? { next: `https://example.com/api/v2/datasets/employee/data?page=${page + 1}` } : [],
    meta: { page, pageSize: size, totalPages: pages, totalItems: toldTotal(rows.length, fault) },
  });
}

function employees({ url }: VendorRequest, { people, hidden, options }: Scene): VendorReply {
  const { fault, maxLimit = 2500 } = options;
  const ask = url.searchParams;
  const limit = givenSize(Math.min(Number(ask.get('page[limit]') ?? 250), maxLimit), fault);
  const ids = ask.get('filter[ids]')?.split(',');
  const found = ids === undefined ? people : people.filter(({ id }) => ids.includes(id));
  const after = ask.get('page[after]');
  const at = after === null ? 0 : Number(/^after-(\d+)$/.exec(Buffer.from(after, 'base64').toString())?.[1]);
  if (after !== null && (Number.isNaN(at) || fault === 'cursor expired')) {
    return json(400, { error: { code: 'BadPage', message: 'the cursor leads nowhere' } });
  }
  const from = fault === 'page again' ? 0 : at;
  const shown = withDouble(found.slice(from, from + limit), fault, at > 0);
  const isLast = at + limit >= found.length;
  const place = fault === 'cursor again' ? limit : at + limit;
  const next = isLast ? null : Buffer.from(`after-${place}`).toString('base64');
  const asked = (ask.get('fields') ?? '').split(',');
  return numbersBare(fault, {
    data: shown.map((one) => employeeOf(one, asked, hidden)),
    meta: { total: toldTotal(found.length, fault), page: { limit, nextCursor: next, prevCursor: null } },
    _links: { self: { href: 'https://api.example.com/api/v1/employees' } },
  });
}

/** Unknown names are left out without a word; what may not be seen is null, and named. */
function employeeOf(one: FakeEmployee, asked: readonly string[], hidden: readonly string[]): Record<string, unknown> {
  const optional: Record<string, unknown> = {
    workEmail: one.mail,
    hireDate: one.hired,
    departmentName: one.department,
    employmentStatusName: one.employment,
    reportsToId: one.manager?.id ?? null,
  };
  const always = { employeeId: one.id, firstName: one.first, lastName: one.last, preferredName: null, photoUrl: null };
  const all: Record<string, unknown> = { ...always, jobTitleName: 'Engineer', status: one.status };
  for (const name of asked) if (Object.hasOwn(optional, name)) all[name] = optional[name];
  const restricted = [...hidden, ...(one.restricted ?? [])].filter((name) => Object.hasOwn(all, name));
  for (const name of restricted) all[name] = null;
  return { ...all, _restrictedFields: restricted };
}

function changed({ url }: VendorRequest, people: readonly FakeEmployee[]): VendorReply {
  const since = Date.parse(url.searchParams.get('since') ?? '');
  if (Number.isNaN(since)) return { status: 400, headers: { 'x-bamboohr-error-message': 'bad since' }, body: '' };
  const ids = people.filter(({ changedAt }) => Date.parse(changedAt) > since);
  const rows = ids.map(({ id, changedAt }) => [id, { id, action: 'Updated', lastChanged: changedAt }]);
  // The record of somebody who was deleted; an empty object is written as a list.
  if (ids.length > 0)
    rows.push(['999999', { id: '999999', action: 'Deleted', lastChanged: '2026-11-21T10:00:00+00:00' }]);
  return json(200, {
    latest: '2026-11-21T11:00:00+00:00',
    employees: rows.length === 0 ? [] : Object.fromEntries(rows),
  });
}

/** One answer with everybody. Another content type is taken for XML; unknown fields are left out without a word. */
function report(request: VendorRequest, { people, hidden, options: { fault } }: Scene): VendorReply {
  if (request.headers['content-type'] !== 'application/json') return { status: 400, body: 'Malformed XML' };
  const { fields = [], filters } = JSON.parse(request.body);
  if (fields.length > 400) return { status: 400, body: '' };
  const isBlanked = request.url.searchParams.get('onlyCurrent') !== 'false';
  const since = Date.parse(filters?.lastChanged?.value ?? '1970-01-01');
  const found = people.filter(({ changedAt }) => Date.parse(changedAt) > since);
  const rows = withDouble([...found], fault, true).map((one) => {
    const all: Record<string, unknown> = {
      employeeNumber: one.number,
      firstName: one.first,
      lastName: one.last,
      workEmail: one.mail,
      department: isBlanked && one.hired > '2026-11-21' ? null : one.department,
      status: one.status,
      employmentHistoryStatus: one.employment,
      hireDate: one.hired,
      terminationDate: one.left ?? '0000-00-00',
      supervisorId: one.manager?.number ?? null,
      supervisorEId: one.manager?.id ?? null,
    };
    const shown = fields.filter((name: string) => Object.hasOwn(all, name) && !hidden.includes(name));
    return { id: one.id, ...Object.fromEntries(shown.map((name: string) => [name, all[name]])) };
  });
  return numbersBare(fault, { title: 'Rollcall', fields: [{ id: 'id', type: 'int', name: 'EEID' }], employees: rows });
}

function withDouble<T>(people: T[], fault: FaultName | undefined, isHere: boolean): T[] {
  const double = people[3];
  return fault === 'person twice' && isHere && double !== undefined ? [...people, double] : people;
}

function toldTotal(count: number, fault: FaultName | undefined): number | string {
  if (fault === 'total nonsense') return 'many';
  return count + ({ 'total too large': 1, 'total too small': -1 }[fault as string] ?? 0);
}

/** Ids may come as bare numbers, with more digits than a double holds. */
function numbersBare(fault: FaultName | undefined, value: unknown): VendorReply {
  const reply = json(200, value);
  return fault === 'long ids' ? { ...reply, body: reply.body.replace(/":"(\d{17,})"/g, '":$1') } : reply;
}

function json(status: number, value: unknown): VendorReply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

function problem(status: number, code: string): VendorReply {
  const body = JSON.stringify({ title: 'Unprocessable', status, code, detail: 'Ana Díaz' });
  return { status, headers: { 'content-type': 'application/problem+json' }, body };
}

/** Synthetic employees 1, 2, …; each tenth has left. */
export function fakeEmployees(count: number): FakeEmployee[] {
  return Array.from({ length: count }, (_, index) => ({
    id: String(index + 1),
    number: String(70_000 + index),
    first: `Ana${index + 1}`,
    last: 'Díaz',
    mail: `ana${index + 1}@example.com`,
    status: index % 10 === 9 ? 'Inactive' : 'Active',
    employment: index % 10 === 9 ? 'Terminated' : 'Full-Time',
    hired: '2021-03-01',
    left: index % 10 === 9 ? '2025-12-31' : null,
    department: index % 3 === 0 ? null : 'Tours',
    changedAt: '2026-03-01T08:00:00+00:00',
  }));
}

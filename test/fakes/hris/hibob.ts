import type { FaultName } from '../../contracts/source-faults.ts';
import { jsonReply } from './json-reply.ts';
import { startVendor, type VendorReply } from './vendor-server.ts';

/** A person of the made-up company. Text `#123` goes out as a bare number. */
export interface BobPerson {
  readonly id: string;
  readonly firstName: string;
  readonly surname: string;
  readonly email: string;
  readonly department: { readonly id: string; readonly name: string };
  readonly startDate: string;
  readonly status: 'Active' | 'Inactive';
  readonly lifecycleStatus: string;
  readonly terminationDate: string | null;
}

export const bobUser = { id: 'SERVICE-1', token: 'b0b:t0ken' };

/** Every tenth has left. */
export function bobPeople(count: number, fault?: FaultName): BobPerson[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `${fault === 'long ids' ? '#' : ''}${3_332_883_884_017_700_000n + BigInt(index)}`,
    firstName: `Noa${index}`,
    surname: 'Bar',
    email: `noa${index}@example.com`,
    department: { id: '247588374', name: 'R&D' },
    startDate: '2023-02-01',
    status: index % 10 === 9 ? 'Inactive' : 'Active',
    lifecycleStatus: index % 10 === 9 ? 'terminated' : 'employed',
    terminationDate: index % 10 === 9 ? '2025-12-31' : null,
  }));
}

export interface BobOptions {
  readonly fault?: FaultName | undefined;
  readonly strikeAt?: number;
  /** Field ids that the service user may not view: left out without a word. */
  readonly hidden?: ReadonlySet<string>;
  readonly answer?: (number: number) => VendorReply | undefined;
}

/**
 * HiBob's `POST /people/search`: basic auth; no pages; at most 400 fields and one filter; leavers only with `showInactive`;
 * an unknown or hidden field is left out; values nested and under slash keys; names in `humanReadable` with APPEND.
 */
export async function startBob(members: readonly BobPerson[], options: BobOptions = {}) {
  const { fault, strikeAt = 1, hidden = new Set() } = options;
  const people = [...members];
  const elsewhere = await startVendor({ answer: () => jsonReply({ employees: [] }), isData: () => false });
  const server = await startVendor({
    fault,
    strikeAt,
    isData: ({ url, method }) => url.pathname === '/v1/people/search' && method === 'POST',
    answer({ url, headers, body, method }, number) {
      const pass = Buffer.from(`${bobUser.id}:${bobUser.token}`).toString('base64');
      if (headers.authorization !== `Basic ${pass}`) return { status: 401, body: '' };
      if (url.pathname !== '/v1/people/search' || method !== 'POST') return { status: 404, body: '' };
      const other = options.answer?.(number);
      if (other !== undefined) return other;
      if (number >= strikeAt && fault === 'error with 200') return jsonReply({ key: 'error', error: 'unavailable' });
      if (number >= strikeAt && fault === 'other host') {
        return { status: 302, headers: { location: `${elsewhere.url}/v1/people/search` }, body: '' };
      }
      const asked = JSON.parse(body) as Asked;
      const { fields = [], filters, showInactive = false } = asked;
      if (fields.length > 400 || filters?.length === 0) return { status: 400, body: '' };
      const found = choose(people, asked).filter(({ status }) => showInactive || status === 'Active');
      const [first] = found;
      const isIdList = fields.length === 1;
      if (fault === 'person twice' && first !== undefined && number === strikeAt) found.push(first);
      if (fault === 'total too large' && isIdList && first !== undefined) found.push({ ...first, id: '1' });
      if (fault === 'person slipped' && isIdList) people.pop();
      if (fault === 'page again' && number === 3) found.splice(0, found.length, ...people.slice(0, found.length));
      const shown = fault === 'empty' ? [] : found;
      const visible = fields.filter((name) => !hidden.has(name));
      return jsonReply({ employees: shown.map((person) => render(person, visible, asked.humanReadable)) });
    },
  });
  return { server, elsewhere, people, url: `${server.url}/v1` };
}

interface Asked {
  readonly fields?: readonly string[];
  readonly showInactive?: boolean;
  readonly humanReadable?: string;
  readonly filters?: readonly { readonly fieldPath: string; readonly values: readonly string[] }[];
}

function choose(people: readonly BobPerson[], { filters }: Asked): BobPerson[] {
  const [filter] = filters ?? [];
  if (filter === undefined) return [...people];
  const wanted = new Set(filter.values);
  return people.filter(({ id, email }) => wanted.has(filter.fieldPath === 'root.id' ? id.replace('#', '') : email));
}

function render(person: BobPerson, fields: readonly string[], humanReadable: string | undefined): unknown {
  const { id, firstName, surname, email, department, startDate, status, lifecycleStatus, terminationDate } = person;
  const values: Readonly<Record<string, unknown>> = {
    'root.id': id,
    'root.firstName': firstName,
    'root.surname': surname,
    'root.email': email,
    'work.startDate': startDate,
    'work.department': department.id,
    'work.siteId': 2_743_498,
    'work.reportsTo': null,
    'internal.status': status,
    'internal.lifecycleStatus': lifecycleStatus,
    'internal.terminationDate': terminationDate,
  };
  const answer: Record<string, unknown> = {};
  for (const name of fields.filter((one) => Object.hasOwn(values, one))) {
    const [category = '', field = ''] = name.split('.');
    // Dates and root fields are given nested, departments by their slash key alone, to have both ways.
    if (category === 'root') answer[field] = values[name];
    else if (field === 'department') answer['/work/department'] = { value: values[name] };
    else answer[category] = { ...(answer[category] as object | undefined), [field]: values[name] };
  }
  if (humanReadable !== 'APPEND') return answer;
  const names = { work: { department: department.name, startDate: '01/02/2023' } };
  return { ...answer, humanReadable: fields.includes('work.department') ? names : {} };
}

import type { FaultName } from '../../contracts/source-faults.ts';
import { jsonReply } from './json-reply.ts';
import { givenSize, openRoster, type Roster } from './roster.ts';
import { startVendor, type VendorReply, type VendorRequest } from './vendor-server.ts';

/** A person of the made-up company; statuses as v2 writes them. Text `#123` goes out as a bare number. */
export interface PersonioPerson extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly first: string;
  readonly last: string;
  readonly email: string;
  readonly status: 'ACTIVE' | 'ONBOARDING' | 'LEAVE' | 'INACTIVE';
  readonly hired: string;
  readonly left: string | null;
  readonly updatedAt: string;
}

export const personioClient = { clientId: 'papi-client', clientSecret: 'p4pi & secret' };

/** Every tenth has left. */
export function personioPeople(count: number, fault?: FaultName): PersonioPerson[] {
  return Array.from({ length: count }, (_, index) => ({
    id: fault === 'long ids' ? `#${18_446_744_073_709_500_000n + BigInt(index)}` : `#${1_181_000 + index}`,
    first: `Lena${index}`,
    last: 'Vogt',
    email: `lena${index}@example.com`,
    status: index % 10 === 9 ? 'INACTIVE' : 'ACTIVE',
    hired: '2014-11-09',
    left: index % 10 === 9 ? '2025-12-31' : null,
    updatedAt: '2026-01-05T09:00:00Z',
  }));
}

export interface PersonioOptions {
  readonly fault?: FaultName | undefined;
  /** v1: each token is good for one request, and each answer holds the next one. */
  readonly rotates?: boolean;
  /** v2: next links as the documentation has them, or relative to the page. */
  readonly links?: 'absolute' | 'relative';
  /** Attributes (v1) that the credential may not read. */
  readonly hidden?: ReadonlySet<string>;
  /** Answers in place of the fake's own. */
  readonly answer?: (request: VendorRequest) => VendorReply | undefined;
}

/** Personio's two APIs, as far as people go: tokens, pages, employments, departments and offices. */
export async function startPersonio(members: readonly PersonioPerson[], options: PersonioOptions = {}) {
  const { fault } = options;
  const roster = openRoster(members, fault);
  const elsewhere = await startVendor({ answer: () => jsonReply({ _data: [] }), isData: () => false });
  let issued = 0;
  let endedBelow = 0;
  const server = await startVendor({
    fault,
    isData: ({ url }) => url.pathname === '/v1/company/employees' || url.pathname === '/v2/persons',
    answer(request, number) {
      const { url, headers } = request;
      const issue = (): string => {
        issued += 1;
        return `papi-${issued}`;
      };
      if (url.pathname === '/v1/auth' || url.pathname === '/v2/auth/token') return login(request, issue);
      const shown = Number(/^Bearer papi-(\d+)$/.exec(headers.authorization ?? '')?.[1] ?? -1);
      if (fault === 'token ends' && number === 2 && endedBelow === 0) endedBelow = issued + 1;
      const isCurrent = options.rotates === true ? shown === issued : shown <= issued;
      if (shown < endedBelow || shown < 1 || !isCurrent) return { status: 401, body: '' };
      const next = options.rotates === true ? issue() : `papi-${shown}`;
      const reply = options.answer?.(request) ?? data(request, number, { roster, options, elsewhere: elsewhere.url });
      return url.pathname.startsWith('/v1/')
        ? { ...reply, headers: { ...reply.headers, authorization: `Bearer ${next}` } }
        : reply;
    },
  });
  return { server, elsewhere, people: roster.members };
}

function login({ url, body }: VendorRequest, issue: () => string): VendorReply {
  if (url.pathname === '/v1/auth') {
    const { client_id: id, client_secret: secret } = JSON.parse(body) as Record<string, unknown>;
    const isKnown = id === personioClient.clientId && secret === personioClient.clientSecret;
    if (!isKnown) return { status: 403, body: '{"success":false,"error":{"code":0,"message":"Wrong credentials"}}' };
    return jsonReply({ success: true, data: { token: issue() } });
  }
  const form = new URLSearchParams(body);
  const isKnown =
    form.get('client_id') === personioClient.clientId && form.get('client_secret') === personioClient.clientSecret;
  if (!isKnown || form.get('grant_type') !== 'client_credentials') return { status: 401, body: '' };
  return jsonReply({ access_token: issue(), token_type: 'Bearer', expires_in: 86_400, scope: 'personio:persons:read' });
}

interface World {
  readonly roster: Roster<PersonioPerson>;
  readonly options: PersonioOptions;
  /** Address of another server. */
  readonly elsewhere: string;
}

function data(request: VendorRequest, number: number, world: World): VendorReply {
  const { roster, options, elsewhere } = world;
  const { pathname } = request.url;
  const { fault } = options;
  if (pathname === '/v1/company/employees' || pathname === '/v2/persons') {
    if (number > 1 && fault === 'cursor expired') return { status: 400, body: '' };
    if (number > 1 && fault === 'error with 200') return jsonReply({ success: false, errors: [{ title: 'Failed' }] });
    if (number > 1 && fault === 'other host') {
      return { status: 302, headers: { location: `${elsewhere}${pathname}` }, body: '' };
    }
  }
  if (pathname === '/v1/company/employees') return listEmployees(request, number, roster, options);
  if (pathname === '/v2/persons') return listPersons(request, number, world);
  if (pathname === '/v2/org-units' && request.url.searchParams.get('type') === 'department') {
    return jsonReply({ _data: [{ id: '16823', type: 'department', name: 'Operations' }], _meta: { links: {} } });
  }
  if (pathname === '/v2/org-units') return jsonReply({ _data: [], _meta: {} });
  if (pathname === '/v2/workplaces') return jsonReply({ _data: [{ id: '2065', name: 'Munich' }], _meta: {} });
  const id = /^\/v2\/persons\/(\d+)\/employments$/.exec(pathname)?.[1];
  const person = roster.members.find((one) => one.id.replace('#', '') === id);
  return person === undefined ? { status: 404, body: '' } : jsonReply({ _data: [employment(person)], _meta: {} });
}

/** Offsets count employees; at most 100 at a time, in an order that nobody can choose. */
function listEmployees(
  { url }: VendorRequest,
  number: number,
  roster: Roster<PersonioPerson>,
  { hidden }: PersonioOptions,
): VendorReply {
  const query = url.searchParams;
  const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit') ?? 50)];
  if (limit > 100) return { status: 400, body: '' };
  const mail = query.get('email');
  const page =
    mail === null ? roster.page(offset, limit, number) : roster.members.filter(({ email }) => email === mail);
  const asked = query.getAll('attributes[]');
  const isShown = (name: string) => (asked.length === 0 || asked.includes(name)) && hidden?.has(name) !== true;
  const data = page.map((person) => ({
    type: 'Employee',
    attributes: Object.fromEntries(Object.entries(attributesOf(person)).filter(([name]) => isShown(name))),
  }));
  return jsonReply({ success: true, metadata: { total_elements: roster.total() }, offset, limit, data });
}

/** Cursors in next links; at most 50 at a time. */
function listPersons(
  { url }: VendorRequest,
  number: number,
  { roster, options: { fault, links }, elsewhere }: World,
): VendorReply {
  const query = url.searchParams;
  const limit = Number(query.get('limit') ?? 10);
  if (limit > 50 || limit < 1) return { status: 400, body: '' };
  const ids = query.get('id')?.split(',');
  const since = query.get('updated_at.gt');
  const chosen =
    ids === undefined && since === null
      ? roster
      : openRoster(
          roster.members.filter(
            ({ id, updatedAt }) =>
              (ids === undefined || ids.includes(id.replace('#', ''))) && updatedAt > (since ?? ''),
          ),
        );
  const cursor = query.get('cursor');
  const size = givenSize(limit, fault);
  const page = chosen.after(cursor === null ? undefined : ({ id }) => id === `#${cursor}`, size, number);
  const goesOn = fault === 'cursor again' && number === 3 ? roster.members[limit - 1] : page.at(-1);
  const next = new URL(url);
  next.searchParams.set('cursor', goesOn?.id.replace('#', '') ?? '');
  const where = links === 'relative' ? `${next.pathname}${next.search}` : next.href;
  const href = fault === 'other host' ? where.replace(url.origin, elsewhere) : where;
  return jsonReply({
    _data: chosen.shown(page).map(({ id, first, last, email, status, updatedAt }) => ({
      id,
      first_name: first,
      last_name: last,
      email,
      // A person on leave, or not yet there, is active.
      status: status === 'INACTIVE' ? 'INACTIVE' : 'ACTIVE',
      updated_at: updatedAt,
      custom_attributes: [{ id: 'dynamic_305', type: 'String', value: `E-${id}`, label: 'Personnel no.' }],
      employments: [{ id: '100032' }],
    })),
    _meta: { links: { self: { href: url.href }, ...(chosen.hasMore(page) ? { next: { href } } : {}) } },
  });
}

function employment({ status, hired, left }: PersonioPerson): unknown {
  return {
    id: '100032',
    status,
    type: 'INTERNAL',
    position: { title: 'Buyer' },
    employment_start_date: hired,
    employment_end_date: left,
    supervisor: { id: '1181700' },
    office: { id: '2065' },
    org_units: [{ type: 'department', id: '16823' }],
    termination: { termination_date: left, last_working_date: left },
  };
}

function attributesOf({ id, first, last, email, status, hired, left }: PersonioPerson): Record<string, unknown> {
  const said = (label: string, value: unknown, type = 'standard') => ({ label, value, type });
  const date = (day: string | null) => (day === null ? null : `${day}T00:00:00+01:00`);
  const supervisor = { type: 'Employee', attributes: { id: said('ID', 1_181_700, 'integer') } };
  return {
    id: said('ID', id, 'integer'),
    first_name: said('First name', first),
    last_name: said('Last name', last),
    email: said('Email', email),
    status: said('Status', status.toLowerCase()),
    hire_date: said('Hire date', date(hired), 'date'),
    termination_date: said('Termination date', date(left), 'date'),
    supervisor: said('Supervisor', supervisor),
    department: said('Department', { type: 'Department', attributes: { id: 16_823, name: 'Operations' } }),
    dynamic_33400: said('Personnel no.', 'E-17'),
  };
}

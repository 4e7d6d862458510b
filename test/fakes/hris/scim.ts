import type { FaultName } from '../../contracts/source-faults.ts';
import { givenSize } from './roster.ts';
import { startVendor, type VendorReply, type VendorRequest, type VendorServer } from './vendor-server.ts';

export interface FakeUser {
  readonly id: string;
  readonly externalId: string;
  readonly userName: string;
  readonly given: string;
  readonly family: string;
  readonly mail?: string;
  readonly department?: string;
  readonly active: boolean;
  readonly changedAt: string;
}

/** What SCIM servers were seen doing wrong; see docs/sources/scim.md. */
export type ScimBug =
  | 'total is the page'
  | 'no Resources when empty'
  | 'startIndex is 0'
  | 'itemsPerPage is wrong'
  | 'pages overlap'
  | 'cut at 100'
  | 'counts the deleted'
  | 'filters ignored'
  | 'filters refused'
  | 'everybody is too many'
  | 'cursors ignored'
  | 'refuses beyond the end'
  | 'refuses to sort'
  | 'keeps no order';

export interface FakeScimOptions {
  readonly users: readonly FakeUser[];
  readonly cursors?: boolean;
  readonly bugs?: readonly ScimBug[];
  /** Largest page that the server gives. */
  readonly maxPage?: number;
  readonly fault?: FaultName | undefined;
  readonly otherHost?: string;
  /** Replaces `/ServiceProviderConfig`. */
  readonly config?: VendorReply;
  /** Attributes that this account may not see. */
  readonly hidden?: readonly string[];
}

export interface FakeScim extends VendorServer {
  readonly users: FakeUser[];
  readonly baseUrl: string;
  readonly tokenUrl: string;
  /** Changes what may not be seen from now on. */
  hide(...attributes: readonly string[]): void;
}

export const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const listSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const errorSchema = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** A SCIM service with `/Users`, `/ServiceProviderConfig` and a token endpoint. */
export async function startScim(options: FakeScimOptions): Promise<FakeScim> {
  const { fault, cursors = false, bugs = [] } = options;
  const users = [...options.users];
  let hidden = options.hidden ?? [];
  let token = 1;
  let endedBelow = 0;
  const server = await startVendor({
    fault,
    isData: ({ url }) => url.pathname === '/scim/v2/Users',
    answer(request, number) {
      const { pathname } = request.url;
      if (pathname === '/token') return json(200, { access_token: `t-${++token}`, expires_in: 31_536_000 });
      if (pathname === '/scim/v2/ServiceProviderConfig') {
        const known = { filter: { supported: true }, pagination: { cursor: cursors, index: true, maxPageSize: 1000 } };
        return options.config ?? json(200, known);
      }
      const shown = Number(/^Bearer t-(\d+)$/.exec(request.headers.authorization ?? '')?.[1] ?? 0);
      if (fault === 'token ends' && number === 2) endedBelow = Math.max(endedBelow, shown + 1);
      if (shown < Math.max(1, endedBelow)) return json(401, {});
      if (pathname !== '/scim/v2/Users' || request.headers.accept?.includes('application/scim+json') !== true) {
        return problem(404, 'noTarget');
      }
      if (fault === 'other host') return { status: 302, headers: { location: options.otherHost ?? '' }, body: '' };
      if (fault === 'error with 200') return json(200, { schemas: [errorSchema], status: '500', detail: 'no' });
      if (fault === 'person slipped' && number === 2) users.splice(0, 1);
      return list(request, users, { ...options, bugs, cursors, hidden });
    },
  });
  return {
    ...server,
    users,
    baseUrl: `${server.url}/scim/v2`,
    tokenUrl: `${server.url}/token`,
    hide: (...attributes) => {
      hidden = attributes;
    },
  };
}

type Listing = Required<Pick<FakeScimOptions, 'bugs' | 'cursors' | 'hidden'>> & FakeScimOptions;

function list({ url }: VendorRequest, everybody: readonly FakeUser[], options: Listing): VendorReply {
  const { bugs, fault, cursors } = options;
  const has = (bug: ScimBug): boolean => bugs.includes(bug);
  const ask = url.searchParams;
  const filter = ask.get('filter');
  if (filter !== null && has('filters refused')) return problem(400, 'invalidFilter');
  if (filter === null && has('everybody is too many')) return problem(400, 'tooMany');
  if (ask.has('sortBy') && has('refuses to sort')) return problem(400, 'invalidValue');
  let found = filter === null || has('filters ignored') ? [...everybody] : everybody.filter(matching(filter));
  if (has('cut at 100')) found = found.slice(0, 100);
  if (fault === 'empty') found = [];
  const asked = Number(ask.get('count') ?? 100);
  const size = givenSize(Math.min(asked, options.maxPage ?? 1000), fault);
  const cursor = cursors && !has('cursors ignored') ? ask.get('cursor') : null;
  const at = cursor === null ? Math.max(1, Number(ask.get('startIndex') ?? 1)) - 1 : placeOf(cursor);
  if (at === undefined || (fault === 'cursor expired' && at > 0)) return problem(400, 'expiredCursor');
  if (has('refuses beyond the end') && at > 0 && at >= found.length) return problem(400, 'invalidValue');
  // Without an order, what was read first comes last the next time.
  if (has('keeps no order') && ask.get('sortBy') !== 'id' && at > 0)
    found = [...found.slice(at - 7), ...found.slice(0, at - 7)];
  const from = fault === 'page again' ? 0 : has('pages overlap') && at > 0 ? at - 1 : at;
  const late = Math.floor(found.length * 0.8);
  const page = fault === 'page emptied' && from <= late && late < from + size ? [] : found.slice(from, from + size);
  const double = page[3];
  if (fault === 'person twice' && at > 0 && double !== undefined) page.push(double);
  const off = { 'total too large': 1, 'total too small': -1 }[fault as string] ?? 0;
  const total = has('total is the page') ? page.length : found.length + off + (has('counts the deleted') ? 12 : 0);
  const next =
    cursor === null || at + size >= found.length ? undefined : `c${fault === 'cursor again' ? size : at + size}`;
  const answer = {
    schemas: [listSchema],
    totalResults: fault === 'total nonsense' ? 'many' : total,
    ...(cursor === null ? { startIndex: has('startIndex is 0') ? 0 : at + 1 } : {}),
    itemsPerPage: has('itemsPerPage is wrong') ? 7 : page.length,
    ...(next === undefined ? {} : { nextCursor: next }),
    ...(page.length === 0 && has('no Resources when empty')
      ? {}
      : { Resources: page.map((user) => resourceOf(user, ask.get('attributes'), options.hidden)) }),
  };
  const body = JSON.stringify(answer);
  // Ids may come as bare numbers, with more digits than a double holds.
  const bare = fault === 'long ids' ? body.replace(/"externalId":"(\d+)"/g, '"externalId":$1') : body;
  return { status: 200, headers: { 'content-type': 'application/scim+json' }, body: bare };
}

function placeOf(cursor: string): number | undefined {
  if (cursor === '') return 0;
  return /^c\d+$/.test(cursor) ? Number(cursor.slice(1)) : undefined;
}

function matching(filter: string): (user: FakeUser) => boolean {
  const parts = filter.split(' and ').map((part) => /^\(*([\w.:]+) (eq|gt) ("(?:[^"\\]|\\.)*"|true)\)*$/.exec(part));
  return (user) =>
    parts.every((part) => {
      const [, path = '', operator, written = '""'] = part ?? [];
      const value: unknown = JSON.parse(written);
      const held: Readonly<Record<string, unknown>> = {
        userName: user.userName,
        externalId: user.externalId,
        active: user.active,
        'emails.value': user.mail,
        'meta.lastModified': user.changedAt,
        [`${enterprise}:department`]: user.department,
      };
      return operator === 'gt' ? String(held[path]) > String(value) : held[path] === value;
    });
}

/** What has no value is left out (RFC 7643, 2.5). */
function resourceOf(user: FakeUser, attributes: string | null, hidden: readonly string[]): Record<string, unknown> {
  const whole: Record<string, unknown> = {
    userName: user.userName,
    externalId: user.externalId,
    name: { givenName: user.given, familyName: user.family },
    active: user.active,
    ...(user.mail === undefined
      ? {}
      : {
          emails: [
            { value: `private.${user.mail}`, type: 'home' },
            { value: user.mail, type: 'work', primary: true },
          ],
        }),
    ...(user.department === undefined ? {} : { [enterprise]: { department: user.department } }),
    meta: { resourceType: 'User', lastModified: user.changedAt },
  };
  const asked = attributes?.split(',').map((path) => (path.startsWith('urn:') ? enterprise : path.split('.')[0]));
  const kept = Object.entries(whole).filter(
    ([name]) => (asked === undefined || asked.includes(name)) && !hidden.includes(name),
  );
  return { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], id: user.id, ...Object.fromEntries(kept) };
}

function json(status: number, value: unknown): VendorReply {
  return { status, headers: { 'content-type': 'application/scim+json' }, body: JSON.stringify(value) };
}

function problem(status: number, scimType: string): VendorReply {
  return json(status, { schemas: [errorSchema], status: String(status), scimType, detail: 'Ana Díaz said no' });
}

/** Synthetic users 1, 2, …, ids in ascending order. */
export function fakeUsers(count: number): FakeUser[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `u${String(index + 1).padStart(6, '0')}`,
    externalId: String(700_000 + index),
    userName: `ana${index + 1}@example.com`,
    given: `Ana${index + 1}`,
    family: 'Díaz',
    mail: `ana${index + 1}@example.com`,
    ...(index % 3 === 0 ? {} : { department: 'Tours' }),
    active: index % 10 !== 0,
    changedAt: '2026-03-01T08:00:00Z',
  }));
}

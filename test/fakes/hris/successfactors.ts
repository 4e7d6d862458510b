import { createHash, createPublicKey, createVerify, generateKeyPairSync } from 'node:crypto';
import type { FaultName } from '../../contracts/source-faults.ts';
import { givenSize } from './roster.ts';
import { startVendor, type VendorReply, type VendorRequest, type VendorServer } from './vendor-server.ts';

/** A person of the made-up company `acmeT1`, with one employment. */
export interface FakePerson {
  readonly id: string;
  readonly first: string;
  readonly last: string;
  readonly mail: string | null;
  readonly started: string;
  readonly ended?: string;
  /** Code of emplStatus: A, T, … */
  readonly status: string;
  readonly activeEmployments: number;
  readonly changedAt: string;
}

export interface FakeSuccessFactors extends VendorServer {
  readonly people: FakePerson[];
  /** How many tokens were made. */
  tokens(): number;
}

export interface FakeSuccessFactorsOptions {
  readonly people: readonly FakePerson[];
  readonly fault?: FaultName | undefined;
  readonly otherHost?: string;
}

export const companyId = 'acmeT1';
export const basicUser = { user: 'rollcall.api', password: 'geheim' };
export const apiKey = 'MzA3ZGI0Y2Y';

/** Key pair of the OAuth client; made anew for each process. */
export function makeClientKeys(): { readonly privateKey: string; readonly publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
}

/** OData v2 with snapshot paging that needs its session, and the token endpoint. */
export async function startSuccessFactors(
  options: FakeSuccessFactorsOptions & { readonly publicKey?: string },
): Promise<FakeSuccessFactors> {
  const { fault, publicKey } = options;
  const people = [...options.people];
  let tokens = 0;
  let endedBelow = 0;
  const server = await startVendor({
    fault,
    isData: ({ url }) => url.pathname !== '/oauth/token',
    answer(request, number) {
      if (request.url.pathname === '/oauth/token') {
        const form = new URLSearchParams(request.body);
        if (!isGoodAssertion(form, publicKey)) return json({ error: 'invalid_grant' }, 401);
        // The same token again, unless a new one is asked for.
        if (tokens === 0 || form.get('new_token') === 'true') tokens += 1;
        return json({ access_token: `token-${tokens}`, token_type: 'Bearer', expires_in: 31_536_000 });
      }
      const bearer = /^Bearer token-(\d+)$/.exec(request.headers.authorization ?? '')?.[1];
      if (fault === 'token ends' && number === 2) endedBelow = Math.max(endedBelow, Number(bearer ?? 0) + 1);
      const basic = `Basic ${Buffer.from(`${basicUser.user}@${companyId}:${basicUser.password}`).toString('base64')}`;
      const isKnown = bearer === undefined ? request.headers.authorization === basic : Number(bearer) >= endedBelow;
      if (!isKnown) return json({ error: { code: 'LGN0001', message: { value: 'login failed' } } }, 401);
      return answerQuery(request, number, people, options);
    },
  });
  return { ...server, people, tokens: () => tokens };
}

function json(value: unknown, status = 200, cookie?: string): VendorReply {
  const headers = { 'content-type': 'application/json', ...(cookie === undefined ? {} : { 'set-cookie': cookie }) };
  return { status, headers, body: JSON.stringify(value) };
}

function answerQuery(
  request: VendorRequest,
  number: number,
  people: FakePerson[],
  { fault, otherHost }: FakeSuccessFactorsOptions,
): VendorReply {
  const { searchParams, pathname, origin } = request.url;
  const token = searchParams.get('$skiptoken');
  const isUser = pathname === '/odata/v2/User';
  if (!isUser && pathname !== '/odata/v2/PerPerson') return json({ error: { code: 'COE_ENTITY_NOT_FOUND' } }, 404);
  if (token !== null && (fault === 'cursor expired' || request.headers.cookie !== 'JSESSIONID=node-7; route=b')) {
    return json({ error: { code: 'COE_GENERAL_BAD_REQUEST' } }, 400);
  }
  if (fault === 'error with 200') return json({ error: { code: 'COE0001' } });
  if (fault === 'person slipped' && number === 2) people.splice(0, 1);
  const filter = searchParams.get('$filter') ?? '';
  const found = fault === 'empty' ? [] : people.filter((person) => isMeant(person, filter));
  const size = givenSize(Math.min(Number(searchParams.get('customPageSize') ?? 1000), 1000), fault);
  const asked = Number(token?.replace('snapshot-', '') ?? 0);
  const start = fault === 'page again' && asked > 0 ? asked - size : asked;
  const shown = found.slice(start, start + size);
  const double = shown[3];
  if (fault === 'person twice' && asked === size && double !== undefined) shown.push(double);
  const off = { 'total too large': 1, 'total too small': -1, 'person slipped': 1 }[fault as string] ?? 0;
  const count = fault === 'person slipped' && number === 1 ? found.length : found.length + off;
  const hasMore = asked + size < found.length && !searchParams.has('$top');
  const place = fault === 'cursor again' ? size : asked + size;
  const host = fault === 'other host' ? (otherHost ?? '') : origin;
  const query = new URLSearchParams(searchParams);
  query.set('$skiptoken', `snapshot-${place}`);
  const next = hasMore ? { __next: `${host}${pathname}?${query}` } : {};
  const d = {
    results: shown.map((person) => (isUser ? userOf(person) : personOf(person))),
    __count: fault === 'total nonsense' ? 'many' : String(count),
    ...next,
  };
  const reply = json({ d }, 200, 'JSESSIONID=node-7; Path=/; HttpOnly');
  return {
    ...reply,
    headers: { ...reply.headers, 'set-cookie': ['JSESSIONID=node-7; Path=/; HttpOnly', 'route=b; Secure'] },
    // Ids may come as bare numbers, with more digits than a double holds.
    body:
      fault === 'long ids' ? reply.body.replace(/"personIdExternal":"(\d+)"/g, '"personIdExternal":$1') : reply.body,
  };
}

/** The few conditions that are asked for. */
function isMeant(person: FakePerson, filter: string): boolean {
  const since = /lastModifiedDateTime ge datetimeoffset'([^']+)'/.exec(filter)?.[1];
  if (since !== undefined && Date.parse(person.changedAt) < Date.parse(since)) return false;
  const ids = [...filter.matchAll(/(?:personIdExternal|userId|username) eq '((?:[^']|'')*)'/g)];
  return ids.length === 0 || ids.some(([, id]) => id?.replaceAll("''", "'") === person.id);
}

function personOf(person: FakePerson): unknown {
  return {
    __metadata: { type: 'SFOData.PerPerson' },
    personIdExternal: person.id,
    lastModifiedDateTime: `/Date(${Date.parse(person.changedAt)}+0000)/`,
    personalInfoNav: {
      results: [{ startDate: day('2010-01-01'), endDate: openEnd, firstName: person.first, lastName: person.last }],
    },
    emailNav: {
      results: [
        {
          emailAddress: 'private@example.com',
          emailType: '8449',
          isPrimary: false,
          emailTypeNav: { externalCode: 'P' },
        },
        ...(person.mail === null
          ? []
          : [{ emailAddress: person.mail, emailType: '8448', isPrimary: true, emailTypeNav: { externalCode: 'B' } }]),
      ],
    },
    phoneNav: { __deferred: { uri: 'https://sf.example.com/phoneNav' } },
    personEmpTerminationInfoNav: {
      latestTerminationDate: null,
      activeEmploymentsCount: String(person.activeEmployments),
    },
    employmentNav: {
      results: [
        {
          userId: `u${person.id}`,
          startDate: day(person.started),
          endDate: person.ended === undefined ? null : day(person.ended),
          assignmentClass: 'ST',
          isContingentWorker: false,
          jobInfoNav: {
            results: [
              {
                seqNumber: '1',
                startDate: day(person.started),
                endDate: openEnd,
                jobTitle: 'Analyst',
                department: '5000',
                managerId: 'NO_MANAGER',
                emplStatus: '4606',
                emplStatusNav: { id: '4606', externalCode: person.status },
                departmentNav: { externalCode: '5000', name: 'Engineering' },
                managerUserNav: { __deferred: { uri: 'https://sf.example.com/managerUserNav' } },
              },
            ],
          },
        },
      ],
    },
  };
}

function userOf(person: FakePerson): unknown {
  return {
    userId: person.id,
    username: `user-${person.id}`,
    firstName: person.first,
    lastName: person.last,
    email: person.mail,
    status: person.activeEmployments > 0 ? 't' : 'f',
    title: 'Analyst',
    hireDate: day(person.started),
    manager: null,
  };
}

const openEnd = '/Date(253402214400000)/';

function day(date: string): string {
  return `/Date(${Date.parse(date)})/`;
}

/** Checks what SuccessFactors checks: who it is for, until when, and the signature of the client's key. */
function isGoodAssertion(form: URLSearchParams, publicKey: string | undefined): boolean {
  const isRightForm =
    form.get('company_id') === companyId &&
    form.get('client_id') === apiKey &&
    form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:saml2-bearer';
  if (publicKey === undefined || !isRightForm) return false;
  const xml = Buffer.from(form.get('assertion') ?? '', 'base64').toString('utf8');
  const signature = /<ds:Signature .*<\/ds:Signature>/s.exec(xml)?.[0] ?? '';
  const digest = createHash('sha256').update(xml.replace(signature, '')).digest('base64');
  const info = /<ds:SignedInfo>.*<\/ds:SignedInfo>/s.exec(signature)?.[0] ?? '';
  const signed = info.replace('<ds:SignedInfo>', '<ds:SignedInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">');
  const value = /<ds:SignatureValue>([^<]*)</.exec(signature)?.[1] ?? '';
  return (
    info.includes(`<ds:DigestValue>${digest}</ds:DigestValue>`) &&
    createVerify('RSA-SHA256').update(signed).verify(createPublicKey(publicKey), value, 'base64') &&
    xml.includes(`<saml:Attribute Name="api_key"`) &&
    xml.includes('<saml:Audience>www.successfactors.com</saml:Audience>')
  );
}

/** Made-up people 108001, 108002, …; `patch` changes some by their id. */
export function fakePeople(count: number, patch: Readonly<Record<string, Partial<FakePerson>>> = {}): FakePerson[] {
  return Array.from({ length: count }, (_, index) => {
    const id = String(108_001 + index);
    return {
      id,
      first: `Ana${index + 1}`,
      last: "O'Neill",
      mail: `ana${index + 1}@example.com`,
      started: '2019-03-04',
      status: 'A',
      activeEmployments: 1,
      changedAt: '2026-01-01T00:00:00Z',
      ...patch[id],
    };
  });
}

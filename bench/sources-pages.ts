import { type BenchPerson, benchPeople } from './people.ts';
import { restPage, scimPage } from './sources-cases.ts';

/** The answers of one list, made beforehand. */
export interface PreparedPages {
  readonly path: string;
  readonly bodies: readonly Buffer[];
  /** Which of them a request asks for; one that is not there is not found. */
  place(query: URLSearchParams): number;
}

/** An API of the usual kind: the list in `data`, the next cursor and the total in `meta`. */
export function restPages(people: number): PreparedPages {
  const pages = Math.max(1, Math.ceil(people / restPage));
  const bodies = paged(people, restPage, (page, number) => {
    const next = number + 1 < pages ? `c${number + 1}` : null;
    return { data: page.map(restPerson), meta: { total: people, next } };
  });
  return { path: '/people', bodies, place: (query) => Number(query.get('cursor')?.slice(1) ?? 0) };
}

/** A SCIM service (RFC 7644, 3.4.2), with an empty page after the last one. */
export function scimPages(people: number): PreparedPages {
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:ListResponse'];
  const list = (page: readonly BenchPerson[], number: number): unknown => ({
    schemas,
    totalResults: people,
    startIndex: number * scimPage + 1,
    itemsPerPage: page.length,
    Resources: page.map(scimUser),
  });
  const bodies = [
    ...paged(people, scimPage, list),
    Buffer.from(JSON.stringify({ schemas, totalResults: people, itemsPerPage: 0, Resources: [] })),
  ];
  const place = (query: URLSearchParams): number => Math.ceil((Number(query.get('startIndex')) - 1) / scimPage);
  return { path: '/Users', bodies, place };
}

function paged(people: number, size: number, body: (page: BenchPerson[], number: number) => unknown): Buffer[] {
  const bodies: Buffer[] = [];
  let page: BenchPerson[] = [];
  const end = (): void => {
    bodies.push(Buffer.from(JSON.stringify(body(page, bodies.length))));
    page = [];
  };
  for (const person of benchPeople(people)) {
    page.push(person);
    if (page.length === size) end();
  }
  if (page.length > 0 || bodies.length === 0) end();
  return bodies;
}

function isLeaver({ number }: BenchPerson): boolean {
  return number % 100 === 0;
}

function restPerson(person: BenchPerson): unknown {
  const { identification, number, fields } = person;
  return {
    id: identification,
    number,
    name: { first: fields.firstName, last: fields.lastName, preferred: null },
    email: fields.email,
    phone: fields.phoneNumber,
    status: isLeaver(person) ? 'terminated' : 'active',
    employment: {
      start_date: `${fields.orgEntryDate}T00:00:00Z`,
      end_date: isLeaver(person) ? '2026-01-31T00:00:00Z' : null,
      type: 'employee',
      title: fields.job,
      level: fields.seniority,
      cost_center: fields.customField1,
    },
    birth_date: fields.birthDate,
    department: { id: number % 311, name: fields.area },
    location: { country: 'UY', name: fields.office },
    manager: { id: `M${number % 997}`, email: fields.customField2 },
    teams: [fields.customField3],
    custom: { legal_entity: fields.customField4, grade: fields.customField5, badge: fields.customField6 },
    updated_at: '2026-11-01T12:00:00Z',
  };
}

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

function scimUser(person: BenchPerson): unknown {
  const { identification, number, fields } = person;
  const id = `5f2c8a90-0000-4000-8000-${String(number).padStart(12, '0')}`;
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', enterprise],
    id,
    externalId: identification,
    userName: fields.email,
    name: {
      givenName: fields.firstName,
      familyName: fields.lastName,
      formatted: `${fields.firstName} ${fields.lastName}`,
    },
    displayName: `${fields.firstName} ${fields.lastName}`,
    emails: [{ value: fields.email, type: 'work', primary: true }],
    phoneNumbers: [{ value: fields.phoneNumber, type: 'work' }],
    title: fields.job,
    active: !isLeaver(person),
    [enterprise]: {
      employeeNumber: String(number),
      department: fields.area,
      // SCIM leaves out what is empty.
      ...(number % 10 === 0 ? {} : { manager: { value: `M${number % 997}`, displayName: fields.customField2 } }),
    },
    meta: { resourceType: 'User', lastModified: '2026-11-01T12:00:00Z', location: `/Users/${id}` },
  };
}

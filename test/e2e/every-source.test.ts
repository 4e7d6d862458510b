import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { bamboohrKey, type FakeEmployee, fakeEmployees, startBamboohr } from '../fakes/hris/bamboohr.ts';
import { bobPeople, bobUser, startBob } from '../fakes/hris/hibob.ts';
import { personioClient, personioPeople, startPersonio } from '../fakes/hris/personio.ts';
import { startRestFake } from '../fakes/hris/rest.ts';
import { ripplingWorkers, startRippling } from '../fakes/hris/rippling.ts';
import { fakeUsers, startScim } from '../fakes/hris/scim.ts';
import { apiKey, companyId, fakePeople, makeClientKeys, startSuccessFactors } from '../fakes/hris/successfactors.ts';
import { fakeWorkers, startWorkday, workdayUser } from '../fakes/hris/workday.ts';
import { bobFields } from '../sources/hibob/under-test.ts';
import { drawFrom } from '../support/drawn.ts';
import { csvOf, employees, openOffice, type Row } from '../support/office.ts';
import { findSshd, startSshd } from '../support/services/sshd.ts';
import { startPostgres } from '../support/services.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** An HR system with some people. */
interface Company {
  readonly source: Readonly<Record<string, unknown>>;
  readonly mapping: Readonly<Record<string, unknown>>;
  /** Default: the status that the kinds make of what the system says. */
  readonly lifecycle?: Readonly<Record<string, unknown>>;
  /** How many of the people are created: those who left before, or begin later, are not. */
  readonly created: number;
  /** What the platform then shows of one of them. */
  readonly shows: { readonly id: string; readonly fields: Readonly<Record<string, string>> };
  /** `stays` gets another last name, and `leaves` leaves. */
  readonly stays: string;
  readonly leaves: string;
  change(): unknown;
  /** The records as the system keeps them. `save`: shows what a test changed in them, where that needs a step. */
  readonly people: object[];
  save?(): unknown;
  /** Takes a right away, so that nobody's e-mail is shown any longer. */
  hide?(): void;
}

interface Kind {
  readonly name: string;
  open(): Promise<Company>;
  readonly isMissing?: boolean;
}

const newName = 'Núñez';
const statuses = { status: 'rollcallStatus', active: ['active', 'leave', 'suspended'], leaver: ['terminated'] };
// The clock of an office runs faster than the servers do.
const limits = { requestsPerSecond: 1000, timeout: '24h', deadline: '48h' };
const sshd = await findSshd('a whole run from an SFTP server');
const postgres = await startPostgres();

/** Changes two entries of a list in place. */
function change<Item>(items: Item[], stays: Partial<Item>, leaves: Partial<Item>): void {
  const [, second, third] = items;
  if (second === undefined || third === undefined) throw new Error('there are too few people');
  items.splice(1, 2, { ...second, ...stays }, { ...third, ...leaves });
}

const bamboohr = (api: string, identification: string, email: string): Kind => ({
  name: `bamboohr by ${api}`,
  async open() {
    const staff = fakeEmployees(14).map((one, index): FakeEmployee => {
      const working = { ...one, status: 'Active', employment: 'Full-Time', left: null } as const;
      return index === 13 ? { ...working, status: 'Inactive', hired: '2027-01-04' } : working;
    });
    const fake = await startBamboohr({ people: staff });
    const idOf = (index: number) => (api === 'employees' ? String(index + 1) : String(70_000 + index));
    const auth = { kind: 'basic', username: bamboohrKey, password: 'x' };
    const fields = [identification, 'firstName', 'lastName', email];
    return {
      source: { kind: 'bamboohr', company: 'acme', baseUrl: fake.baseUrl, auth, api, fields, pageSize: 5, limits },
      mapping: { identification, firstName: 'firstName', lastName: 'lastName', email, orgEntryDate: 'hireDate' },
      created: 13,
      shows: { id: idOf(1), fields: { email: 'ana2@example.com' } },
      stays: idOf(1),
      leaves: idOf(2),
      people: fake.people,
      change: () => change(fake.people, { last: newName }, { status: 'Inactive', employment: 'Terminated' }),
      hide: () => fake.hide('email', 'workEmail'),
    };
  },
});

const hibob: Kind = {
  name: 'hibob',
  async open() {
    const { url, people } = await startBob(bobPeople(12));
    const idOf = (index: number) => people[index]?.id ?? '';
    return {
      source: { kind: 'hibob', url, serviceUser: bobUser.id, token: bobUser.token, fields: bobFields, limits },
      mapping: {
        identification: 'root.id',
        firstName: 'root.firstName',
        lastName: 'root.surname',
        email: 'root.email',
        area: 'humanReadable.work.department',
        orgEntryDate: 'work.startDate',
      },
      lifecycle: { ...statuses, leaveDate: 'internal.terminationDate' },
      created: 11,
      shows: { id: idOf(0), fields: { firstName: 'Noa0', lastName: 'Bar', area: 'R&D' } },
      stays: idOf(1),
      leaves: idOf(2),
      people,
      change: () =>
        change(
          people,
          { surname: newName, lifecycleStatus: 'parental leave' },
          { status: 'Inactive', lifecycleStatus: 'terminated', terminationDate: '2026-11-20' },
        ),
    };
  },
};

const personio = (api: string, hireDate: string, leaveDate: string): Kind => ({
  name: `personio ${api}`,
  async open() {
    const { server, people } = await startPersonio(personioPeople(12));
    return {
      source: { kind: 'personio', api, url: server.url, ...personioClient, limits },
      mapping: {
        identification: 'id',
        firstName: 'first_name',
        lastName: 'last_name',
        email: 'email',
        area: 'department.name',
        orgEntryDate: hireDate,
      },
      lifecycle: { ...statuses, leaveDate },
      created: 11,
      shows: { id: '1181000', fields: { firstName: 'Lena0', lastName: 'Vogt', area: 'Operations' } },
      stays: '1181001',
      leaves: '1181002',
      people,
      change: () => change(people, { last: newName, status: 'LEAVE' }, { status: 'INACTIVE', left: '2026-11-20' }),
    };
  },
});

const rest: Kind = {
  name: 'rest',
  async open() {
    const { humans, source } = await startRestFake('cursor');
    const ids = humans.map(({ id }) => id);
    return {
      source: { ...source, status: { from: 'state', map: { active: 'active', left: 'terminated' } } },
      mapping: { identification: 'id', firstName: 'first', lastName: 'last', email: 'mail' },
      created: 30,
      shows: { id: ids[2] ?? '', fields: { lastName: 'Díaz' } },
      stays: ids[1] ?? '',
      leaves: ids[2] ?? '',
      people: humans as (typeof humans)[number][],
      change() {
        const [, , , fourth] = humans;
        change(humans as (typeof humans)[number][], { last: newName }, { state: 'left' });
        if (fourth !== undefined) Object.assign(humans, { 3: { ...fourth, state: 'on the moon' } });
      },
    };
  },
};

const rippling: Kind = {
  name: 'rest with the preset rippling',
  async open() {
    const { server, workers } = await startRippling(
      ripplingWorkers(25).map((worker, index) => (index === 24 ? { ...worker, status: 'ACCEPTED' } : worker)),
    );
    return {
      source: { kind: 'rest', preset: 'rippling', baseUrl: server.url, auth: { kind: 'bearer', token: 'r1ppling' } },
      mapping: {
        identification: 'user.number',
        firstName: 'user.name.given_name',
        lastName: 'user.name.family_name',
        email: 'work_email',
        area: 'department.name',
        orgEntryDate: 'start_date',
      },
      lifecycle: { ...statuses, leaveDate: 'end_date' },
      created: 24,
      shows: { id: '7', fields: { area: 'Sales' } },
      stays: '1',
      leaves: '2',
      people: workers,
      change() {
        const { user } = workers[1] as unknown as { readonly user: { readonly name: object } };
        const renamed = { ...user, name: { ...user.name, family_name: newName } };
        change<object>(workers, { user: renamed }, { status: 'TERMINATED', end_date: '2026-11-20' });
      },
    };
  },
};

const scim: Kind = {
  name: 'scim',
  async open() {
    const fake = await startScim({ users: fakeUsers(12).map((user) => ({ ...user, active: true })), maxPage: 5 });
    const login = { kind: 'client-credentials', tokenUrl: fake.tokenUrl, clientId: 'rollcall', clientSecret: 'geheim' };
    const attributes = ['externalId', 'name.givenName', 'name.familyName', 'emails', 'enterprise.department'];
    return {
      source: { kind: 'scim', baseUrl: fake.baseUrl, auth: login, attributes, limits },
      mapping: {
        identification: 'externalId',
        firstName: 'name.givenName',
        lastName: 'name.familyName',
        email: 'workEmail',
        area: { from: 'enterprise.department', whenEmpty: 'clear' },
      },
      lifecycle: { status: 'rollcallStatus', active: ['active'], leaver: ['terminated'] },
      created: 12,
      shows: { id: '700001', fields: { email: 'ana2@example.com', area: 'Tours' } },
      stays: '700001',
      leaves: '700002',
      people: fake.users,
      change: () => change(fake.users, { family: newName }, { active: false }),
      hide: () => fake.hide('emails'),
    };
  },
};

const successfactors: Kind = {
  name: 'successfactors',
  async open() {
    const keys = makeClientKeys();
    const people = fakePeople(12, { 108012: { started: '2027-01-01' } });
    const fake = await startSuccessFactors({ people, publicKey: keys.publicKey });
    const auth = { kind: 'saml', clientId: apiKey, user: 'rollcall.api', privateKey: keys.privateKey };
    return {
      source: { kind: 'successfactors', url: fake.url, companyId, auth, pageSize: 5, limits },
      mapping: {
        identification: 'personIdExternal',
        firstName: 'firstName',
        lastName: 'lastName',
        email: 'workEmail',
        area: 'department',
        orgEntryDate: 'hireDate',
      },
      lifecycle: { ...statuses, leaveDate: 'endDate' },
      created: 11,
      shows: { id: '108003', fields: { lastName: "O'Neill" } },
      stays: '108002',
      leaves: '108003',
      people: fake.people,
      change: () => change(fake.people, { last: newName }, { status: 'T', activeEmployments: 0, ended: '2026-11-20' }),
    };
  },
};

const workday = (api: 'raas' | 'soap', mapping: Readonly<Record<string, string>>): Kind => ({
  name: `workday by ${api}`,
  async open() {
    const workers = fakeWorkers(12, { 21012: { active: false, hired: '2027-01-01' } });
    const fake = await startWorkday({ workers });
    const columns = ['WID', ...Object.values(mapping), 'Active_Status', 'Terminated'];
    const how = api === 'raas' ? { url: fake.reportUrl, columns } : { url: fake.soapUrl, pageSize: 5 };
    return {
      source: { kind: 'workday', api, auth: { kind: 'basic', ...workdayUser }, limits, ...how },
      // Each worker reads as if the field were empty when the right to see it is gone.
      mapping: { ...mapping, email: { from: mapping.email, whenEmpty: 'clear' } },
      created: 11,
      shows: { id: '21003', fields: { lastName: 'Müller' } },
      stays: '21002',
      leaves: '21003',
      people: fake.workers,
      change: () => change(fake.workers, { last: newName }, { active: false, terminated: true, left: '2026-11-20' }),
      hide: () =>
        fake.workers.forEach((worker, index) => {
          fake.workers[index] = { ...worker, last: `${worker.last}-Puig`, mail: undefined };
        }),
    };
  },
});

const csv: Kind = {
  name: 'csv on an SFTP server',
  isMissing: sshd === undefined,
  async open() {
    const [server, folder] = [await startSshd(sshd ?? ''), await temporaryFolder()];
    const write = async (day: number, rows: readonly Row[]): Promise<void> => {
      const path = join(folder, `people-2026-11-${day}.csv.gz`);
      await writeFile(path, gzipSync(csvOf(rows).replaceAll(/^E(\d+)/gm, '="00$1"')));
      await writeFile(`${path}.done`, `rows=${rows.length}\n`);
    };
    const people = employees(12);
    const save = (): Promise<void> => write(20, people);
    await write(19, people);
    const { port, user, privateKey, hostKeys: hostKey } = server;
    const path = join(folder, 'people-*.csv.gz');
    return {
      source: { kind: 'csv', sftp: { host: '127.0.0.1', port, user, privateKey, hostKey, path }, complete: 'marker' },
      mapping: { identification: 'id', firstName: 'first', lastName: 'last', email: 'mail' },
      lifecycle: { status: 'status', active: ['active'], leaver: ['left'] },
      created: 12,
      shows: { id: '001', fields: { firstName: 'Ana1' } },
      stays: '005',
      leaves: '003',
      people,
      save,
      change() {
        people.splice(0, 12, ...employees(12, { E3: { status: 'left' }, E5: { last: newName } }));
        return save();
      },
    };
  },
};

const createTable = 'create table staff (id text, first text, last text, mail text, status text, since date)';

const sql: Kind = {
  name: 'sql in PostgreSQL',
  isMissing: postgres === undefined,
  async open() {
    const url = (await postgres?.newDatabase()) ?? '';
    const run = async (statement: string): Promise<unknown> => postgres?.query(url, statement);
    await run(createTable);
    const people = employees(12);
    const save = async (): Promise<void> => {
      await run('delete from staff');
      for (const { id, first, last, mail, status } of people) {
        const texts = [id, first, last, mail, status].map((text = '') => `E'${text.replaceAll(/[\\']/g, '\\$&')}'`);
        await run(`insert into staff values (${texts.join(', ')}, '2024-02-29')`);
      }
    };
    await save();
    return {
      source: { kind: 'sql', url, query: 'select * from staff', key: 'id', statementTimeout: '24h' },
      mapping: { identification: 'id', firstName: 'first', lastName: 'last', email: 'mail', orgEntryDate: 'since' },
      lifecycle: { status: 'status', active: ['active'], leaver: ['left'] },
      created: 12,
      shows: { id: 'E3', fields: { lastName: 'Díaz' } },
      stays: 'E2',
      leaves: 'E3',
      people,
      save,
      change() {
        people.splice(0, 12, ...employees(12, { E2: { last: newName }, E3: { status: 'left' } }));
        return save();
      },
    };
  },
};

const kinds: readonly Kind[] = [
  bamboohr('datasets', 'employeeNumber', 'email'),
  bamboohr('employees', 'employeeId', 'workEmail'),
  bamboohr('report', 'employeeNumber', 'workEmail'),
  csv,
  hibob,
  personio('v1', 'hire_date', 'termination_date'),
  personio('v2', 'employment.employment_start_date', 'employment.termination.termination_date'),
  rest,
  rippling,
  scim,
  sql,
  successfactors,
  workday('raas', {
    identification: 'Employee_ID',
    firstName: 'First_Name',
    lastName: 'Last_Name',
    email: 'Work_Email',
    orgEntryDate: 'Hire_Date',
  }),
  workday('soap', {
    identification: 'employeeId',
    firstName: 'firstName',
    lastName: 'lastName',
    email: 'workEmail',
    orgEntryDate: 'hireDate',
    area: 'organizations.COST_CENTER',
  }),
];

for (const { name, isMissing = false, open } of kinds) {
  it.skipIf(isMissing)(`people come, change and leave on the platform: ${name}`, async () => {
    const { source, mapping, lifecycle = statuses, created, shows, stays, leaves, change, hide } = await open();
    const office = await openOffice({ sync: { source, mapping, lifecycle } });
    const user = (id: string) => office.sandbox.state.users.get(id);

    expect((await office.applyAll()).run).toMatchObject({
      outcome: 'succeeded',
      counts: { create: created, applied: created },
    });
    expect(user(shows.id)).toMatchObject({ enabled: true, fields: shows.fields });

    await change();
    expect((await office.applyAll()).run).toMatchObject({
      isSuccess: true,
      counts: { update: 1, disable: 1, applied: 2 },
    });
    expect(user(stays)).toMatchObject({ enabled: true, fields: { lastName: newName } });
    expect(user(leaves)).toMatchObject({ enabled: false });
    expect((await office.plan()).counts).toMatchObject({ create: 0, update: 0, enable: 0, disable: 0, held: 0 });

    if (hide === undefined) return;
    const before = user(stays)?.fields;
    hide();
    const { run, findings } = await office.apply();
    expect(run).toMatchObject({ outcome: 'held', counts: { disable: 0, applied: 0 } });
    expect(findings.map(({ message }) => message).join()).toContain('no record has this field any longer');
    expect(user(stays)?.fields).toEqual(before);
  });
}

/** What programs do to a cell, by what it looks like before. */
const damages: Readonly<Record<string, (text: string) => string>> = {
  ...Object.fromEntries(
    ['NULL', '\\N', '(null)', 'None', 'NaN', 'undefined', '#N/A', '#REF!', '[object Object]', '-', ''].map((word) => {
      return [`becomes ${word || 'blank'}`, () => word];
    }),
  ),
  'gets the mark of text': (text) => `'${text}`,
  'becomes a formula': (text) => `="${text}"`,
  'gets quotes': (text) => `"${text}"`,
  'gets a decimal part': (text) => text.replace(/^\d+$/, '$&.0'),
  'loses its zeros': (text) => text.replace(/^0+(?=\d)/, ''),
  'gets zeros': (text) => text.replace(/^\d+$/, '00$&'),
  'gets marks of thousands': (text) => text.replace(/(\d)(\d{3})$/, '$1,$2'),
  'is shortened to an exponent': (text) => text.replace(/^(\d)(\d)\d{3,}$/, '$1.$2E+5'),
  'gets an invisible character': (text) => `${text}\u200b`,
  'gets another byte order mark': (text) => `\uFEFF${text}`,
  'gets blanks': (text) => ` ${text}\u00a0`,
  'is read in another encoding': (text) => Buffer.from(`${text}é`).toString('latin1'),
  'becomes upper case in Turkish': (text) => text.toLocaleUpperCase('tr'),
  'is a date long ago': () => '1970-01-01',
  'is the end of time': () => '4712-12-31',
  'is in a year of two digits': () => '0027-12-31',
  'is in a year that was typed wrongly': () => '2206-12-31',
  'is in another order of day and month': (text) => text.replace(/^(\d{4})-(\d\d)-(\d\d)/, '$3/$2/$1'),
  'gets a time and a zone': (text) => text.replace(/^\d{4}-\d\d-\d\d$/, '$&T23:59:59-12:00'),
};

type Tree = { [key: string]: unknown };

/** Returns the places of the texts in a record: `user.name.given_name`. */
function textsOf(record: object, path: readonly string[] = []): readonly (readonly string[])[] {
  return Object.entries(record).flatMap(([key, value]) => {
    if (typeof value === 'string') return [[...path, key]];
    return typeof value === 'object' && value !== null ? textsOf(value, [...path, key]) : [];
  });
}

/** Returns the record with another text at a place. */
function withText(record: object, [key = '', ...rest]: readonly string[], of: (text: string) => string): object {
  const tree = record as Tree;
  const value = tree[key];
  const next = rest.length > 0 ? withText(value as object, rest, of) : typeof value === 'string' ? of(value) : value;
  return Array.isArray(record) ? record.with(Number(key), next) : { ...tree, [key]: next };
}

/** Who has the damage: everybody, or a person who stays, who leaves, or who has not begun. */
const whos: Readonly<Record<string, (index: number) => boolean>> = {
  everybody: () => true,
  'one who stays': (index) => index === 1,
  'one who leaves': (index) => index === 2,
  'the last': (index) => index === 11,
};

for (const { name, isMissing = false, open } of kinds) {
  const title = `a damaged cell creates and disables no person whom the undamaged one would not: ${name}`;
  it.skipIf(isMissing)(title, { timeout: 3_600_000 }, async () => {
    const { source, mapping, lifecycle = statuses, change, people, save } = await open();
    const missing = { afterReads: 1, minAge: '1ms' };
    const office = await openOffice({ sync: { source, mapping, lifecycle, missing } });
    const made = async (): Promise<readonly string[]> => {
      await save?.();
      const report = await office.plan().catch(() => undefined);
      const changes = report === undefined ? [] : await office.engine.io.store.plans.page(report.id, { limit: 100 });
      return changes
        .filter(({ kind, state }) => (kind === 'create' || kind === 'disable') && state === 'planned')
        .map(({ kind, identification }) => `${kind} ${identification}`);
    };
    await office.applyAll();
    await change();
    const right = await made();
    expect(right).toHaveLength(1);

    const undamaged = [...people];
    const places = textsOf(undamaged[1] ?? {});
    const tries = Object.entries(damages).flatMap(([damage, of]) =>
      places.flatMap((place) => Object.entries(whos).map(([who, isMeant]) => ({ damage, of, place, who, isMeant }))),
    );
    for (const { damage, of, place, who, isMeant } of drawFrom(tries, 401)) {
      people.splice(0, people.length, ...undamaged.map((one, i) => (isMeant(i) ? withText(one, place, of) : one)));
      const wrong = (await made()).filter((one) => !right.includes(one));
      expect(wrong, `${place.join('.')} of ${who} ${damage}`).toEqual([]);
    }
  });
}

it.skipIf(postgres === undefined)('a column that is no longer granted fails the run and names itself', async () => {
  const url = (await postgres?.newDatabase()) ?? '';
  const reader = new URL(url);
  const role = `reader_${randomUUID().replaceAll('-', '')}`;
  [reader.username, reader.password] = [role, 'r3ader'];
  const run = async (statement: string): Promise<unknown> => postgres?.query(url, statement);
  await run(createTable);
  await run("insert into staff values ('E1', 'Ana', 'Díaz', 'ana@example.com', 'active', '2024-02-29')");
  await run(`create role ${role} login password 'r3ader'`);
  onTestFinished(async () => {
    await run(`drop owned by ${role}`);
    await run(`drop role ${role}`);
  });
  await run(`grant select on staff to ${role}`);
  const query = 'select id, first, last, mail, status from staff';
  const office = await openOffice({
    sync: { source: { kind: 'sql', url: reader.href, query, key: 'id', statementTimeout: '24h' } },
  });
  expect((await office.applyAll()).run).toMatchObject({ isSuccess: true, counts: { create: 1 } });

  await run(`revoke select on staff from ${role}`);
  await run(`grant select (id, first, last, status) on staff to ${role}`);
  const { run: ended } = await office.apply();
  expect(ended).toMatchObject({ outcome: 'failed', counts: { update: 0, disable: 0 } });
  expect(ended.reason).toContain('Grant it select');
  expect(office.sandbox.state.users.get('E1')).toMatchObject({ enabled: true });
});

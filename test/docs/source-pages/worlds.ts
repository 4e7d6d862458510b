import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bamboohrKey, fakeEmployees, startBamboohr } from '../../fakes/hris/bamboohr.ts';
import { openFileDoor } from '../../fakes/hris/file-door.ts';
import { bobPeople, bobUser, startBob } from '../../fakes/hris/hibob.ts';
import { jsonReply } from '../../fakes/hris/json-reply.ts';
import { personioClient, personioPeople, startPersonio } from '../../fakes/hris/personio.ts';
import { fakeUsers, startScim } from '../../fakes/hris/scim.ts';
import { apiKey, fakePeople, makeClientKeys, startSuccessFactors } from '../../fakes/hris/successfactors.ts';
import { startVendor, type VendorRequest } from '../../fakes/hris/vendor-server.ts';
import { fakeWorkers, startWorkday, workdayUser } from '../../fakes/hris/workday.ts';
import { makeCertificate } from '../../support/services/authority.ts';
import { startS3 } from '../../support/services/s3.ts';
import { startSshd } from '../../support/services/sshd.ts';
import type { PostgresService } from '../../support/services.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { Section, Surroundings } from './blocks.ts';

/** An HR system as a block of a page needs it, and what a read of it must come to. */
export interface World extends Surroundings {
  /** How many people a read gives. */
  readonly people: number;
  /** How many of them have left, by the page's own lifecycle; absent where the page has none. */
  readonly leavers?: number;
}

/** What is not on every machine. */
export interface Services {
  readonly postgres: PostgresService | undefined;
  readonly sshd: string | undefined;
}

export interface Play {
  /** The block whose `source` this one is a part of. */
  readonly base?: string;
  /** The service without which it is skipped. */
  readonly needs?: keyof Services;
  open(services: Services): Promise<World>;
}

const csvText = 'id,first_name,last_name\n0001,Ana,Díaz\n0002,Luz,Sosa\n';
const derived: Section = {
  lifecycle: { status: 'rollcallStatus', active: ['active', 'leave', 'suspended'], leaver: ['terminated'] },
};
const named = (identification: string, firstName: string, lastName: string, more: Section = derived): Section => ({
  ...more,
  mapping: { identification, firstName, lastName },
});

async function bamboohr(more: (fake: { readonly tokenUrl: string }) => Partial<World> = () => ({})): Promise<World> {
  const [folder, fake] = [await temporaryFolder(), await startBamboohr({ people: fakeEmployees(120) })];
  return {
    folder,
    people: 120,
    leavers: 12,
    source: { baseUrl: fake.baseUrl },
    env: { BAMBOOHR_KEY: bamboohrKey },
    ...more(fake),
  };
}

interface Lists {
  readonly [path: string]: (request: VendorRequest) => unknown;
}

async function rest(lists: Lists, more: Partial<World>): Promise<World> {
  const server = await startVendor({
    isData: () => true,
    answer(request) {
      if (request.headers.authorization !== 'Bearer t0ken') return { status: 401, body: '' };
      const list = lists[request.url.pathname];
      return list === undefined ? { status: 404, body: '' } : jsonReply(list(request));
    },
  });
  return {
    folder: await temporaryFolder(),
    people: 250,
    env: { HR_TOKEN: 't0ken' },
    instead: { 'https://hr.example.com/api': `${server.url}/api` },
    sync: named('id', 'first', 'last'),
    ...more,
  };
}

const restPeople = Array.from({ length: 250 }, (_, index) => ({
  id: `P${index}`,
  first: 'Ana',
  last: 'Díaz',
  status: index % 10 === 0 ? 'left' : 'active',
  person_id: `N${index}`,
}));

/** Pages by offset, of the people whom `isMeant` takes. */
function offsetPages({ url }: VendorRequest, isMeant: (index: number) => boolean = () => true): unknown {
  const [offset, limit] = ['offset', 'limit'].map((name) => Number(url.searchParams.get(name)));
  const all = restPeople.filter((_, index) => isMeant(index));
  return { data: all.slice(offset, (offset ?? 0) + (limit ?? 0)), meta: { total: all.length } };
}

async function workday(more: (fake: Awaited<ReturnType<typeof startWorkday>>) => Partial<World>): Promise<World> {
  const workers = fakeWorkers(150).map((worker, index) =>
    index % 10 === 0 ? { ...worker, active: false, terminated: true, left: '2025-12-31' } : worker,
  );
  const fake = await startWorkday({ workers });
  return {
    folder: await temporaryFolder(),
    people: 150,
    leavers: 15,
    env: { WORKDAY_PASSWORD: workdayUser.password },
    ...more(fake),
  };
}

const workdayHost = 'https://wd3-services1.myworkday.com';
const reportMapping = named('Employee_ID', 'First_Name', 'Last_Name');

async function successFactors(): Promise<World> {
  const keys = makeClientKeys();
  const people = fakePeople(130, { 108003: { status: 'T', activeEmployments: 0, ended: '2025-12-31' } });
  const fake = await startSuccessFactors({ people, publicKey: keys.publicKey });
  return {
    folder: await temporaryFolder(),
    people: 130,
    leavers: 1,
    instead: { 'https://api68.sapsf.eu': fake.url },
    env: { SUCCESSFACTORS_API_KEY: apiKey },
    files: { 'secrets/successfactors-private.pem': keys.privateKey },
    sync: named('personIdExternal', 'firstName', 'lastName'),
  };
}

/** A person who leaves in the future, and one who left. */
async function history(): Promise<World> {
  const folder = await temporaryFolder();
  const rows = ['1,Ana,Díaz,active,2024-01-01', '1,Ana,Díaz,left,2099-06-01', '2,Luz,Sosa,left,2020-01-01'];
  await writeFile(join(folder, 'e.csv'), `id,first_name,last_name,status,effective\n${rows.join('\n')}\n`);
  const lifecycle = { status: 'status', active: ['active'], leaver: ['left'] };
  return { folder, people: 3, leavers: 2, source: { kind: 'csv', path: 'e.csv' }, sync: { lifecycle } };
}

/** By block: how it is played. A new block on a page needs a line here. */
export const plays: Readonly<Record<string, Play>> = {
  'README.md 1': {
    async open() {
      const folder = await temporaryFolder();
      const rows = ['1,Ana,Díaz,left,2019-01-01', '1,Ana,Díaz,active,2024-01-01', '2,Luz,Sosa,active,2020-01-01'];
      await writeFile(join(folder, 'e.csv'), `id,first_name,last_name,status,hire_date\n${rows.join('\n')}\n`);
      const lifecycle = { status: 'status', active: ['active'], leaver: ['left'], hireDate: 'hire_date' };
      return { folder, people: 3, leavers: 1, source: { kind: 'csv', path: 'e.csv' }, sync: { lifecycle } };
    },
  },
  'README.md 2': { open: () => history() },
  'README.md 3': { open: () => history() },
  'bamboohr.md 1': { open: () => bamboohr() },
  'bamboohr.md 2': {
    base: 'bamboohr.md 1',
    open: () =>
      bamboohr(({ tokenUrl }) => ({
        env: { BAMBOOHR_KEY: 'not used', BAMBOOHR_SECRET: 's' },
        files: { 'secrets/bamboohr-refresh': 'r0' },
        partInstead: { 'https://acme.bamboohr.com/token.php?request=token': tokenUrl },
      })),
  },
  'csv.md 1': {
    async open() {
      const folder = await temporaryFolder();
      await writeFile(join(folder, 'employees.csv'), csvText);
      return { folder, people: 2 };
    },
  },
  'csv.md 2': {
    needs: 'sshd',
    async open({ sshd = '' }) {
      const [folder, server] = [await temporaryFolder(), await startSshd(sshd)];
      const path = join(folder, 'outgoing/employees-2026-11-21.csv.gz');
      await mkdir(dirname(path));
      await writeFile(path, gzipSync(csvText));
      await writeFile(join(folder, 'outgoing/employees-2026-11-20.csv.gz'), gzipSync('id\n'));
      await appendFile(`${path}.done`, '2\n');
      return {
        folder,
        people: 2,
        instead: {
          'host: sftp.example.com': `host: 127.0.0.1\n    port: ${server.port}`,
          'user: rollcall': `user: ${server.user}`,
          'SHA256:uNiVztksCsDhcc0u9e8BrLYB0ZNRxYwx1dsYCMbn5Jg': JSON.stringify(server.hostKeys),
          '/outgoing/': `${folder}/outgoing/`,
        },
        files: { 'secrets/sftp-key': server.privateKey },
      };
    },
  },
  'csv.md 3': {
    async open() {
      const certificate = await makeCertificate();
      const door = await openFileDoor(
        async ({ headers, url }) => {
          const isKnown = headers.authorization === 'Bearer t0ken' && url === '/export/employees.csv';
          return isKnown
            ? { status: 200, headers: { 'content-type': 'text/csv', etag: '"1"' }, body: Buffer.from(csvText) }
            : { status: 401, headers: {}, body: Buffer.alloc(0) };
        },
        undefined,
        certificate,
      );
      return {
        folder: await temporaryFolder(),
        people: 2,
        instead: { 'https://hr.example.com': `https://127.0.0.1:${door.port}` },
        env: { HR_TOKEN: 't0ken' },
        files: { 'secrets/hr-ca.pem': certificate.ca },
      };
    },
  },
  'csv.md 4': {
    async open() {
      const s3 = await startS3();
      await s3.put('daily/employees-2026-11-20.csv.gz', gzipSync('id\n'));
      await s3.put('daily/employees-2026-11-21.csv.gz', gzipSync(csvText));
      return {
        folder: await temporaryFolder(),
        people: 2,
        // A service that is not AWS: the page says that it needs `endpoint`.
        instead: {
          'region: eu-central-1': `region: us-east-1\n    endpoint: http://127.0.0.1:${s3.port}`,
          'bucket: example-hr-exports': `bucket: ${s3.bucket}`,
        },
        env: { S3_KEY: s3.accessKeyId, S3_SECRET: s3.secretAccessKey },
      };
    },
  },
  'hibob.md 1': {
    async open() {
      const fake = await startBob(bobPeople(140));
      return {
        folder: await temporaryFolder(),
        people: 140,
        leavers: 14,
        source: { url: fake.url, limits: { requestsPerSecond: 1000 } },
        env: { HIBOB_SERVICE_USER: bobUser.id, HIBOB_TOKEN: bobUser.token },
        sync: named('id', 'firstName', 'surname'),
      };
    },
  },
  'personio.md 1': {
    async open() {
      const { server } = await startPersonio(personioPeople(60));
      return {
        folder: await temporaryFolder(),
        people: 60,
        source: { url: server.url, limits: { requestsPerSecond: 1000 } },
        env: { PERSONIO_CLIENT_ID: personioClient.clientId, PERSONIO_CLIENT_SECRET: personioClient.clientSecret },
        sync: named('id', 'first_name', 'last_name'),
      };
    },
  },
  'rest.md 1': { open: () => rest({ '/api/v1/people': (request) => offsetPages(request) }, { leavers: 25 }) },
  'rest.md 2': {
    base: 'rest.md 1',
    open: () => {
      const half = { AT01: 0, CH01: 1 } as const;
      const list = (request: VendorRequest) => {
        const company = request.url.searchParams.get('company') as keyof typeof half;
        return offsetPages(request, (index) => index % 2 === half[company]);
      };
      return rest({ '/api/v1/people': list }, { leavers: 25 });
    },
  },
  'rest.md 3': {
    base: 'rest.md 1',
    open: () => {
      const hired = (index: number) =>
        new Date(Date.UTC(1995, 0, 1) + index * 30 * 86_400_000).toISOString().slice(0, 10);
      const list = (request: VendorRequest) => {
        const [from = '', to = ''] = ['hired_from', 'hired_to'].map((name) => request.url.searchParams.get(name) ?? '');
        return offsetPages(request, (index) => hired(index) >= from && hired(index) <= to);
      };
      return rest({ '/api/v1/people': list }, { leavers: 25, source: { limits: { requestsPerSecond: 1000 } } });
    },
  },
  'rest.md 4': {
    base: 'rest.md 1',
    open: () => {
      const all =
        (data: readonly object[]) =>
        ({ url }: VendorRequest) => {
          const [offset = 0, limit = 0] = ['offset', 'limit'].map((name) => Number(url.searchParams.get(name)));
          return { data: data.slice(offset, offset + limit), meta: { total: data.length } };
        };
      const persons = restPeople.map(({ person_id, first, last }, index) => {
        return {
          personId: person_id,
          first_name: first,
          last_name: last,
          email: `p${index}@example.com`,
          site_id: 'L1',
        };
      });
      const jobs = [
        { person_id: 'N1', title: 'Clerk', start: '2020-01-01' },
        { person_id: 'N1', title: 'Head', start: '2024-01-01' },
      ];
      const sites = [{ id: 'L1', name: 'Montevideo', timezone: 'America/Montevideo' }];
      const lists = {
        '/api/v1/people': (request: VendorRequest) => offsetPages(request),
        '/api/persons': all(persons),
        '/api/jobs': all(jobs),
        '/api/sites': all(sites),
      };
      return rest(lists, { leavers: 25, sync: named('id', 'person.first_name', 'person.last_name') });
    },
  },
  'rest.md 5': {
    async open() {
      const page = await readFile(new URL('../../../docs/sources/rest.md', import.meta.url), 'utf8');
      const [, preset = ''] = /^```yml\n(# hr-presets\/acme-hr\.yaml\n[\s\S]*?)^```$/m.exec(page) ?? [];
      const lifecycle = { status: 'rollcallStatus', active: ['active', 'leave'], leaver: ['terminated'] };
      const world = await rest(
        { '/api/v1/people': (request) => offsetPages(request) },
        { leavers: 25, sync: { ...named('id', 'first', 'last'), lifecycle } },
      );
      const [[theirs, ours] = ['', '']] = Object.entries(world.instead ?? {});
      return { ...world, instead: {}, files: { 'hr-presets/acme-hr.yaml': preset.replace(theirs, ours) } };
    },
  },
  'scim.md 1': {
    async open() {
      const scim = await startScim({ users: fakeUsers(130) });
      const granted = await fetch(scim.tokenUrl, {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'client_credentials', client_id: 'rollcall', client_secret: 'geheim' }),
      });
      const { access_token: token } = (await granted.json()) as { readonly access_token: string };
      return {
        folder: await temporaryFolder(),
        people: 130,
        leavers: 13,
        instead: { 'https://idp.example.com/scim/v2': scim.baseUrl },
        env: { SCIM_TOKEN: token },
      };
    },
  },
  'sql.md 1': {
    needs: 'postgres',
    async open({ postgres }) {
      const url = (await postgres?.newDatabase()) ?? '';
      const columns =
        'first_name text, last_name text, work_email text, department text, hire_date date, end_date date';
      for (const statement of [
        'create schema hr',
        `create table hr.employees (employee_id text primary key, ${columns}, status text)`,
        "insert into hr.employees select 'E' || n, 'Ana', 'Díaz', 'e' || n || '@example.com', 'Sales', '2020-01-01', null, 'active' from generate_series(1, 70) n",
      ]) {
        await postgres?.query(url, statement);
      }
      return {
        folder: await temporaryFolder(),
        people: 70,
        env: { HR_DATABASE_URL: url },
        sync: named('employee_id', 'first_name', 'last_name', {}),
      };
    },
  },
  'successfactors.md 1': { open: successFactors },
  'successfactors.md 2': { base: 'successfactors.md 1', open: successFactors },
  'workday.md 1': {
    open: () => workday(({ url }) => ({ instead: { [workdayHost]: url }, sync: reportMapping })),
  },
  'workday.md 2': {
    open: () =>
      workday(({ url }) => ({ instead: { [workdayHost]: url }, sync: named('employeeId', 'firstName', 'lastName') })),
  },
  'workday.md 3': {
    base: 'workday.md 1',
    open: () =>
      workday(({ url }) => ({
        instead: { [workdayHost]: url },
        partInstead: { [workdayHost]: url },
        env: { WORKDAY_PASSWORD: 'not used', WORKDAY_CLIENT: 'rollcall', WORKDAY_CLIENT_SECRET: 's' },
        files: { 'secrets/workday-refresh': 'r0' },
        sync: reportMapping,
      })),
  },
};

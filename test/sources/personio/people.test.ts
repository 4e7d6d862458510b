import { readFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { compileSourcePath } from '../../../src/core/person/source-path.ts';
import type { ReadRequest } from '../../../src/ports/source.ts';
import { personio } from '../../../src/sources/personio/index.ts';
import { openSource, parseSource } from '../../../src/sources/registry.ts';
import { readPeople, readWhole, sourceIo } from '../../contracts/source.ts';
import { jsonReply } from '../../fakes/hris/json-reply.ts';
import { type PersonioOptions, personioClient, personioPeople, startPersonio } from '../../fakes/hris/personio.ts';
import type { VendorReply, VendorRequest } from '../../fakes/hris/vendor-server.ts';
import { memoryLogger } from '../../support/memory-logger.ts';
import { sourceBase } from '../../support/source-base.ts';

const limits = { requestsPerSecond: 1000, deadline: '48h', timeout: '48h' };

async function office(
  api: 'v1' | 'v2',
  options: PersonioOptions = {},
  settings: Readonly<Record<string, unknown>> = {},
  people = personioPeople(130),
) {
  const fake = await startPersonio(people, options);
  const config = { kind: 'personio', api, url: fake.server.url, ...personioClient, limits, ...settings };
  const source = openSource(config, sourceBase('/'));
  const read = async (request?: ReadRequest) => {
    return readPeople(source, request);
  };
  const paths = () => fake.server.requests.map(({ url }) => `${url.pathname}${decodeURIComponent(url.search)}`);
  return { ...fake, source, read, paths };
}

async function sample(name: string) {
  const text = await readFile(new URL(`../../../src/sources/personio/sample/${name}.json`, import.meta.url), 'utf8');
  return JSON.parse(text);
}

describe('employees of Personio v1', () => {
  it('are mapped by the starter: values without their envelope, plain dates, own attributes by id and label', async () => {
    const { data, ...body } = await sample('v1-employees');
    const answer = ({ url }: VendorRequest) =>
      jsonReply({ ...body, data: data.slice(Number(url.searchParams.get('offset'))) });
    const { read } = await office('v1', { answer });

    const { people, end } = await read();

    expect(end).toMatchObject({ complete: true, rows: 4 });
    expect(people[1]).toMatchObject({
      id: '1181788',
      hire_date: '2014-11-09',
      termination_date: null,
      supervisor: { id: '1181700' },
      department: { id: '16823', name: 'Operations' },
      cost_centers: [{ id: '7', name: 'CC-100' }],
      dynamic_33400: '0088',
      'Personnel no.': '0088',
      status: 'leave',
    });
    expect(people[0]).toMatchObject({ supervisor: null });
    expect(people.map(({ rollcallStatus }) => rollcallStatus)).toEqual(['active', 'leave', 'terminated', 'prehire']);
    expectMapped('personio-v1', people);
  });

  it('follow the token that each answer hands out, where each is good for one request', async () => {
    const { read, paths } = await office('v1', { rotates: true }, { pageSize: 50 });

    expect((await read()).end).toMatchObject({ complete: true, rows: 130 });
    expect(paths().filter((path) => path === '/v1/auth')).toHaveLength(1);
  });

  it('overlap by one from page to page, until nobody follows', async () => {
    const { read, paths } = await office('v1');

    const { end } = await read();

    expect(end).toMatchObject({ complete: true, evidence: expect.stringContaining('no employee follows') });
    expect(paths().slice(1)).toEqual([0, 99, 129].map((from) => `/v1/company/employees?limit=100&offset=${from}`));
  });

  it('are complete though the total is wrong, where it is to be ignored', async () => {
    const fault = 'total too large';

    expect((await (await office('v1', { fault })).read()).end).toMatchObject({ complete: false });
    expect((await (await office('v1', { fault }, { total: 'ignore' })).read()).end).toMatchObject({ complete: true });
  });

  it('that moved while they were read are not complete, even where the total is to be ignored', async () => {
    const { read } = await office('v1', { fault: 'person slipped' }, { total: 'ignore', pageSize: 20 });

    expect((await read()).end).toMatchObject({ complete: false, reasons: [expect.stringContaining('list changed')] });
  });

  it('name an attribute that was asked for, and that the credential may not read', async () => {
    const attributes = ['email', 'hire_date'];
    const { read, paths } = await office('v1', { hidden: new Set(['hire_date']) }, { attributes });

    const { people, end } = await read();

    expect(end).toMatchObject({ complete: true, notReturned: ['hire_date'] });
    expect(people[0]).not.toHaveProperty('hire_date');
    expect(paths()[1]).toContain('attributes[]=id&attributes[]=status&attributes[]=email&attributes[]=hire_date');
  });

  it('are looked up by e-mail address one by one', async () => {
    const { read, paths } = await office('v1');
    const identifications = ['lena5@example.com', 'nobody@example.com', 'lena129@example.com'];

    const { people, end } = await read({ kind: 'point', field: 'email', identifications });

    expect(people.map(({ id }) => id)).toEqual(['1181005', '1181129']);
    expect(end).toMatchObject({ complete: true });
    expect(paths()).toHaveLength(4);
  });

  it('say at a 401 that a right may be missing, after one new token', async () => {
    const { read, paths } = await office('v1', { answer: () => ({ status: 401, body: '' }) });

    await expect(read()).rejects.toMatchObject({
      retry: 'never',
      message: expect.stringContaining('lacks permission'),
    });
    expect(paths().filter((path) => path === '/v1/auth')).toHaveLength(2);
  });
});

describe('persons of Personio v2', () => {
  const answers = (change: (path: string) => VendorReply | undefined): PersonioOptions => ({
    answer: ({ url }) => change(url.pathname),
  });
  const isEmployments = (path: string) => path.endsWith('/employments');

  it('are mapped by the starter: with the employment that counts, and names of department and office', async () => {
    const [persons, employments] = [await sample('v2-persons'), await sample('v2-employments')];
    const { read } = await office(
      'v2',
      answers((path) => {
        if (path === '/v2/persons') return jsonReply(persons);
        return isEmployments(path) ? jsonReply(employments[path.split('/')[3] ?? '']) : undefined;
      }),
    );

    const { people, end } = await read();

    expect(end).toMatchObject({ complete: true, rows: 4, evidence: expect.stringContaining('no next link') });
    expect(people[1]).toMatchObject({
      id: '1181788',
      status: 'ACTIVE',
      'Personnel no.': 'E-88',
      dynamic_306: '2026-03-01',
      employment: { employment_start_date: '2014-11-09', termination: { last_working_day: null } },
      department: { id: '16823', name: 'Operations' },
      office: { id: '2065', name: 'Munich' },
      team: { id: '99' },
    });
    expect(people.map(({ rollcallStatus }) => rollcallStatus)).toEqual(['active', 'leave', 'terminated', 'prehire']);
    expectMapped('personio', people);
  });

  it('come page by page, by relative links too', async () => {
    const { read } = await office('v2', { links: 'relative' });

    expect((await read()).end).toMatchObject({ complete: true, rows: 130 });
  });

  it('whose page is full and comes without any links are not complete, because there is nothing that says it is the last', async () => {
    const page = (count: number, more: object = {}) =>
      answers((path) => {
        const _data = personioPeople(count).map(({ id }) => ({ id: id.slice(1) }));
        return path === '/v2/persons' ? jsonReply({ _data, ...more }) : undefined;
      });
    const read = async (options: PersonioOptions) =>
      (await (await office('v2', options, { employments: false })).read()).end;

    expect(await read(page(50))).toMatchObject({
      complete: false,
      reasons: [expect.stringContaining('has no links')],
    });
    expect(await read(page(50, { _meta: {} }))).toMatchObject({ complete: false });
    expect(await read(page(50, { _meta: { links: {} } }))).toMatchObject({ complete: true });
    expect(await read(page(49))).toMatchObject({ complete: true });
  });

  it('without any employment are not said to have none: a right may be missing', async () => {
    const { read } = await office(
      'v2',
      answers((path) => (isEmployments(path) ? jsonReply({ _data: [] }) : undefined)),
    );

    const { people } = await read();

    expect(people[0]).not.toHaveProperty('employment');
    expect(people[0]).toMatchObject({ rollcallStatus: expect.stringMatching(/unknown|terminated/) });
  });

  it('whose employments cannot be read are given with an unknown status, and the read says so', async () => {
    const failing = answers((path) => (path.includes('/1181007/') ? { status: 500, body: '' } : undefined));
    const { read } = await office('v2', failing);

    const { people, end } = await read();

    expect(people).toHaveLength(130);
    expect(people[7]).toMatchObject({ id: '1181007', rollcallStatus: 'unknown' });
    expect(people[7]).not.toHaveProperty('employment');
    expect(end).toMatchObject({ complete: true, notes: [expect.stringMatching(/employments of 1 person could not/)] });
  });

  it('are given up when employments fail for many, without asking on', async () => {
    const { source, server } = await office(
      'v2',
      answers((path) => (isEmployments(path) ? { status: 404, body: '' } : undefined)),
    );
    const logger = memoryLogger();
    const read = readWhole(source, { kind: 'full' }, sourceIo({ logger }));

    await expect(read).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
    const [asked, said] = [server.requests.length, logger.text()];
    for (let turn = 0; turn < 50; turn++) await setImmediate();
    expect(asked).toBeLessThan(30);
    expect([server.requests.length, logger.text()]).toEqual([asked, said]);
  });

  it('are not asked for again after 403 for employments', async () => {
    const refusing = answers((path) => (isEmployments(path) ? { status: 403, body: '' } : undefined));
    const { read } = await office('v2', refusing);

    await expect(read()).rejects.toMatchObject({ code: 'SOURCE_REFUSED', retry: 'never' });
  });

  it('have no names of departments where those may not be read, and the read says so', async () => {
    const { read } = await office(
      'v2',
      answers((path) => (path === '/v2/org-units' ? { status: 403, body: '' } : undefined)),
    );

    const { people, end } = await read();

    expect(people[0]).toMatchObject({ department: { id: '16823' }, office: { name: 'Munich' } });
    expect(people[0]?.department).not.toHaveProperty('name');
    expect(end).toMatchObject({ complete: true, notes: [expect.stringContaining('departments')] });
  });

  it('need no more than a request per page without employments; the status is the person’s own', async () => {
    const { read, paths } = await office('v2', {}, { employments: false });

    const { people } = await read();

    // Nothing proves the end of a list with cursors, so it is read twice.
    expect(paths()).toHaveLength(1 + 2 * 3);
    expect(people[0]).toMatchObject({ rollcallStatus: 'active' });
    expect(people[9]).toMatchObject({ rollcallStatus: 'terminated' });
  });

  it.each([
    ['id', '1181003'],
    ['email', 'lena3@example.com'],
  ])('looked up by %s have their employments read, and nobody else has', async (field, wanted) => {
    const { read, paths } = await office('v2');

    const { people } = await read({ kind: 'point', field, identifications: [wanted] });

    expect(people.map(({ id }) => id)).toEqual(['1181003']);
    expect(paths().filter(isEmployments)).toEqual(['/v2/persons/1181003/employments']);
    expect(paths().filter((path) => path.startsWith('/v2/persons?'))).toHaveLength(field === 'id' ? 1 : 3);
  });
});

it.each([
  [{ api: 'v3' }, 'api'],
  [{ api: 'v2', pageSize: 51 }, 'pageSize'],
  [{ api: 'v1', pageSize: 101 }, 'pageSize'],
  [{ api: 'v1', employments: true }, 'employments'],
])('%j is refused with the configuration', (settings, key) => {
  const parsed = parseSource({ kind: 'personio', ...personioClient, ...settings });

  expect(parsed).toMatchObject({ ok: false, problems: [{ path: [key] }] });
});

/** Every field that the starter maps without a comment is in some record, and says something. */
function expectMapped(starterName: string, people: readonly Readonly<Record<string, unknown>>[]): void {
  const starter = personio.starters.find(({ name }) => name === starterName) ?? expect.unreachable();
  const { mapping, lifecycle } = parseYaml(starter.mapping);
  const paths = [...Object.values(mapping), lifecycle.status, lifecycle.leaveDate].map((rule) => rule.from ?? rule);
  for (const path of paths) {
    const read = compileSourcePath(path);
    expect(people.map(read), path).toContainEqual(expect.stringMatching(/./));
  }
}

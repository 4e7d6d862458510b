import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { compileSourcePath } from '../../../src/core/person/source-path.ts';
import type { ReadRequest } from '../../../src/ports/source.ts';
import { hibob } from '../../../src/sources/hibob/index.ts';
import { lifecycleReader } from '../../../src/sources/hibob/to-person.ts';
import { openSource, parseSource } from '../../../src/sources/registry.ts';
import { readPeople } from '../../contracts/source.ts';
import { type BobOptions, type BobPerson, bobPeople, bobUser, startBob } from '../../fakes/hris/hibob.ts';
import { sourceBase } from '../../support/source-base.ts';
import { bobFields } from './under-test.ts';

const limits = { requestsPerSecond: 1000, deadline: '48h', timeout: '48h' };

async function office(options: BobOptions, settings: Readonly<Record<string, unknown>> = {}) {
  const fake = await startBob(bobPeople(30), options);
  const login = { serviceUser: bobUser.id, token: bobUser.token };
  const config = { kind: 'hibob', url: fake.url, ...login, fields: bobFields, limits, ...settings };
  const source = openSource(config, sourceBase('/'));
  const read = async (request?: ReadRequest) => {
    return readPeople(source, request);
  };
  return { ...fake, read };
}

const bodies = (requests: readonly { readonly body: string }[]) => requests.map(({ body }) => JSON.parse(body));

describe('HiBob people', () => {
  it('are records in which dots reach every field, told nested or by slash keys', async () => {
    const body = await readFile(
      new URL('../../../src/sources/hibob/sample/people-search.json', import.meta.url),
      'utf8',
    );
    const { read } = await office({ answer: () => ({ status: 200, body }) }, { fields: ['work.title'] });

    const { people, end } = await read();

    expect(end).toMatchObject({ complete: true, rows: 4 });
    expect(people[0]).toMatchObject({
      id: '3332883884017713938',
      root: { id: '3332883884017713938', email: 'noa.bar@example.com' },
      work: { title: '242659212', siteId: '2743498', employeeIdInCompany: '0042', startDate: '2023-02-01' },
      humanReadable: { work: { title: 'Engineer' } },
    });
    expect(people[2]).toMatchObject({ work: { title: '242659212', employeeIdInCompany: null } });
    expect(people[2]?.work).not.toHaveProperty('site');
    expect(people.map(({ rollcallStatus }) => rollcallStatus)).toEqual(['active', 'leave', 'terminated', 'prehire']);
    // What the starter maps is there, and says something.
    const { mapping, lifecycle } = parseYaml(hibob.starters[0]?.mapping ?? '');
    const rules = [...Object.values(mapping), lifecycle.status, lifecycle.leaveDate];
    for (const path of rules.map((rule) => rule.from ?? rule)) {
      expect(people.map(compileSourcePath(path)), path).toContainEqual(expect.stringMatching(/./));
    }
  });

  it('are asked for with leavers and readable names, and without an empty filter', async () => {
    const { read, server } = await office({});

    await read();

    expect(bodies(server.requests)).toEqual([{ fields: bobFields, showInactive: true, humanReadable: 'APPEND' }]);
  });

  it('say which field came for nobody: a permission is missing, and HiBob keeps silent about it', async () => {
    const { read } = await office({ hidden: new Set(['work.startDate', 'internal.terminationDate']) });

    const { people, end } = await read();

    expect(end).toMatchObject({ complete: true, notReturned: ['work.startDate'] });
    expect(people[0]?.work).not.toHaveProperty('startDate');
  });

  it.each([
    ['id', '3332883884017700002', 'root.id'],
    ['root.email', 'noa2@example.com', 'root.email'],
  ])('are looked up by %s with the one filter that HiBob has', async (field, wanted, fieldPath) => {
    const { read, server } = await office({}, { batchSize: 10 });

    const { people, end } = await read({ kind: 'point', field, identifications: [wanted] });

    expect(people.map(({ id }) => id)).toEqual(['3332883884017700002']);
    expect(end).toMatchObject({ complete: true });
    expect(bodies(server.requests)).toMatchObject([{ filters: [{ fieldPath, operator: 'equals', values: [wanted] }] }]);
  });

  it('are looked up by another field by reading everybody', async () => {
    const { read, server } = await office({});

    const { people } = await read({ kind: 'point', field: 'root.firstName', identifications: ['Noa7'] });

    expect(people.map(({ email }) => email)).toEqual(['noa7@example.com']);
    expect(bodies(server.requests)[0]).not.toHaveProperty('filters');
  });

  it('of a large company are read by their ids, so many at a time, and must be as many as there are ids', async () => {
    const { read, server } = await office({}, { batchSize: 12 });

    const { people, end } = await read();

    expect(people).toHaveLength(30);
    expect(end).toMatchObject({ complete: true, evidence: expect.stringContaining('each of 30 ids') });
    expect(bodies(server.requests).map(({ filters }) => filters?.[0].values.length)).toEqual([undefined, 12, 12, 6]);
  });
});

describe('the status of HiBob people', () => {
  const standing = lifecycleReader({ 'garden leave': 'terminated', Probation: 'active' }, '2026-11-21');
  const person = (more: Partial<BobPerson>) => ({
    internal: { status: more.status, lifecycleStatus: more.lifecycleStatus, terminationDate: more.terminationDate },
    work: { startDate: more.startDate },
  });

  it.each([
    [{ lifecycleStatus: 'employed', status: 'Active' }, 'active'],
    [{ lifecycleStatus: 'hired', status: 'Inactive', terminationDate: '2020-01-01' }, 'prehire'],
    [{ lifecycleStatus: 'Parental leave', status: 'Active' }, 'leave'],
    [{ lifecycleStatus: 'sickLeave' }, 'leave'],
    [{ lifecycleStatus: 'gardenLeave', status: 'Active' }, 'terminated'],
    [{ lifecycleStatus: 'probation', status: 'Active' }, 'active'],
    [{ lifecycleStatus: 'terminated', status: 'Inactive' }, 'terminated'],
    [{ lifecycleStatus: 'terminated', status: 'Active' }, 'unknown'],
    [{ lifecycleStatus: 'employed', status: 'Inactive' }, 'unknown'],
    [{ lifecycleStatus: 'employed', status: 'Inactive', terminationDate: '2026-11-20' }, 'terminated'],
    [{ lifecycleStatus: 'employed', status: 'Inactive', terminationDate: '2026-12-31' }, 'unknown'],
    [{ lifecycleStatus: 'seconded', status: 'Active' }, 'unknown'],
    [{ lifecycleStatus: 'leaver', status: 'Active' }, 'unknown'],
    [{ status: 'Active', startDate: '2026-11-21' }, 'active'],
    [{ status: 'Active', startDate: '2026-11-22' }, 'prehire'],
    [{}, undefined],
  ] as const)('%j is %s', (facts, expected) => {
    expect(standing(person(facts))).toBe(expected);
  });
});

it('more than 400 fields, and keys that it does not know, are refused with the configuration', () => {
  const fields = Array.from({ length: 401 }, (_, index) => `custom.field_${index}`);

  expect(parseSource({ kind: 'hibob', serviceUser: 's', token: 't', fields, filter: 'x' })).toMatchObject({
    ok: false,
    problems: [{ path: ['fields'] }, { path: ['filter'] }],
  });
});

import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { createExpressions } from '../../src/config/expressions.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { ConfigError } from '../../src/config/report.ts';
import { knownKinds } from '../../src/sources/kinds.ts';
import { sourceKinds } from '../../src/sources/registry.ts';

const auth = { kind: 'client-credentials', tokenUrl: 'https://hr.example.com/token', clientId: 'r', clientSecret: 's' };
const scim = { kind: 'scim', baseUrl: 'https://hr.example.com/scim/v2', auth };
const personio = { kind: 'personio', clientId: 'c', clientSecret: 's' };
const rest = { kind: 'rest', baseUrl: 'https://hr.example.com', path: '/people', items: 'data', key: 'id', auth };

function load(source: object, deltas: unknown, more: object = {}): Promise<Config> {
  const people = {
    connection: 'acme',
    source,
    policy: 'sync',
    mapping: { identification: 'externalId', firstName: 'a', lastName: 'b' },
    ...(deltas === undefined ? {} : { deltas }),
    ...more,
  };
  const file = {
    connections: { acme: { baseUrl: 'https://platform.example.com', accessToken: 't' } },
    syncs: { people },
  };
  const readFile = async () => JSON.stringify(file);
  return loadConfig('/etc/rollcall/rollcall.json', {
    env: {},
    sourceKinds: knownKinds,
    expressions: createExpressions(),
    readFile,
  });
}

async function problemsOf(source: object, deltas: unknown): Promise<readonly string[]> {
  const outcome = await load(source, deltas).catch((error: unknown) => error);
  if (!(outcome instanceof ConfigError)) return [];
  return outcome.problems.map(({ path, message }) =>
    path === 'syncs.people.deltas' ? message : `${path}: ${message}`,
  );
}

describe('deltas', () => {
  it('do not go together with prefer, which needs all records of a person', async () => {
    const outcome = await load(scim, { fullEvery: '24h' }, { prefer: "status = 'active'" }).catch((error) => error);
    expect(outcome.problems).toMatchObject([
      {
        path: 'syncs.people.prefer',
        message: expect.stringMatching(/a delta has only the changed ones; set deltas: never/),
      },
    ]);
    await expect(load(scim, 'never', { prefer: "status = 'active'" })).resolves.toBeDefined();
  });

  it('are what is written, with the rest filled in, and never where nothing is', async () => {
    expect((await load(scim, {})).syncs.people?.deltas).toEqual({ fullEveryMs: 86_400_000, overlapMs: 600_000 });
    expect((await load(scim, { fullEvery: '6h', overlap: '1m' })).syncs.people?.deltas).toEqual({
      fullEveryMs: 21_600_000,
      overlapMs: 60_000,
    });
    expect((await load(scim, undefined)).syncs.people).not.toHaveProperty('deltas');
    expect((await load(scim, 'never')).syncs.people).not.toHaveProperty('deltas');
  });

  it.each<[string, object, string]>([
    ['a kind that has none', { kind: 'csv', path: './employees.csv' }, 'csv cannot (docs/sources/csv.md)'],
    [
      'a service that is not to be asked with filters',
      { ...scim, filters: false },
      'scim, as it is configured here, cannot (docs/sources/scim.md)',
    ],
    [
      'an older API of a vendor',
      { ...personio, api: 'v1' },
      'personio, as it is configured here, cannot (docs/sources/personio.md)',
    ],
    [
      'an API of which nothing is said about changes',
      { ...rest, paging: { style: 'offset', size: 100 } },
      'rest, as it is configured here, cannot (docs/sources/rest.md)',
    ],
  ])('are refused for %s', async (_what, source, who) => {
    expect(await problemsOf(source, { fullEvery: '6h' })).toEqual([
      `needs a source that can report changes, and ${who}: delete this key, and every read is full`,
    ]);
    expect(await problemsOf(source, 'never')).toEqual([]);
  });

  it.each<[string, object]>([
    ['scim', scim],
    ['personio v2', { ...personio, api: 'v2' }],
    ['rest', { ...rest, paging: { style: 'offset', size: 100 }, delta: { query: { since: '{since}' } } }],
  ])('are taken for %s', async (_what, source) => {
    expect(await problemsOf(source, { fullEvery: '6h' })).toEqual([]);
  });
});

it.each<[string, object]>([
  ['scim', scim],
  ['scim without filters', { ...scim, filters: false }],
  ['personio v1', { ...personio, api: 'v1' }],
  ['personio v2', { ...personio, api: 'v2' }],
  ['rest', { ...rest, paging: { style: 'offset', size: 100 } }],
  ['rest with a delta', { ...rest, paging: { style: 'offset', size: 100 }, delta: { query: { since: '{since}' } } }],
  ['csv', { kind: 'csv', path: './employees.csv' }],
])('what the configuration of %s is said to be able to do is what its source can do', (_what, source) => {
  const kind = sourceKinds.find((one) => 'kind' in source && one.kind === source.kind);
  const parsed = kind?.parse(source);
  if (parsed?.ok !== true) throw new Error(JSON.stringify(parsed));
  const openTokens = () => {
    throw new Error('no token is kept in the store here');
  };
  expect(parsed.open({ folder: '/nowhere', scratchFolder: '/nowhere', openTokens }).capabilities).toEqual(
    parsed.capabilities,
  );
});

it('the fingerprint of a source changes with each of its keys, and is too short to tell them', async () => {
  const print = async (source: object) => (await load(source, undefined)).syncs.people?.source.fingerprint;
  const one = await print(scim);
  expect(one).toMatch(/^[0-9a-f]{4}$/);
  expect(await print({ auth, baseUrl: scim.baseUrl, kind: 'scim' })).toBe(one);
  expect(await print({ ...scim, baseUrl: 'https://test.example.com/scim/v2' })).not.toBe(one);
  expect(await print({ ...scim, auth: { ...auth, clientSecret: 't' } })).not.toBe(one);
});

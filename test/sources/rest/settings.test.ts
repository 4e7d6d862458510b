import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { RestConfig } from '../../../src/sources/rest/config.ts';
import { rest } from '../../../src/sources/rest/index.ts';
import { nextLink, placeOf } from '../../../src/sources/rest/paging.ts';
import { fillPreset } from '../../../src/sources/rest/presets.ts';
import { compileStatus } from '../../../src/sources/rest/to-person.ts';

const least = {
  kind: 'rest',
  baseUrl: 'https://hr.example.com',
  path: '/people',
  auth: { kind: 'none' },
  items: 'data',
  key: 'id',
  paging: { style: 'none' },
};

function problemsOf(config: unknown): readonly string[] {
  const parsed = rest.parse(config);
  return parsed.ok ? [] : parsed.problems.map(({ path, message }) => `${path.join('.')} ${message}`);
}

describe('a configuration', () => {
  it('may be as short as this', () => {
    expect(problemsOf(least)).toEqual([]);
  });

  it('names what is missing, all at once', () => {
    expect(problemsOf({ kind: 'rest' })).toEqual(
      ['baseUrl', 'path', 'items', 'key', 'paging', 'auth'].map((name) => `${name} is required`),
    );
  });

  it.each<[string, object, string]>([
    ['an unknown key', { itms: 'data' }, 'itms is not a known key; did you mean items? Known here: kind, preset'],
    [
      'a style of paging that does not exist',
      { paging: { style: 'pages' } },
      'paging.style must be one of none, offset, page',
    ],
    ['a preset that does not exist', { preset: 'paypal' }, 'preset must be one of rippling, merge'],
    ['an address without TLS', { baseUrl: 'http://hr.example.com' }, 'baseUrl must be an https:// address'],
    ['a body of a GET', { body: { a: 1 } }, 'body is only sent with method: POST'],
    ['pages in the body of a GET', { paging: { style: 'page-in-body' } }, 'method must be POST'],
    ['an end by a total that is not there', { paging: { style: 'page', lastPage: 'total' } }, 'total is required'],
    ['a status by nothing', { status: { map: { a: 'active' } } }, 'status needs from'],
    ['a status that is none', { status: { from: 's', map: { a: 'here' } } }, 'status.map.a must be one of prehire'],
    [
      'a join of two keys by one',
      { join: { path: '/b', items: '.', key: ['a', 'b'], by: 'a', as: 'b', keep: ['c'] } },
      'join.by must have as many',
    ],
    [
      'the second join without what to keep',
      {
        join: [
          { path: '/b', items: '.', key: 'a', by: 'a', as: 'b', keep: ['c'] },
          { path: '/c', items: '.', key: 'a', by: 'a', as: 'c' },
        ],
      },
      'join.1.keep is required',
    ],
    [
      'a misspelt key of a field',
      { fields: { a: { form: 'b' } } },
      'fields.a.form is not a known key; did you mean from?',
    ],
  ])('with %s is refused', (_, more, problem) => {
    expect(problemsOf({ ...least, ...more }).join('\n')).toContain(problem);
  });
});

describe('a preset', () => {
  const merge = { kind: 'rest', preset: 'merge', auth: { kind: 'bearer', token: 't' } };

  it('fills in what is not written, and gives way to what is, key by key', () => {
    const filled = RestConfig.parse(
      fillPreset({
        ...merge,
        baseUrl: 'https://api-eu.merge.dev/api/hris/v1',
        query: { expand: 'groups' },
        paging: { size: 50 },
      }),
    );

    expect(filled).toMatchObject({
      baseUrl: 'https://api-eu.merge.dev/api/hris/v1',
      path: '/employees',
      query: { expand: 'groups' },
      paging: { style: 'cursor', size: 50, limit: 'page_size' },
      limits: { requestsPerSecond: 1.5 },
      key: ['id'],
    });
  });

  it('loses a key to null, and a whole section to one of another style', () => {
    const filled = RestConfig.parse(fillPreset({ ...merge, ready: null, delta: null, paging: { style: 'none' } }));

    expect(filled).toMatchObject({ paging: { style: 'none' } });
    expect(filled.paging).toEqual({ style: 'none' });
    expect([filled.ready, filled.delta]).toEqual([undefined, undefined]);
  });

  it('and what stands alone is left as it is', () => {
    expect([fillPreset(least), fillPreset('rest'), fillPreset({ preset: 'x' })]).toEqual([
      least,
      'rest',
      { preset: 'x' },
    ]);
  });
});

describe('each starter', () => {
  it.each(rest.starters.map((starter) => [starter.name, starter] as const))(
    '%s is in order once its secrets are set',
    (_, starter) => {
      const { source } = parseYaml(starter.source);
      const { mapping, lifecycle } = parseYaml(starter.mapping);

      expect(problemsOf(source)).toEqual([]);
      expect(Object.keys(mapping)).toEqual(
        expect.arrayContaining(['identification', 'firstName', 'lastName', 'email']),
      );
      expect(lifecycle).toMatchObject({
        status: 'rollcallStatus',
        active: ['active', 'leave', 'suspended'],
        leaver: ['terminated'],
      });
      const named = [...starter.source.matchAll(/\$\{env:(\w+)\}/g)].map(([, name]) => name);
      expect(Object.keys(starter.secrets).sort()).toEqual(named.sort());
      expect(starter.steps.length).toBeGreaterThan(0);
    },
  );
});

describe('where somebody stands on 2026-11-21', () => {
  const map = { Active: 'active', ' on LEAVE ': 'leave', gone: 'terminated', hired: 'prehire' } as const;
  const byStatus = compileStatus({ from: 's', map, hireDate: 'h', terminationDate: 't' });
  const byDates = compileStatus({ map: {}, hireDate: 'h', terminationDate: 't' });

  it.each<[object, string, string]>([
    [{ s: 'ACTIVE' }, 'active', 'unknown'],
    [{ s: 'active', h: '2026-11-21', t: null }, 'active', 'active'],
    [{ s: 'active', h: '2026-11-22', t: null }, 'prehire', 'prehire'],
    [{ s: 'on leave', h: '2026-11-22', t: null }, 'leave', 'prehire'],
    [{ s: 'active', h: '2020-01-01', t: '2026-11-21T23:00:00Z' }, 'active', 'active'],
    [{ s: 'active', h: '2020-01-01', t: '2026-11-20' }, 'terminated', 'terminated'],
    [{ s: 'on leave', h: '2020-01-01', t: '2026-11-20' }, 'terminated', 'terminated'],
    [{ s: 'active', t: '2026-11-20' }, 'unknown', 'terminated'],
    [{ s: 'active', h: '2024-03-01', t: '2020-06-30' }, 'active', 'active'],
    [{ s: 'active', h: '2026-12-01', t: '2020-06-30' }, 'terminated', 'terminated'],
    [{ s: 'active', h: '2026-12-01', t: '2026-11-21' }, 'prehire', 'prehire'],
    [{ s: 'on leave', h: '2024-03-01', t: '2020-06-30' }, 'leave', 'active'],
    [{ s: 'gone', h: '2027-01-01', t: '2027-02-01' }, 'terminated', 'prehire'],
    [{ s: 'hired', t: '9999-12-31' }, 'prehire', 'active'],
    [{ s: 'sabbatical', t: '2026-11-20' }, 'unknown', 'terminated'],
    [{ s: null, t: null }, 'unknown', 'active'],
    [{}, 'unknown', 'unknown'],
    [{ s: 'active', t: 'last spring' }, 'unknown', 'unknown'],
    [{ s: 'gone', h: 'soon', t: 'last spring' }, 'terminated', 'unknown'],
  ])('%j: %s by status, %s by dates alone', (record, status, dates) => {
    const fields = record as Readonly<Record<string, unknown>>;
    expect([byStatus(fields, '2026-11-21'), byDates(fields, '2026-11-21')]).toEqual([status, dates]);
  });
});

describe('a Link header', () => {
  it.each<[readonly string[], string | undefined]>([
    [['<https://a/?p=2>; rel="next"'], 'https://a/?p=2'],
    [['</?p=2>;rel=next'], '/?p=2'],
    [['<a,b>; rel="prev", <c>; title="x, y; rel=no"; REL="last NEXT"'], 'c'],
    [['<a>; rel="first"', '<b>; rel="next"'], 'b'],
    [['<a>; rel="nextish"'], undefined],
    [['<a>; title="rel=next"'], undefined],
    [[], undefined],
    [['nonsense'], undefined],
  ])('%j leads to %s', (headers, link) => {
    expect(nextLink(headers)).toBe(link);
  });
});

it.each([
  ['https://a.example.com/v2?c=1', 'https://a.example.com/v2?c=1'],
  ['/v2?c=1', 'https://hr.example.com/v2?c=1'],
  ['?c=1', 'https://hr.example.com/v1/people?c=1'],
])('the link %s on a page leads to %s', (link, url) => {
  expect(placeOf(link, 'https://hr.example.com/v1/people?c=0')).toMatchObject({ kind: 'more', place: { url } });
  expect(placeOf('http://[', url)).toMatchObject({ kind: 'lost' });
});

it('docs/sources/rest.md names every key, every style of paging and every preset', async () => {
  const page = await readFile(new URL('../../../docs/sources/rest.md', import.meta.url), 'utf8');
  const { properties } = rest.schema as { readonly properties: Readonly<Record<string, unknown>> };
  const styles = [
    'none',
    'offset',
    'page',
    'page-in-body',
    'start-index',
    'cursor',
    'after-id',
    'next-link',
    'link-header',
    'total-pages',
  ];

  const names = [
    ...Object.keys(properties).filter((name) => name !== 'kind'),
    ...styles,
    ...rest.starters.map(({ name }) => name),
  ];
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

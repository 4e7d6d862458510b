import { describe, expect, it } from 'vitest';
import type { ReadRequest } from '../../../src/ports/source.ts';
import { openSource } from '../../../src/sources/registry.ts';
import { readPeople, readWhole, sourceIo } from '../../contracts/source.ts';
import { jsonReply } from '../../fakes/hris/json-reply.ts';
import { type FakeScim, type FakeScimOptions, fakeUsers, type ScimBug, startScim } from '../../fakes/hris/scim.ts';
import { startVendor } from '../../fakes/hris/vendor-server.ts';
import { sourceBase } from '../../support/source-base.ts';
import { scimConfig } from './under-test.ts';

type Settings = Readonly<Record<string, unknown>>;

async function readFrom(scim: FakeScim, settings: Settings = {}, request: ReadRequest = { kind: 'full' }) {
  return readPeople(openSource(scimConfig(scim, settings), sourceBase('/')), request);
}

async function serve(count: number, options: Partial<FakeScimOptions> = {}): Promise<FakeScim> {
  return startScim({ users: fakeUsers(count), ...options });
}

const listsOf = ({ requests }: FakeScim): readonly URLSearchParams[] =>
  requests.filter(({ url }) => url.pathname.endsWith('/Users')).map(({ url }) => url.searchParams);

describe('servers that are wrong', () => {
  it.each<{ readonly bug: ScimBug; readonly settings?: Settings; readonly people: number; readonly doubt?: RegExp }>([
    { bug: 'total is the page', people: 250 },
    { bug: 'total is the page', settings: { total: 'exact' }, people: 250, doubt: /first page of 100, .* unreliable/ },
    { bug: 'no Resources when empty', people: 250 },
    { bug: 'startIndex is 0', people: 250 },
    { bug: 'itemsPerPage is wrong', people: 250 },
    { bug: 'pages overlap', people: 251, doubt: /returned twice/ },
    { bug: 'keeps no order', people: 250 },
    { bug: 'keeps no order', settings: { sortBy: false }, people: 250, doubt: /returned twice/ },
    { bug: 'refuses to sort', settings: { sortBy: false }, people: 250 },
    { bug: 'counts the deleted', people: 250, doubt: /totalResults was 262, and 250 people arrived/ },
    { bug: 'counts the deleted', settings: { total: 'ignored' }, people: 250 },
    { bug: 'refuses beyond the end', people: 250, doubt: /after the first 250 people, so .* total: exact/ },
    { bug: 'refuses beyond the end', settings: { total: 'exact' }, people: 250 },
    {
      bug: 'refuses beyond the end',
      settings: { total: 'exact', pageSize: 250 },
      people: 250,
      doubt: /another pageSize/,
    },
  ])('$bug, $settings', async ({ bug, settings, people: count, doubt }) => {
    const scim = await serve(250, { bugs: [bug] });

    const { end, people } = await readFrom(scim, settings);

    expect(people).toHaveLength(count);
    if (doubt === undefined) expect(end).toMatchObject({ complete: true, rows: count });
    else expect(end).toMatchObject({ complete: false, reasons: [expect.stringMatching(doubt)] });
  });

  const everybodyChanged: ReadRequest = { kind: 'delta', since: '2020-01-01T00:00:00Z' };
  it.each<{ readonly bugs: readonly ScimBug[]; readonly settings: Settings; readonly request: ReadRequest }>([
    { bugs: ['total is the page'], settings: {}, request: { kind: 'full' } },
    { bugs: [], settings: { total: 'ignored' }, request: { kind: 'full' } },
    { bugs: [], settings: { total: 'ignored' }, request: everybodyChanged },
  ])(
    'a total that says nothing ($bugs, $settings, $request.kind) lets people slip unseen, so everybody is read twice',
    async (one) => {
      const { bugs, settings, request } = one;
      const [still, moved] = [await serve(250, { bugs }), await serve(250, { bugs, fault: 'person slipped' })];

      const [proven, doubted] = [await readFrom(still, settings, request), await readFrom(moved, settings, request)];

      expect(proven.end).toMatchObject({ complete: true, rows: 250, evidence: expect.stringContaining('read twice') });
      expect(proven.people).toHaveLength(250);
      expect(doubted.people.length).toBeLessThan(250);
      expect(doubted.end).toMatchObject({
        complete: false,
        reasons: [expect.stringContaining('returned other people')],
      });
    },
  );

  it('a total that is the people who came proves them in one reading', async () => {
    const scim = await serve(250);

    const { end } = await readFrom(scim);

    expect(end).toMatchObject({ complete: true, evidence: expect.not.stringContaining('read twice') });
    expect(listsOf(scim).map((query) => query.get('startIndex'))).toEqual(['1', '101', '201', '251']);
  });

  it.each([
    { name: 'full and holds everybody', count: 100, asked: ['1', '101'] },
    { name: 'not full', count: 99, asked: ['1'] },
    { name: 'full and not the last', count: 101, asked: ['1', '101'] },
  ])('an exact total is proven by an empty page where the first page is $name', async ({ count, asked }) => {
    const scim = await serve(count);

    const { end } = await readFrom(scim, { total: 'exact', pageSize: 100 });

    const evidence = `totalResults of ${count} is reached, after ${count} people`;
    expect(end).toMatchObject({ complete: true, rows: count, evidence });
    expect(listsOf(scim).map((ask) => ask.get('startIndex'))).toEqual(asked);
  });

  it('one that gives a full page without an end is left, and not believed', async () => {
    const Resources = [{ id: '1', userName: 'ana', active: true }];
    const server = await startVendor({ isData: () => true, answer: () => jsonReply({ totalResults: 1, Resources }) });
    const config = { kind: 'scim', baseUrl: server.url, auth: { kind: 'none' }, total: 'exact', pageSize: 1 };

    const { end } = await readWhole(openSource({ ...config, paging: 'index' }, sourceBase('/')));

    expect(end).toMatchObject({
      complete: false,
      reasons: expect.arrayContaining([expect.stringMatching(/pageSize/)]),
    });
  });

  it('one that ignores cursors is not believed when it gives one full page', async () => {
    const scim = await serve(250, { bugs: ['cursors ignored', 'total is the page'] });

    const { end } = await readFrom(scim, { paging: 'cursor' });

    expect(end).toMatchObject({ complete: false, reasons: [expect.stringMatching(/set paging: index/)] });
  });

  it('one whose cursor is no text has not come to its end', async () => {
    const answer = {
      totalResults: 1,
      Resources: [{ id: '1', userName: 'ana', active: true }],
      nextCursor: { after: 1 },
    };
    const server = await startVendor({ isData: () => true, answer: () => jsonReply(answer) });
    const config = { kind: 'scim', baseUrl: server.url, auth: { kind: 'none' }, paging: 'cursor' };

    const reading = readWhole(openSource(config, sourceBase('/')));

    await expect(reading).rejects.toMatchObject({
      message: expect.stringContaining('without a nextCursor that is text'),
    });
  });

  it('a refusal is told by its registered word, and not by the detail, which may quote people', async () => {
    const scim = await serve(3, { bugs: ['refuses to sort'] });

    await expect(readFrom(scim)).rejects.toMatchObject({
      message: expect.stringMatching(/^GET \/Users was answered 400 \(invalidValue\)\. Check filter/),
      retry: 'never',
    });
    await expect(readFrom(scim)).rejects.not.toMatchObject({ message: expect.stringContaining('Ana') });
  });
});

describe('paging', () => {
  it('asks the server whether it knows cursors, and how large a page may be', async () => {
    const scim = await serve(2_100, { cursors: true });

    const { end } = await readFrom(scim, { pageSize: 5_000 });

    expect(end).toMatchObject({ complete: true, rows: 2_100, evidence: 'no next cursor, after 2100 people' });
    expect(listsOf(scim).map((ask) => [ask.get('cursor'), ask.get('count')])).toEqual([
      ['', '1000'],
      ['c1000', '1000'],
      ['c2000', '1000'],
    ]);
  });

  it.each([
    { name: 'is not there', config: { status: 404, body: '' } },
    { name: 'is a web page', config: { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>Hello</p>' } },
    { name: 'says nothing', config: { status: 200, body: '{}' } },
  ])('goes by index where the service configuration $name', async ({ config }) => {
    const scim = await serve(150, { config });

    expect((await readFrom(scim)).end).toMatchObject({ complete: true, rows: 150 });
    expect(listsOf(scim).map((ask) => ask.get('startIndex'))).toEqual(['1', '101', '151']);
  });
});

describe('parts of the people', () => {
  const point = (field: string, ...identifications: readonly string[]): ReadRequest => ({
    kind: 'point',
    field,
    identifications,
  });

  it.each([
    ['userName', 'ana7@example.com', 'userName eq "ana7@example.com"'],
    ['workEmail', 'ana7@example.com', 'emails.value eq "ana7@example.com"'],
    ['externalId', '700006', 'externalId eq "700006"'],
  ])('are looked up by %s', async (field, value, filter) => {
    const scim = await serve(250);

    const { people, end } = await readFrom(scim, {}, point(field, value));

    expect(people).toMatchObject([{ id: 'u000007' }]);
    expect(end.complete).toBe(true);
    expect(listsOf(scim)[0]?.get('filter')).toBe(filter);
  });

  it('a value cannot end the text of a filter', async () => {
    const scim = await serve(20);

    const { people } = await readFrom(scim, {}, point('userName', 'x" or userName pr or userName eq "'));

    expect(people).toEqual([]);
    expect(listsOf(scim)[0]?.get('filter')).toBe('userName eq "x\\" or userName pr or userName eq \\""');
  });

  it.each<{ readonly name: string; readonly bugs: readonly ScimBug[]; readonly settings: Settings }>([
    { name: 'a server ignores filters', bugs: ['filters ignored'], settings: {} },
    { name: 'a server refuses filters', bugs: ['filters refused'], settings: {} },
    { name: 'filters are switched off', bugs: ['filters refused'], settings: { filters: false } },
  ])('are found among all when $name', async ({ bugs, settings }) => {
    const scim = await serve(150, { bugs });

    const { people, end } = await readFrom(scim, settings, point('userName', 'ana7@example.com', 'ana9@example.com'));

    expect(people.map(({ id }) => id)).toEqual(['u000007', 'u000009']);
    expect(end.complete).toBe(true);
  });

  it('the filter that says who is meant holds for changes and look-ups, too', async () => {
    const scim = await serve(30);
    const filter = `${'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'}:department eq "Tours"`;

    expect((await readFrom(scim, { filter })).people).toHaveLength(20);
    expect((await readFrom(scim, { filter }, point('externalId', '700000', '700001'))).people).toHaveLength(1);
    const delta: ReadRequest = { kind: 'delta', since: '2026-03-01T08:04:00Z' };
    expect((await readFrom(scim, { filter }, delta)).people).toHaveLength(20);
    expect(listsOf(scim).at(-1)?.get('filter')).toBe(`(${filter}) and (meta.lastModified gt "2026-03-01T07:59:00Z")`);
  });

  it('without filters there is no delta, and a filter in the configuration is refused where none is known', async () => {
    const scim = await serve(3, { config: { status: 200, body: '{"filter":{"supported":false}}' } });
    const source = openSource(scimConfig(scim, { filters: false }), sourceBase('/'));

    expect(source.capabilities).toMatchObject({ delta: false, point: false });
    await expect(
      source.read({ kind: 'delta', since: '2026-03-01T08:00:00Z' }, sourceIo()).next(),
    ).rejects.toMatchObject({
      code: 'USAGE',
    });
    await expect(readFrom(scim, { filter: 'active eq true' })).rejects.toMatchObject({ retry: 'never' });
  });
});

describe('empty or not shown', () => {
  const attributes = ['externalId', 'emails', 'enterprise.department', 'enterprise.division'];

  it('an attribute that was asked for is empty where it is absent, if others have it', async () => {
    const { people, end } = await readFrom(await serve(3), { attributes });

    expect(people.map(({ enterprise }) => enterprise)).toEqual([
      { department: null },
      { department: 'Tours' },
      { department: 'Tours' },
    ]);
    expect(end).toMatchObject({ complete: true, notReturned: ['enterprise.division'] });
  });

  it('what nobody shows is never empty, and is named', async () => {
    const { people, end } = await readFrom(await serve(3, { hidden: ['emails', 'active'] }), { attributes });

    expect(people.filter((person) => 'workEmail' in person || 'emails' in person)).toEqual([]);
    expect(people.filter((person) => 'rollcallStatus' in person)).toEqual([]);
    expect(end).toMatchObject({ notReturned: ['emails', 'enterprise.division'] });
  });

  it('without a list of attributes nothing is called empty', async () => {
    const { people, end } = await readFrom(await serve(3));

    expect(people.map((person) => 'enterprise' in person)).toEqual([false, true, true]);
    expect(end).not.toHaveProperty('notReturned');
  });
});

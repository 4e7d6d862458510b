import { describe, expect, it } from 'vitest';
import type { ReadRequest } from '../../../src/ports/source.ts';
import { openSource } from '../../../src/sources/registry.ts';
import { readPeople } from '../../contracts/source.ts';
import { jsonReply } from '../../fakes/hris/json-reply.ts';
import { doneSync, mergeEmployees, startMerge } from '../../fakes/hris/merge.ts';
import { ripplingWorkers, startRippling } from '../../fakes/hris/rippling.ts';
import { startUkg, ukgEmployments, ukgPeople } from '../../fakes/hris/ukg.ts';
import { startVendor, type VendorRequest, type VendorRules } from '../../fakes/hris/vendor-server.ts';
import { sourceBase } from '../../support/source-base.ts';

type Config = Readonly<Record<string, unknown>>;

async function read(config: Config, request?: ReadRequest) {
  return readPeople(openSource({ kind: 'rest', ...config }, sourceBase('/')), request);
}

/** An API that answers so. */
async function serve(answer: VendorRules['answer'], more: Config = {}) {
  const server = await startVendor({ answer, isData: () => true });
  const base = { baseUrl: server.url, path: '/people', items: 'data', key: 'id', paging: { style: 'none' } };
  const config = { ...base, auth: { kind: 'none' }, ...more };
  return {
    requests: server.requests,
    read: (now: Config = {}, request?: ReadRequest) => read({ ...config, ...now }, request),
  };
}

/** An API of one answer. */
async function readOne(body: unknown, config: Config = {}, request?: ReadRequest) {
  const api = await serve(() => jsonReply(body), config);
  return { ...(await api.read({}, request)), requests: api.requests };
}

describe('the list must be there: nothing else is an empty one', () => {
  it.each<[string, unknown]>([
    ['an empty object', {}],
    ['an error', { error: 'unavailable' }],
    ['null', { data: null }],
    ['an object where the list should be', { data: {} }],
    ['a list around it', [{ data: [] }]],
    ['a text', 'data'],
  ])('%s', async (_, body) => {
    const end = { emptyObject: true };
    await expect(readOne(body, { end })).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
    await expect(readOne(body, { end })).rejects.toThrow('GET /people was answered');
  });

  it('a list of texts has no people', async () => {
    expect((await readOne({ data: ['1', '2'] })).end).toMatchObject({ complete: false, rows: 2 });
  });

  it('an empty list is nobody, which proves nothing', async () => {
    expect((await readOne({ data: [] })).end).toMatchObject({ complete: false, rows: 0 });
  });

  it.each<[string, unknown, boolean]>([
    ['errors beside the data is not complete', [{ message: 'a resolver failed', path: ['people', 28] }], false],
    ['an empty list of errors is complete', [], true],
    ['no errors is complete', undefined, true],
  ])('a GraphQL answer with %s', async (_, errors, complete) => {
    const { end, people } = await readOne({ data: { people: [{ id: '1' }] }, errors }, { items: 'data.people' });

    expect(people).toHaveLength(1);
    expect(end.complete).toBe(complete);
    if (!end.complete) expect(end.reasons.join()).toContain('the answer says `errors`');
  });
});

describe('an answer that says of itself that it is a part', () => {
  const people = [{ id: '1' }];

  it.each<[string, unknown, { readonly status?: number } & Config, RegExp | undefined]>([
    ['errors beside a list', { data: people, errors: [{ message: 'x' }] }, {}, /the answer says `errors`/],
    ['a failure beside a list', { data: people, success: false, error: null }, {}, /the answer says `success: false`/],
    [
      'a page that ends in a failure',
      { data: people, error: { code: 'X' } },
      { paging: { style: 'offset', size: 10 } },
      /says `error`/,
    ],
    [
      'a larger count',
      { data: people, count: 30 },
      { paging: { style: 'offset', size: 10 } },
      /has 1, but `count` says 30/,
    ],
    ['a count of its own page', { data: people, count: 1 }, { paging: { style: 'offset', size: 10 } }, undefined],
    ['a flag', { data: people, partial: true }, {}, /`partial: true`/],
    ['a flag within', { data: people, meta: { truncated: true } }, {}, /`truncated: true`/],
    ['a flag that is not set', { data: people, partial: false }, {}, undefined],
    ['206 where one answer holds all', { data: people }, { status: 206 }, /status 206/],
    ['206 for a page', { data: people }, { status: 206, paging: { style: 'offset', size: 10 } }, undefined],
  ])('by %s is never whole', async (_, body, { status = 200, ...config }, reason) => {
    const api = await serve(() => ({ ...jsonReply(body), status }), config);
    const { end } = await api.read();

    expect(end.complete).toBe(reason === undefined);
    if (reason !== undefined) expect(end).toMatchObject({ reasons: [expect.stringMatching(reason)] });
  });

  it.each([
    ['x-total-count', '30', /has 1, but `header x-total-count` says 30/],
    ['content-range', 'people 0-0/30', /has 1, but `header content-range` says 30/],
    ['content-range', 'people 0-0/1', undefined],
    ['content-range', 'people 0-0/*', undefined],
  ])('says in the header %s how many people there are: %s', async (header, value, reason) => {
    const answers = [jsonReply({ data: people }), jsonReply(people)];
    for (const [i, reply] of answers.entries()) {
      const api = await serve(() => ({ ...reply, headers: { ...reply.headers, [header]: value } }), {
        items: ['data', '.'][i] ?? '',
      });
      const { end } = await api.read();
      expect(end.complete).toBe(reason === undefined);
      if (reason !== undefined) expect(end).toMatchObject({ reasons: [expect.stringMatching(reason)] });
    }
  });

  it.each(['text/html', 'multipart/mixed; boundary=x'])('is read as JSON although its label is %s', async (type) => {
    const api = await serve(() => ({ ...jsonReply({ data: people }), headers: { 'content-type': type } }));
    expect((await api.read()).end.complete).toBe(true);
  });
});

describe('the page behind the last one', () => {
  it.each<[string, { readonly status: number; readonly body: string }, Config, RegExp]>([
    [
      '404',
      { status: 404, body: '{"detail":"Invalid page."}' },
      { statuses: [404] },
      /set source\.end\.statuses: \[404\]/,
    ],
    ['204', { status: 204, body: '' }, { statuses: [204] }, /set source\.end\.statuses: \[204\]/],
    ['416', { status: 416, body: '' }, { statuses: [416] }, /set source\.end\.statuses: \[416\]/],
    ['null', jsonReply({ data: null }), { nullList: true }, /set source\.end\.nullList: true/],
  ])('that is %s names the setting, and ends the list with it', async (_, reply, end, told) => {
    const api = await serve(
      ({ url }) => (url.searchParams.get('page') === '1' ? jsonReply({ data: [{ id: '1' }, { id: '2' }] }) : reply),
      { paging: { style: 'page', size: 2 } },
    );

    await expect(api.read()).rejects.toThrow(told);
    expect((await api.read({ end })).end).toMatchObject({ complete: true, rows: 2 });
  });
});

describe('a record', () => {
  it('has what the API says, new names, plain dates and picks; ids as text', async () => {
    const { people } = await readOne(
      {
        data: [
          {
            id: 7,
            start: '2024-02-01T00:00:00+14:00',
            end: '9999-12-31',
            mails: [
              { type: 'home', value: 'a' },
              { type: 'work', value: 'b' },
            ],
            jobs: [
              { from: '2020', title: 'x' },
              { from: '2024', title: 'y' },
              { from: '2022', title: 'z', isMain: true },
            ],
            boss: { name: 'Ida' },
          },
          { id: '8', start: null, end: '', mails: [], jobs: null },
        ],
      },
      {
        fields: {
          start: { from: 'start', date: true },
          end: { from: 'end', date: true },
          mail: { from: 'mails', where: { type: 'work' }, take: 'value' },
          job: { from: 'jobs', latest: 'from', take: 'title' },
          mainJob: { from: 'jobs', prefer: { isMain: true }, latest: 'from', take: 'title' },
          boss: 'boss.name',
        },
      },
    );

    expect(people[0]).toMatchObject({
      id: '7',
      start: '2024-02-01',
      end: null,
      mail: 'b',
      job: 'y',
      mainJob: 'z',
      boss: 'Ida',
    });
    expect(people[1]).toMatchObject({ id: '8', start: null, end: null, mail: null, job: null, mainJob: null });
    expect(people[1]).not.toHaveProperty('boss');
  });

  it('lacks the fields that the credentials may not see, whether the API hides them for all or for one', async () => {
    const { people } = await readOne(
      {
        hidden: [{ name: 'born', reason: 'no right' }, { name: 'home.city' }],
        data: [
          { id: 1, born: null, home: { city: null, country: 'UY' }, phone: '1' },
          { id: 2, born: null, phone: null, hidden: ['phone'] },
        ],
      },
      { hidden: 'hidden', fields: { birthday: 'born' } },
    );

    expect(people).toEqual([
      { id: '1', home: { country: 'UY' }, phone: '1' },
      { id: '2', hidden: ['phone'] },
    ]);
  });

  it('that must come and comes for nobody is named', async () => {
    const { end } = await readOne({ data: [{ id: 1, a: null }] }, { expect: ['a', 'b.c'] });

    expect(end).toMatchObject({ complete: true, notReturned: ['b.c'] });
  });
});

describe('a look-up', () => {
  const list = {
    data: [
      { id: '1', mail: "o'neill@example.com" },
      { id: '2', mail: 'b@example.com' },
    ],
  };
  const ask = (field: string, ...identifications: string[]): ReadRequest => ({ kind: 'point', field, identifications });
  const asked = ({ url }: VendorRequest): string => `${url.pathname}${url.search}`;
  const point = { mail: { query: { filter: "mail eq '{value}'" } } };

  it('asks for one person at a time, and gives nobody else', async () => {
    const { people, requests } = await readOne(list, { point }, ask('mail', 'b@example.com'));

    expect(requests.map(asked)).toEqual(['/people?filter=mail+eq+%27b%40example.com%27']);
    expect(people.map(({ id }) => id)).toEqual(['2']);
  });

  it.each<[string, ReadRequest]>([
    ['by another field', ask('id', '2')],
    ['of a text that could end the filter', ask('mail', "o'neill@example.com")],
    ['of very many', ask('mail', ...Array.from({ length: 51 }, (_, index) => `${index}@example.com`), 'b@example.com')],
  ])('%s reads everybody and sifts', async (_, request) => {
    const { people, requests } = await readOne(list, { point }, request);

    expect(requests.map(asked)).toEqual(['/people']);
    expect(people).toHaveLength(1);
  });

  it.each(['', '{"error":"not found"}', '<html>Not Found'])('by path takes 404 for nobody, with %j', async (body) => {
    const api = await serve(
      ({ url }) => (url.pathname === '/people/a%2Fb' ? jsonReply({ id: 'a/b' }) : { status: 404, body }),
      { point: { id: { path: '/people/{value}' } } },
    );

    const { people, end } = await api.read({}, ask('id', 'a/b', 'gone'));

    expect(people).toEqual([{ id: 'a/b' }]);
    expect(end.complete).toBe(true);
  });
});

it.each<[string, object, object]>([
  ['an object', { style: 'next-link', next: 'next' }, { next: { href: '/people?page=2' } }],
  ['a list', { style: 'next-link', next: 'next' }, { next: ['/people?page=2'] }],
  ['an object', { style: 'cursor', next: 'next' }, { next: { after: 'x' } }],
  ['true', { style: 'cursor', next: 'next' }, { next: true }],
])('what leads on, and cannot be understood (%s), is not taken for the end: %j', async (_, paging, answer) => {
  const { end, people } = await readOne({ data: [{ id: '1' }], ...answer }, { paging });

  expect(people).toHaveLength(1);
  expect(end).toMatchObject({ complete: false, reasons: [expect.stringContaining('unknown form')] });
});

describe('counted pages without a total: somebody may slip between two without a trace, so everybody is read twice', () => {
  /** People by pages of two; `leaves`: at which request the first of them is deleted. */
  async function company({ leaves = 0, more = {} }: { leaves?: number; more?: Config }) {
    const people = Array.from({ length: 5 }, (_, index) => ({ id: String(index), site: index < 3 ? 'A' : 'B' }));
    const api = await serve(({ url }, number) => {
      if (number === leaves) people.shift();
      const at = (name: string): number => Number(url.searchParams.get(name) ?? 0);
      const start = url.searchParams.has('skip') ? at('skip') : at('p') * 2;
      const site = url.searchParams.get('site');
      const meant = people.filter((one) => site === null || one.site === site);
      return jsonReply({ data: meant.slice(start, start + 2), count: meant.length });
    });
    const paging = { style: 'page', size: 2, start: 0, page: 'p' };
    return { ...(await api.read({ paging, ...more })), asked: api.requests.length };
  }
  const offset = { paging: { style: 'offset', size: 2, offset: 'skip' } };
  const parts = { parts: { query: { site: '{part}' }, of: ['A', 'B'] } };

  it.each<[string, Config]>([
    ['pages by number', {}],
    ['a total that is not where the configuration says', { ...offset, total: 'meta.count' }],
    ['an overlap that was taken away', { paging: { ...offset.paging, overlap: 0 } }],
    ['the pages of each part', parts],
  ])('%s', async (_, more) => {
    const still = await company({ more });
    const moved = await company({ more, leaves: 2 });

    expect(still.people.map(({ id }) => id)).toEqual(['0', '1', '2', '3', '4']);
    expect(still.end).toMatchObject({ complete: true, rows: 5, evidence: expect.stringContaining('read twice') });
    expect(moved.people.map(({ id }) => id)).not.toContain('2');
    expect(moved.end).toMatchObject({ complete: false, reasons: [expect.stringContaining('returned other people')] });
  });

  it.each<[string, Config]>([
    ['a total', { total: 'count' }],
    ['an overlap', offset],
    ['a total of each part', { ...parts, total: 'count' }],
  ])('but once with %s', async (_, more) => {
    const { end, asked } = await company({ more });

    expect(end).toMatchObject({ complete: true, evidence: expect.not.stringContaining('read twice') });
    expect(asked).toBeLessThanOrEqual(6);
  });
});

it.each([
  ['iso', '2026-11-21T09:55:00Z'],
  // Two days earlier: at 09:55 UTC it is still the 20th where the vendor may be, and `>` leaves out the day itself.
  ['date', '2026-11-19'],
  ['epoch-seconds', '1795254900'],
  ['epoch-ms', '1795254900000'],
])('a delta asks for changes a little earlier than asked, as %s', async (format, written) => {
  const delta = { query: { since: '>{since}' }, format };
  const { requests, end } = await readOne({ data: [] }, { delta }, { kind: 'delta', since: '2026-11-21T10:00:00Z' });

  expect(requests[0]?.url.searchParams.get('since')).toBe(`>${written}`);
  expect(end).toMatchObject({ complete: true, rows: 0 });
});

describe('Merge serves a cache: a read is complete only when it was whole before and after', () => {
  const busy = { ...doneSync, status: 'SYNCING' };
  it.each([
    ['is being filled', [busy], 'reports a status other than DONE'],
    [
      'is being filled for the first time',
      [{ ...doneSync, is_initial_sync: true }],
      'reports a is_initial_sync other than false',
    ],
    ['failed last time', [{ ...doneSync, last_sync_result: 'FAILED' }], 'reports a last_sync_result other than DONE'],
    ['began to be filled meanwhile', [doneSync, busy], 'reports a status other than DONE'],
    ['was filled meanwhile', [doneSync, { ...doneSync, last_sync_finished: '2026-11-21T09:00:00Z' }], 'rebuilt'],
  ])('it %s', async (_, syncs, reason) => {
    const { server } = await startMerge(mergeEmployees(120), undefined, syncs);

    const { end, people } = await read({
      preset: 'merge',
      baseUrl: server.url,
      auth: { kind: 'bearer', token: 'm3rge' },
      headers: { 'x-account-token': 'acc0unt' },
    });

    expect(people).toHaveLength(120);
    expect(end).toMatchObject({ complete: false, reasons: [expect.stringContaining(reason)] });
  });
});

describe('UKG has two lists', () => {
  const config = { preset: 'ukg', auth: { kind: 'basic', username: 'svc', password: 'p4ss' } };
  const headers = { 'us-customer-api-key': 'cust0mer' };

  it('an employment without its person is given, and nobody counts as missing', async () => {
    const employments = ukgEmployments(300);
    const { server } = await startUkg(employments, undefined, ukgPeople(employments).slice(1));

    const { end, people } = await read({ ...config, headers, baseUrl: server.url });

    expect(people).toHaveLength(300);
    expect(people[0]).not.toHaveProperty('person');
    expect(end).toMatchObject({ complete: true, doubts: [expect.stringContaining('no counterpart')] });
  });

  it('a person without an employment shows that somebody slipped, unless that is usual', async () => {
    const { server } = await startUkg(ukgEmployments(299), undefined, ukgPeople(ukgEmployments(300)));

    const { end } = await read({ ...config, headers, baseUrl: server.url });
    const usual = await read({ ...config, headers, baseUrl: server.url, join: { each: false } });

    expect(end).toMatchObject({ complete: false, reasons: [expect.stringContaining('join.each: false')] });
    expect(usual.end).toMatchObject({ complete: true, rows: 299 });
  });

  it('nothing but the fields to keep is taken from a person, least of all the social security number', async () => {
    const { server } = await startUkg(ukgEmployments(3));

    const { people } = await read({ ...config, headers, baseUrl: server.url });

    expect(people[2]).toMatchObject({
      person: { firstName: 'Ida2', emailAddress: 'ida2@example.com' },
      rollcallStatus: 'active',
    });
    expect(JSON.stringify(people)).not.toContain('ssn');
  });
});

it('Rippling: redacted fields are not visible, and the user must come', async () => {
  const { server } = await startRippling(ripplingWorkers(3));
  const config = { preset: 'rippling', baseUrl: server.url, auth: { kind: 'bearer', token: 'r1ppling' } };

  const { people } = await read(config);
  const { end } = await read({ ...config, query: { expand: 'department' } });

  expect(people[0]).toMatchObject({
    mobilePhone: '+12125550100',
    workPhone: null,
    start_date: '2024-06-01',
    end_date: null,
  });
  expect(people[0]).not.toHaveProperty('date_of_birth');
  expect(end).toMatchObject({ complete: true, notReturned: ['user'] });
});

import { describe, expect, it } from 'vitest';
import { openSource, parseSource } from '../../../src/sources/registry.ts';
import { readWhole, sourceIo } from '../../contracts/source.ts';
import {
  apiKey,
  basicUser,
  companyId,
  type FakePerson,
  fakePeople,
  makeClientKeys,
  startSuccessFactors,
} from '../../fakes/hris/successfactors.ts';
import { startVendor } from '../../fakes/hris/vendor-server.ts';
import { sourceBase } from '../../support/source-base.ts';

const limits = { requestsPerSecond: 1000, deadline: '48h' };

async function open(people: readonly FakePerson[], more: Readonly<Record<string, unknown>> = {}) {
  const fake = await startSuccessFactors({ people });
  const auth = { kind: 'basic', ...basicUser };
  const config = { kind: 'successfactors', url: fake.url, companyId, auth, pageSize: 4, limits, ...more };
  return { fake, source: openSource(config, sourceBase('/')) };
}

const ids = ({ pages }: Awaited<ReturnType<typeof readWhole>>): readonly unknown[] =>
  pages.flatMap(({ records }) => records.map(({ fields }) => fields.personIdExternal ?? fields.userId));

describe('SuccessFactors', () => {
  it('is asked for snapshot pages with a count and never for a slice; next links are taken as they are', async () => {
    const { source, fake } = await open(fakePeople(10));
    await readWhole(source);
    const [first, second] = fake.requests.map(({ url }) => url.searchParams);
    expect(Object.fromEntries(first ?? [])).toMatchObject({
      $format: 'json',
      $inlinecount: 'allpages',
      paging: 'snapshot',
      customPageSize: '4',
      $filter: 'personEmpTerminationInfoNav/activeEmploymentsCount ne null',
      $expand: expect.stringContaining('employmentNav/jobInfoNav/emplStatusNav'),
    });
    expect(first?.has('$top') || first?.has('$skip') || first?.has('fromDate')).toBe(false);
    expect(second?.get('$skiptoken')).toBe('snapshot-4');
  });

  it('reads rows that begin later only when told to', async () => {
    const { source, fake } = await open(fakePeople(1), { future: 'shown' });
    await readWhole(source);
    const params = fake.requests[0]?.url.searchParams;
    expect([params?.get('fromDate'), params?.get('toDate')]).toEqual(['2026-11-21', '9999-12-31']);
  });

  it('asks in a delta for every part that changes on its own, as far as it is expanded', async () => {
    const { source, fake } = await open(fakePeople(3), { expand: ['personalInfoNav', 'employmentNav/jobInfoNav'] });
    await readWhole(source, { kind: 'delta', since: '2026-11-21T10:00:00.500Z' });
    const filter = fake.requests[0]?.url.searchParams.get('$filter') ?? '';
    const paths = [...filter.matchAll(/([\w/]*)lastModifiedDateTime ge datetimeoffset'2026-11-21T09:55:00Z'/g)];
    expect(paths.map(([, path]) => path)).toEqual([
      '',
      'personalInfoNav/',
      'employmentNav/',
      'employmentNav/jobInfoNav/',
    ]);
  });

  it('looks people up fifty at a time, whatever signs their ids hold', async () => {
    const people = fakePeople(60).map((person, index) => (index === 3 ? { ...person, id: "O'Neill & ü" } : person));
    const { source, fake } = await open(people);
    const identifications = [...people.map(({ id }) => id), 'nobody'];
    const read = await readWhole(source, { kind: 'point', identifications, field: 'personIdExternal' });
    expect([...ids(read)].sort()).toEqual(people.map(({ id }) => id).sort());
    expect(read.end).toMatchObject({ complete: true, rows: 60 });
    expect(fake.requests.filter(({ url }) => !url.searchParams.has('$skiptoken'))).toHaveLength(2);
    const nobody = { kind: 'point', identifications: [], field: 'personIdExternal' } as const;
    expect((await readWhole(source, nobody)).end).toMatchObject({ complete: true, rows: 0 });
  });

  it('waits five minutes after a 429 that names no time', async () => {
    const people = fakePeople(1);
    const fake = await startSuccessFactors({ people });
    let isFirst = true;
    const front = await startVendor({
      isData: () => true,
      answer: () => {
        const status = isFirst ? 429 : 200;
        isFirst = false;
        return { status, body: '{"d":{"results":[{"personIdExternal":"1"}],"__count":"1"}}' };
      },
    });
    const config = { kind: 'successfactors', url: front.url, companyId, auth: { kind: 'basic', ...basicUser }, limits };
    const io = sourceIo();
    const before = io.clock.now();
    await readWhole(openSource(config, sourceBase('/')), { kind: 'full' }, io);
    expect(io.clock.now() - before).toBeGreaterThanOrEqual(300_000);
    expect(fake.requests).toHaveLength(0);
  });

  it.each(['http://[', 7, { uri: 'next' }])(
    'does not take a next link that leads nowhere for the end: %j',
    async (next) => {
      const body = JSON.stringify({ d: { results: [{ personIdExternal: '1' }], __count: '1', __next: next } });
      const { url } = await startVendor({ isData: () => true, answer: () => ({ status: 200, body }) });
      const config = { kind: 'successfactors', url, companyId, auth: { kind: 'basic', ...basicUser }, limits };

      await expect(readWhole(openSource(config, sourceBase('/')))).rejects.toMatchObject({
        code: 'SOURCE_UNAVAILABLE',
        retry: 'backoff',
        message: expect.stringContaining('without a __next that is an address'),
      });
    },
  );

  it('names the code of a refused query and where to look, and nothing of its words', async () => {
    const body = JSON.stringify({
      error: { code: 'COE_PROPERTY_NOT_FOUND', message: { value: '[COE0021] Ana 108001' } },
    });
    const { url } = await startVendor({ isData: () => true, answer: () => ({ status: 400, body }) });
    const config = { kind: 'successfactors', url, companyId, auth: { kind: 'basic', ...basicUser }, limits };
    const failure = await readWhole(openSource(config, sourceBase('/'))).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'SOURCE_UNAVAILABLE', retry: 'never' });
    expect(String(failure)).toMatch(/400 \(COE_PROPERTY_NOT_FOUND\)\. .*source\.expand/);
    expect(String(failure)).not.toContain('Ana');
  });
});

describe('tokens of SuccessFactors', () => {
  it('are asked for with a signed assertion, once for many reads', async () => {
    const keys = makeClientKeys();
    const fake = await startSuccessFactors({ people: fakePeople(3), publicKey: keys.publicKey });
    const auth = { kind: 'saml', clientId: apiKey, user: 'rollcall.api', privateKey: keys.privateKey };
    const source = openSource({ kind: 'successfactors', url: fake.url, companyId, auth, limits }, sourceBase('/'));
    await readWhole(source);
    await readWhole(source);
    expect(fake.requests.filter(({ url }) => url.pathname === '/oauth/token')).toHaveLength(1);
  });
});

it('a key that cannot sign is a problem of the configuration, and is not repeated in it', () => {
  const auth = { kind: 'saml', clientId: apiKey, user: 'api', privateKey: 'no key at all' };
  const parsed = parseSource({ kind: 'successfactors', url: 'https://api68.sapsf.example', companyId, auth });
  expect(parsed).toEqual({
    ok: false,
    problems: [{ path: ['auth', 'privateKey'], message: 'must be an RSA private key as PEM, without a passphrase' }],
  });
});

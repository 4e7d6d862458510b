import { describe, expect, it } from 'vitest';
import { RollcallError } from '../../src/core/run/errors.ts';
import { faultKinds, parseFault } from '../../src/sandbox/index.ts';
import { admin, growth, sandboxes, type TestSandbox } from './open-sandbox.ts';

const open = sandboxes();
const users = `${admin}/users`;
const ana = { identification: 'E1', firstName: 'Ana', lastName: 'Núñez' };
const create = (sandbox: TestSandbox) => sandbox.call('POST', `${users}/`, { body: ana });

describe('a fault as text', () => {
  it.each([
    [
      'search:status=500@2',
      { target: 'search', kind: 'status', argument: '500', when: { kind: 'calls', from: 2, to: 2 } },
    ],
    ['*:status=429;retry-after=1@1-3', { target: '*', retryAfter: '1', when: { kind: 'calls', from: 1, to: 3 } }],
    ['*:hang@4-', { when: { kind: 'calls', from: 4, to: Number.POSITIVE_INFINITY } }],
    ['read:html@/3', { when: { kind: 'every', nth: 3 } }],
    ['create:reset-before-commit@10%', { when: { kind: 'share', percent: 10 } }],
    ['search:shift-pages', { argument: undefined }],
    ['search:shift-pages=-1', { argument: '-1' }],
    ['file:fail-if=ana@acme', { target: 'file', kind: 'fail-if', argument: 'ana@acme' }],
    ['file:fail-if=ana@acme@2', { argument: 'ana@acme', when: { kind: 'calls', from: 2, to: 2 } }],
    ['file:unknown-status=Almost done', { argument: 'Almost done' }],
    ['token-expire-after=5', { target: 'platform', kind: 'token-expire-after', argument: '5' }],
    ['late=2000', { target: 'platform', kind: 'late', argument: '2000' }],
    ['search:redirect=https://other.example.com/a', { argument: 'https://other.example.com/a' }],
    ['token:status=503;retry-after=Wed, 21 Oct 2026 07:28:00 GMT', { retryAfter: 'Wed, 21 Oct 2026 07:28:00 GMT' }],
  ])('%s is understood', (text, expected) => {
    expect(parseFault(text)).toMatchObject({ text, ...expected });
  });

  it.each([
    ['', 'no kind'],
    ['serach:status=500', 'search'],
    ['search:explode', '"explode" is not a kind of fault'],
    ['search:status', 'status=…'],
    ['search:status=abc', 'status=…'],
    ['search:status=99', 'status=…'],
    ['search:html=1', 'takes no argument'],
    ['status=500', 'an operation or *'],
    ['search:fail', 'file:fail'],
    ['file:hang', 'an operation'],
    ['read:cap-size=3', 'search in front'],
    ['search:late=5', 'platform as a whole'],
    ['search:hang@0', 'count from 1'],
    ['search:hang@3-2', 'count from 1'],
    ['search:hang@/0', '/2 or more'],
    ['search:hang@soon', 'is not valid'],
  ])('"%s" is refused with a word about what is allowed: %s', (text, hint) => {
    const refusal = () => parseFault(text);

    expect(refusal).toThrow(RollcallError);
    expect(refusal).toThrow(hint);
    expect(refusal).toThrow(/TARGET:KIND|--list-faults/);
  });

  it('has a line for the help for every kind', () => {
    for (const { kind, summary } of faultKinds) expect(summary, kind).toMatch(/^\S.{10,110}$/);
    expect(new Set(faultKinds.map(({ kind }) => kind)).size).toBe(faultKinds.length);
  });
});

describe('faults of answers', () => {
  it('strike the calls that they name, counted per operation', async () => {
    const sandbox = await open();
    sandbox.fault('search:status=500@2', 'read:status=503@1');
    const search = async () => (await sandbox.call('GET', users)).status;

    expect([await search(), await search(), await search()]).toEqual([200, 500, 200]);
    expect((await sandbox.call('GET', `${users}/E1`)).status).toBe(503);
    expect((await sandbox.call('GET', `${users}/E1`)).status).toBe(400);
  });

  it('strike every operation with *, and begin anew when set anew', async () => {
    const sandbox = await open();
    const statuses = async () => [
      (await sandbox.call('GET', users)).status,
      (await sandbox.call('GET', `${growth}/goals`)).status,
      (await sandbox.call('GET', users)).status,
    ];
    sandbox.fault('*:status=429;retry-after=7@1-2');
    expect(await statuses()).toEqual([429, 429, 200]);
    sandbox.fault('*:status=429;retry-after=7@1-2');

    const first = await sandbox.call('GET', users);

    expect([first.status, first.headers.get('retry-after')]).toEqual([429, '7']);
    expect(first.body).toMatchObject({ type: `uri=${users}`, title: expect.any(String) });
  });

  it('by chance are the same for the same seed', async () => {
    const statuses = async (seed: number) => {
      const sandbox = await open({ seed });
      sandbox.fault('search:status=500@50%');
      const seen: number[] = [];
      for (let i = 0; i < 20; i += 1) seen.push((await sandbox.call('GET', users)).status);
      return seen;
    };

    const first = await statuses(1);

    expect(new Set(first)).toEqual(new Set([200, 500]));
    expect(await statuses(1)).toEqual(first);
    expect(await statuses(2)).not.toEqual(first);
  });

  it('before the commit leave no effect, after it they leave one', async () => {
    for (const [fault, effects] of [
      ['create:reset-before-commit', 0],
      ['create:reset-after-commit', 1],
    ] as const) {
      const sandbox = await open();
      sandbox.fault(fault);

      await expect(create(sandbox)).rejects.toThrow();

      expect([fault, sandbox.state.users.size]).toEqual([fault, effects]);
    }
  });

  it.each([
    ['create:status=500', 500, 0],
    ['create:status-after-commit=500', 500, 1],
    ['create:absent', 404, 0],
    ['create:redirect=https://other.example.com/', 302, 0],
    ['create:html', 200, 1],
    ['create:empty', 200, 1],
  ])('%s answers %i with %i effects', async (fault, status, effects) => {
    const sandbox = await open();
    sandbox.fault(fault);

    expect((await create(sandbox)).status).toBe(status);
    expect(sandbox.state.users.size).toBe(effects);
  });

  it('spoil the body', async () => {
    const sandbox = await open({ users: 3 });
    const whole = (await sandbox.call('GET', users)).text;
    const spoilt = async (fault: string) => {
      sandbox.fault(fault);
      return sandbox.call('GET', users);
    };

    expect((await spoilt('search:truncate-json')).text).toBe(whole.slice(0, Math.floor(whole.length / 2)));
    const html = await spoilt('search:html');
    expect([html.headers.get('content-type'), html.text]).toEqual([
      'text/html; charset=utf-8',
      expect.stringContaining('<html>'),
    ]);
    expect((await spoilt('search:empty')).text).toBe('');
    expect((await spoilt('search:huge=1000')).text).toBe(whole + ' '.repeat(1000));
    const bytes = await fetch(sandbox.url + users, { headers: { authorization: `Bearer ${sandbox.accessToken}` } });
    expect((await bytes.arrayBuffer()).byteLength).toBe(Buffer.byteLength(whole) + 1000);
    sandbox.fault('search:cut-body');
    await expect(sandbox.call('GET', users)).rejects.toThrow();
    expect((await spoilt('search:drip=0')).text).toBe(whole);
  });

  it('a byte order mark comes before the JSON', async () => {
    const sandbox = await open();
    sandbox.fault('search:bom');

    const answer = await fetch(sandbox.url + users, { headers: { authorization: `Bearer ${sandbox.accessToken}` } });

    expect([...new Uint8Array(await answer.arrayBuffer())].slice(0, 3)).toEqual([0xef, 0xbb, 0xbf]);
  });

  it.each([
    ['create:hang', 0],
    ['create:hang-after-commit', 1],
  ])('%s never answers, and closing the sandbox ends it', async (fault, effects) => {
    const sandbox = await open();
    sandbox.fault(fault);
    let ended = false;
    const call = create(sandbox).catch(() => {
      ended = true;
    });
    while (sandbox.state.requests.create === 0) await new Promise((resolve) => setImmediate(resolve));

    expect([ended, sandbox.state.users.size]).toEqual([false, effects]);
    await sandbox.close();
    await call;
    expect(ended).toBe(true);
  });

  it('a slow answer ends with the sandbox, too', async () => {
    const sandbox = await open();
    sandbox.fault('*:slow=3600000');
    const call = create(sandbox).catch((error: unknown) => error);
    while (sandbox.state.requests.create === 0) await new Promise((resolve) => setImmediate(resolve));

    await sandbox.close();

    expect(await call).toBeInstanceOf(Error);
    expect(sandbox.state.users.size).toBe(0);
  });
});

describe('faults of the search', () => {
  const ids = async (sandbox: TestSandbox, query: string) => {
    const { body } = await sandbox.call('GET', `${users}?enabled=false&orderBy=id&${query}`);
    return body.result.map((user) => user?.id ?? null);
  };

  it.each([
    ['search:shift-pages', 'size=3&page=1', [1005, 1006, 1007]],
    ['search:shift-pages=-1', 'size=3&page=1', [1003, 1004, 1005]],
    ['search:shift-pages', 'size=3&page=0', [1001, 1002, 1003]],
    ['search:missing-page', 'size=3', []],
    ['search:duplicate-row', 'size=3', [1001, 1002, 1001]],
    ['search:null-row', 'size=3', [null, 1002, 1003]],
    ['search:cap-size=2', 'size=3&page=1', [1003, 1004]],
  ])('%s on %s gives %j', async (fault, query, expected) => {
    const sandbox = await open({ users: 12 });
    sandbox.fault(fault);

    expect(await ids(sandbox, query)).toEqual(expected);
  });

  it('the total may be wrong, the parameters ignored', async () => {
    const sandbox = await open({ users: 12 });
    sandbox.fault('search:total-off=-2');
    expect((await sandbox.call('GET', `${users}?enabled=false`)).body.page).toEqual({ totalElements: 10 });
    sandbox.fault('search:ignore-parameters');
    const plain = (await sandbox.call('GET', users)).text;

    expect((await sandbox.call('GET', `${users}?enabled=false&orderBy=id&size=2&page=1`)).text).toBe(plain);
  });
});

describe('faults of tokens', () => {
  const refresh = (sandbox: TestSandbox) =>
    sandbox.call('POST', `${admin}/token`, {
      token: sandbox.applicationToken,
      body: { grant_type: 'refresh_token', refresh_token: sandbox.refreshToken },
    });

  it('invalid_grant comes by command, without consuming anything', async () => {
    const sandbox = await open();
    sandbox.fault('token:invalid_grant@1');

    expect((await refresh(sandbox)).body.error).toBe('invalid_grant');
    expect((await refresh(sandbox)).status).toBe(200);
  });

  it('access tokens end after so many calls', async () => {
    const sandbox = await open();
    sandbox.fault('token-expire-after=2');
    const search = async () => (await sandbox.call('GET', users)).status;

    expect([await search(), await search(), await search()]).toEqual([200, 200, 401]);
    expect((await refresh(sandbox)).status).toBe(200);
  });
});

describe('faults of files', () => {
  const header = 'command,identification,firstName,lastName';
  const rows = ['I,N1,Ana,Núñez', 'I,N2,Zoë,Peña'];

  it.each([
    ['file:fail', 'Failed', []],
    ['file:fail-if=N2', 'Failed', []],
    ['file:fail-over=1', 'Failed', []],
    ['file:fail-over=2', 'Processed', ['N1', 'N2']],
    ['file:drop-row=N1', 'Processed', ['N2']],
    ['file:stuck', 'Processing', []],
    ['file:stuck-after-commit', 'Processing', ['N1', 'N2']],
    ['file:unknown-status=Weird', 'Weird', ['N1', 'N2']],
    ['file:processing=5000', 'Processing', []],
    ['file:fail@2', 'Processed', ['N1', 'N2']],
  ])('%s ends %s with %j created', async (fault, status, created) => {
    const sandbox = await open();
    sandbox.fault(fault);

    expect((await sandbox.provision(header, ...rows)).fileStatus).toBe(status);

    expect([...sandbox.state.users.keys()]).toEqual(created);
  });

  it('a stuck file blocks others until the fault is taken back', async () => {
    const sandbox = await open();
    sandbox.fault('file:stuck');
    await sandbox.provision(header, 'I,N1,Ana,Núñez');
    expect((await sandbox.upload(header, 'I,N2,Zoë,Peña')).status).toBe(400);

    sandbox.fault();

    expect(sandbox.state.users.has('N1')).toBe(true);
    expect((await sandbox.upload(header, 'I,N2,Zoë,Peña')).status).toBe(200);
  });
});

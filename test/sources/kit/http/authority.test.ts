import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSourceTokens } from '../../../../src/main/engine.ts';
import { openSeal } from '../../../../src/platform/tokens/seal.ts';
import { openVault } from '../../../../src/platform/tokens/vault.ts';
import { noMetrics } from '../../../../src/ports/metrics.ts';
import type { Store } from '../../../../src/ports/store.ts';
import { openAuthority } from '../../../../src/sources/kit/http/authority.ts';
import { presentRefreshToken } from '../../../../src/sources/kit/http/oauth.ts';
import { HttpAuth } from '../../../../src/sources/kit/http/settings.ts';
import { openStore } from '../../../../src/store/index.ts';
import { FastClock } from '../../../support/fast-clock.ts';
import { memoryLogger } from '../../../support/memory-logger.ts';
import { makeCertificate } from '../../../support/services/authority.ts';
import { sourceBase } from '../../../support/source-base.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { answer, noon, openBench, people, type Respond, type Seen, serve } from './client-bench.ts';

const json = { 'content-type': 'application/json' };
const key32 = Buffer.alloc(32, 7).toString('base64');

function formOf({ body }: Seen): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(body));
}

describe('fixed credentials', () => {
  it.each<[string, unknown, Record<string, string>]>([
    ['none', { kind: 'none' }, {}],
    // RFC 7617, 2.1: the example with a pound sign, in UTF-8.
    ['basic', { kind: 'basic', username: 'test', password: '123£' }, { authorization: 'Basic dGVzdDoxMjPCow==' }],
    ['bearer', { kind: 'bearer', token: 'abc' }, { authorization: 'Bearer abc' }],
    ['headers', { kind: 'headers', headers: { 'x-api-key': 'k' } }, { 'x-api-key': 'k' }],
  ])('%s', async (_, auth, headers) => {
    const { url, seen } = await serve((response) => answer(response, 200, '{}', json));
    const authority = openAuthority(HttpAuth.parse(auth), sourceBase('/'), 1_000);

    await openBench(url, { authority }).run((client) => client.json(people(url)));

    expect(seen[0]?.headers).toMatchObject(headers);
    if (Object.keys(headers).length === 0) expect(seen[0]?.headers).not.toHaveProperty('authorization');
  });
});

describe('client credentials', () => {
  /** Issues `t1`, `t2`, … of a 1000 s life; people are given for the newest. */
  async function openServer(atToken: Respond = () => {}) {
    let issued = 0;
    const server = await serve((response, number, seen) => {
      if (seen.url !== '/token') {
        const isNewest = seen.headers.authorization === `Bearer t${issued}`;
        return answer(response, isNewest ? 200 : 401, '{}', json);
      }
      atToken(response, number, seen);
      if (response.writableEnded || response.destroyed) return;
      issued += 1;
      answer(response, 200, JSON.stringify({ access_token: `t${issued}`, expires_in: '1000' }), json);
    });
    const open = (more: object = {}) => {
      const auth = {
        kind: 'client-credentials',
        tokenUrl: `${server.url}/token`,
        clientId: 'a:b',
        clientSecret: 'ß c',
        ...more,
      };
      return openAuthority(HttpAuth.parse(auth), sourceBase('/'), 1_000);
    };
    const tokenRequests = () => server.seen.filter(({ url }) => url === '/token');
    const endToken = () => {
      issued += 1;
    };
    return { ...server, open, tokenRequests, endToken };
  }

  it('are sent in the form, with scope and parameters', async () => {
    const { url, open, tokenRequests } = await openServer();
    const authority = open({ scope: 'people:read', parameters: { audience: 'hr' } });

    await openBench(url, { authority }).run((client) => client.json(people(url)));

    expect(tokenRequests().map(formOf)).toEqual([
      {
        grant_type: 'client_credentials',
        client_id: 'a:b',
        client_secret: 'ß c',
        scope: 'people:read',
        audience: 'hr',
      },
    ]);
  });

  it('or in a header, each encoded before they are joined', async () => {
    const { url, open, tokenRequests } = await openServer();

    await openBench(url, { authority: open({ clientAuth: 'basic' }) }).run((client) => client.json(people(url)));

    const [seen] = tokenRequests();
    const pair = Buffer.from(seen?.headers.authorization?.replace('Basic ', '') ?? '', 'base64').toString();
    expect(pair).toBe('a%3Ab:%C3%9F%20c');
    expect(seen && formOf(seen)).toEqual({ grant_type: 'client_credentials' });
  });

  it('fetch one token for all who ask at once, and another when three quarters of its life are over', async () => {
    const { url, open, tokenRequests } = await openServer();
    const { io, run } = openBench(url, { authority: open() });

    await run(async (client) => {
      await Promise.all([1, 2, 3].map(() => client.json(people(url))));
      await io.clock.sleep(749_000);
      await client.json(people(url));
      expect(tokenRequests()).toHaveLength(1);
      await io.clock.sleep(2_000);
      await client.json(people(url));
    });

    expect(tokenRequests()).toHaveLength(2);
  });

  it('fetch another one when the first is refused', async () => {
    const { url, open, tokenRequests, endToken } = await openServer();

    await openBench(url, { authority: open() }).run(async (client) => {
      await client.json(people(url));
      endToken();
      await client.json(people(url));
    });

    expect(tokenRequests()).toHaveLength(2);
  });

  it.each<[string, Respond]>([
    ['busy', (response) => answer(response, 429)],
    ['ill', (response) => answer(response, 500)],
    ['gone in the middle', (response) => response.destroy()],
    ['a web page', (response) => answer(response, 200, '<html>', { 'content-type': 'text/html' })],
  ])('are sent again to a token endpoint that is %s once', async (_, trouble) => {
    const { url, open, tokenRequests } = await openServer((response, number, seen) => {
      if (number === 1) trouble(response, number, seen);
    });

    await openBench(url, { authority: open() }).run((client) => client.json(people(url)));

    expect(tokenRequests()).toHaveLength(2);
  });

  it('that are refused need a person, who is told the endpoint’s own word and nothing that was sent', async () => {
    const refusal = JSON.stringify({ error: 'invalid_client', error_description: 'ß c is wrong' });
    const { url, open, tokenRequests } = await openServer((response) => answer(response, 401, refusal, json));

    const reading = openBench(url, { authority: open() }).run((client) => client.json(people(url)));

    await expect(reading).rejects.toMatchObject({ code: 'SOURCE_REFUSED', retry: 'never' });
    await expect(reading).rejects.toThrow('invalid_client');
    await expect(reading).rejects.not.toThrow('ß c');
    expect(tokenRequests()).toHaveLength(1);
  });
});

it.each([
  ['429 with seconds', 429, { 'retry-after': '90' }, 90_000],
  [
    '503 with a date, by its own clock',
    503,
    { date: 'Sat, 21 Nov 2020 12:00:00 GMT', 'retry-after': 'Sat, 21 Nov 2020 12:00:40 GMT' },
    40_000,
  ],
  ['429 without a word', 429, {}, undefined],
])('a token endpoint that is busy says how long it wants to be left alone: %s', async (_, status, headers, afterMs) => {
  const { url } = await serve((response) => answer(response, status, '', headers));
  const client = { tokenUrl: url, clientId: 'a', clientAuth: 'basic', form: {}, timeoutMs: 1000 } as const;

  const outcome = await presentRefreshToken(client, 'r0', new AbortController().signal);

  expect(outcome).toEqual({
    kind: 'not-sent',
    reason: expect.stringContaining('busy'),
    isAnswered: true,
    ...(afterMs === undefined ? {} : { afterMs }),
  });
});

it('certificates are shown to the token endpoint as well as to the API', async () => {
  const { ca, key, cert } = await makeCertificate();
  const seen: string[] = [];
  const server = createServer({ ca, key, cert, requestCert: true, rejectUnauthorized: true }, (request, response) => {
    seen.push(request.url ?? '');
    response.writeHead(200, json).end(JSON.stringify({ access_token: 't1', expires_in: null }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const auth = HttpAuth.parse({
    kind: 'client-credentials',
    tokenUrl: `${url}/token`,
    clientId: 'a',
    clientSecret: 'b',
  });

  const tls = { ca, key, cert };
  await openBench(url, { tls, authority: openAuthority(auth, sourceBase('/'), 1_000, tls) }).run((client) =>
    client.json(people(url)),
  );
  const without = openBench(url, { tls: { ca }, authority: openAuthority(auth, sourceBase('/'), 1_000, tls) });

  expect(seen).toEqual(['/token', '/people']);
  await expect(without.run((client) => client.json(people(url)))).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
});

describe('a refresh token, in the token manager of the store', () => {
  /** A strict issuer: each refresh token is good once, and only the newest access token is. */
  async function openIssuer(atPeople: (accessToken: string) => Promise<void>) {
    let pair = 0;
    const reused: string[] = [];
    const server = await serve(async (response, _, seen) => {
      if (seen.url === '/token') {
        const presented = formOf(seen).refresh_token ?? '';
        if (presented !== `r${pair}`) {
          reused.push(presented);
          return answer(response, 400, '{"error":"invalid_grant"}', json);
        }
        pair += 1;
        return answer(
          response,
          200,
          JSON.stringify({ access_token: `a${pair}`, refresh_token: `r${pair}`, expires_in: 3600 }),
          json,
        );
      }
      const token = seen.headers.authorization?.replace('Bearer ', '') ?? '';
      await atPeople(token);
      answer(response, token === `a${pair}` ? 200 : 401, '{}', json);
    });
    const forget = () => {
      pair = 0;
    };
    return { ...server, reused, forget };
  }

  async function openProcess(folder: string, url: string, startAt = noon) {
    const store = await openStore('sqlite:store.db', { folder });
    const clock = new FastClock(startAt);
    const logger = memoryLogger();
    const parts = { store, seal: openSeal(key32), clock, logger, mayPresentSeed: true, metrics: noMetrics };
    const base = sourceBase(folder, { openTokens: (grant) => openSourceTokens('people', grant, parts) });
    const auth = { kind: 'refresh-token', tokenUrl: `${url}/token`, clientId: 'rollcall', refreshToken: 'r0' };
    const authority = openAuthority(HttpAuth.parse(auth), base, 60_000);
    const io = { clock, logger, signal: new AbortController().signal, previous: undefined };
    return { store, run: openBench(url, { authority, io }).run, clock, logger };
  }

  async function generationIn(folder: string): Promise<number | undefined> {
    const other: Store = await openStore('sqlite:store.db', { folder });
    const record = await other.tokens.get('source people');
    await other.close();
    return record?.generation;
  }

  it('is followed by one that is stored before it is used, and that a new process goes on with', async () => {
    const folder = await temporaryFolder();
    const used: { readonly token: string; readonly stored: number | undefined }[] = [];
    const issuer = await openIssuer(async (token) => void used.push({ token, stored: await generationIn(folder) }));

    const first = await openProcess(folder, issuer.url);
    await first.run((client) => client.json(people(issuer.url)));
    first.clock.jump(3_500_000);
    await first.run((client) => client.json(people(issuer.url)));
    await first.store.close();

    const second = await openProcess(folder, issuer.url, noon + 8_000_000);
    await second.run((client) => client.json(people(issuer.url)));
    await second.store.close();

    expect(used.map(({ token }) => token)).toEqual(['a1', 'a2', 'a3']);
    const [one, two, three] = used.map(({ stored }) => stored ?? 0);
    expect(one).toBeGreaterThan(0);
    expect(two).toBeGreaterThan(one ?? 0);
    expect(three).toBeGreaterThan(two ?? 0);
    expect(issuer.reused).toEqual([]);
    expect(`${first.logger.text()}${second.logger.text()}`).not.toMatch(/\b[ar][0-3]\b/);
  });

  it.each([
    ['no lifetime', { access_token: 'a1', refresh_token: 'r1' }],
    ['a lifetime in text', { access_token: 'a1', refresh_token: 'r1', expires_in: '3600' }],
    ['a lifetime of null', { access_token: 'a1', refresh_token: 'r1', expires_in: null }],
    ['an access token that no header can carry', { access_token: 'a\n1', refresh_token: 'r1' }],
    ['no access token', { refresh_token: 'r1' }],
  ])('is stored whatever its pair is like: %s', async (_, pair) => {
    const folder = await temporaryFolder();
    const server = await serve((response) => answer(response, 200, JSON.stringify(pair), json));
    const { store, run } = await openProcess(folder, server.url);

    await run((client) => client.json(people(server.url))).catch(() => undefined);

    const row = await openVault('source people', store.tokens, openSeal(key32)).read();
    expect(row?.refresh).toBe('r1');
    await store.close();
  });

  it('that is refused needs a person', async () => {
    const folder = await temporaryFolder();
    const issuer = await openIssuer(async () => {});
    const first = await openProcess(folder, issuer.url);
    await first.run((client) => client.json(people(issuer.url)));
    issuer.forget();

    const reading = first.run((client) => client.json(people(issuer.url)));

    await expect(reading).rejects.toMatchObject({ code: 'REAUTH_REQUIRED' });
    expect(issuer.reused).toEqual(['r1']);
    await first.store.close();
  });
});

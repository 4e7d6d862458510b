import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Authority } from '../../../../src/sources/kit/http/authority.ts';
import { slowly } from '../../../support/slowness.ts';
import { answer, openBench, people, type Respond, serve } from './client-bench.ts';

const json = { 'content-type': 'application/json' };

/** Trouble once, then an answer. */
const once =
  (trouble: Respond): Respond =>
  (response, number, seen) =>
    number === 1 ? trouble(response, number, seen) : answer(response, 200, '{"fine":true}', json);

describe('a temporary failure is retried with the same request:', () => {
  it.each<[string, Record<string, string>, number, [least: number, most: number]]>([
    ['429 with seconds', { 'retry-after': '7' }, 429, [7_000, 7_500]],
    ['429 with a date', { 'retry-after': 'Sat, 21 Nov 2026 12:00:40 GMT' }, 429, [40_000, 40_500]],
    ['429 with a date that is past', { 'retry-after': 'Sat, 21 Nov 2026 11:00:00 GMT' }, 429, [0, 500]],
    ['429 without a word', {}, 429, [250, 500]],
    ['429 with a word that means nothing', { 'retry-after': 'soon' }, 429, [250, 500]],
    ['429 with the epoch of its end', { 'x-ratelimit-reset': '1795262430' }, 429, [30_000, 30_500]],
    ['503 with seconds', { 'retry-after': '3' }, 503, [3_000, 3_500]],
    ['408', {}, 408, [250, 500]],
    ['500', {}, 500, [250, 500]],
    ['502', {}, 502, [250, 500]],
    ['504, a web page', { 'content-type': 'text/html' }, 504, [250, 500]],
  ])('%s', async (_, headers, status, [least, most]) => {
    const date = 'Sat, 21 Nov 2026 12:00:00 GMT';
    const { url, seen } = await serve(once((response) => answer(response, status, '<html>', { date, ...headers })));
    const { io, run } = openBench(url);

    expect(await run((client) => client.json(people(url)))).toEqual({ fine: true });

    expect(seen).toHaveLength(2);
    expect(io.clock.slept).toHaveLength(1);
    expect(io.clock.slept[0]).toBeGreaterThanOrEqual(least);
    expect(io.clock.slept[0]).toBeLessThanOrEqual(most);
    expect(io.logger.text()).toContain('GET /people');
  });

  it.each<[string, Respond]>([
    ['a connection that is closed without an answer', (response) => response.destroy()],
    [
      'an answer that ends in its middle',
      (response) => {
        response.writeHead(200, { ...json, 'content-length': 100 });
        response.write('{"fine":', () => response.destroy());
      },
    ],
    ['half a JSON text that says it is whole', (response) => answer(response, 200, '{"fine":', json)],
    ['no body at all', (response) => answer(response, 200, '', json)],
  ])('%s', async (_, trouble) => {
    const { url, seen } = await serve(once(trouble));
    const { io, run } = openBench(url);

    expect(await run((client) => client.json(people(url)))).toEqual({ fine: true });

    expect(seen).toHaveLength(2);
    expect(io.clock.slept).toHaveLength(1);
  });

  it('an answer that does not come in time', async () => {
    const { url, seen } = await serve(once(() => {}));
    const limits = { requestsPerSecond: 1000, timeout: slowly(100), deadline: 900_000 };

    expect(await openBench(url, { limits }).run((client) => client.json(people(url)))).toEqual({ fine: true });
    expect(seen).toHaveLength(2);
  });

  it('a vendor that names its time elsewhere is left alone that long after a 429', async () => {
    const { url } = await serve(once((response) => answer(response, 429)));
    const { io, run } = openBench(url, { busyWaitMs: 300_000 });

    await run((client) => client.json(people(url)));

    expect(io.clock.slept[0]).toBeGreaterThanOrEqual(300_000);
  });
});

describe('a permanent failure ends the read', () => {
  it.each<[string, number, string]>([
    ['after six tries of a server that is ill', 500, 'busy or failing'],
    ['after six tries of a server that is busy and does not say how long', 429, 'requestsPerSecond'],
  ])('%s', async (_, status, advice) => {
    const { url, seen } = await serve((response) => answer(response, status));

    const reading = openBench(url).run((client) => client.json(people(url)));

    await expect(reading).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
    await expect(reading).rejects.toThrow(`GET /people was answered ${status}`);
    await expect(reading).rejects.toThrow(advice);
    expect(seen).toHaveLength(6);
  });

  it('when the deadline is over, however politely the server asks', async () => {
    const { url, seen } = await serve((response) => answer(response, 429, '', { 'retry-after': '300' }));
    const { io, run } = openBench(url);

    // The next run is as polite: it does not come back before the server wants it to.
    await expect(run((client) => client.json(people(url)))).rejects.toMatchObject({ retry: { afterMs: 300_000 } });

    expect(seen.length).toBeGreaterThan(1);
    expect(io.clock.slept.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(900_000);
  });

  it('at once: 403, for whose good the credentials are not shown again', async () => {
    const { url, seen } = await serve((response) => answer(response, 403, 'secret'));

    const reading = openBench(url).run((client) => client.json(people(url)));

    await expect(reading).rejects.toMatchObject({ code: 'SOURCE_REFUSED', retry: 'never' });
    await expect(reading).rejects.toThrow(`GET /people was answered 403 by ${new URL(url).host}`);
    await expect(reading).rejects.not.toThrow('secret');
    expect(seen).toHaveLength(1);
  });

  it.each<[string, Respond, string]>([
    ['404', (response) => answer(response, 404, 'secret'), 'Check the address'],
    ['400', (response) => answer(response, 400), 'will be refused again'],
    ['a redirect', (response) => answer(response, 302, '', { location: 'https://example.com/' }), 'not followed'],
    ['201, which answers no read', (response) => answer(response, 201, '{}', json), 'Check the address'],
  ])('at once: %s', async (_, trouble, advice) => {
    const { url, seen } = await serve(trouble);

    const reading = openBench(url).run((client) => client.json(people(url)));

    await expect(reading).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE', retry: 'never' });
    await expect(reading).rejects.toThrow(advice);
    await expect(reading).rejects.not.toThrow('secret');
    expect(seen).toHaveLength(1);
  });

  it('at once with a web page under status 200, but another run may find it gone', async () => {
    const page = (response: Parameters<Respond>[0]) =>
      answer(response, 200, '<html>log in</html>', { 'content-type': 'text/html; charset=utf-8' });
    const { url, seen } = await serve(page);

    const reading = openBench(url).run((client) => client.json(people(url)));

    await expect(reading).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
    await expect(reading).rejects.toThrow('the body is a sign-in page, perhaps of a proxy');
    expect(seen).toHaveLength(1);
  });

  it.each([400, 404, 410])('at once when a continuation is answered %d: the read begins anew', async (status) => {
    const { url, seen } = await serve((response) => answer(response, status));

    const reading = openBench(url).run((client) => client.json({ ...people(url), isContinuation: true }));

    await expect(reading).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
    await expect(reading).rejects.toThrow('in the middle of the pages');
    expect(seen).toHaveLength(1);
  });

  it('with what the HR system itself says, where a request can read that', async () => {
    const { url, seen } = await serve((response) => answer(response, 500, 'Fault: no such report'));
    const refusal = (status: number, bytes: Uint8Array) =>
      status === 500 && Buffer.from(bytes).toString().startsWith('Fault')
        ? { what: 'GET /people: the report is gone', advice: 'Ask for it.' }
        : undefined;

    const reading = openBench(url).run((client) => client.json({ ...people(url), refusal }));

    await expect(reading).rejects.toMatchObject({
      retry: 'never',
      message: 'GET /people: the report is gone. Ask for it.',
    });
    expect(seen).toHaveLength(1);
  });

  it.each(['http://127.0.0.1:1/people', 'https://hr.example.com/people', '/people', 'not an address'])(
    'before anything is sent to another host: %s',
    async (elsewhere) => {
      const { url, seen } = await serve((response) => answer(response, 200, '{}', json));
      let passes = 0;
      const authority: Authority = {
        credential: async () => {
          passes += 1;
          return { headers: { authorization: 'Bearer s3cret' }, generation: undefined };
        },
        renew: async () => false,
      };

      const reading = openBench(url, { authority }).run((client) =>
        client.json({ name: 'GET /people', url: elsewhere }),
      );

      await expect(reading).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE', retry: 'never' });
      await expect(reading).rejects.toThrow('nothing was sent there');
      expect([passes, seen.length]).toEqual([0, 0]);
    },
  );
});

describe('after a 401', () => {
  function renewable(renews: boolean): Authority & { readonly renewals: () => number } {
    let generation = 1;
    let renewals = 0;
    return {
      renewals: () => renewals,
      credential: async () => ({ headers: { authorization: `Bearer t${generation}` }, generation }),
      async renew() {
        renewals += 1;
        generation += 1;
        return renews;
      },
    };
  }

  it('the credential is renewed once, and the request sent again without a wait', async () => {
    const { url, seen } = await serve(once((response) => answer(response, 401)));
    const { io, run } = openBench(url, { authority: renewable(true) });

    expect(await run((client) => client.json(people(url)))).toEqual({ fine: true });

    expect(seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer t1', 'Bearer t2']);
    expect(io.clock.slept).toEqual([]);
  });

  it('a second one ends the read, for a person to act', async () => {
    const { url, seen } = await serve((response) => answer(response, 401));
    const authority = renewable(true);

    const reading = openBench(url, { authority }).run((client) => client.json(people(url)));

    await expect(reading).rejects.toMatchObject({ code: 'SOURCE_REFUSED', retry: 'never' });
    await expect(reading).rejects.toThrow('credentials are not accepted');
    expect([seen.length, authority.renewals()]).toEqual([2, 1]);
  });

  it('what cannot be renewed is not tried again', async () => {
    const { url, seen } = await serve((response) => answer(response, 401));

    const reading = openBench(url, { authority: renewable(false) }).run((client) => client.json(people(url)));

    await expect(reading).rejects.toMatchObject({ retry: 'never' });
    expect(seen).toHaveLength(1);
  });

  it('the authority hears of accepted answers before their body is read', async () => {
    const { url } = await serve((response, number) => {
      response.writeHead(200, { ...json, 'content-length': 13, 'x-next': `n${number}` });
      if (number > 1) return response.end('{"fine":true}');
      return response.write('{"fine"', () => response.destroy());
    });
    const heard: (string | undefined)[] = [];
    const authority: Authority = { ...renewable(false), accepted: (found) => void heard.push(found.header('x-next')) };

    await openBench(url, { authority }).run((client) => client.json(people(url)));

    expect(heard).toEqual(['n1', 'n2']);
  });
});

describe('an answer', () => {
  it('keeps the digits of ids beyond 2^53, and gives headers that come twice', async () => {
    const { url } = await serve((response) => {
      response.setHeader('link', ['<a>; rel="first"', '<b>; rel="next"']);
      answer(response, 200, '{"id":18446744073709551615,"n":7}', json);
    });

    const found = await openBench(url).run((client) => client.jsonAnswer(people(url)));

    expect(found.value).toEqual({ id: '18446744073709551615', n: 7 });
    expect(found.headerAll('link')).toEqual(['<a>; rel="first"', '<b>; rel="next"']);
  });

  it('may be nothing, under a status that the request takes for an answer', async () => {
    const { url } = await serve((response) => answer(response, 204));

    const found = await openBench(url).run((client) => client.jsonAnswer({ ...people(url), answers: [204] }));

    expect(found).toMatchObject({ status: 204, value: undefined });
  });

  it.each([
    ['a web page', { 'content-type': 'text/html' }, '<html>Not Found</html>'],
    ['a text', { 'content-type': 'text/plain' }, 'Not Found'],
    ['an error', json, '{"error":"not found"}'],
  ])('is its status alone where that says it, though %s comes with it', async (_, headers, body) => {
    const { url, seen } = await serve((response) => answer(response, 404, body, headers));

    const found = await openBench(url).run((client) => client.jsonAnswer({ ...people(url), answers: [404] }));

    expect(found).toMatchObject({ status: 404, value: undefined });
    expect(seen).toHaveLength(1);
  });

  it('is asked for with the headers and the body of the request and the headers of the pass', async () => {
    const { url, seen } = await serve((response) => answer(response, 200, '{}', json));
    const headers = { 'x-version': '4', accept: 'application/vnd.hr+json' };

    await openBench(url).run((client) =>
      client.json({ ...people(url), method: 'POST', headers, body: { kind: 'json', value: { page: 1 } } }),
    );

    expect(seen[0]).toMatchObject({ method: 'POST', body: '{"page":1}' });
    expect(seen[0]?.headers).toMatchObject({ ...headers, 'content-type': 'application/json', authority: 'none' });
  });
});

describe('a stream', () => {
  const big = JSON.stringify(Array.from({ length: 50_000 }, (_, id) => ({ id })));

  it('gives the body as it comes, compressed or not', async () => {
    const { url } = await serve((response) => {
      response.writeHead(200, { ...json, 'content-encoding': 'gzip' });
      response.end(gzipSync(big));
    });

    const text = await openBench(url).run(async (client) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of client.stream(people(url))) chunks.push(chunk);
      return Buffer.concat(chunks).toString();
    });

    expect(text).toBe(big);
  });

  it('that breaks off says so: what came is already given, so the whole read begins anew', async () => {
    const { url, seen } = await serve((response) => {
      response.writeHead(200, { ...json, 'content-length': big.length });
      response.write(big.slice(0, 1000), () => response.destroy());
    });

    const reading = openBench(url).run(async (client) => {
      for await (const _ of client.stream(people(url)));
    });

    await expect(reading).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
    expect(seen).toHaveLength(1);
  });

  it('that stands still is given up after the timeout', async () => {
    const { url } = await serve((response) => {
      response.writeHead(200, json);
      response.write(big.slice(0, 1000));
    });
    const limits = { requestsPerSecond: 1000, timeout: slowly(150), deadline: 900_000 };

    const reading = openBench(url, { limits }).run(async (client) => {
      for await (const _ of client.stream(people(url)));
    });

    await expect(reading).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
  });

  it('that only trickles is given up when the deadline is over, though it never stands still', async () => {
    const trickle: { pass?: () => void } = {};
    const { url } = await serve((response) => {
      response.writeHead(200, json);
      const timer = setInterval(() => {
        trickle.pass?.();
        response.write('[');
      }, 2);
      response.on('close', () => clearInterval(timer));
    });
    const { io, run } = openBench(url);
    trickle.pass = () => void io.clock.sleep(60_000);

    const reading = run(async (client) => {
      for await (const _ of client.stream(people(url)));
    });

    await expect(reading).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
    await expect(reading).rejects.toThrow('GET /people was still sending after 900000 ms');
  });

  it('that is kept elsewhere is given up when it is not whole in time, though it never stands still', async () => {
    const { url } = await serve((response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'), 2);
      response.on('close', () => clearInterval(timer));
    });
    const limits = { requestsPerSecond: 1000, timeout: 1_000, deadline: 1_000 };

    const reading = openBench(url, { limits }).run((client) =>
      client.receive(people(url), async ({ body }, deadline) => {
        for await (const _ of body) deadline.extend();
      }),
    );

    await expect(reading).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
    await expect(reading).rejects.toThrow('GET /people was still sending after 1000 ms');
  });

  it('is not given up for the time that we take ourselves', async () => {
    const { url } = await serve((response) => answer(response, 200, big, json));
    const { io, run } = openBench(url);
    let length = 0;

    await run(async (client) => {
      for await (const chunk of client.stream(people(url))) {
        length += chunk.length;
        await io.clock.sleep(900_000);
      }
    });

    expect(io.clock.slept.length).toBeGreaterThan(1);
    expect(length).toBe(big.length);
  });

  it('stops at an abort although the server says nothing', async () => {
    const { url } = await serve((response) => {
      response.writeHead(200, json);
      response.write(big.slice(0, 1000));
    });
    const { abort, run } = openBench(url);

    const reading = run(async (client) => {
      for await (const _ of client.stream(people(url))) abort.abort(new Error('the run was cancelled'));
    });

    await expect(reading).rejects.toThrow('the run was cancelled');
  });
});

describe('the rest of a read', () => {
  it('waiting for one’s turn is not counted as the server’s time', async () => {
    const { url, seen } = await serve((response) => answer(response, 200, '{}', json));
    const limits = { requestsPerSecond: 0.001, timeout: 1_000, deadline: 900_000 };
    const { io, run } = openBench(url, { limits });

    await run(async (client) => {
      await client.json(people(url));
      await client.json(people(url));
    });

    expect(seen).toHaveLength(2);
    expect(io.clock.slept).toEqual([1_000_001]);
  });

  it.each([
    ['its end', async () => undefined],
    ['an error', () => Promise.reject(new Error('the mapping failed'))],
  ])('no socket is open after %s', async (_, more) => {
    const server = await serve((response) => answer(response, 200, '{}', json));

    await openBench(server.url)
      .run(async (client) => {
        await client.json(people(server.url));
        expect(await server.sockets()).toBe(1);
        return more();
      })
      .catch(() => {});

    await expect.poll(() => server.sockets()).toBe(0);
  });

  it('an abort while it waits for a busy server ends it with the reason of the abort', async () => {
    const { url, seen } = await serve((response) => answer(response, 429));
    const { abort, io } = openBench(url);
    const clock = {
      ...io.clock,
      sleep: (_: number, signal?: AbortSignal) =>
        new Promise<void>((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason));
          abort.abort(new Error('the run was cancelled'));
        }),
    };

    const reading = openBench(url, { io: { ...io, clock } }).run((client) => client.json(people(url)));

    await expect(reading).rejects.toThrow('the run was cancelled');
    expect(seen).toHaveLength(1);
  });

  it('nothing of a body, address or credential is in messages and logs', async () => {
    const { url } = await serve((response) => answer(response, 500, 'ana@example.com'));
    const authority: Authority = {
      credential: async () => ({ headers: { authorization: 'Bearer s3cret' }, generation: undefined }),
      renew: async () => false,
    };
    const { io, run } = openBench(url, { authority });

    const error = await run((client) => client.json({ name: 'GET /people', url: `${url}/people?cursor=c0de` })).catch(
      String,
    );

    for (const secret of ['ana@example.com', 's3cret', 'c0de'])
      expect(`${error}${io.logger.text()}`).not.toContain(secret);
  });
});

import { writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { PlatformError, RollcallError } from '../../src/core/run/errors.ts';
import type { Operation } from '../../src/platform/client/operation.ts';
import { jsonBy, nothing } from '../../src/platform/client/operation.ts';
import { UserAnswer } from '../../src/platform/table/users.ts';
import type { AccessTokens } from '../../src/ports/tokens.ts';
import { slowly } from '../support/slowness.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { closeAndFailOnLeaks, closeLater } from './closing.ts';
import { type Responder, sendJson, startLocalServer } from './local-server.ts';
import {
  countingTokens,
  neverAborted,
  openTestClient,
  type TestClient,
  type TestClientOptions,
} from './test-client.ts';
import { wireUsers } from './user-directory.ts';

closeAndFailOnLeaks();

const user = wireUsers(1)[0];
const write = {
  identification: 'E-secret-1',
  fields: { firstName: 'Ana', lastName: 'Gómez', email: 'ana@example.com' },
};
const target = { id: '1', identification: write.identification };

/** Every operation of the port, as one call. */
type Verb = 'read' | 'create' | 'update' | 'remove' | 'upload' | 'status';
const reads: readonly Verb[] = ['read', 'status'];
const writes: readonly Verb[] = ['create', 'update', 'remove', 'upload'];

async function call(verb: Verb, { client, platform }: TestClient, signal = neverAborted): Promise<unknown> {
  switch (verb) {
    case 'read':
      return client.request(readOperation, signal);
    case 'create':
      return platform.create(write, signal);
    case 'update':
      return platform.update(target, write, signal);
    case 'remove':
      return platform.remove(write.identification, { blacklist: true }, signal);
    case 'status':
      return platform.status('77', signal);
    case 'upload': {
      const path = join(await temporaryFolder(), 'batch.csv');
      await writeFile(path, 'command,identification\nI,E-secret-1\n');
      return platform.upload({ path, name: 'batch.csv' }, signal);
    }
  }
}

const readOperation: Operation<unknown> = {
  method: 'GET',
  path: '/os-api/public-api/v1/users/{identification}',
  params: { identification: write.identification },
  effect: 'read',
  answer: jsonBy(UserAnswer),
};

async function failureOf(promise: Promise<unknown>): Promise<PlatformError> {
  const error = await promise.then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(PlatformError);
  return error;
}

async function faultOf(verb: Verb, respond: Responder, options: TestClientOptions = {}) {
  const server = await startLocalServer(respond);
  const parts = openTestClient(server.url, options);
  const error = await failureOf(call(verb, parts));
  return { error, server, ...parts };
}

/** The right answer to any call. */
const honest: Responder = (request, response) => {
  if (request.method === 'POST' && request.url.startsWith('/os-api/public-api/v1/admin/userFiles/')) {
    return sendJson(response, 200, {
      result: { id: 77, fileName: 'batch.csv', fileStatus: 'Processing', blocked: true },
    });
  }
  if (request.url.includes('/admin/userFiles/'))
    return sendJson(response, 200, { result: { id: 77, fileStatus: 'Processed' } });
  if (request.method === 'POST') return sendJson(response, 201, { userId: '1' });
  if (request.method === 'PUT') return sendJson(response, 202, { result: {} });
  if (request.method === 'DELETE') return void response.writeHead(200).end();
  sendJson(response, 200, { result: user });
};

describe('every call', () => {
  it.each([...reads, ...writes])('%s carries the token and is accepted', async (verb) => {
    const server = await startLocalServer(honest);
    const parts = openTestClient(server.url);
    await call(verb, parts);

    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]?.headers.authorization).toBe('Bearer secret-1');
    expect(parts.tokens.acceptedGenerations).toEqual([1]);
  });

  it.each([...reads, ...writes])('%s is sent once more with a renewed token after a 401', async (verb) => {
    const server = await startLocalServer((request, response, index) =>
      index === 0 ? sendJson(response, 401, {}) : honest(request, response, index),
    );
    const parts = openTestClient(server.url);
    await call(verb, parts);

    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer secret-1', 'Bearer secret-2']);
    expect(server.seen[1]?.body.length).toBe(server.seen[0]?.body.length);
    expect(parts.tokens.renewals).toEqual([1]);
    expect(parts.tokens.acceptedGenerations).toEqual([2]);
  });

  it.each([...reads, ...writes])('%s takes a second 401 as final', async (verb) => {
    const { error, server, tokens } = await faultOf(verb, (_, response) =>
      sendJson(response, 401, { title: 'Unauthorized' }),
    );

    expect(error).toMatchObject({ code: 'PLATFORM_UNAUTHORIZED', status: 401, retry: 'never', effect: 'none' });
    expect(server.seen).toHaveLength(2);
    expect(tokens.renewals).toEqual([1]);
  });

  it.each([...reads, ...writes])('%s with no token to be had is not sent', async (verb) => {
    const server = await startLocalServer(honest);
    const refuse = (): Promise<never> =>
      Promise.reject(new RollcallError('the refresh token is used up', { code: 'REAUTH_REQUIRED' }));
    const tokens: AccessTokens = { current: refuse, renew: refuse, accepted: () => {} };
    const error = await failureOf(call(verb, openTestClient(server.url, { tokens })));

    expect(error).toMatchObject({ code: 'REAUTH_REQUIRED', effect: 'none', retry: 'never' });
    expect(server.seen).toHaveLength(0);
  });

  it.each([...reads, ...writes])('%s that was abandoned before its turn is not sent', async (verb) => {
    const server = await startLocalServer(honest);
    const error = await failureOf(call(verb, openTestClient(server.url), AbortSignal.abort()));

    expect(error).toMatchObject({ code: 'CANCELLED', effect: 'none' });
    expect(server.seen).toHaveLength(0);
  });

  it.each([...reads, ...writes])('%s that is abandoned under way says whether it may have been taken', async (verb) => {
    const controller = new AbortController();
    const server = await startLocalServer(() => controller.abort());
    const error = await failureOf(call(verb, openTestClient(server.url), controller.signal));

    expect(error).toMatchObject({ code: 'CANCELLED', effect: writes.includes(verb) ? 'unknown' : 'none' });
  });

  it.each([...reads, ...writes])('%s follows no redirect, so that the token stays here', async (verb) => {
    const elsewhere = await startLocalServer(honest);
    const { error, server } = await faultOf(
      verb,
      (request, response) => void response.writeHead(307, { location: elsewhere.url + request.url }).end(),
    );

    expect(error).toMatchObject({ code: 'PLATFORM_ANSWER_INVALID', status: 307, retry: 'never', effect: 'none' });
    expect(server.seen).toHaveLength(1);
    expect(elsewhere.seen).toHaveLength(0);
  });
});

describe('an answer that says no', () => {
  it.each<[number, Partial<PlatformError>]>([
    [400, { code: 'PLATFORM_REFUSED', retry: 'never', effect: 'none' }],
    [403, { code: 'PLATFORM_FORBIDDEN', retry: 'never', effect: 'none' }],
    [404, { code: 'PLATFORM_NOT_FOUND', retry: 'never', effect: 'none' }],
    [406, { code: 'PLATFORM_REFUSED', retry: 'never', effect: 'none' }],
    [408, { code: 'PLATFORM_FAILED', retry: 'backoff', effect: 'unknown' }],
    [429, { code: 'PLATFORM_BUSY', retry: 'backoff', effect: 'none' }],
    [500, { code: 'PLATFORM_FAILED', retry: 'backoff', effect: 'unknown' }],
    [502, { code: 'PLATFORM_FAILED', retry: 'backoff', effect: 'unknown' }],
    [503, { code: 'PLATFORM_BUSY', retry: 'backoff', effect: 'unknown' }],
    [303, { code: 'PLATFORM_ANSWER_INVALID', retry: 'never', effect: 'unknown' }],
  ])('%i for a write becomes the right error, once', async (status, expected) => {
    for (const verb of writes) {
      const { error, server } = await faultOf(verb, (_, response) => sendJson(response, status, {}));

      expect(error, verb).toMatchObject({ ...expected, status });
      expect(server.seen, verb).toHaveLength(1);
    }
  });

  it.each([409, 423])('%i for an upload means that another file is processing', async (status) => {
    const { error } = await faultOf('upload', (_, response) => sendJson(response, status, {}));

    expect(error).toMatchObject({ code: 'PLATFORM_BUSY', status, retry: 'backoff', effect: 'none' });
  });

  it.each([400, 401, 403, 404, 406])('%i for a read is not tried again', async (status) => {
    const { server, clock } = await faultOf('read', (_, response) => sendJson(response, status, {}));

    expect(server.seen).toHaveLength(status === 401 ? 2 : 1);
    expect(clock.sleeps).toEqual([]);
  });

  it.each([408, 429, 500, 502, 503, 504])('%i for a read is tried four times with growing waits', async (status) => {
    const { error, server, clock } = await faultOf('read', (_, response) => sendJson(response, status, {}));

    expect(error.effect).toBe('none');
    expect(server.seen).toHaveLength(4);
    expect(clock.sleeps).toEqual([375, 750, 1500]);
  });

  it('heals by itself for a read that fails only once', async () => {
    const server = await startLocalServer((request, response, index) =>
      index < 2 ? sendJson(response, 503, {}) : honest(request, response, index),
    );

    expect(await call('read', openTestClient(server.url))).toMatchObject({ result: { id: 1 } });
  });

  it.each<[string, string, number, number[]]>([
    ['seconds', '2', 4, [2188, 2375, 2750]],
    ['zero', '0', 4, [188, 375, 750]],
    ['a date', 'Sat, 21 Nov 2026 12:00:05 GMT', 4, [5188, 5375, 5750]],
    ['a past date', 'Fri, 20 Nov 2026 12:00:00 GMT', 4, [375, 750, 1500]],
    ['junk', 'in a while', 4, [375, 750, 1500]],
    ['an hour', '3600', 1, []],
  ])('a read obeys Retry-After as %s, but never sleeps long', async (_name, header, tries, sleeps) => {
    const { server, clock } = await faultOf('read', (_, response) =>
      sendJson(response, 429, {}, { 'retry-after': header, date: 'Sat, 21 Nov 2026 12:00:00 GMT' }),
    );

    expect(server.seen).toHaveLength(tries);
    expect(clock.sleeps).toEqual(sleeps);
  });

  it.each<[string, number]>([
    ['3600', 3_600_000],
    ['7', 7_000],
    ['99999999', 3_600_000],
  ])('hands a Retry-After of %s s up, bounded', async (header, afterMs) => {
    const { error } = await faultOf('create', (_, response) => sendJson(response, 503, {}, { 'retry-after': header }));

    expect(error.retry).toEqual({ afterMs });
  });

  it('gives the caller what the platform said, and no serialization of the error', async () => {
    const body = { title: 'Bad Request', detail: 'The e-mail of ana@example.com is taken', message: 'Taken' };
    const { error } = await faultOf('create', (_, response) => sendJson(response, 400, body));

    expect(error.answer).toEqual({ status: 400, ...body });
    expect(Object.keys(error)).not.toContain('answer');
    expect(JSON.stringify(error)).not.toContain('ana@');
    expect(inspect(error)).not.toContain('ana@');
  });

  it('quotes nothing of the answer, and keeps it apart without our token', async () => {
    const { error, logger } = await faultOf('create', (_, response) =>
      sendJson(response, 400, {
        timestamp: '2026-11-21',
        type: 'uri=/os-api/public-api/v1/users/E-secret-1',
        title: 'Bad Request for E-secret-1',
        detail: 'bob@example.com, Gómez at /os-api/public-api/v1/users/E-secret-1 with Bearer secret-1 is not good',
      }),
    );
    const told = JSON.stringify([error.message, error, inspect(error), String(error.stack), logger.text()]);

    expect(error.title).toBeUndefined();
    expect(error.operation).toBe('POST /os-api/public-api/v1/users/');
    for (const secret of ['E-secret-1', 'bob@', 'Gómez', 'secret-1', 'not good']) expect(told).not.toContain(secret);
    expect(RollcallError.rawTextOf(error)).toContain('bob@example.com, Gómez');
    expect(RollcallError.rawTextOf(error)).not.toContain('Bearer secret-1');
  });

  it.each([...reads, ...writes])('%s survives an error page without end', async (verb) => {
    const { error } = await faultOf(verb, (_, response) => {
      response.writeHead(403, { 'content-type': 'text/html' });
      response.write(Buffer.alloc(512 * 1024, 0x20));
    });

    expect(error).toMatchObject({ code: 'PLATFORM_FORBIDDEN', status: 403 });
  });

  it('understands the body of a grant error, cuts long texts, and survives HTML', async () => {
    const grant = await faultOf('create', (_, response) =>
      sendJson(response, 400, { error: 'invalid_request', error_description: 'x '.repeat(9_000) }),
    );
    expect(grant.error.title).toBe('invalid_request');
    expect(RollcallError.rawTextOf(grant.error)?.length).toBeLessThanOrEqual(4000);

    const html = await faultOf('create', (_, response) => void response.writeHead(502).end('<html>Bad gateway</html>'));
    expect(html.error).toMatchObject({ status: 502, title: undefined });
  });
});

describe('an answer that cannot be used', () => {
  const faults: [string, Responder, number | undefined][] = [
    [
      'cut JSON',
      (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"result":{"id":'),
      200,
    ],
    ['an empty body', (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(), 200],
    [
      'HTML',
      (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>log in</html>'),
      200,
    ],
    ['plain text', (_, response) => void response.writeHead(200, { 'content-type': 'text/plain' }).end('{}'), 200],
    ['null', (_, response) => sendJson(response, 200, null), 200],
    ['a list', (_, response) => sendJson(response, 200, []), 200],
    [
      'Latin-1',
      (_, response) =>
        void response
          .writeHead(200, { 'content-type': 'application/json; charset=iso-8859-1' })
          .end(Buffer.from('{"result":{"firstName":"José"}}', 'latin1')),
      200,
    ],
  ];

  it.each(faults)('%s: a read is tried again and then fails', async (_name, respond, status) => {
    const { error, server } = await faultOf('read', respond);

    expect(error).toMatchObject({ code: 'PLATFORM_ANSWER_INVALID', status, retry: 'backoff', effect: 'none' });
    expect(server.seen).toHaveLength(4);
  });

  it.each(faults)('%s: a create may have been taken, and is not repeated', async (_name, respond, status) => {
    const { error, server } = await faultOf('create', respond);

    expect(error).toMatchObject({ code: 'PLATFORM_ANSWER_INVALID', status, effect: 'unknown' });
    expect(server.seen).toHaveLength(1);
  });

  it('HTML is no answer even to a call that expects no body', async () => {
    const { error } = await faultOf(
      'remove',
      (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>log in</html>'),
    );

    expect(error).toMatchObject({ code: 'PLATFORM_ANSWER_INVALID', effect: 'unknown' });
  });

  it('takes JSON and an empty acceptance under any label, because the body tells what it is', async () => {
    const server = await startLocalServer(({ method }, response) => {
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(method === 'GET' ? JSON.stringify({ result: user }) : 'ok');
    });
    const opened = openTestClient(server.url);
    expect(await call('read', opened)).toMatchObject({ result: { id: 1 } });
    await call('remove', opened);
  });

  it('takes a byte order mark and an answer that does not name its type', async () => {
    const server = await startLocalServer(
      (_, response) => void response.writeHead(200).end(`\ufeff${JSON.stringify({ result: user })}`),
    );

    expect(await call('read', openTestClient(server.url))).toMatchObject({ result: { id: 1 } });
  });

  it('takes a packed page, and tries one again whose packing is cut', async () => {
    const packed = gzipSync(JSON.stringify({ result: user }));
    const server = await startLocalServer(
      (_, response, index) =>
        void response
          .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
          .end(index === 0 ? packed.subarray(0, 40) : packed),
    );

    expect(await call('read', openTestClient(server.url))).toMatchObject({ result: { id: 1 } });
    expect(server.seen).toHaveLength(2);
    expect(server.seen[0]?.headers['accept-encoding']).toBe('gzip');
  });

  it('refuses a packing that was not asked for', async () => {
    const { error } = await faultOf(
      'read',
      (_, response) =>
        void response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'br' }).end('x'),
    );

    expect(error).toMatchObject({ code: 'PLATFORM_ANSWER_INVALID', retry: 'never' });
  });

  it('refuses a body that unpacks to more than any page', async () => {
    const bomb = gzipSync(Buffer.alloc(65 * 1024 * 1024, 0x20));
    const { error, server } = await faultOf(
      'read',
      (_, response) =>
        void response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb),
    );

    expect(error).toMatchObject({ code: 'PLATFORM_ANSWER_INVALID', retry: 'never' });
    expect(server.seen).toHaveLength(1);
  });

  it('refuses a body that is larger than any page before it has come whole', async () => {
    const megabyte = Buffer.alloc(1024 * 1024, 0x20);
    const { error } = await faultOf('read', (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = (): void => {
        while (!response.destroyed && response.write(megabyte));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });

    expect(error).toMatchObject({ code: 'PLATFORM_ANSWER_INVALID', retry: 'never' });
  });
});

describe('an exchange that breaks off', () => {
  const breaks: [string, Responder][] = [
    ['reset before an answer', (_, response) => void response.socket?.resetAndDestroy()],
    [
      'a truncated body',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
        response.write('{"result":');
        setImmediate(() => response.destroy());
      },
    ],
  ];

  it.each(breaks)('%s: a read is tried again and then fails', async (_name, respond) => {
    const { error, server } = await faultOf('read', respond);

    expect(error).toMatchObject({ code: 'PLATFORM_UNREACHABLE', retry: 'backoff', effect: 'none' });
    expect(server.seen).toHaveLength(4);
  });

  it.each(breaks)('%s: a write may have been taken, and is not repeated', async (_name, respond) => {
    for (const verb of writes) {
      // Nothing is promised to a call that expects no body, but a body that was announced must still come.
      const { error, server } = await faultOf(verb, respond);

      expect(error, verb).toMatchObject({ code: 'PLATFORM_UNREACHABLE', effect: 'unknown' });
      expect(server.seen, verb).toHaveLength(1);
    }
  });

  it.each([...reads, ...writes])('%s that gets no answer ends at the time limit', async (verb) => {
    const { error } = await faultOf(verb, () => {}, { limits: { timeoutMs: slowly(60) } });

    expect(error).toMatchObject({ code: 'PLATFORM_UNREACHABLE', effect: writes.includes(verb) ? 'unknown' : 'none' });
  });

  it.each([
    { verb: 'read', effect: 'none', tries: 4 },
    { verb: 'create', effect: 'unknown', tries: 1 },
  ] as const)('an answer that trickles ends at the time limit, each time: $verb', async ({ verb, effect, tries }) => {
    const trickle: Responder = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 10);
      response.on('close', () => clearInterval(timer));
    };
    const { error, server } = await faultOf(verb, trickle, { limits: { timeoutMs: slowly(60) } });

    expect(error).toMatchObject({ code: 'PLATFORM_UNREACHABLE', retry: 'backoff', effect });
    expect(error.message).toContain(`${slowly(60)} ms`);
    expect(server.seen).toHaveLength(tries);
  });

  it('a long upload may take longer than the time limit as long as it moves', async () => {
    const path = join(await temporaryFolder(), 'long.csv');
    await writeFile(path, Buffer.alloc(16 * 1024 * 1024, 0x41));
    let tookMs = 0;
    const server = createHttpServer((request, response) => {
      const begunAt = performance.now();
      let waits = 0;
      request.on('data', () => {
        // A slow line: a pause now and then, each shorter than the limit, all together longer.
        if (++waits % 40 !== 0) return;
        request.pause();
        setTimeout(() => request.resume(), slowly(80));
      });
      request.on('end', () => {
        tookMs = performance.now() - begunAt;
        sendJson(response, 200, { result: { id: 1, fileStatus: 'Processing' } });
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closeLater(() => new Promise((resolve) => server.close(resolve)));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { platform } = openTestClient(`http://127.0.0.1:${port}`, { limits: { timeoutMs: slowly(400) } });

    expect(await platform.upload({ path, name: 'long.csv' }, neverAborted)).toMatchObject({ fileId: '1' });
    expect(tookMs).toBeGreaterThan(slowly(400));
  });

  it.each([...reads, ...writes])('%s to a closed port had certainly no effect', async (verb) => {
    const port = await closedPort();
    const error = await failureOf(call(verb, openTestClient(`http://127.0.0.1:${port}`)));

    expect(error).toMatchObject({ code: 'PLATFORM_UNREACHABLE', retry: 'backoff', effect: 'none' });
    expect(error.message).toContain('ECONNREFUSED');
  });

  it('a host name that does not exist had certainly no effect', async () => {
    const error = await failureOf(call('create', openTestClient('http://nowhere.invalid')));

    expect(error).toMatchObject({ code: 'PLATFORM_UNREACHABLE', effect: 'none' });
  });
});

describe('the limits of a connection', () => {
  it('never lets more calls run at once than the concurrency', async () => {
    let running = 0;
    let most = 0;
    const server = await startLocalServer((request, response, index) => {
      most = Math.max(most, ++running);
      setImmediate(() => {
        running--;
        honest(request, response, index);
      });
    });
    const parts = openTestClient(server.url, { limits: { concurrency: 3 } });
    await Promise.all(Array.from({ length: 20 }, () => call('read', parts)));

    expect(most).toBeLessThanOrEqual(3);
    expect(server.seen).toHaveLength(20);
  });

  it('sends no waiting call with a token that was revoked before its turn', async () => {
    const answers: (() => void)[] = [];
    const server = await startLocalServer(
      (request, response, index) => void answers.push(() => honest(request, response, index)),
    );
    const counting = countingTokens();
    let isRevoked = false;
    const revoked = new RollcallError('the token was revoked', { code: 'TOKEN_REVOKED' });
    const tokens: AccessTokens = {
      ...counting,
      current: (signal) => (isRevoked ? Promise.reject(revoked) : counting.current(signal)),
    };
    const parts = openTestClient(server.url, { tokens, limits: { concurrency: 1 } });
    const first = call('create', parts);
    const second = failureOf(call('create', parts));
    while (answers.length === 0) await new Promise((resolve) => setImmediate(resolve));
    isRevoked = true;
    answers[0]?.();
    await first;

    expect(await second).toMatchObject({ code: 'TOKEN_REVOKED', effect: 'none' });
    expect(server.seen).toHaveLength(1);
  });

  it('sends a call without an application token nowhere when it takes one', async () => {
    const server = await startLocalServer(honest);
    const operation: Operation<void> = {
      method: 'GET',
      path: '/x',
      effect: 'read',
      token: 'application',
      answer: nothing,
    };
    const error = await failureOf(openTestClient(server.url).client.request(operation, neverAborted));
    expect(error).toMatchObject({ effect: 'none' });

    await openTestClient(server.url, { applicationToken: 'app-1' }).client.request(operation, neverAborted);
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer app-1']);
  });
});

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

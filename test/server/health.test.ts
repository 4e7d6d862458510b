import { connect } from 'node:net';
import { describe, expect, it, test } from 'vitest';
import { stuckAfterMs, workBesideServer } from '../../src/server/open-server.ts';
import type { DriveIo } from '../../src/work/drive-run.ts';
import { openHeartbeat } from '../../src/work/liveness.ts';
import { FakeClock, idle } from '../support/fake-clock.ts';
import { slowly } from '../support/slowness.ts';
import { appThat, noApp, openTestServer, viewerToken } from './open-test-server.ts';

const plain = { token: null };

describe('health', () => {
  it('is well, ready and started, without a token, and says nothing else', async () => {
    const server = await openTestServer(noApp);
    for (const path of ['/healthz', '/readyz', '/startupz']) {
      const answer = await server.ask(path, plain);
      expect(answer, path).toMatchObject({ status: 200, json: { status: 'ok', faults: {} } });
    }
    expect((await server.ask('/metrics', plain)).status).toBe(404);
  });

  it('fails when the process has not looked for work for too long, and recovers', async () => {
    let workedAt = 0;
    const server = await openTestServer(noApp, { vitals: { workedAt: () => workedAt } });
    workedAt = server.clock.now() - stuckAfterMs;
    expect((await server.ask('/healthz', plain)).status).toBe(200);
    workedAt -= 1000;
    expect(await server.ask('/healthz', plain)).toMatchObject({
      status: 503,
      json: { status: 'failed', faults: { worker: expect.stringContaining('61 s') } },
    });
    expect((await server.ask('/readyz', plain)).status).toBe(200);
    workedAt = server.clock.now();
    expect((await server.ask('/healthz', plain)).status).toBe(200);
  });

  it('is live but not ready while the store or Redis is away', async () => {
    const needs = async () => [
      { name: 'store', fault: 'it cannot be read' },
      { name: 'redis', fault: undefined },
    ];
    const server = await openTestServer(noApp, { vitals: { needs } });
    expect((await server.ask('/healthz', plain)).status).toBe(200);
    expect(await server.ask('/readyz', plain)).toMatchObject({
      status: 503,
      json: { faults: { store: 'it cannot be read' } },
    });
  });

  it('does not wait for a store that never answers', async () => {
    const server = await openTestServer(noApp, { vitals: { needs: () => new Promise(() => {}) } });
    const asked = server.ask('/readyz', plain);
    expect(await server.clock.drive(asked)).toMatchObject({ status: 503 });
    expect(server.clock.sleeping).toBe(0);
  });

  it('is neither started nor ready before the work has begun', async () => {
    const server = await openTestServer(noApp, { vitals: { isStarted: () => false, workedAt: () => undefined } });
    expect((await server.ask('/startupz', plain)).status).toBe(503);
    expect((await server.ask('/readyz', plain)).status).toBe(503);
    expect((await server.ask('/healthz', plain)).status).toBe(200);
  });

  it('is all that a process shows that only works', async () => {
    const metrics = { contentType: 'text/plain; version=0.0.4', render: async () => 'rollcall_up 1\n' };
    const server = await openTestServer(noApp, { settings: { serves: 'health' }, parts: { metrics } });
    expect((await server.ask('/healthz', plain)).status).toBe(200);
    expect(await server.ask('/metrics')).toMatchObject({ status: 200, text: 'rollcall_up 1\n' });
    for (const path of ['/', '/docs', '/openapi.json', '/api/syncs']) expect((await server.ask(path)).status).toBe(404);
    expect((await server.ask('/api/syncs')).json.detail).toContain('only health and metrics');
    const alone = await openTestServer(noApp, { settings: { serves: 'metrics' }, parts: { metrics } });
    expect(await alone.ask('/metrics', plain)).toMatchObject({ status: 200, text: 'rollcall_up 1\n' });
    expect((await alone.ask('/healthz', plain)).status).toBe(404);
    const posted = await server.ask('/healthz', { ...plain, method: 'POST' });
    expect(posted).toMatchObject({ status: 405, json: { code: 'METHOD_NOT_ALLOWED' } });
  });
});

describe('the metrics on the port of the API', () => {
  it('need a token of any role about all syncs, or "server.metrics: open"', async () => {
    const metrics = { contentType: 'text/plain; version=0.0.4', render: async () => 'rollcall_up 1\n' };
    const tokens = [
      { name: 'grafana', role: 'monitor', token: 'monitor-token-of-a-test' },
      { name: 'desk', role: 'admin', syncs: ['people'], token: 'scoped-token-of-a-test' },
    ] as const;
    for (const serves of ['everything', 'health'] as const) {
      const server = await openTestServer(noApp, { settings: { serves, tokens }, parts: { metrics } });
      const statusFor = async (token: string | null) => (await server.ask('/metrics', { token })).status;
      expect(await Promise.all([tokens[0].token, tokens[1].token, 'guess'].map(statusFor))).toEqual([200, 403, 401]);
      const refused = await server.ask('/metrics', plain);
      expect(refused).toMatchObject({ status: 401, json: { code: 'TOKEN_MISSING' } });
      expect(refused.json.detail).toMatch(/"server\.tokens".*"server\.metricsPort".*"server\.metrics: open"/);
      expect(refused.text).not.toContain('rollcall_up');
      for (let guess = 0; guess < 28; guess += 1) await statusFor(null);
      expect(await Promise.all([null, tokens[0].token].map(statusFor))).toEqual([429, 200]);
    }
    const open = await openTestServer(noApp, { settings: { metrics: 'open' }, parts: { metrics } });
    expect((await open.ask('/metrics', plain)).status).toBe(200);
  });
});

describe('a heartbeat', () => {
  const openDrive = (work: () => Promise<void>) =>
    ({
      engine: { progress: () => {} },
      runJob: async () => {
        await work();
        return { kind: 'done' };
      },
    }) as unknown as DriveIo;

  it('of a worker that leaves work lying stops, and goes on when it takes it', async () => {
    const clock = new FakeClock();
    const heartbeat = openHeartbeat(clock);
    const stop = new AbortController();
    let left: number | undefined = 0;
    const watching = heartbeat.watchWorker(async () => left, stop.signal);
    const silentMs = () => clock.now() - (heartbeat.workedAt() ?? Number.NaN);
    await clock.advance(100_000);
    expect(silentMs()).toBeLessThanOrEqual(5000);
    left = 3;
    await clock.advance(100_000);
    expect(silentMs()).toBeGreaterThan(90_000);
    const drive = heartbeat.follow(openDrive(async () => {}));
    await drive.runJob('sync', {}, {} as never);
    expect(silentMs()).toBe(0);
    await clock.advance(100_000);
    expect(silentMs()).toBeGreaterThan(90_000);
    // Redis is away: a new start would not help.
    left = undefined;
    await clock.advance(10_000);
    expect(silentMs()).toBeLessThanOrEqual(5000);
    stop.abort();
    await clock.drive(watching);
    expect(clock.sleeping).toBe(0);
  });

  it('of a worker stops at a job that neither ends nor tells of progress', async () => {
    const clock = new FakeClock();
    const heartbeat = openHeartbeat(clock);
    const stop = new AbortController();
    const watching = heartbeat.watchWorker(async () => 0, stop.signal);
    await idle();
    const end = Promise.withResolvers<void>();
    const drive = heartbeat.follow(openDrive(() => end.promise));
    const job = drive.runJob('sync', {}, {} as never);
    await clock.advance(100_000);
    expect(clock.now() - (heartbeat.workedAt() ?? 0)).toBeGreaterThanOrEqual(100_000);
    drive.engine.progress({ step: 'reading', rows: 1 });
    expect(heartbeat.workedAt()).toBe(clock.now());
    end.resolve();
    await job;
    stop.abort();
    await clock.drive(watching);
  });

  it('is the older of looking and working', async () => {
    const clock = new FakeClock();
    const heartbeat = openHeartbeat(clock);
    expect(heartbeat.workedAt()).toBeUndefined();
    heartbeat.ticked();
    const stop = new AbortController();
    const watching = heartbeat.watchWorker(async () => 0, stop.signal);
    const lookedAt = clock.now();
    await clock.advance(60_000);
    expect(heartbeat.workedAt()).toBe(lookedAt);
    stop.abort();
    await clock.drive(watching);
  });
});

describe('limits', () => {
  it('one token is slowed down, the others are not, and it may go on when the time has come', async () => {
    const server = await openTestServer(noApp, { settings: { requestsPerMinute: 6 } });
    for (let i = 0; i < 6; i += 1) expect((await server.ask('/api/syncs')).status).toBe(200);
    const refused = await server.ask('/api/syncs');
    expect(refused).toMatchObject({ status: 429, json: { code: 'TOO_MANY_REQUESTS' } });
    expect(refused.headers.get('retry-after')).toBe('10');
    expect((await server.ask('/api/syncs', { token: viewerToken })).status).toBe(200);
    expect((await server.ask('/healthz', plain)).status).toBe(200);
    await server.clock.advance(10_000);
    expect((await server.ask('/api/syncs')).status).toBe(200);
    expect((await server.ask('/api/syncs')).status).toBe(429);
  });

  it('strangers of one address have a limit of their own, whatever requestsPerMinute is, and take nothing from those who are known', async () => {
    const server = await openTestServer(noApp, { settings: { requestsPerMinute: 100_000 } });
    const statuses: number[] = [];
    for (let i = 0; i < 33; i += 1) statuses.push((await server.ask('/api/syncs', { token: `guess-${i}` })).status);
    expect(statuses).toEqual([...Array(30).fill(401), 429, 429, 429]);
    expect((await server.ask('/api/syncs')).status).toBe(200);
  });

  it("what a viewer may not do counts as the viewer's own requests", async () => {
    const server = await openTestServer(noApp, { settings: { requestsPerMinute: 2 } });
    const asViewer = () => server.ask('/api/syncs/people/pause', { method: 'POST', token: viewerToken });
    expect([(await asViewer()).status, (await asViewer()).status, (await asViewer()).status]).toEqual([403, 403, 429]);
    expect((await server.ask('/api/syncs', { token: 'nobody' })).status).toBe(401);
  });

  it.each([
    [1_024, 400, 'REQUEST_INVALID'],
    [1_025, 414, 'PATH_TOO_LONG'],
    [9_000, 414, 'PATH_TOO_LONG'],
  ])('a part of the path with %d characters is answered %d', async (length, status, code) => {
    const server = await openTestServer(noApp);
    expect(await server.ask(`/api/syncs/${'s'.repeat(length)}/people/E1`)).toMatchObject({
      status,
      json: { status, code },
    });
  });

  it.each([
    ['nothing', ''],
    ['half a header', 'GET /healthz HTTP/1.1\r\nhost: a\r\nx-slow: '],
    ['half a body', 'POST /api/syncs/people/runs HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{'],
  ])('a socket that sends %s and drips is cut off, whatever it drips', async (_, beginning) => {
    const server = await openTestServer(noApp, { parts: { receiveWithinMs: 400 } });
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    const drip = setInterval(() => socket.write(beginning === '' ? '' : 'a'), 50);
    // A reset is a way to be cut off as well: only the end counts.
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => {});
    socket.write(beginning);
    const startedAt = performance.now();

    socket.resume();
    await closed;

    clearInterval(drip);
    expect(performance.now() - startedAt).toBeLessThan(slowly(5_000));
    expect((await server.ask('/healthz', plain)).status).toBe(200);
  });

  it('a body in another form than JSON is refused', async () => {
    const server = await openTestServer(noApp);
    const headers = { 'content-type': 'text/plain' };
    const refused = await server.ask('/api/syncs/people/runs', { method: 'POST', body: 'x', headers });
    expect(refused).toMatchObject({ status: 415, json: { code: 'MEDIA_TYPE' } });
  });

  it('an unforeseen error tells nothing but where to look', async () => {
    const server = await openTestServer(appThat(() => Promise.reject(new TypeError('ana@example.com'))));
    const failed = await server.ask('/api/syncs');
    expect(failed).toMatchObject({
      status: 500,
      json: { code: 'INTERNAL', detail: expect.stringMatching(/request_\d/) },
    });
    expect(failed.text + server.log.text()).not.toContain('ana@');
    expect(server.log.messages('error')).toEqual(['request failed']);
  });

  it('every answer carries the headers that keep a browser careful', async () => {
    const server = await openTestServer(noApp);
    for (const path of ['/', '/api/syncs', '/healthz', '/nothing']) {
      const { headers } = await server.ask(path);
      expect(headers.get('x-content-type-options'), path).toBe('nosniff');
      expect(headers.get('x-frame-options'), path).toBe('DENY');
      expect(headers.get('cache-control'), path).toBe('no-store');
      expect(headers.get('content-security-policy'), path).toContain("default-src 'none'");
    }
  });
});

test('a port that is taken is named, with what to do', async () => {
  const server = await openTestServer(noApp);
  const port = Number(new URL(server.url).port);
  await expect(openTestServer(noApp, { settings: { port } })).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringMatching(/in use by another program.*server\.port/),
  });
});

describe('the order of stopping', () => {
  it('accepts nothing more, finishes what was asked, then stops the work, then ends', async () => {
    const order: string[] = [];
    const answered = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    const app = appThat(async () => {
      arrived.resolve();
      await answered.promise;
      order.push('answered');
      return new Map();
    });
    const server = await openTestServer(app);
    const outer = new AbortController();
    const work = workBesideServer(server, outer.signal, async (signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      order.push('work told to stop');
    }).then(() => order.push('ended'));
    const asked = server.ask('/api/syncs');
    await arrived.promise;
    outer.abort(new Error('stop'));
    await idle(20);
    await expect(fetch(`${server.url}/healthz`, { headers: { connection: 'close' } })).rejects.toThrow();
    expect(order).toEqual([]);
    answered.resolve();
    expect((await asked).status).toBe(200);
    await work;
    expect(order).toEqual(['answered', 'work told to stop', 'ended']);
  });

  it('does not wait for a request that never ends', async () => {
    const arrived = Promise.withResolvers<void>();
    const app = appThat(() => {
      arrived.resolve();
      return new Promise(() => {});
    });
    const server = await openTestServer(app);
    const asked = server.ask('/api/syncs').catch(() => 'cut');
    await arrived.promise;
    await server.clock.drive(server.close());
    expect(await asked).toBe('cut');
  });

  it('closes the server when the work fails', async () => {
    const server = await openTestServer(noApp);
    const failing = workBesideServer(server, new AbortController().signal, async () => {
      throw new Error('no work');
    });
    await expect(failing).rejects.toThrow('no work');
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
  });
});

test('nothing is opened when the address is not of this machine', async () => {
  await expect(openTestServer(noApp, { settings: { host: '192.0.2.1' } })).rejects.toMatchObject({ code: 'USAGE' });
});

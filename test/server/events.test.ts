import { Client } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { beginPause, endPause } from '../../src/app/syncs.ts';
import { idle } from '../support/fake-clock.ts';
import { employees, type Office, openOffice } from '../support/office.ts';
import { openTestServer, operatorToken, type TestServer, viewerToken } from './open-test-server.ts';

interface StreamEvent {
  readonly id?: string;
  readonly event?: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
  readonly data?: any;
  readonly comment?: string;
  readonly retry?: string;
}

interface OpenStream {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The next event. Undefined at the end of the stream. */
  next(): Promise<StreamEvent | undefined>;
  leave(): Promise<void>;
}

/** A client of its own connection, as a browser's page is one. */
async function follow(server: TestServer, path: string, lastId?: string): Promise<OpenStream> {
  const client = new Client(server.url, { bodyTimeout: 0 });
  onTestFinished(() => client.destroy());
  const headers = {
    authorization: `Bearer ${viewerToken}`,
    ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
  };
  const { statusCode, headers: told, body } = await client.request({ method: 'GET', path, headers });
  body.setEncoding('utf8');
  const events = readEvents(body);
  return {
    status: statusCode,
    headers: told,
    next: async () => (await events.next()).value ?? undefined,
    leave: () => client.destroy(),
  };
}

async function* readEvents(body: AsyncIterable<string>): AsyncGenerator<StreamEvent, undefined> {
  let rest = '';
  for await (const piece of body) {
    const parts = `${rest}${piece}`.split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) yield parse(part);
  }
  return undefined;
}

function parse(text: string): StreamEvent {
  const fields = text.split('\n').map((line) => {
    const [, name = '', value = ''] = /^(\w*): (.*)$/.exec(line) ?? [];
    return [name === '' ? 'comment' : name, name === 'data' ? JSON.parse(value) : value];
  });
  return Object.fromEntries(fields);
}

async function openOfficeServer(): Promise<{ office: Office; server: TestServer }> {
  const office = await openOffice();
  await office.writeEmployees(employees(3));
  return { office, server: await openTestServer(office.app) };
}

/** Lets the server's clock pass until the stream has something to say. */
async function nextOf(stream: OpenStream, server: TestServer): Promise<StreamEvent | undefined> {
  let isThere = false;
  const next = stream.next().finally(() => {
    isThere = true;
  });
  while (!isThere) {
    await server.clock.advance(1000);
    await idle(20);
  }
  return next;
}

test('a request is followed from its trigger to the outcome, and then the stream ends', async () => {
  const { office, server } = await openOfficeServer();
  const asked = await server.ask('/api/syncs/people/runs', { method: 'POST', body: { users: ['E1', 'E2'] } });
  const path = `/api/requests/${asked.json.trigger}/events`;
  const stream = await follow(server, path);
  expect(stream).toMatchObject({
    status: 200,
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
  });
  expect(await stream.next()).toEqual({ retry: '3000' });
  const waiting = await stream.next();
  expect(waiting).toMatchObject({ event: 'request', data: { state: 'waiting', kind: 'manual', users: 2, run: null } });
  const { run } = await office.apply({ users: ['E1', 'E2'] });
  const ended = await nextOf(stream, server);
  expect(ended).toMatchObject({
    event: 'request',
    data: { state: 'ended', run: { id: run.id }, result: { outcome: 'succeeded', changes: { applied: 2 } } },
  });
  expect(await stream.next()).toEqual({ event: 'end', data: {} });
  expect(await stream.next()).toBeUndefined();
  expect(await server.ask('/api/requests/trigger_0')).toMatchObject({ status: 404 });
  // The event is what the endpoint without a stream answers.
  expect(ended?.data).toEqual((await server.ask(`/api/requests/${asked.json.trigger}`)).json);

  // A page that lost its connection: with the last event it is told to stop, with an older one it gets what is new.
  expect(await follow(server, path, ended?.id)).toMatchObject({ status: 204 });
  const late = await follow(server, path, waiting?.id);
  await late.next();
  expect(await late.next()).toEqual(ended);
});

test('a run is followed by phase and batches', async () => {
  const { office, server } = await openOfficeServer();
  const { run } = await office.apply();
  const stream = await follow(server, `/api/runs/${run.id}/events`);
  await stream.next();
  expect(await stream.next()).toMatchObject({
    event: 'run',
    data: { run: { id: run.id, outcome: 'succeeded' }, batches: [{ state: 'settled', batches: 1, changes: 3 }] },
  });
  expect(await stream.next()).toMatchObject({ event: 'end' });
  expect(await follow(server, '/api/runs/run_none/events')).toMatchObject({ status: 404 });
});

test('all syncs are followed: nothing is told twice, a heartbeat comes between, and a change at once', async () => {
  const { office, server } = await openOfficeServer();
  const stream = await follow(server, '/api/events');
  await stream.next();
  const first = await stream.next();
  expect(first).toMatchObject({ event: 'syncs', data: { syncs: [{ name: 'people', state: 'idle' }] } });
  expect(await nextOf(stream, server)).toEqual({ comment: 'nothing new' });
  await beginPause(office.app, 'people', { by: 'token:ops' });
  expect(await nextOf(stream, server)).toMatchObject({ event: 'syncs', data: { syncs: [{ state: 'paused' }] } });
  // The state that the client has is not sent again.
  await endPause(office.app, 'people', { by: 'token:ops' });
  // Streams about the same share what was read within a second.
  await server.clock.advance(1000);
  const again = await follow(server, '/api/events', first?.id);
  await again.next();
  expect(await nextOf(again, server)).toEqual({ comment: 'nothing new' });
});

test('a token has a bounded number of streams, and a closed one makes room', async () => {
  const { server } = await openOfficeServer();
  const streams: OpenStream[] = [];
  for (let i = 0; i < 20; i++) streams.push(await follow(server, '/api/events'));
  expect(streams.every(({ status }) => status === 200)).toBe(true);
  const refused = await follow(server, '/api/events');
  expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '30' } });
  await streams[0]?.leave();
  let status = 429;
  while (status !== 200) ({ status } = await follow(server, '/api/events'));
  expect((await server.ask('/api/syncs', { token: operatorToken })).status).toBe(200);
});

test('a server that closes ends its streams at once', async () => {
  const { server } = await openOfficeServer();
  const stream = await follow(server, '/api/events');
  await stream.next();
  await stream.next();
  // The clock stands still, so nothing but the closing itself ends the stream.
  await server.close();
  expect(await stream.next()).toBeUndefined();
});

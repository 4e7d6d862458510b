import { describe, expect, it } from 'vitest';
import {
  callOperation,
  connectPlatform,
  type OperationId,
  type PlatformConnection,
  RollcallError,
} from '../../../src/platform/index.ts';
import { slowly } from '../../support/slowness.ts';
import { closeAndFailOnLeaks, closeLater } from '../closing.ts';
import { type Responder, startLocalServer } from '../local-server.ts';

closeAndFailOnLeaks();

let looks = 0;

function connect(baseUrl: string, timeoutMs = slowly(5000)): PlatformConnection {
  const platform = connectPlatform({
    baseUrl,
    accessToken: 'secret-token',
    // Retries of a read are minutes apart on this clock, but take no time: each look at it is a minute later.
    now: () => Date.UTC(2026, 4, 20) + 60_000 * looks++,
    limits: { requestsPerSecond: 1000, timeoutMs },
  });
  closeLater(() => platform.close());
  return platform;
}

const write = (platform: PlatformConnection, signal?: AbortSignal) =>
  platform.goals.remove({ code: 'G1', identification: 'E1' }, signal);

const json: Responder = (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}');

describe('every failure of a call is an error of ours', () => {
  it.each(['', '{', '[]', 'null', '{"result":{"id":{}}}', '{"result":1}', '{"result":[],"page":1}', '\u0000'])(
    'the body %j, for every answer that is read',
    async (body) => {
      const { url } = await startLocalServer((_, response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(body),
      );
      const platform = connect(url);
      const user = { id: '1', identification: 'E1' };
      const fields = { firstName: 'Ana', lastName: 'Núñez' };
      const calls = [
        () => platform.users.create({ identification: 'E1', fields }),
        () => platform.users.update(user, { identification: 'E1', fields }),
        () => platform.userFiles.upload({ name: 'a.csv', content: 'identification\n' }),
        () =>
          platform.goals.update(
            { code: 'G1', identification: 'E1' },
            { code: 'G1', title: 'Ship', weighting: 1, locale: 'en' },
          ),
      ];
      for (const call of calls) {
        await expect(call(), call.toString()).rejects.toMatchObject({
          name: 'PlatformError',
          code: 'PLATFORM_ANSWER_INVALID',
          effect: 'unknown',
        });
      }
    },
  );

  it('a signal that aborts before, while waiting, by time, and with anything as its reason', async () => {
    const { url, seen } = await startLocalServer(() => stop.abort('not even an error'));
    const stop = new AbortController();
    const platform = connect(url);
    const iterate = async (signal: AbortSignal) => {
      for await (const _user of platform.users.scan(signal));
    };
    const cancelled = { name: 'PlatformError', code: 'CANCELLED' };

    await expect(write(platform, AbortSignal.abort())).rejects.toMatchObject({ ...cancelled, effect: 'none' });
    await expect(iterate(AbortSignal.abort())).rejects.toMatchObject(cancelled);
    expect(seen).toEqual([]);
    await expect(write(platform, stop.signal)).rejects.toMatchObject({ ...cancelled, effect: 'unknown' });
    await expect(write(platform, AbortSignal.timeout(1))).rejects.toMatchObject(cancelled);
  });

  it('a stream that fails, that yields something else, or whose call is cancelled, and a path that is not there', async () => {
    const { url, seen } = await startLocalServer(json);
    const { userFiles } = connect(url);
    const upload = (content: AsyncIterable<string>, signal?: AbortSignal) =>
      userFiles.upload({ name: 'a.csv', content }, signal);
    async function* failing() {
      yield 'identification\n';
      throw new Error('secret path');
    }
    const numbers = (async function* () {
      yield 7;
    })() as unknown as AsyncIterable<string>;
    const endless = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
    const usage = { name: 'PlatformError', code: 'USAGE', effect: 'none' };

    await expect(upload(failing())).rejects.toMatchObject(usage);
    await expect(upload(failing())).rejects.not.toThrow(/secret path/);
    await expect(upload(numbers)).rejects.toMatchObject(usage);
    await expect(upload(endless, AbortSignal.timeout(1))).rejects.toMatchObject({ ...usage, code: 'CANCELLED' });
    await expect(userFiles.upload({ name: 'a.csv', path: '/nowhere/a.csv' })).rejects.toMatchObject(usage);
    expect(seen).toEqual([]);
  });

  it('what no request can carry', async () => {
    const { url, seen } = await startLocalServer(json);
    const platform = connect(url);
    const circle: { self?: unknown } = {};
    circle.self = circle;
    const refused: readonly (() => Promise<unknown>)[] = [
      () => platform.users.get(undefined as unknown as string),
      () => platform.goals.get({ code: 'G1', identification: 1 as unknown as string }),
      () => callOperation(platform.client, 'goal', { params: { code: 'G1' } }),
      () => callOperation(platform.client, 'create', { json: { n: 1n } }),
      () => callOperation(platform.client, 'create', { json: circle }),
      () => platform.feedback.send({ sender: 'E1', recipient: 'E2', feedback: { competences: [1n] } }),
    ];
    for (const call of refused) {
      await expect(call(), call.toString()).rejects.toMatchObject({ name: 'PlatformError', effect: 'none' });
    }
    await expect(callOperation(platform.client, 'nothing' as OperationId, {})).rejects.toThrow(RollcallError);
    expect(seen).toEqual([]);
  });

  it('a call after the end', async () => {
    const { url } = await startLocalServer(json);
    const platform = connect(url);
    await platform.close();

    await expect(write(platform)).rejects.toBeInstanceOf(RollcallError);
  });

  it('a fixed token that the platform refuses: the message names what a program can do', async () => {
    const { url } = await startLocalServer((_, response) => response.writeHead(401).end());

    await expect(write(connect(url))).rejects.toThrow(/Give connectPlatform a valid one/);
  });
});

it.each([400, 401, 403])('an error of %i has every member of the answer that the contract names', async (status) => {
  const body = {
    timestamp: '2026-05-20T00:00:00.000Z',
    message: 'No',
    details: 'uri=/x',
    type: 'uri=/x',
    title: 'Refused',
    detail: 'Not you',
  };
  const { url } = await startLocalServer((_, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
  );
  const error = await connect(url)
    .goals.page()
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ answer: { status, ...body } });
});

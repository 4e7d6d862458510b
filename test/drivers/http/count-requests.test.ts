import { describe, expect, it } from 'vitest';
import type { RequestPurpose } from '../../../src/core/run/requests.ts';
import { openLimiter } from '../../../src/drivers/http/rate-limit.ts';
import { openMeter } from '../../../src/main/engine.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const request = { connection: 'acme', operation: 'GET /users', status: 200, tookMs: 1, waitedMs: 0 };

describe('requests that wait for one connection', () => {
  it('count for the work that made them, and for the work around it', async () => {
    const limiter = openLimiter({ requestsPerSecond: 1000, concurrency: 1, timeoutMs: 1000 }, new FakeClock(0));
    const meter = openMeter();
    const send = (purpose: RequestPurpose) =>
      limiter.run(async () => meter.requestEnded({ ...request, purpose }), AbortSignal.timeout(60_000));
    const [one, other, around]: RequestPurpose[][] = [[], [], []];
    await meter.countRequests(
      (purpose) => around?.push(purpose),
      () =>
        Promise.all([
          meter.countRequests(
            (purpose) => one?.push(purpose),
            () => Promise.all([send('scan'), send('read')]),
          ),
          meter.countRequests(
            (purpose) => other?.push(purpose),
            () => Promise.all([send('upload'), send('poll')]),
          ),
        ]),
    );
    await send('write');

    expect(one).toEqual(['scan', 'read']);
    expect(other).toEqual(['upload', 'poll']);
    expect(around?.toSorted()).toEqual(['poll', 'read', 'scan', 'upload']);
  });
});

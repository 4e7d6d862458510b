import { expect, it } from 'vitest';
import { gapAfterRefusal } from '../../../src/platform/tokens/retry-pace.ts';
import { startLocalServer } from '../local-server.ts';
import { countingTokens, neverAborted, openTestClient } from '../test-client.ts';
import { openBench } from './token-manager-bench.ts';

it.each([
  { name: 'at once after its issue', issuedAt: 0, refusedAt: 100, now: 100, waitMs: 500 },
  { name: 'for as long as it was refused', issuedAt: 0, refusedAt: 0, now: 4000, waitMs: 4000 },
  { name: 'at least every 15 s', issuedAt: 0, refusedAt: 0, now: 40_000, waitMs: 15_000 },
  { name: 'at the end of the minute', issuedAt: 0, refusedAt: 0, now: 55_000, waitMs: 5000 },
  { name: 'no more after a minute', issuedAt: 0, refusedAt: 0, now: 60_000, waitMs: undefined },
  { name: 'never when it was older', issuedAt: 0, refusedAt: 60_000, now: 60_000, waitMs: undefined },
  { name: 'never when its age is not known', issuedAt: undefined, refusedAt: 0, now: 0, waitMs: undefined },
])('a refused access token is tried again $name', ({ issuedAt, refusedAt, now, waitMs }) => {
  expect(gapAfterRefusal(issuedAt, refusedAt, now)).toBe(waitMs);
});

it('is waited for once for all, until a minute has passed', async () => {
  const bench = openBench();
  const tokens = bench.open();
  const { generation } = await tokens.current(neverAborted);
  const startedAt = bench.clock.now();
  let tries = 0;
  while (await bench.clock.drive(tokens.outwait?.(generation, neverAborted) ?? Promise.resolve(false))) tries += 1;
  expect(bench.clock.now() - startedAt).toBe(60_000);
  expect(tries).toBeLessThan(12);
  expect((await tokens.current(neverAborted)).generation).toBe(generation);
  expect(bench.server.presentations).toHaveLength(1);
});

it.each([
  { refusals: 3, renewals: 0 },
  { refusals: 5, renewals: 1 },
])('a call refused $refusals times asks for $renewals other tokens', async ({ refusals, renewals }) => {
  const server = await startLocalServer((_request, response, index) => {
    response.writeHead(index < refusals ? 401 : 200, { 'content-type': 'application/json' });
    response.end('{"result":{"id":1,"identification":"E1","enabled":true}}');
  });
  const counting = countingTokens();
  let waits = 0;
  const outwait = async (): Promise<boolean> => {
    waits += 1;
    return waits <= 4;
  };
  const tokens = { ...counting, outwait };
  await openTestClient(server.url, { tokens }).platform.find('E1', neverAborted);
  expect(counting.renewals).toHaveLength(renewals);
});

import { expect, it } from 'vitest';
import { RollcallError } from '../../../src/core/run/errors.ts';
import { failOnLeaks } from '../../support/leak-check.ts';
import { type Bench, connection, leaseMs, never, openBench } from './token-manager-bench.ts';

failOnLeaks();

const hour = 3_600_000;

/** A token manager, and how often it has read the store. */
function openCounted(bench: Bench) {
  let reads = 0;
  const tokens = bench.open({
    store: {
      replace: bench.store.tokens.replace,
      get: (name) => {
        reads += 1;
        return bench.store.tokens.get(name);
      },
    },
  });
  const readsOf = async (work: () => Promise<unknown>) => {
    reads = 0;
    await work();
    return reads;
  };
  return { tokens, readsOf };
}

it('a token is used for five seconds without a read of the store, however many calls there are', async () => {
  const bench = openBench();
  const { tokens, readsOf } = openCounted(bench);
  await tokens.current(never);
  const reads = await readsOf(async () => {
    for (let call = 0; call < 6000; call++) {
      await bench.clock.advance(10);
      await tokens.current(never);
    }
  });
  expect(reads).toBe(12);
});

it('a token is renewed when it is due, also between two reads of the store', async () => {
  const bench = openBench();
  const { tokens, readsOf } = openCounted(bench);
  await tokens.current(never);
  await bench.clock.advance(0.75 * hour - 1);
  await tokens.current(never);
  expect(await readsOf(() => tokens.current(never))).toBe(0);
  expect(bench.server.presentations).toHaveLength(1);
  await bench.clock.advance(1);
  await tokens.current(never);
  expect(bench.server.presentations).toHaveLength(2);
});

it('a store that does not answer stops no call before a lease time has passed since the last read', async () => {
  const bench = openBench();
  let isAway = true;
  let reads = 0;
  const away = new RollcallError('the store does not answer', { code: 'STORE_INVALID', retry: 'backoff' });
  const tokens = bench.open({
    store: {
      replace: bench.store.tokens.replace,
      get: (name) => {
        reads += 1;
        return isAway ? Promise.reject(away) : bench.store.tokens.get(name);
      },
    },
  });
  await expect(tokens.current(never)).rejects.toBe(away);
  isAway = false;
  const token = await tokens.current(never);
  isAway = true;
  await bench.clock.advance(5000);
  reads = 0;
  for (let i = 0; i < 10; i++) expect(await tokens.current(never)).toEqual(token);
  expect(reads, 'it is asked again after five seconds').toBe(1);
  await bench.clock.advance(leaseMs - 5001);
  expect(await tokens.current(never)).toEqual(token);
  await bench.clock.advance(1);
  await expect(tokens.current(never)).rejects.toBe(away);
  isAway = false;
  expect(await tokens.current(never)).toEqual(token);
});

it.each([
  ['not-sent', 5000],
  ['lost-before', 5000],
] as const)('after a renewal ahead of time that ended %s the store is read again in %i ms', async (end, afterMs) => {
  const bench = openBench();
  const { tokens, readsOf } = openCounted(bench);
  const first = await tokens.current(never);
  await bench.clock.advance(0.8 * hour);
  bench.fates.push(end);
  expect(await tokens.current(never)).toEqual(first);
  await bench.clock.advance(afterMs - 1);
  expect(await readsOf(() => tokens.current(never))).toBe(0);
  await bench.clock.advance(1);
  expect(await readsOf(() => tokens.current(never))).toBeGreaterThan(0);
});

it('a token that was refused is read again at the next call, and an older one costs no read', async () => {
  const bench = openBench();
  const { tokens, readsOf } = openCounted(bench);
  const { generation } = await tokens.current(never);
  await tokens.renew(generation, never);
  expect(await readsOf(() => tokens.renew(generation, never))).toBe(0);
  bench.fates.push('not-sent');
  const newer = (await tokens.current(never)).generation;
  await expect(tokens.renew(newer, never)).rejects.toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
  expect(await readsOf(() => tokens.current(never))).toBe(1);
  expect(await tokens.outwait?.(generation, never), 'a newer one is used at once').toBe(true);
  expect(await bench.open().outwait?.(generation, never)).toBe(false);
});

it('a refresh that the store has no room for is logged, and the access token stays in use', async () => {
  const bench = openBench();
  const first = await bench.open().current(never);
  await bench.clock.advance(0.8 * hour);
  const replace = () => Promise.reject(new RangeError('disk full'));
  expect((await bench.open({ store: { ...bench.store.tokens, replace } }).current(never)).secret).toBe(first.secret);
  const fields = { connection, error: 'RollcallError' };
  expect(bench.logger.lines).toContainEqual({ level: 'warn', fields, message: 'no refresh was started' });
});

it('a person who asks for a refresh need not wait after one that could not be sent', async () => {
  const bench = openBench();
  const tokens = bench.open();
  await tokens.current(never);
  await bench.clock.advance(2 * hour);
  bench.fates.push('not-sent');
  await expect(tokens.current(never)).rejects.toMatchObject({ retry: { afterMs: 5000 } });
  await expect(tokens.current(never)).rejects.toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
  expect(bench.server.presentations).toHaveLength(2);
  expect((await tokens.refresh(never)).state).toBe('ready');
});

it('nothing is begun for a caller who has stopped', async () => {
  const bench = openBench();
  const stopped = AbortSignal.abort(new Error('stopped'));
  await expect(bench.open().current(stopped)).rejects.toThrow('stopped');
  expect(bench.server.presentations).toEqual([]);
  await bench.open().current(never);
  await expect(bench.open().revoke(async () => ({ kind: 'revoked' }), stopped)).rejects.toThrow('stopped');
  expect(bench.store.row(connection)?.state).toBe('ready');
});

it('who waits for another process looks every 375 ms, and gives up after three leases', async () => {
  const bench = openBench();
  const { tokens, readsOf } = openCounted(bench);
  const { generation } = await tokens.current(never);
  await bench.store.leases.take(`token:${connection}`, 'other', 10 * leaseMs, bench.clock.now());
  const startedAt = bench.clock.now();
  const reads = await readsOf(() =>
    expect(bench.clock.drive(tokens.renew(generation, never))).rejects.toMatchObject({
      code: 'TOKEN_UNAVAILABLE',
      retry: 'backoff',
    }),
  );
  expect(reads).toBe(1 + (3 * leaseMs) / 375);
  const waitedMs = bench.clock.now() - startedAt;
  expect(waitedMs).toBeGreaterThan(3 * leaseMs);
  expect(waitedMs).toBeLessThanOrEqual(3 * leaseMs + 375);
});

it('an open breaker says for how long, and does not keep a token from being renewed ahead of its end', async () => {
  const bench = openBench();
  bench.server.lifeMs = 60_000;
  const tokens = bench.open();
  let token = await tokens.current(never);
  token = await tokens.renew(token.generation, never);
  token = await tokens.renew(token.generation, never);
  await expect(tokens.renew(token.generation, never)).rejects.toMatchObject({ retry: { afterMs: 300_000 } });
  expect(bench.logger.lines.find(({ level }) => level === 'error')?.fields).toEqual({
    connection,
    generation: token.generation,
  });
  await bench.clock.advance(50_000);
  expect((await tokens.current(never)).generation).toBeGreaterThan(token.generation);
});

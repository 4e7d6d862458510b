import { expect, it } from 'vitest';
import type { TokenStore } from '../../../src/ports/store.ts';
import { failOnLeaks } from '../../support/leak-check.ts';
import { type Bench, connection, leaseMs, never, openBench } from './token-manager-bench.ts';

failOnLeaks();

const hour = 3_600_000;
const revoked = async () => ({ kind: 'revoked' }) as const;

/** The bench's store for one process that stands still before it writes a granted pair, until `gate` opens. */
function slowToStore(bench: Bench, gate: Promise<void>): TokenStore {
  return {
    get: bench.store.tokens.get,
    replace: async (seen, next) => {
      if (next.state === 'ready' && next.attempts === 0) await gate;
      return bench.store.tokens.replace(seen, next);
    },
  };
}

/** A refresh whose answer is stored late, while another process does `meanwhile` a lease time later. */
async function lateRefresh(meanwhile: (bench: Bench) => Promise<unknown>, isByHand = false) {
  const bench = openBench();
  await bench.open().current(never);
  const gate = Promise.withResolvers<void>();
  const slow = bench.open({ store: slowToStore(bench, gate.promise) });
  const { generation } = await slow.current(never);
  const refreshing = isByHand ? slow.refresh(never) : slow.renew(generation, never);
  const end = refreshing.catch((error: unknown) => error);
  await bench.clock.advance(leaseMs + 1000);
  await bench.clock.drive(meanwhile(bench));
  gate.resolve();
  return { bench, end: await bench.clock.drive(end) };
}

it('a pair that was revoked stays revoked when the answer of an earlier refresh comes late', async () => {
  const { bench, end } = await lateRefresh((late) => late.open().revoke(revoked, never));

  expect(end).toMatchObject({ code: 'TOKEN_REVOKED' });
  expect(bench.store.row(connection)?.state).toBe('revoked');
  await expect(bench.open().current(never)).rejects.toMatchObject({ code: 'TOKEN_REVOKED' });
  expect(bench.errors()).toEqual([]);
});

it('a refresh by hand does not undo a revocation that came while it was in progress', async () => {
  const { bench, end } = await lateRefresh((late) => late.open().revoke(revoked, never), true);

  expect(end).toMatchObject({ code: 'TOKEN_REVOKED' });
  expect(bench.store.row(connection)?.state).toBe('revoked');
});

it('the pair of a late answer is stored all the same, so that a person can leave `revoked` with it', async () => {
  const { bench } = await lateRefresh((late) => late.open().revoke(revoked, never));

  expect((await bench.clock.drive(bench.open().refresh(never))).state).toBe('ready');
  expect(bench.server.revokedFamilies).toBe(0);
});

it('a late answer ends a lock-out that it would have prevented, and says so', async () => {
  const { bench, end } = await lateRefresh(async (late) => {
    late.fates.push('lost-before');
    await late
      .open()
      .refresh(never)
      .catch(() => {});
    await late.clock.advance(2 * hour);
    await late
      .open()
      .current(never)
      .catch(() => {});
    expect(late.store.row(connection)?.state).toBe('reauth-required');
  });

  expect(end).toMatchObject({ generation: bench.store.row(connection)?.generation });
  expect(bench.store.row(connection)?.state).toBe('ready');
  expect(bench.errors()).toEqual(['the refresh token was refused']);
});

it('a late answer is dropped when the store has a newer pair', async () => {
  const second = { token: '' };
  const { bench } = await lateRefresh(async (late) => {
    second.token = late.server.issueSeed();
    await late.open({ configuredRefreshToken: second.token }).current(never);
  });

  const stored = await bench.open({ configuredRefreshToken: second.token }).current(never);
  expect(bench.server.presentations.map(({ token }) => token)).toEqual([bench.seed, expect.any(String), second.token]);
  expect(bench.server.accepts(stored.secret)).toBe(true);
  const message = 'a new token pair was dropped, because the store has a newer one';
  expect(bench.logger.lines).toContainEqual({ level: 'warn', fields: { connection }, message });
});

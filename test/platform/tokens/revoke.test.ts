import { describe, expect, it } from 'vitest';
import { failOnLeaks } from '../../support/leak-check.ts';
import { connection, leaseMs, never, openBench } from './token-manager-bench.ts';

failOnLeaks();

const revoked = async () => ({ kind: 'revoked' }) as const;

describe('an answer that does not confirm', () => {
  it.each([
    ['refused', 'PLATFORM_REFUSED', 'never'],
    ['unknown', 'PLATFORM_FAILED', 'backoff'],
  ] as const)('%s is %s, to be tried again: %s', async (kind, code, retry) => {
    const bench = openBench();
    const tokens = bench.open();
    await tokens.current(never);
    const call = async () => ({ kind, reason: 'the reason' });
    await expect(tokens.revoke(call, never)).rejects.toMatchObject({
      code,
      retry,
      message: expect.stringMatching(/connection acme is revoked: the reason\..*`rollcall token revoke acme` again/),
    });
    expect(bench.store.row(connection)?.state).toBe('revoked');
    expect(bench.logger.text()).not.toContain('token revoked');
  });

  it('of a configured access token is told too', async () => {
    const tokens = openBench().open({ staticAccessToken: 'fixed' });
    const call = async () => ({ kind: 'refused', reason: 'the reason' }) as const;
    await expect(tokens.revoke(call, never)).rejects.toMatchObject({ code: 'PLATFORM_REFUSED' });
  });
});

describe('token revoke', () => {
  it('says what is revoked, forgets the old reason and leaves the lease free', async () => {
    const bench = openBench();
    const tokens = bench.open();
    await tokens.current(never);
    await bench.clock.advance(0.8 * 3_600_000);
    bench.fates.push('lost-before');
    await tokens.current(never);
    expect(bench.store.row(connection)?.reason).toContain('got an invalid answer');
    const status = await bench.clock.drive(tokens.revoke(revoked, never));
    expect(status).toMatchObject({ state: 'revoked', reason: undefined });
    expect(bench.logger.lines).toContainEqual({ level: 'info', fields: { connection }, message: 'token revoked' });
    expect(await bench.store.leases.holder(`token:${connection}`, bench.clock.now())).toBeUndefined();
  });

  it('of a dead pair calls with its access token and does not hide that it is dead', async () => {
    const bench = openBench();
    const tokens = bench.open();
    const { secret, generation } = await tokens.current(never);
    bench.server.present(bench.seed, 'answered', bench.clock.now());
    await expect(tokens.renew(generation, never)).rejects.toMatchObject({ code: 'REAUTH_REQUIRED' });
    const seen: string[] = [];
    const call = async (token: string) => {
      seen.push(token);
      return revoked();
    };
    expect((await tokens.revoke(call, never)).state).toBe('reauth-required');
    expect(seen).toEqual([secret]);
  });

  it('stops every process within five seconds, also one that uses an older access token', async () => {
    const bench = openBench();
    const worker = bench.open();
    const older = await worker.current(never);
    const operator = bench.open();
    await operator.refresh(never);
    await operator.revoke(revoked, never);
    expect(await worker.current(never)).toEqual(older);
    await bench.clock.advance(5000);
    await expect(worker.current(never)).rejects.toMatchObject({ code: 'TOKEN_REVOKED' });
    await operator.refresh(never);
    expect(bench.server.accepts((await worker.current(never)).secret)).toBe(true);
  });

  it('of a pair whose refresh token was refused stops the use of its valid access token', async () => {
    const bench = openBench();
    const tokens = bench.open();
    const { secret } = await tokens.current(never);
    bench.fates.push('refused');
    await expect(tokens.refresh(never)).rejects.toMatchObject({ code: 'REAUTH_REQUIRED' });
    expect((await bench.open().current(never)).secret).toBe(secret);
    const seen: string[] = [];
    const call = async (token: string) => {
      seen.push(token);
      return revoked();
    };
    expect(await tokens.revoke(call, never)).toMatchObject({ state: 'reauth-required', expiresAt: bench.clock.now() });
    const { generation } = await tokens.status();
    expect((await tokens.revoke(call, never)).generation, 'nothing is left to write').toBe(generation);
    expect(seen).toEqual([secret, secret]);
    await expect(bench.open().current(never)).rejects.toMatchObject({ code: 'REAUTH_REQUIRED' });
  });

  it('twice calls twice and writes once', async () => {
    const bench = openBench();
    const tokens = bench.open();
    await tokens.current(never);
    const first = await tokens.revoke(revoked, never);
    const second = await tokens.revoke(revoked, never);
    expect(second.generation).toBe(first.generation);
  });

  it('of nothing says that there is nothing', async () => {
    const tokens = openBench().open();
    await expect(tokens.revoke(revoked, never)).rejects.toMatchObject({
      code: 'TOKEN_UNAVAILABLE',
      message: expect.stringMatching(/^connection acme has no access token/),
    });
    const bench = openBench();
    bench.fates.push('lost-before');
    await expect(bench.open().current(never)).rejects.toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
    await expect(bench.open().revoke(revoked, never)).rejects.toThrow(/^connection acme has no access token/);
    expect(bench.store.row(connection)?.state, 'a first token that waits for its answer').toBe('refreshing');
  });

  it('looks again when another process has changed the row', async () => {
    const bench = openBench();
    await bench.open().current(never);
    let refusals = 2;
    const tokens = bench.open({
      store: {
        get: bench.store.tokens.get,
        replace: async (seen, next) => (refusals-- > 0 ? false : bench.store.tokens.replace(seen, next)),
      },
    });
    const startedAt = bench.clock.now();
    await bench.clock.drive(tokens.revoke(revoked, never));
    expect(bench.clock.now() - startedAt).toBe(1000);
    expect(bench.store.row(connection)?.state).toBe('revoked');
  });

  it('gives up after two leases of others, and at once when the caller stops', async () => {
    const bench = openBench();
    const tokens = bench.open();
    await tokens.current(never);
    await bench.store.leases.take(`token:${connection}`, 'other', 10 * leaseMs, bench.clock.now());
    const startedAt = bench.clock.now();
    await expect(bench.clock.drive(tokens.revoke(revoked, never))).rejects.toMatchObject({
      code: 'TOKEN_UNAVAILABLE',
      retry: 'backoff',
    });
    expect(bench.clock.now() - startedAt).toBe(2 * leaseMs + 500);
    await expect(tokens.revoke(revoked, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
    expect(bench.store.row(connection)?.state).toBe('ready');
  });
});

import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { openSeal } from '../../../src/platform/tokens/seal.ts';
import { tokenPlace } from '../../../src/ports/tokens.ts';
import { failOnLeaks } from '../../support/leak-check.ts';
import { memoryTokenStore } from './memory-token-store.ts';
import { connection, leaseMs, never, openBench, testKey } from './token-manager-bench.ts';

failOnLeaks();

const hour = 3_600_000;
const code = (expected: string) => expect.objectContaining({ code: expected });

describe('the first token', () => {
  it('is exchanged once per store, whoever comes later', async () => {
    const bench = openBench();
    const token = await bench.open().current(never);
    expect(bench.server.accepts(token.secret)).toBe(true);
    expect((await bench.open().current(never)).secret).toBe(token.secret);
    expect(bench.server.presentations.map(({ token }) => token)).toEqual([bench.seed]);
  });

  it('lies in the store before its pair is used, and nothing lies there open', async () => {
    const bench = openBench();
    const token = await bench.open().current(never);
    const row = bench.store.row(connection);
    expect(row).toMatchObject({ state: 'ready', attempts: 0 });
    const text = JSON.stringify(row);
    for (const secret of [token.secret, bench.seed, 'refresh-']) expect(text).not.toContain(secret);
    expect(bench.logger.text()).not.toContain(token.secret);
  });

  it('is not touched by a command that may not use it up, which says who may', async () => {
    const bench = openBench();
    const viewer = bench.open({ mayPresentSeed: false });
    await expect(viewer.current(never)).rejects.toThrow(code('TOKEN_UNAVAILABLE'));
    await expect(viewer.current(never)).rejects.toThrow(
      'Run `rollcall token refresh acme` first; start, apply, resync and retry do it too.',
    );
    expect(bench.server.presentations).toEqual([]);
    await bench.open().current(never);
    await viewer.current(never);
  });

  it('that is not configured is missing only as long as no process has stored a pair', async () => {
    const bench = openBench();
    const without = bench.open({ configuredRefreshToken: undefined });
    await expect(without.current(never)).rejects.toThrow('there is no token for connection acme');
    expect((await without.status()).advice).toMatch(/^Put a refresh token in the configuration/);
    const token = await bench.open().current(never);
    expect((await without.current(never)).secret).toBe(token.secret);
    expect(bench.server.presentations).toHaveLength(1);
  });

  it('that could not be sent is still new, and the old pair goes on working', async () => {
    const bench = openBench();
    bench.fates.push('not-sent');
    const tokenManager = bench.open();
    await expect(tokenManager.current(never)).rejects.toThrow(code('TOKEN_UNAVAILABLE'));
    await bench.clock.advance(11_000);
    const token = await tokenManager.current(never);

    bench.fates.push('not-sent');
    const second = bench.server.issueSeed();
    const later = bench.open({ configuredRefreshToken: second });
    expect((await later.current(never)).secret).toBe(token.secret);
    await bench.clock.advance(11_000);
    expect((await later.current(never)).secret).not.toBe(token.secret);
    expect(bench.server.presentations.map(({ token }) => token)).toEqual([bench.seed, bench.seed, second, second]);
  });

  it('of a connection with a lost key is of use: a new one replaces what cannot be opened', async () => {
    const bench = openBench();
    await bench.open().current(never);
    const other = openSeal(Buffer.alloc(32, 9).toString('base64'));
    await expect(bench.open({ seal: other }).current(never)).rejects.toThrow(code('TOKEN_UNAVAILABLE'));
    const status = await bench.open({ seal: other }).status();
    expect(status).toMatchObject({ state: 'sealed', advice: expect.stringContaining('another encryptionKey') });
    await expect(bench.open({ seal: other }).revoke(async () => ({ kind: 'revoked' }), never)).rejects.toThrow(
      /connection acme has no access token to revoke.*encryptionKey/,
    );
    const second = bench.server.issueSeed();
    await bench.open({ seal: other, configuredRefreshToken: second }).current(never);
    await bench.open({ seal: other, configuredRefreshToken: second }).current(never);
    expect(bench.server.revokedFamilies).toBe(0);
  });
});

describe('a token endpoint that asks to be left alone', () => {
  const minute = 60_000;

  it.each(['not-sent', 'lost-before'] as const)(
    'is left alone by every process, and heals without anybody (%s)',
    async (end) => {
      const bench = openBench();
      await bench.open().current(never);
      await bench.clock.advance(2 * hour);
      bench.server.odd = { afterMs: 10 * minute };
      bench.fates.push(end, end);
      const [one, two] = [bench.open(), bench.open()];
      const asked = { code: 'TOKEN_UNAVAILABLE', retry: { afterMs: expect.any(Number) } };
      await expect(bench.clock.drive(one.current(never))).rejects.toMatchObject(asked);
      await expect(two.current(never)).rejects.toThrow(
        /presented again in 600 s; `rollcall token refresh acme` retries/,
      );
      await bench.clock.advance(9 * minute);
      await expect(two.current(never)).rejects.toMatchObject({ code: 'TOKEN_UNAVAILABLE', retry: { afterMs: minute } });
      expect(bench.server.presentations).toHaveLength(2);
      bench.fates.length = 0;
      await bench.clock.advance(minute);
      expect(bench.server.accepts((await bench.clock.drive(two.current(never))).secret)).toBe(true);
      expect(bench.server.presentations).toHaveLength(3);
      expect(bench.errors()).toEqual([]);
    },
  );
});

describe('an access token', () => {
  it('is fetched once for many callers at once', async () => {
    const bench = openBench();
    const tokenManager = bench.open();
    const tokens = await Promise.all(Array.from({ length: 50 }, () => tokenManager.current(never)));
    expect(new Set(tokens.map(({ secret }) => secret)).size).toBe(1);
    expect(bench.server.presentations).toHaveLength(1);
  });

  it('that was refused by many calls is renewed once', async () => {
    const bench = openBench();
    const tokenManager = bench.open();
    const refused = await tokenManager.current(never);
    const renewed = await Promise.all(Array.from({ length: 20 }, () => tokenManager.renew(refused.generation, never)));
    const late = await tokenManager.renew(refused.generation, never);
    expect(new Set([...renewed, late].map(({ secret }) => secret)).size).toBe(1);
    expect(late.secret).not.toBe(refused.secret);
    expect(bench.server.presentations).toHaveLength(2);
  });

  it('that was refused is taken from the store when another process has renewed it', async () => {
    const bench = openBench();
    const [one, two] = [bench.open(), bench.open()];
    const refused = await one.current(never);
    await two.current(never);
    const newer = await two.renew(refused.generation, never);
    expect((await one.renew(refused.generation, never)).secret).toBe(newer.secret);
    expect(bench.server.presentations).toHaveLength(2);
  });
});

describe('a lost answer', () => {
  it('is followed by another presentation, when the access token has ended', async () => {
    const bench = openBench();
    const tokenManager = bench.open();
    await tokenManager.current(never);
    await bench.clock.advance(0.8 * hour);
    bench.fates.push('lost-before');
    await tokenManager.current(never);
    await bench.clock.advance(0.2 * hour);
    const token = await tokenManager.current(never);
    expect(bench.server.accepts(token.secret)).toBe(true);
    expect(bench.server.presentations.slice(1).map(({ token }) => token)).toEqual(['refresh-2', 'refresh-2']);
  });

  it('ten times in a row ends nothing: the same token is presented ever more seldom, and works in the end', async () => {
    const bench = openBench();
    bench.fates.push(...Array.from({ length: 12 }, () => 'lost-before' as const));
    const waits: number[] = [];
    for (let i = 0; i < 12; i++) {
      const error: unknown = await bench
        .open()
        .current(never)
        .catch((cause: unknown) => cause);
      expect(error).toMatchObject({
        code: 'TOKEN_UNAVAILABLE',
        message: expect.stringContaining('does not answer correctly'),
      });
      const { retryAt = 0, attempts } = await bench.open().status();
      expect([attempts, bench.server.presentations.length]).toEqual([i + 1, i + 1]);
      waits.push((retryAt - bench.clock.now()) / 1000);
      await expect(bench.open().current(never)).rejects.toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
      await bench.clock.advance(retryAt - bench.clock.now());
    }
    // No answer came, so the first waits last as long as the call may still be under way.
    expect(waits).toEqual([25, 25, 25, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600]);
    expect(bench.server.accepts((await bench.open().current(never)).secret)).toBe(true);
    expect(new Set(bench.server.presentations.map(({ token }) => token)).size).toBe(1);
    expect(bench.errors()).toEqual([]);
  });

  it('keeps no operator from trying at once, and each try counts', async () => {
    const bench = openBench();
    bench.server.odd = { isAnswered: true, afterMs: 600_000 };
    bench.fates.push('lost-before', 'lost-before');
    await expect(bench.open().current(never)).rejects.toMatchObject({ retry: { afterMs: 600_000 } });
    await expect(bench.open().refresh(never)).rejects.toThrow(/\(2 times in a row\).*presented again in 600 s/);
    expect((await bench.open().refresh(never)).state).toBe('ready');
    expect(bench.server.presentations).toHaveLength(3);
  });
});

describe('a first token that was not answered', () => {
  it('is spent only once a pair was stored from it: what came in between does not end it', async () => {
    const bench = openBench();
    bench.server.odd = { isAnswered: true };
    bench.fates.push('lost-before', 'lost-before');
    const second = bench.server.issueSeed();
    await expect(bench.open().current(never)).rejects.toThrow(code('TOKEN_UNAVAILABLE'));
    await expect(bench.open({ configuredRefreshToken: second }).current(never)).rejects.toThrow(
      code('TOKEN_UNAVAILABLE'),
    );
    await expect(bench.open().current(never)).rejects.toThrow(code('TOKEN_UNAVAILABLE'));
    expect(bench.server.presentations).toHaveLength(2);
    await bench.clock.advance(5000);
    await bench.open().current(never);
    expect(bench.server.presentations.map(({ token }) => token)).toEqual([bench.seed, second, bench.seed]);
    await bench.open({ configuredRefreshToken: second }).current(never);
    expect(bench.server.presentations).toHaveLength(3);
    expect(bench.store.row(connection)).toMatchObject({
      triedSeeds: [],
      usedSeeds: [expect.any(String), expect.any(String)],
    });
  });

  it('does not stop the old access token, which works until the new pair is stored', async () => {
    const bench = openBench();
    const first = await bench.open().current(never);
    bench.fates.push('lost-before');
    const second = bench.server.issueSeed();
    const later = bench.open({ configuredRefreshToken: second });
    expect(await later.current(never)).toEqual(first);
    await bench.clock.advance(hour);
    expect((await later.current(never)).secret).not.toBe(first.secret);
  });

  it('that the platform refuses leaves the old pair in use', async () => {
    const bench = openBench();
    await bench.open().current(never);
    const wrong = bench.open({ configuredRefreshToken: 'mistyped' });
    expect(bench.server.accepts((await wrong.current(never)).secret)).toBe(true);
    await bench.clock.advance(hour);
    expect(bench.server.accepts((await wrong.current(never)).secret)).toBe(true);
    expect(bench.server.presentations.map(({ token }) => token)).toEqual([bench.seed, 'mistyped', 'refresh-2']);
  });

  it('locks out when the platform refuses it at the next try', async () => {
    const bench = openBench();
    bench.fates.push('lost-before', 'refused');
    await expect(bench.open().current(never)).rejects.toThrow(': a refresh got an invalid answer: connection reset.');
    await bench.clock.advance(leaseMs);
    await expect(bench.open().current(never)).rejects.toThrow(code('REAUTH_REQUIRED'));
    expect(bench.store.row(connection)?.state).toBe('reauth-required');
  });
});

describe('invalid_grant', () => {
  const lockedOut = async () => {
    const bench = openBench();
    const token = await bench.open().current(never);
    bench.server.present(bench.seed, 'answered', bench.clock.now());
    bench.server.presentations.length = 0;
    return { bench, token };
  };

  it('is told at once, stored, and ends every presentation', async () => {
    const { bench, token } = await lockedOut();
    const tokenManager = bench.open();
    await tokenManager.current(never);
    await expect(tokenManager.renew(token.generation, never)).rejects.toThrow(code('REAUTH_REQUIRED'));
    await expect(tokenManager.renew(token.generation, never)).rejects.toThrow('connections.acme.refreshToken');
    await expect(bench.open().current(never)).rejects.toThrow(code('REAUTH_REQUIRED'));
    expect(bench.server.presentations).toHaveLength(1);
    expect(bench.errors()).toEqual(['the refresh token was refused']);
    // A refresh by hand always tries, once.
    await expect(bench.open().refresh(never)).rejects.toThrow(code('REAUTH_REQUIRED'));
    expect(bench.server.presentations).toHaveLength(2);
    expect(await tokenManager.status()).toMatchObject({
      state: 'reauth-required',
      reason: expect.stringContaining('invalid_grant'),
    });
  });

  it('leaves the access token in use while it is valid, in every process and beside a new first token', async () => {
    const bench = openBench();
    const token = await bench.open().current(never);
    bench.fates.push('refused');
    await expect(bench.open().refresh(never)).rejects.toThrow(code('REAUTH_REQUIRED'));
    expect(await bench.open().status()).toMatchObject({
      state: 'reauth-required',
      expiresAt: bench.clock.now() + hour,
    });
    expect((await bench.open().current(never)).secret).toBe(token.secret);
    bench.fates.push('not-sent');
    const renewed = { configuredRefreshToken: bench.server.issueSeed() };
    expect((await bench.open(renewed).current(never)).secret).toBe(token.secret);
    bench.fates.push('lost-before');
    expect((await bench.open(renewed).current(never)).secret).toBe(token.secret);
    expect((await bench.open(renewed).current(never)).secret).toBe(token.secret);
    await bench.clock.advance(hour);
    expect((await bench.open(renewed).current(never)).secret).not.toBe(token.secret);
  });

  it('ends with the access token, and a 401 ends that one for every process', async () => {
    const bench = openBench();
    const { generation } = await bench.open().current(never);
    bench.fates.push('refused');
    await expect(bench.open().refresh(never)).rejects.toThrow(code('REAUTH_REQUIRED'));
    const [one, two] = [bench.open(), bench.open()];
    await one.current(never);
    await expect(one.renew(generation + 2, never)).rejects.toThrow(code('REAUTH_REQUIRED'));
    await expect(two.current(never)).rejects.toThrow(code('REAUTH_REQUIRED'));
    expect((await two.status()).expiresAt).toBe(bench.clock.now());
  });

  it('is cleared by a new first token, and its end is told', async () => {
    const { bench, token } = await lockedOut();
    const tokenManager = bench.open();
    await tokenManager.current(never);
    await expect(tokenManager.renew(token.generation, never)).rejects.toThrow(code('REAUTH_REQUIRED'));
    const second = bench.server.issueSeed();
    await expect(bench.open({ configuredRefreshToken: second, mayPresentSeed: false }).current(never)).rejects.toThrow(
      code('TOKEN_UNAVAILABLE'),
    );
    const fresh = await bench.open({ configuredRefreshToken: second }).current(never);
    expect(bench.server.accepts(fresh.secret)).toBe(true);
    expect(bench.errors()).toEqual(['the refresh token was refused']);
  });
});

describe('the breaker', () => {
  it('ends a loop of refused new tokens and names the cause', async () => {
    const bench = openBench();
    const tokenManager = bench.open();
    let token = await tokenManager.current(never);
    token = await tokenManager.renew(token.generation, never);
    token = await tokenManager.renew(token.generation, never);
    await expect(tokenManager.renew(token.generation, never)).rejects.toThrow(code('TOKEN_UNAVAILABLE'));
    await expect(tokenManager.renew(token.generation, never)).rejects.toThrow('refused two new access tokens');
    expect(bench.server.presentations).toHaveLength(3);
    expect(bench.errors()).toEqual(['the platform also refuses new tokens']);
  });

  it('does not count refreshes ahead of time', async () => {
    const bench = openBench();
    const tokenManager = bench.open();
    for (let i = 0; i < 5; i++) {
      await tokenManager.current(never);
      await bench.clock.advance(0.8 * hour);
    }
    await tokenManager.renew((await tokenManager.current(never)).generation, never);
  });

  it('ends a renewal that gives the refused access token again', async () => {
    const bench = openBench();
    const granted = { kind: 'granted', accessToken: 'same', refreshToken: 'r', expiresInMs: hour } as const;
    const tokenManager = bench.open({ exchange: async () => granted });
    const { generation } = await tokenManager.current(never);
    await expect(tokenManager.renew(generation, never)).rejects.toThrow('refused two new access tokens');
  });
});

describe('token revoke', () => {
  it('stores `revoked` before the call, and then nothing refreshes by itself', async () => {
    const bench = openBench();
    const tokenManager = bench.open();
    const token = await tokenManager.current(never);
    const seen: unknown[] = [];
    await tokenManager.revoke(async (secret) => {
      seen.push(secret, bench.store.row(connection)?.state);
      return { kind: 'revoked' };
    }, never);
    expect(seen).toEqual([token.secret, 'revoked']);
    await expect(tokenManager.current(never)).rejects.toThrow(code('TOKEN_REVOKED'));
    await expect(bench.open().current(never)).rejects.toThrow('rollcall token refresh acme');
    const { generation } = bench.store.row(connection) ?? {};
    await expect(tokenManager.renew(token.generation, never)).rejects.toThrow(code('TOKEN_REVOKED'));
    expect(bench.store.row(connection)?.generation, 'nothing is written').toBe(generation);
    expect(bench.server.presentations).toHaveLength(1);
  });

  it('is left by `token refresh`, and by a new first token', async () => {
    const bench = openBench();
    const tokenManager = bench.open();
    await tokenManager.current(never);
    await tokenManager.revoke(async () => ({ kind: 'revoked' }), never);
    expect((await tokenManager.refresh(never)).state).toBe('ready');
    await tokenManager.revoke(async () => ({ kind: 'revoked' }), never);
    const second = bench.server.issueSeed();
    await bench.open({ configuredRefreshToken: second }).current(never);
    expect(bench.server.revokedFamilies).toBe(0);
  });
});

describe('token refresh', () => {
  it('renews a valid pair and says what stands then', async () => {
    const bench = openBench();
    const tokenManager = bench.open();
    const first = await tokenManager.current(never);
    const { signal } = new AbortController();
    const status = await tokenManager.refresh(signal);
    expect(status).toMatchObject({ state: 'ready', advice: 'Nothing to do.', expiresAt: bench.clock.now() + hour });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    const empty = openBench();
    empty.fates.push('lost-before');
    await expect(empty.open().refresh(never)).rejects.toThrow('(once)');
    expect((await empty.open().refresh(never)).state, 'without a pair').toBe('ready');
    expect((await tokenManager.current(never)).secret).not.toBe(first.secret);
    expect(JSON.stringify(status)).not.toMatch(/access-|refresh-\d/);
  });
});

describe('with another process at it', () => {
  /** A lease of another process, and what it does before it gives the lease back. */
  const whileLeased = async (work: (bench: ReturnType<typeof openBench>) => Promise<unknown>) => {
    const bench = openBench();
    await bench.open().current(never);
    const lease = await bench.store.leases.take(`token:${connection}`, 'other', leaseMs, bench.clock.now());
    const other = bench.open({ leases: memoryTokenStore().leases });
    if (lease === undefined) throw new Error('the lease was free');
    return { bench, other, release: () => bench.store.leases.release(lease), end: work(bench) };
  };
  const revoked = async () => ({ kind: 'revoked' }) as const;

  it('a refresh by hand does not leave `revoked` when the other process has revoked the pair', async () => {
    const { bench, other, release, end } = await whileLeased((one) => one.open().refresh(never));
    const refused = expect(end).rejects.toThrow(code('TOKEN_REVOKED'));
    await other.revoke(revoked, never);
    await release();
    await bench.clock.drive(refused);
    expect(bench.server.presentations).toHaveLength(1);
  });

  it('a refresh by hand of a revoked pair waits for the lease', async () => {
    const { bench, other, release } = await whileLeased(async () => {});
    await other.revoke(revoked, never);
    const end = bench.open().refresh(never);
    await bench.clock.advance(1000);
    await release();
    expect((await bench.clock.drive(end)).state).toBe('ready');
  });

  it('waits out the lease time of one that died, with a look at the store every 375 ms', async () => {
    const bench = openBench();
    const { generation } = await bench.open().current(never);
    const row = bench.store.row(connection);
    if (row === undefined) throw new Error('the row was written');
    const dead = {
      state: 'refreshing',
      attempts: 1,
      refreshStartedAt: bench.clock.now(),
      accessSealed: undefined,
    } as const;
    await bench.store.tokens.replace(row, {
      ...row,
      ...dead,
      refreshSealed: openSeal(testKey).seal(bench.server.issueSeed(), tokenPlace(connection, generation, 'refresh')),
    });
    let reads = 0;
    const get: typeof bench.store.tokens.get = (name) => {
      reads += 1;
      return bench.store.tokens.get(name);
    };
    const startedAt = bench.clock.now();
    await bench.clock.drive(bench.open({ store: { ...bench.store.tokens, get } }).current(never));
    expect(bench.clock.now() - startedAt).toBe(leaseMs);
    expect(reads).toBe(Math.ceil(leaseMs / 375) + 2);
  });

  it('waits for the lease and reads what came of it, presenting nothing', async () => {
    const bench = openBench();
    const gate = Promise.withResolvers<void>();
    const slow = bench.open({
      exchange: async (token) => {
        await gate.promise;
        return bench.server.present(token, 'answered', bench.clock.now());
      },
    });
    const first = slow.current(never);
    await bench.clock.advance(10);
    const second = bench.open().current(never);
    await bench.clock.advance(2000);
    gate.resolve();
    expect((await bench.clock.drive(second)).secret).toBe((await first).secret);
    expect(bench.server.presentations).toHaveLength(1);
  });

  it('stops waiting when the caller does; the refresh under way goes on', async () => {
    const bench = openBench();
    const gate = Promise.withResolvers<void>();
    const tokenManager = bench.open({
      exchange: async (token) => {
        await gate.promise;
        return bench.server.present(token, 'answered', bench.clock.now());
      },
    });
    const abort = new AbortController();
    const work = tokenManager.current(abort.signal);
    await bench.clock.advance(10);
    abort.abort(new Error('run was cancelled'));
    await expect(work).rejects.toThrow('run was cancelled');
    const closed = tokenManager.close();
    gate.resolve();
    await closed;
    expect(bench.store.row(connection)?.state).toBe('ready');
  });
});

describe('a static access token', () => {
  it('is used as it is, and a refusal says what to do', async () => {
    const bench = openBench();
    const tokenManager = bench.open({ staticAccessToken: 'fixed', seal: undefined });
    expect(await tokenManager.current(never)).toEqual({ secret: 'fixed', generation: 0 });
    await expect(tokenManager.renew(0, never)).rejects.toThrow('connections.acme.accessToken');
    await expect(tokenManager.refresh(never)).rejects.toThrow(code('TOKEN_UNAVAILABLE'));
    expect((await tokenManager.status()).state).toBe('static');
    let revoked = '';
    await tokenManager.revoke(async (secret) => {
      revoked = secret;
      return { kind: 'revoked' };
    }, never);
    expect(revoked).toBe('fixed');
    expect(bench.store.row(connection)).toBeUndefined();
  });

  it('is the only way without an encryption key', () => {
    expect(() => openBench().open({ seal: undefined })).toThrow(code('CONFIG_INVALID'));
  });
});

import { describe, expect, it } from 'vitest';
import { hashSeed } from '../../../src/platform/tokens/vault.ts';
import type { TokenRecord } from '../../../src/ports/store.ts';
import { type Bench, connection, never, openBench } from './token-manager-bench.ts';

/** Puts a row of earlier into the store, as a restore does. */
async function restore(bench: Bench, backup: TokenRecord | undefined, configured: string): Promise<void> {
  const now = bench.store.row(connection);
  const hash = hashSeed(configured);
  const usedSeeds = backup?.usedSeeds ?? [];
  const isKnown = usedSeeds.includes(hash) || backup?.triedSeeds.includes(hash) === true;
  const empty: TokenRecord = {
    connection,
    generation: 1,
    state: 'revoked',
    accessSealed: undefined,
    refreshSealed: undefined,
    issuedAt: undefined,
    expiresAt: undefined,
    seedHash: undefined,
    usedSeeds: [],
    triedSeeds: [],
    refreshStartedAt: undefined,
    attempts: 0,
    retryAt: undefined,
    reason: undefined,
    restored: undefined,
  };
  await bench.store.tokens.replace(now, {
    ...(backup ?? empty),
    state: backup?.state === 'reauth-required' ? 'reauth-required' : 'revoked',
    usedSeeds: isKnown ? usedSeeds : [...usedSeeds, hash],
    restored: { at: bench.clock.now(), seedHash: isKnown ? undefined : hash },
  });
}

const isRestored = expect.objectContaining({ code: 'TOKEN_RESTORED' });

describe('tokens from a backup', () => {
  it('are presented by no command that works, and the status says what to do', async () => {
    const bench = openBench();
    await bench.open().current(never);
    await restore(bench, bench.store.row(connection), bench.seed);
    const manager = bench.open();
    await expect(manager.current(never)).rejects.toEqual(isRestored);
    await expect(manager.renew(1, never)).rejects.toEqual(isRestored);
    expect(bench.server.presentations).toHaveLength(1);
    expect(await manager.status()).toMatchObject({
      state: 'restored',
      advice: expect.stringMatching(
        /Nothing is presented.*connections\.acme\.refreshToken.*rollcall token refresh acme/,
      ),
    });
  });

  it('are presented once by `token refresh`, and then work as any pair', async () => {
    const bench = openBench();
    await bench.open().current(never);
    await restore(bench, bench.store.row(connection), bench.seed);
    expect(await bench.open().refresh(never)).toMatchObject({ state: 'ready' });
    expect(bench.server.accepts((await bench.open().current(never)).secret)).toBe(true);
    expect(bench.server.presentations).toHaveLength(2);
  });

  it('are presented by the command that confirms those of a source', async () => {
    const bench = openBench();
    await bench.open().current(never);
    await restore(bench, bench.store.row(connection), bench.seed);
    const { secret } = await bench.open({ mayPresentRestored: true }).current(never);
    expect(bench.server.accepts(secret)).toBe(true);
    await bench.clock.advance(3_600_000);
    bench.fates.push('lost-before');
    const source = bench.open({ mayPresentRestored: true });
    for (let i = 0; i < 2; i++)
      await expect(source.current(never)).rejects.toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
    expect(bench.server.presentations, 'once confirmed, it waits as any other').toHaveLength(3);
  });

  it('stay unconfirmed when the request could not be sent', async () => {
    const bench = openBench();
    await bench.open().current(never);
    await restore(bench, bench.store.row(connection), bench.seed);
    bench.fates.push('not-sent');
    await expect(bench.open().refresh(never)).rejects.toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
    await expect(bench.open().current(never)).rejects.toEqual(isRestored);
  });

  it('give way to a first token that is configured after the restore', async () => {
    const bench = openBench();
    await bench.open().current(never);
    await restore(bench, bench.store.row(connection), bench.seed);
    const fresh = bench.server.issueSeed();
    const { secret } = await bench.open({ configuredRefreshToken: fresh }).current(never);
    expect(bench.server.accepts(secret)).toBe(true);
    expect(bench.server.presentations.at(-1)).toMatchObject({ granted: true });
  });

  it('do not give way to a first token that was used between the backup and the restore', async () => {
    const bench = openBench();
    await bench.open().current(never);
    const backup = bench.store.row(connection);
    const second = bench.server.issueSeed();
    await bench.open({ configuredRefreshToken: second }).current(never);
    await restore(bench, backup, second);
    await expect(bench.open({ configuredRefreshToken: second }).current(never)).rejects.toEqual(isRestored);
    expect(bench.server.presentations).toHaveLength(2);
  });

  it('and a first token that a backup without a pair does not know waits for a confirmation too', async () => {
    const bench = openBench();
    await restore(bench, undefined, bench.seed);
    await expect(bench.open().current(never)).rejects.toEqual(isRestored);
    expect(bench.server.presentations).toHaveLength(0);
    expect(await bench.open().refresh(never)).toMatchObject({ state: 'ready' });
    expect(bench.server.presentations).toHaveLength(1);
  });

  it('that the platform refuses when they are confirmed ask for a new first token', async () => {
    const bench = openBench();
    const manager = bench.open();
    const { generation } = await manager.current(never);
    const backup = bench.store.row(connection);
    await manager.renew(generation, never);
    await restore(bench, backup, bench.seed);
    await expect(bench.open().refresh(never)).rejects.toMatchObject({ code: 'REAUTH_REQUIRED' });
  });
});

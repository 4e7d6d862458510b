import { describe, expect, it } from 'vitest';
import { openSeal } from '../../../src/platform/tokens/seal.ts';
import {
  beginRefresh,
  beginSeed,
  endSeeds,
  grantPair,
  noteOddAnswer,
  requireReauth,
} from '../../../src/platform/tokens/token-steps.ts';
import {
  draftOf,
  emptyDraft,
  hashSeed,
  openVault,
  type TokenDraft,
  type TokenEntry,
} from '../../../src/platform/tokens/vault.ts';
import { memoryTokenStore } from './memory-token-store.ts';
import { testKey } from './token-manager-bench.ts';

const draft: TokenDraft = {
  state: 'ready',
  access: 'access',
  refresh: 'refresh',
  issuedAt: 1000,
  expiresAt: 2000,
  seedHash: 'hash',
  usedSeeds: ['hash'],
  refreshStartedAt: undefined,
  triedSeeds: [],
  attempts: 0,
  retryAt: undefined,
  reason: 'an old reason',
  restored: undefined,
};
const entry: TokenEntry = { ...draft, generation: 7, isReadable: true };

describe('a vault', () => {
  const seal = openSeal(testKey);
  const open = () => {
    const store = memoryTokenStore();
    return { store, vault: openVault('acme', store.tokens, seal) };
  };

  it('reads what it wrote, with the next generation', async () => {
    const { store, vault } = open();
    expect(await vault.read()).toBeUndefined();
    const first = await vault.write(undefined, draft);
    expect(first).toEqual({ ...draft, generation: 1, isReadable: true });
    expect(await vault.read()).toEqual(first);
    const row = store.row('acme');
    expect(await vault.read(new Map(row && [['acme', row]]))).toEqual(first);
    expect(await vault.read(new Map())).toBeUndefined();
    const second = await vault.write(first, { ...draft, access: undefined });
    expect(second).toEqual({ ...draft, access: undefined, generation: 2, isReadable: true });
    expect(await vault.read()).toEqual(second);
    await vault.write(second, { ...draft, refresh: undefined });
    expect(await vault.read()).toMatchObject({ access: 'access', refresh: undefined, isReadable: true });
  });

  it('asks for room only where it is told to, as much as the largest answer takes', async () => {
    const rooms: (string | undefined)[] = [];
    const { tokens } = memoryTokenStore();
    const replace: typeof tokens.replace = async (seen, next, room) => {
      rooms.push(room);
      return tokens.replace(seen, next);
    };
    const vault = openVault('acme', { ...tokens, replace }, seal);
    await vault.write(await vault.write(undefined, draft, 'room'), draft);
    expect(rooms.map((room) => room?.length)).toEqual([87_384, undefined]);
  });

  it('writes nothing when the row has moved on', async () => {
    const { vault } = open();
    const first = await vault.write(undefined, draft);
    await vault.write(first, draft);
    expect(await vault.write(first, { ...draft, state: 'revoked' })).toBeUndefined();
    expect(await vault.write(undefined, draft)).toBeUndefined();
    expect(await vault.read()).toMatchObject({ generation: 2, state: 'ready' });
  });

  it.each(['accessSealed', 'refreshSealed'] as const)('says that a row is not readable by %s alone', async (which) => {
    const { store, vault } = open();
    await vault.write(undefined, draft);
    const row = store.row('acme');
    if (row === undefined) throw new Error('the row was written');
    await store.tokens.replace(row, {
      ...row,
      [which]: openSeal(Buffer.alloc(32, 9).toString('base64')).seal('x', ''),
    });
    const secret = which === 'accessSealed' ? 'access' : 'refresh';
    expect(await vault.read()).toEqual({ ...draft, generation: 1, [secret]: undefined, isReadable: false });
  });

  it('opens no secret of another connection, nor one secret as the other', async () => {
    const { store, vault } = open();
    await vault.write(undefined, draft);
    const row = store.row('acme');
    if (row === undefined) throw new Error('the row was written');
    const { accessSealed, refreshSealed } = row;
    await store.tokens.replace(undefined, { ...row, connection: 'other' });
    expect(await openVault('other', store.tokens, seal).read()).toMatchObject({ isReadable: false });
    await store.tokens.replace(row, { ...row, accessSealed: refreshSealed, refreshSealed: accessSealed });
    expect(await vault.read()).toMatchObject({ access: undefined, refresh: undefined, isReadable: false });
  });

  it('knows a first token again by a fingerprint of the connection and the token', () => {
    expect(hashSeed('token')).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set([hashSeed('a'), hashSeed('b')]).size).toBe(2);
  });
});

describe('a step', () => {
  it('carries on everything but generation and readability', () => {
    expect(draftOf(entry)).toEqual(draft);
    expect(draftOf(undefined)).toEqual(emptyDraft);
  });

  it('before a refresh counts the attempt and forgets the old reason', () => {
    expect(beginRefresh({ ...entry, attempts: 1, retryAt: 4000 }, 5000, 'refresh')).toEqual({
      ...draft,
      state: 'refreshing',
      refreshStartedAt: 5000,
      attempts: 2,
      reason: undefined,
    });
  });

  const begun = {
    state: 'refreshing',
    refresh: 'seed',
    seedHash: 'new',
    refreshStartedAt: 5000,
    attempts: 1,
    retryAt: undefined,
    reason: undefined,
    triedSeeds: ['new'],
  };
  const seed = { token: 'seed', hash: 'new' };

  it('before a first token replaces the refresh token, and keeps a working access token', () => {
    expect(beginSeed({ ...entry, attempts: 2, retryAt: 9 }, seed, 5000)).toEqual({ ...draft, ...begun });
    expect(beginSeed(undefined, seed, 5000)).toEqual({ ...emptyDraft, ...begun });
    const refused = { ...entry, state: 'reauth-required' } as const;
    expect(beginSeed(refused, seed, 5000), 'a refused refresh token').toEqual({ ...draft, ...begun });
    const dead = { access: undefined, issuedAt: undefined, expiresAt: undefined };
    const revoked = { ...entry, state: 'revoked' } as const;
    expect(beginSeed(revoked, seed, 5000), 'revoked tokens').toEqual({ ...draft, ...begun, ...dead });
  });

  it.each([
    ['new', ['old']],
    ['other', ['old', 'new']],
  ])('before a first token that a restore ended as %s counts no longer as ended', (seedHash, usedSeeds) => {
    const restored = { ...entry, usedSeeds: ['old', 'new'], restored: { at: 1, seedHash } };
    expect(beginSeed(restored, seed, 5000)).toEqual({ ...draft, ...begun, usedSeeds });
  });

  it('before a first token that was tried before counts on, also behind another one', () => {
    const tried = { ...entry, attempts: 3, triedSeeds: ['new', 'other'] };
    expect(beginSeed(tried, seed, 5000)).toMatchObject({ attempts: 4, triedSeeds: ['new', 'other'] });
  });

  it('after a stored pair ends every first token that was tried', () => {
    expect(endSeeds({ ...draft, triedSeeds: ['new', 'hash'] })).toEqual({ ...draft, usedSeeds: ['hash', 'new'] });
  });

  it.each([
    [60_000, 65_000],
    [1, 5001],
    [undefined, 305_000],
    [0, 305_000],
    [-1, 305_000],
    [Number.NaN, 305_000],
    [Number.POSITIVE_INFINITY, 305_000],
  ])('after a grant for %d ms ends the life at %s, counted from before the call', (expiresInMs, expiresAt) => {
    const isKnown = expiresAt !== 305_000;
    const pending = { ...entry, state: 'refreshing', refreshStartedAt: 5000, attempts: 1 } as const;
    const granted = { kind: 'granted', accessToken: 'a2', refreshToken: 'r2', expiresInMs } as const;
    expect(grantPair(pending, granted, 5000, 6000)).toEqual({
      ...draft,
      access: 'a2',
      refresh: 'r2',
      issuedAt: 5000,
      expiresAt,
      attempts: 0,
      reason: isKnown ? undefined : expect.stringContaining('5 minutes are assumed'),
    });
  });

  it.each([
    ['a\nb', /cannot be sent in a header: it contains a line feed \(U\+000A\) at position 2$/],
    [undefined, /it has no `access_token`$/],
  ])('after a grant of an unusable pair keeps it, and waits (%j)', (accessToken, reason) => {
    const pending = { ...entry, state: 'refreshing', refreshStartedAt: 5000, attempts: 3 } as const;
    const granted = { kind: 'granted', accessToken, refreshToken: 'r2', expiresInMs: 1 } as const;
    expect(grantPair(pending, granted, 5000, 6000)).toMatchObject({
      state: 'refreshing',
      access: accessToken,
      refresh: 'r2',
      attempts: 3,
      expiresAt: 5000,
      retryAt: 26_000,
      refreshStartedAt: 5000,
      reason: expect.stringMatching(reason),
    });
  });

  it('after a lock-out keeps the pair, and after a lost answer also its time and count', () => {
    const pending = { ...entry, state: 'refreshing', refreshStartedAt: 5000, attempts: 1 } as const;
    const { generation: _, isReadable: __, ...before } = pending;
    expect(requireReauth(pending, { reason: 'why', refusals: 1, retryAt: 9000 })).toEqual({
      ...before,
      state: 'reauth-required',
      refreshStartedAt: undefined,
      attempts: 1,
      retryAt: 9000,
      reason: 'why',
    });
    expect(noteOddAnswer(pending, 'why', 9000)).toEqual({ ...before, reason: 'why', retryAt: 9000 });
  });
});

import { isStoreAway, RollcallError } from '../../core/run/errors.ts';
import type { AccessToken } from '../../ports/tokens.ts';
import { type PresentationParts, type Presented, presentToken } from './presentation.ts';
import { gapAfterRefusal } from './retry-pace.ts';
import { revokePair } from './revoke.ts';
import { describeTokens } from './status.ts';
import { endpointTrouble, storeRefuses, tokenFailure, tokenUnavailable } from './token-errors.ts';
import { staticTokenManager, type TokenManager, type TokenManagerOptions } from './token-manager.ts';
import { endAccess } from './token-steps.ts';
import { openUnsavedPair } from './unsaved-pair.ts';
import { hashSeed, openVault, type TokenEntry } from './vault.ts';
import { type Circumstances, dueAt, judge, usableUntil, type Verdict } from './verdict.ts';

/** Time between the longest call and the end of the lease, for the store's own time and a suspended process. */
const leaseReserveMs = 15_000;
/** How long a token is used before the row is read again: the row may be revoked, or hold a newer pair. */
const recheckMs = 5000;
const pollMs = 250;
const maxRounds = 1000;

/**
 * Renews early at 75 % of the lifetime, with a spread of 5 percentage points, so that processes do not renew at the
 * same time.
 */
const dueShare = 0.7;
const dueSpread = 0.1;

interface AccessRequest {
  /** An access token that must not be returned. */
  readonly unwanted: string | undefined;
  readonly cause: 'need' | 'refused' | 'person';
}

interface Cached {
  readonly token: AccessToken;
  readonly issuedAt: number | undefined;
  /** When the platform first refused it. */
  readonly refusedAt?: number;
  readonly recheckAt: number;
  /** Until then the token is used although the store does not answer. */
  readonly trustedUntil: number;
}

/** Opens the manager of one connection's tokens. Does nothing until a token is requested. */
export function openTokenManager(options: TokenManagerOptions): TokenManager {
  if (options.staticAccessToken !== undefined)
    return staticTokenManager(options.connection, options.staticAccessToken, options.clock);
  const { connection, clock, logger } = options;
  if (options.seal === undefined) {
    const message = `connection ${connection} has a refresh token, so encryptionKey is required to store its successors`;
    throw new RollcallError(message, { code: 'CONFIG_INVALID' });
  }
  const leaseMs = options.httpTimeoutMs + leaseReserveMs;
  const vault = openVault(connection, options.store, options.seal);
  const first = options.configuredRefreshToken;
  const parts: PresentationParts = {
    ...options,
    vault,
    leaseMs,
    seed: first === undefined ? undefined : { token: first, hash: hashSeed(first) },
  };
  const share = dueShare + dueSpread * options.random();
  const breaker = openBreaker();

  let cached: Cached | undefined;
  let flight: Promise<Presented> | undefined;

  const seedOf = (entry: TokenEntry | undefined): Circumstances['seed'] => {
    if (parts.seed === undefined) return 'none';
    const { hash } = parts.seed;
    if (entry?.restored?.seedHash === hash) return 'restored';
    if (entry?.usedSeeds.includes(hash)) return 'used';
    if (!entry?.triedSeeds.includes(hash)) return 'new';
    return entry.seedHash === hash ? 'pending' : 'tried';
  };

  const verdictFor =
    (request: AccessRequest) =>
    (entry: TokenEntry | undefined): Verdict =>
      judge(entry, {
        now: clock.now(),
        seed: seedOf(entry),
        mayPresentSeed: options.mayPresentSeed,
        isAccessUnwanted: entry?.access !== undefined && entry.access === request.unwanted,
        isForced: request.cause === 'person' || (entry?.restored !== undefined && options.mayPresentRestored === true),
        dueShare: share,
        leaseMs,
      });

  /** Uses a stored token. The same secret keeps the generation under which it was first returned. */
  const take = (entry: TokenEntry): AccessToken => {
    const now = clock.now();
    const secret = entry.access ?? '';
    const known = cached?.token.secret === secret ? cached : undefined;
    const token = known?.token ?? { secret, generation: entry.generation };
    const due = dueAt(entry, share);
    const end = usableUntil(entry);
    const recheckAt = Math.min(now + recheckMs, end, now < due ? due : end);
    const { issuedAt } = entry;
    cached = { ...known, token, issuedAt, recheckAt, trustedUntil: Math.min(now + leaseMs, end) };
    return token;
  };

  const unsaved = openUnsavedPair({
    connection,
    clock,
    logger,
    onStored: (presented) => {
      if (presented.kind === 'granted') take(presented.entry);
    },
  });

  const present = async (request: AccessRequest): Promise<Presented> => {
    const presented = (await unsaved.tryNow()) ?? (await presentToken(parts, verdictFor(request)));
    if (presented.kind === 'unsaved' && unsaved.trouble() === undefined) unsaved.keep(presented);
    if (presented.kind === 'granted') {
      const { generation } = take(presented.entry);
      if (request.cause === 'refused') countFruitless(generation);
    }
    return presented;
  };

  const countFruitless = (generation: number) => {
    breaker.refreshed(generation, clock.now());
    if (breaker.openForMs(clock.now()) === 0) return;
    logger.error({ connection, generation }, 'the platform also refuses new tokens');
  };

  /** Allows one presentation at a time in this process. Concurrent callers wait for the same one. */
  const join = (request: AccessRequest): Promise<Presented> => {
    flight ??= present(request).finally(() => {
      flight = undefined;
    });
    return flight;
  };

  /** Presents, unless the store refuses to begin while the access token still works. */
  const presentOr = async (fallback: TokenEntry | undefined, request: AccessRequest): Promise<Presented> => {
    try {
      return await join(request);
    } catch (error) {
      if (fallback === undefined) throw error;
      logger.warn({ connection, error: error instanceof Error ? error.name : undefined }, 'no refresh was started');
      return { kind: 'changed' };
    }
  };

  /** Both tokens of the pair were refused. Other processes and alerts must not count on the access token. */
  const endForAll = async (entry: TokenEntry): Promise<void> => {
    const now = clock.now();
    if (now < usableUntil(entry)) await vault.write(entry, endAccess(entry, now));
  };

  const obtain = async (asked: AccessRequest, signal: AbortSignal): Promise<AccessToken> => {
    const giveUpAt = clock.now() + 3 * leaseMs;
    let request = asked;
    let wasRevoked: boolean | undefined;
    for (let round = 0; round < maxRounds && clock.now() <= giveUpAt; round++) {
      signal.throwIfAborted();
      if (unsaved.trouble() !== undefined) {
        await join(request);
        const trouble = unsaved.trouble();
        if (trouble !== undefined) throw storeRefuses(connection, trouble.cause);
      }
      const entry = await vault.read();
      const isRevoked = entry?.state === 'revoked';
      // A refresh by hand leaves `revoked`, but not when the pair was revoked while that refresh was in progress.
      if (isRevoked && wasRevoked === false) throw tokenFailure(connection, 'revoked', entry);
      wasRevoked = isRevoked;
      const verdict = verdictFor(request)(entry);
      if (verdict.kind === 'fail') {
        const isRefusedToo = verdict.why === 'reauth' && asked.cause === 'refused' && entry?.access === asked.unwanted;
        if (isRefusedToo && entry !== undefined) await endForAll(entry);
        throw tokenFailure(connection, verdict.why, entry);
      }
      if (verdict.kind === 'use' && entry !== undefined) return take(entry);
      if (verdict.kind === 'later' && entry !== undefined) throw endpointTrouble(connection, entry, verdict.ms);
      if (verdict.kind === 'wait') {
        await clock.sleep(Math.min(verdict.ms, pollMs * (1 + options.random())), signal);
        continue;
      }
      const fallback = verdict.kind === 'present' && verdict.isOptional ? entry : undefined;
      const openForMs = request.cause === 'refused' ? breaker.openForMs(clock.now()) : 0;
      if (openForMs > 0) throw tokenUnavailable(connection, breakerText, { afterMs: openForMs });

      const presented = await unlessAborted(presentOr(fallback, request), signal);
      if (presented.kind === 'granted' && presented.entry.access !== request.unwanted) return take(presented.entry);
      if (fallback !== undefined) return take(fallback);
      if (request.cause === 'person' && (presented.kind === 'not-sent' || presented.kind === 'unknown')) {
        const attempts = (entry?.attempts ?? 0) + 1;
        const afterMs = Math.max(0, (presented.retryAt ?? 0) - clock.now());
        throw endpointTrouble(connection, { attempts, reason: presented.reason }, afterMs);
      }
      // A refresh by hand presents once; what came of it decides.
      if (presented.kind === 'settled') request = { ...request, cause: 'need' };
      if (presented.kind === 'busy') await clock.sleep(pollMs * (1 + options.random()), signal);
    }
    throw tokenUnavailable(connection, 'another process has been refreshing it for too long', 'backoff');
  };

  const status: TokenManager['status'] = async (rows) => {
    const entry = await vault.read(rows);
    return describeTokens({ connection, entry, seed: seedOf(entry) });
  };

  const current = async (signal: AbortSignal): Promise<AccessToken> => {
    const known = cached;
    if (known !== undefined && clock.now() < known.recheckAt) return known.token;
    try {
      return await obtain({ unwanted: undefined, cause: 'need' }, signal);
    } catch (error) {
      const now = clock.now();
      if (known === undefined || !isStoreAway(error) || now >= known.trustedUntil) throw error;
      cached = { ...known, recheckAt: Math.min(now + recheckMs, known.trustedUntil) };
      return known.token;
    }
  };

  return {
    current,

    async renew(refusedGeneration, signal) {
      const refused = cached?.token.generation === refusedGeneration ? cached.token.secret : undefined;
      if (refused === undefined && cached !== undefined) return current(signal);
      cached = cached && { ...cached, recheckAt: 0 };
      return obtain({ unwanted: refused, cause: 'refused' }, signal);
    },

    async outwait(refusedGeneration, signal) {
      const known = cached;
      // A newer token is used at once.
      if (known?.token.generation !== refusedGeneration) return known !== undefined;
      const refusedAt = known.refusedAt ?? clock.now();
      const waitMs = gapAfterRefusal(known.issuedAt, refusedAt, clock.now());
      if (waitMs === undefined) return false;
      cached = { ...known, refusedAt };
      logger.warn({ connection, generation: refusedGeneration, waitMs }, 'a new access token is refused: trying again');
      await clock.sleep(waitMs, signal);
      return true;
    },

    accepted: (generation) => breaker.accepted(generation),

    status,

    async refresh(signal) {
      const entry = await vault.read();
      await obtain({ unwanted: entry?.access, cause: 'person' }, signal);
      return status();
    },

    async revoke(callRevoke, signal) {
      cached = undefined;
      await flight?.catch(() => {});
      await revokePair(parts, callRevoke, signal);
      return status();
    },

    async close() {
      await flight?.catch(() => {});
      await unsaved.close();
    },
  };
}

const breakerText =
  'the platform refused two new access tokens in a row (401). Another refresh would not help: the token lacks a ' +
  'permission, belongs to another community, or was revoked. Check it with `rollcall token status` and `rollcall check`.';

/** Returns the work's result, or rejects with the signal's reason when it aborts. The work itself continues. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

const maxFruitless = 2;
const openMs = 5 * 60_000;

/**
 * Ends a loop of 401, refresh, 401. Opens after two refreshes caused by a 401 without an accepted call between them,
 * and lets one more refresh through after a while.
 */
export function openBreaker() {
  let fruitless = 0;
  let newest = 0;
  let lastAt = 0;
  return {
    /** Returns how long the breaker stays open, in ms; 0 when a refresh may start. */
    openForMs: (now: number) => (fruitless < maxFruitless ? 0 : Math.max(0, openMs - Math.abs(now - lastAt))),
    /** Records a refresh that followed a 401, and the generation that it returned. */
    refreshed(generation: number, now: number) {
      fruitless++;
      newest = generation;
      lastAt = now;
    },
    /** Records an accepted call with this generation. An older token proves nothing about the newest one. */
    accepted(generation: number) {
      if (generation >= newest) fruitless = 0;
    },
  };
}

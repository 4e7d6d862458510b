import type { Clock, Logger } from '../../ports/runtime.ts';
import type { Leases } from '../../ports/store.ts';
import type { DeadToken, ExchangeOutcome, TokenExchange } from '../../ports/tokens.ts';
import { nextTryAt } from './retry-pace.ts';
import { storeHasNoRoom } from './token-errors.ts';
import {
  beginRefresh,
  beginSeed,
  endSeeds,
  grantPair,
  keepPairBefore,
  nextAfterRefusal,
  noteOddAnswer,
  noteUnsent,
  requireReauth,
  type Seed,
} from './token-steps.ts';
import { draftOf, type TokenDraft, type TokenEntry, type Vault } from './vault.ts';
import type { Verdict } from './verdict.ts';

export interface PresentationParts {
  readonly connection: string;
  readonly vault: Vault;
  readonly leases: Pick<Leases, 'take' | 'release'>;
  readonly exchange: TokenExchange;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly newOwner: () => string;
  readonly httpTimeoutMs: number;
  readonly leaseMs: number;
  readonly seed: Seed | undefined;
}

export type Presented =
  | { readonly kind: 'granted'; readonly entry: TokenEntry }
  /** Another process holds the lease. */
  | { readonly kind: 'busy' }
  /** Another process has changed the row, and nothing was presented: read it again. */
  | { readonly kind: 'changed' }
  /** An answer was stored that gives no usable token: read the row. */
  | { readonly kind: 'settled' }
  | (Extract<ExchangeOutcome, { kind: 'not-sent' | 'unknown' }> & { readonly retryAt?: number })
  /** The answer arrived, but the store refuses it. `store` retries; until it succeeds the pair must not be used. */
  | { readonly kind: 'unsaved'; readonly store: () => Promise<Presented>; readonly cause: unknown };

const storeTries = 5;
const storeWaitMs = 100;

/** Returns the name of the lease under which a connection's pair is refreshed or revoked. */
export function leaseName(connection: string): string {
  return `token:${connection}`;
}

/**
 * Presents a refresh token; no other function does. It works under the lease, after a second read of the row
 * (`decide`), and after `refreshing` is stored together with room for the answer. The answer is stored before it is
 * judged or used. Throws `TOKEN_UNAVAILABLE` when the store refuses that first write: nothing was presented then.
 */
export async function presentToken(
  parts: PresentationParts,
  decide: (entry: TokenEntry | undefined) => Verdict,
): Promise<Presented> {
  const { clock, connection, leases, logger } = parts;
  const takenAt = clock.now();
  const lease = await leases.take(leaseName(connection), parts.newOwner(), parts.leaseMs, takenAt);
  if (lease === undefined) return { kind: 'busy' };
  try {
    const seen = await parts.vault.read();
    const verdict = decide(seen);
    if (verdict.kind !== 'present') return { kind: 'changed' };
    return await presentSeen(parts, seen, verdict.what, takenAt);
  } finally {
    await leases.release(lease).catch((cause: unknown) => {
      // The lease expires later; until then other processes wait.
      logger.warn(
        { connection, error: cause instanceof Error ? cause.name : undefined },
        'token lease was not released',
      );
    });
  }
}

async function presentSeen(
  parts: PresentationParts,
  seen: TokenEntry | undefined,
  what: Presentable,
  takenAt: number,
): Promise<Presented> {
  const { clock, seed, vault } = parts;
  const startedAt = clock.now();
  const begun =
    what === 'seed' && seed
      ? beginSeed(seen, seed, startedAt)
      : beginRefresh(seen, startedAt, what === 'again' ? what : 'refresh');
  const pending = await vault.write(seen, begun, 'room').catch((cause: unknown) => {
    throw storeHasNoRoom(parts.connection, cause);
  });
  if (pending?.refresh === undefined) return { kind: 'changed' };
  const outcome = await answerFor(parts, pending.refresh, takenAt);
  const answered: Answered = { seen, pending, outcome, startedAt, endedAt: clock.now(), what };
  return storePersistently(parts, () => storeAnswer(parts, answered));
}

/** A presentation that ended, and is not stored yet. */
interface Answered {
  readonly seen: TokenEntry | undefined;
  readonly pending: TokenEntry;
  readonly outcome: ExchangeOutcome;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly what: Presentable;
}

type Presentable = Extract<Verdict, { kind: 'present' }>['what'];

const suspended = { kind: 'not-sent', reason: 'this process was suspended for too long' } as const;

async function answerFor(parts: PresentationParts, refreshToken: string, takenAt: number): Promise<ExchangeOutcome> {
  const { clock, leaseMs, httpTimeoutMs } = parts;
  // A process that was suspended since it took the lease must not send: another may have taken over.
  if (clock.now() - takenAt > leaseMs - httpTimeoutMs - graceMs) {
    return suspended;
  }
  return exchangeInTime(parts.exchange, refreshToken, clock, httpTimeoutMs);
}

/** Stores an answer. May be repeated after a failure of the store. */
async function storeAnswer(parts: PresentationParts, answered: Answered): Promise<Presented> {
  const { pending, outcome, startedAt, endedAt } = answered;
  switch (outcome.kind) {
    case 'granted':
      return storePair(parts, pending, grantPair(pending, outcome, startedAt, endedAt));
    case 'invalid-grant':
      return storeRefusal(parts, answered, outcome);
    default:
      return storeOddAnswer(parts, answered, outcome);
  }
}

async function storeOddAnswer(
  parts: PresentationParts,
  { seen, pending, startedAt, endedAt, what }: Answered,
  outcome: Extract<ExchangeOutcome, { kind: 'not-sent' | 'unknown' }>,
): Promise<Presented> {
  const { connection, leaseMs, logger, vault } = parts;
  if (outcome === suspended) {
    await vault.write(pending, draftOf(seen));
    return outcome;
  }
  if (what === 'again') {
    // It counts as one of the further tries, whatever came of it.
    const retryAt = nextAfterRefusal(pending.attempts, endedAt);
    await vault.write(pending, { ...draftOf(pending), retryAt });
    return outcome;
  }
  const { attempts } = pending;
  const retryAt = nextTryAt(outcome, { startedAt, endedAt, attempts, leaseMs });
  const text = cut(outcome.reason);
  if (outcome.kind === 'not-sent') {
    const note = { reason: `a refresh had no effect: ${text}`, retryAt };
    await vault.write(pending, noteUnsent(seen, pending, note));
  } else if (seen?.state === 'reauth-required' && seen.refresh === pending.refresh) {
    // The platform has refused this token before; an odd answer does not bring it back to life.
    await vault.write(pending, draftOf(seen));
  } else {
    const reason = `a refresh got an invalid answer: ${text}`;
    await vault.write(pending, noteOddAnswer(pending, reason, retryAt));
  }
  const fields = { connection, attempts, reason: text, nextTryInMs: retryAt - endedAt };
  logger.warn(fields, 'the token endpoint does not answer correctly');
  return { ...outcome, retryAt };
}

/** The platform refused the token. A pair from before it that still works stays in use. */
async function storeRefusal(parts: PresentationParts, answered: Answered, dead: DeadToken): Promise<Presented> {
  const { seed, logger, vault, connection } = parts;
  const { seen, pending, what } = answered;
  const isWorking = what === 'seed' && seen?.refresh !== undefined && seen.isReadable && !isLockedOut(seen);
  if (!isWorking || seed === undefined) return lockOut(parts, answered, dead);
  const kept = `the platform refused the configured refresh token (${dead.code}); the stored pair stays in use`;
  await vault.write(pending, keepPairBefore(seen, seed, kept));
  logger.error({ connection }, 'the configured refresh token was refused, and the stored pair stays in use');
  return { kind: 'settled' };
}

/**
 * Stores a granted pair. The row may have changed, if this process was suspended and another presented the same token.
 * The pair is still stored, unless the row has something newer than our token.
 */
async function storePair(parts: PresentationParts, pending: TokenEntry, pair: TokenDraft): Promise<Presented> {
  const { connection, logger, vault } = parts;
  let seen: TokenEntry | undefined = pending;
  while (seen !== undefined && seen.refresh === pending.refresh) {
    const isRevoked = seen.state === 'revoked';
    const { usedSeeds } = endSeeds(draftOf(seen));
    const draft: TokenDraft = { ...pair, usedSeeds, state: isRevoked ? 'revoked' : pair.state };
    const entry = await vault.write(seen, draft);
    if (entry !== undefined) {
      logger.info({ connection, generation: entry.generation }, 'token refreshed');
      if (entry.reason !== undefined) logger.warn({ connection, reason: entry.reason }, 'the token pair is unusual');
      return entry.state === 'ready' ? { kind: 'granted', entry } : { kind: 'settled' };
    }
    seen = await vault.read();
  }
  logger.warn({ connection }, 'a new token pair was dropped, because the store has a newer one');
  return { kind: 'changed' };
}

async function storePersistently(parts: PresentationParts, store: () => Promise<Presented>): Promise<Presented> {
  for (let tried = 1; ; tried++) {
    try {
      return await store();
    } catch (cause) {
      if (tried === storeTries) return { kind: 'unsaved', store, cause };
      await parts.clock.sleep(storeWaitMs * 2 ** tried);
    }
  }
}

async function lockOut(
  parts: PresentationParts,
  { pending, endedAt, what }: Answered,
  { code, isReuse }: DeadToken,
): Promise<Presented> {
  const { connection } = parts;
  const isAgain = what === 'again';
  const odd = isAgain ? 0 : pending.attempts - 1;
  const doubt = odd > 0 ? `, after ${odd} presentations that it did not answer correctly` : '';
  const reason = `the platform answered ${code}${isReuse ? ' and says that the token was used before' : ''}${doubt}`;
  // A first token that never worked, or one that was used before, will not work later.
  const mayWork = pending.issuedAt !== undefined && !isReuse;
  const refusals = isAgain && mayWork ? pending.attempts : 1;
  const retryAt = mayWork ? nextAfterRefusal(refusals, endedAt) : undefined;
  const written = await parts.vault.write(pending, requireReauth(pending, { reason, refusals, retryAt }));
  if (written === undefined) return { kind: 'changed' };
  parts.logger.error({ connection, generation: written.generation, reason, refusals }, 'the refresh token was refused');
  return { kind: 'settled' };
}

function isLockedOut(seen: TokenEntry | undefined): boolean {
  return seen?.state === 'reauth-required' || seen?.state === 'revoked';
}

function cut(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** Grace period in ms for an exchange that does not stop when told to. */
export const graceMs = 1000;

/**
 * Calls the exchange once. Always ends within `timeoutMs` plus the grace period. An error means that the outcome is
 * unknown.
 */
export async function exchangeInTime(
  exchange: TokenExchange,
  refreshToken: string,
  clock: Clock,
  timeoutMs: number,
): Promise<ExchangeOutcome> {
  const call = new AbortController();
  const timer = new AbortController();
  const giveUp = async (): Promise<ExchangeOutcome> => {
    await clock.sleep(timeoutMs, timer.signal);
    call.abort(new DOMException('no answer in time', 'TimeoutError'));
    await clock.sleep(graceMs, timer.signal);
    return { kind: 'unknown', reason: `no answer within ${timeoutMs} ms` };
  };
  const attempt = async (): Promise<ExchangeOutcome> => {
    try {
      return await exchange(refreshToken, call.signal);
    } catch (cause) {
      return { kind: 'unknown', reason: `the call failed (${cause instanceof Error ? cause.name : typeof cause})` };
    }
  };
  const timeout = giveUp();
  timeout.catch(() => {}); // Ends by `timer` when the answer came first.
  try {
    return await Promise.race([attempt(), timeout]);
  } finally {
    timer.abort();
  }
}

import type { Clock, Logger } from '../../ports/runtime.ts';
import type { Leases } from '../../ports/store.ts';
import type { ExchangeOutcome, TokenExchange } from '../../ports/tokens.ts';
import { exchangeInTime, graceMs } from './timed-exchange.ts';
import { howToClear } from './token-errors.ts';
import { beginRefresh, beginSeed, grantPair, noteLostAnswer, requireReauth, type Seed } from './token-steps.ts';
import { draftOf, type TokenDraft, type TokenEntry, type Vault } from './vault.ts';
import type { Verdict } from './verdict.ts';

/** An event that an operator must know at once. `message` holds no secret. */
export interface TokenAlert {
  readonly kind: 'reauth-required' | 'recovered' | 'breaker-open';
  readonly connection: string;
  readonly message: string;
}

export interface PresentationParts {
  readonly connection: string;
  readonly vault: Vault;
  readonly leases: Leases;
  readonly exchange: TokenExchange;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly newOwner: () => string;
  readonly httpTimeoutMs: number;
  readonly leaseMs: number;
  readonly seed: Seed | undefined;
  readonly onAlert: (alert: TokenAlert) => void;
}

export type Presented =
  | { readonly kind: 'granted'; readonly entry: TokenEntry }
  /** Another process holds the lease. */
  | { readonly kind: 'busy' }
  /** The row has changed: read it again. */
  | { readonly kind: 'changed' }
  | Extract<ExchangeOutcome, { kind: 'not-sent' | 'unknown' }>
  /** The answer arrived, but the store refuses it. `store` retries; until it succeeds the pair must not be used. */
  | { readonly kind: 'unsaved'; readonly store: () => Promise<Presented>; readonly cause: unknown };

const storeTries = 5;
const storeWaitMs = 100;

/** Returns the name of the lease under which a connection's pair is refreshed or revoked. */
export function leaseName(connection: string): string {
  return `token:${connection}`;
}

/** Returns the name of a lease without a holder. It lasts as long as the issuer's `Retry-After`, for every process. */
function retryAfterLeaseName(connection: string): string {
  return `token-patience:${connection}`;
}

/**
 * Presents a refresh token; no other function does. It works under the lease, after a second read of the row
 * (`decide`), after `refreshing` is stored, and not during the issuer's `Retry-After`. The answer is stored before it
 * is used.
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
    const retryAfter = await leases.holder(retryAfterLeaseName(connection), takenAt);
    const seen = await parts.vault.read();
    const verdict = decide(seen);
    if (verdict.kind === 'give-up') {
      return await lockOut(parts, seen, 'two presentations of the refresh token had no answer');
    }
    if (verdict.kind !== 'present') return { kind: 'changed' };
    if (retryAfter !== undefined) return notYet(retryAfter.until - clock.now());
    return await presentSeen(parts, seen, verdict.what, takenAt);
  } finally {
    await leases.release(lease).catch((cause: unknown) => {
      // The lease expires by itself; until then other processes wait.
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
  what: 'refresh' | 'seed',
  takenAt: number,
): Promise<Presented> {
  const { clock, seed, vault } = parts;
  const startedAt = clock.now();
  const begun = what === 'seed' && seed ? beginSeed(seen, seed, startedAt) : beginRefresh(seen, startedAt);
  const pending = await vault.write(seen, begun);
  if (pending?.refresh === undefined) return { kind: 'changed' };
  const outcome = await answerFor(parts, pending.refresh, takenAt);
  if (outcome.kind === 'not-sent' || outcome.kind === 'unknown') await keepRetryAfter(parts, outcome.afterMs ?? 0);
  return storePersistently(parts, () => storeAnswer(parts, { seen, pending, startedAt }, outcome));
}

function notYet(afterMs: number): Presented {
  const reason = `the token endpoint asked to wait (Retry-After) for another ${Math.ceil(afterMs / 1000)} s`;
  return { kind: 'not-sent', reason, afterMs };
}

async function keepRetryAfter({ clock, connection, leases, logger, newOwner }: PresentationParts, afterMs: number) {
  if (afterMs <= 0) return;
  logger.warn({ connection, afterMs }, 'the token endpoint sent Retry-After');
  // If the store fails here, the answer must still be stored; then only this process waits.
  await leases.take(retryAfterLeaseName(connection), newOwner(), afterMs, clock.now()).catch(() => {});
}

async function answerFor(parts: PresentationParts, refreshToken: string, takenAt: number): Promise<ExchangeOutcome> {
  const { clock, leaseMs, httpTimeoutMs } = parts;
  // A process that was suspended since it took the lease must not send: another may have taken over.
  if (clock.now() - takenAt > leaseMs - httpTimeoutMs - graceMs) {
    return { kind: 'not-sent', reason: 'this process was suspended for too long' };
  }
  return exchangeInTime(parts.exchange, refreshToken, clock, httpTimeoutMs);
}

/** A presentation that was sent: the row before it, and the row that records it as in progress. */
interface SentPresentation {
  readonly seen: TokenEntry | undefined;
  readonly pending: TokenEntry;
  readonly startedAt: number;
}

/** Stores an answer. May be repeated after a failure of the store. */
async function storeAnswer(
  parts: PresentationParts,
  { seen, pending, startedAt }: SentPresentation,
  outcome: ExchangeOutcome,
): Promise<Presented> {
  switch (outcome.kind) {
    case 'granted':
      return storePair(parts, pending, grantPair(pending, outcome, startedAt), isLockedOut(seen));
    case 'invalid-grant':
      return lockOut(parts, pending, `the platform answered invalid_grant: ${cut(outcome.description)}`);
    case 'not-sent':
      await parts.vault.write(pending, draftOf(seen));
      return outcome;
    case 'unknown':
      await parts.vault.write(pending, noteLostAnswer(pending, `a refresh got no answer: ${cut(outcome.reason)}`));
      return outcome;
  }
}

/**
 * Stores a granted pair. The row may have changed, if this process was suspended and another presented the same token.
 * The pair is still stored, unless the row has something newer than our token.
 */
async function storePair(
  parts: PresentationParts,
  pending: TokenEntry,
  pair: TokenDraft,
  isRecovery: boolean,
): Promise<Presented> {
  const { connection, logger, vault } = parts;
  let seen: TokenEntry | undefined = pending;
  while (seen !== undefined && seen.refresh === pending.refresh) {
    const isRevoked = seen.state === 'revoked';
    const draft: TokenDraft = { ...pair, usedSeeds: seen.usedSeeds, state: isRevoked ? 'revoked' : 'ready' };
    const entry = await vault.write(seen, draft);
    if (entry !== undefined) {
      logger.info({ connection, generation: entry.generation }, 'token refreshed');
      if (isRecovery || seen.state === 'reauth-required') announceRecovery(parts);
      return isRevoked ? { kind: 'changed' } : { kind: 'granted', entry };
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

async function lockOut(parts: PresentationParts, seen: TokenEntry | undefined, reason: string): Promise<Presented> {
  const written = await parts.vault.write(seen, requireReauth(seen, reason));
  if (written === undefined) return { kind: 'changed' };
  const { connection } = parts;
  parts.logger.error({ connection, generation: written.generation, reason }, 'a new first token is required');
  const message = `connection ${connection} is locked out: ${reason}. ${howToClear(connection)}`;
  parts.onAlert({ kind: 'reauth-required', connection, message });
  return { kind: 'changed' };
}

function isLockedOut(seen: TokenEntry | undefined): boolean {
  return seen?.state === 'reauth-required' || seen?.state === 'revoked';
}

function announceRecovery({ connection, onAlert }: PresentationParts): void {
  onAlert({ kind: 'recovered', connection, message: `connection ${connection} has a working token again` });
}

function cut(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

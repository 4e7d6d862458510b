import { RollcallError } from '../../core/run/errors.ts';
import { leaseName, type PresentationParts } from './presentation.ts';
import { tokenUnavailable } from './token-errors.ts';
import { endAccess } from './token-steps.ts';
import { draftOf } from './vault.ts';
import { usableUntil } from './verdict.ts';

/** Asks the platform to invalidate an access token (contract, "POST .../token/revoke"), once. Never throws. */
export type RevokeCall = (accessToken: string, signal: AbortSignal) => Promise<RevokeOutcome>;

export type RevokeOutcome =
  | { readonly kind: 'revoked' }
  /** The call certainly did not revoke the token. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The token may be revoked. A second call is harmless. */
  | { readonly kind: 'unknown'; readonly reason: string };

const pollMs = 500;

/**
 * Stores `revoked`, then calls. A kill in between leaves a pair that no process refreshes and that can be revoked
 * again: revoking an invalid token is answered with 200 (contract, "Errors", rule 4).
 */
export async function revokePair(parts: PresentationParts, callRevoke: RevokeCall, signal: AbortSignal): Promise<void> {
  const access = await storeRevoked(parts, signal);
  if (access === undefined) {
    throw new RollcallError(
      `connection ${parts.connection} has no access token to revoke: none is stored, or none that this ` +
        'encryptionKey opens. The status of the tokens shows which.',
      { code: 'TOKEN_UNAVAILABLE' },
    );
  }
  await confirmRevoked(parts.connection, callRevoke, access, signal);
  parts.logger.info({ connection: parts.connection }, 'token revoked');
}

/** Calls, and throws unless the platform confirms that the token is invalid. */
export async function confirmRevoked(
  connection: string,
  callRevoke: RevokeCall,
  access: string,
  signal: AbortSignal,
): Promise<void> {
  const outcome = await callRevoke(access, signal);
  if (outcome.kind === 'revoked') return;
  const isRefused = outcome.kind === 'refused';
  throw new RollcallError(
    `the platform did not confirm that the access token of connection ${connection} is revoked: ${outcome.reason}. ` +
      `Rollcall no longer uses it. Run \`rollcall token revoke ${connection}\` again to confirm.`,
    { code: isRefused ? 'PLATFORM_REFUSED' : 'PLATFORM_FAILED', retry: isRefused ? 'never' : 'backoff' },
  );
}

/** Works under the lease, so that no refresh ends after it. */
async function storeRevoked(parts: PresentationParts, signal: AbortSignal): Promise<string | undefined> {
  const { clock, connection, leases, leaseMs, vault } = parts;
  const giveUpAt = clock.now() + 2 * leaseMs;
  while (clock.now() <= giveUpAt) {
    signal.throwIfAborted();
    const lease = await leases.take(leaseName(connection), parts.newOwner(), leaseMs, clock.now());
    if (lease !== undefined) {
      try {
        const seen = await vault.read();
        // A refused refresh token stays refused: `revoked` does not replace `reauth-required`.
        const isRefused = seen?.state === 'reauth-required';
        const hasEnded = seen?.state === 'revoked' || (isRefused && usableUntil(seen) <= clock.now());
        if (seen?.access === undefined || hasEnded) return seen?.access;
        const revoked = { ...draftOf(seen), state: 'revoked', reason: undefined } as const;
        const written = await vault.write(seen, isRefused ? endAccess(seen, clock.now()) : revoked);
        if (written !== undefined) return written.access;
      } finally {
        await leases.release(lease);
      }
    }
    await clock.sleep(pollMs, signal);
  }
  throw tokenUnavailable(connection, 'another process has been refreshing it for too long', 'backoff');
}

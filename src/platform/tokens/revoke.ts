import { leaseName, type PresentationParts } from './presentation.ts';
import type { RevokeCall } from './token-custody.ts';
import { tokenUnavailable } from './token-errors.ts';
import { draftOf } from './vault.ts';

const pollMs = 500;

/**
 * Stores `revoked`, then calls. In between a kill leaves a pair that nobody refreshes and that can be revoked again:
 * revoking an invalid token is answered 200 (contract, "Errors", rule 4).
 */
export async function revokePair(parts: PresentationParts, callRevoke: RevokeCall, signal: AbortSignal): Promise<void> {
  const access = await storeRevoked(parts, signal);
  if (access === undefined) {
    throw tokenUnavailable(parts.connection, 'there is no access token that could be revoked', 'never');
  }
  await callRevoke(access, signal);
  parts.logger.info({ connection: parts.connection }, 'token revoked');
}

/** Under the lease, so that no refresh is under way that would end after it. */
async function storeRevoked(parts: PresentationParts, signal: AbortSignal): Promise<string | undefined> {
  const { clock, connection, leases, leaseMs, vault } = parts;
  const giveUpAt = clock.now() + 2 * leaseMs;
  while (clock.now() <= giveUpAt) {
    signal.throwIfAborted();
    const lease = await leases.take(leaseName(connection), parts.newOwner(), leaseMs, clock.now());
    if (lease !== undefined) {
      try {
        const seen = await vault.read();
        // A dead refresh token stays dead: `reauth-required` is not given up for `revoked`.
        if (seen?.access === undefined || seen.state === 'revoked' || seen.state === 'reauth-required') {
          return seen?.access;
        }
        const written = await vault.write(seen, { ...draftOf(seen), state: 'revoked', reason: undefined });
        if (written !== undefined) return written.access;
      } finally {
        await leases.release(lease);
      }
    }
    await clock.sleep(pollMs, signal);
  }
  throw tokenUnavailable(connection, 'another process has been refreshing it for too long', 'backoff');
}

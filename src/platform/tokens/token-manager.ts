import type { Clock, Logger } from '../../ports/runtime.ts';
import type { Leases, TokenStore } from '../../ports/store.ts';
import type { AccessTokens, TokenExchange } from '../../ports/tokens.ts';
import type { TokenAlert } from './presentation.ts';
import type { RevokeCall } from './revoke-call.ts';
import type { Seal } from './seal.ts';
import type { TokenStatus } from './status.ts';

export type { RevokeCall } from './revoke-call.ts';

export interface TokenManagerOptions {
  readonly connection: string;
  readonly store: TokenStore;
  readonly leases: Leases;
  readonly exchange: TokenExchange;
  /** Needed unless the connection has a static access token. */
  readonly seal: Seal | undefined;
  readonly clock: Clock;
  /** A new name for each taking of the lease, unique over processes. */
  readonly newOwner: () => string;
  readonly configuredRefreshToken?: string | undefined;
  readonly staticAccessToken?: string | undefined;
  /** Whether this command may use up the configured first token. */
  readonly mayPresentSeed: boolean;
  /** No answer of the exchange within this time is a lost answer. */
  readonly httpTimeoutMs: number;
  readonly onAlert?: (alert: TokenAlert) => void;
  readonly logger: Logger;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** Keeps one connection's tokens: the access tokens that calls use, and the verbs of `rollcall token`. */
export interface TokenManager extends AccessTokens {
  /** Only looks; asks the platform nothing. */
  status(): Promise<TokenStatus>;
  /** Refreshes now, whatever the state allows; also leaves `revoked`. Same errors as `current`. */
  refresh(signal: AbortSignal): Promise<TokenStatus>;
  /**
   * Stores `revoked`, then has the platform invalidate the access token. When the platform does not confirm it, `revoked`
   * stands all the same and `PLATFORM_REFUSED` or `PLATFORM_FAILED` is thrown: calling again is safe.
   */
  revoke(callRevoke: RevokeCall, signal: AbortSignal): Promise<TokenStatus>;
  /** Lets a refresh that is under way end. A process that leaves without it may lose an answer. */
  close(): Promise<void>;
}

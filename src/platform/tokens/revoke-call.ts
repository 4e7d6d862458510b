/** Asks the platform to invalidate an access token (contract, "POST .../token/revoke"), once. Never throws. */
export type RevokeCall = (accessToken: string, signal: AbortSignal) => Promise<RevokeOutcome>;

export type RevokeOutcome =
  | { readonly kind: 'revoked' }
  /** The call certainly did not revoke the token. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The token may be revoked. A second call is harmless. */
  | { readonly kind: 'unknown'; readonly reason: string };

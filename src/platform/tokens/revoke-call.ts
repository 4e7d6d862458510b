/** Has the platform invalidate an access token (contract, "POST .../token/revoke"), once. Never throws for its answer. */
export type RevokeCall = (accessToken: string, signal: AbortSignal) => Promise<RevokeOutcome>;

export type RevokeOutcome =
  | { readonly kind: 'revoked' }
  /** Certainly not revoked by this call. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** It may be revoked; calling again does no harm. */
  | { readonly kind: 'unknown'; readonly reason: string };

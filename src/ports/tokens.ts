/** Where a connection's access token comes from. Implemented by `platform/tokens` (custody) over the token store. */
export interface AccessTokens {
  /** A token to use now, refreshed ahead of its end where possible. Throws REAUTH_REQUIRED, TOKEN_REVOKED, TOKEN_UNAVAILABLE. */
  current(signal: AbortSignal): Promise<AccessToken>;
  /** Called after a 401 with the generation that was refused: gives a newer one, or throws when there is none to be had. */
  renew(refusedGeneration: number, signal: AbortSignal): Promise<AccessToken>;
  /** Called after a call that was accepted with this generation: closes the breaker. */
  accepted(generation: number): void;
}

export interface AccessToken {
  /** Never log, store unsealed, or put in an error. */
  readonly secret: string;
  readonly generation: number;
}

/** A signed-in user of the page. Every server on the store knows it. */
export interface Session {
  /** sha256 of the cookie's secret, which is not stored. */
  readonly key: string;
  /** The identity: `user:` and the subject at the identity provider, or that of the token. */
  readonly name: string;
  /** The name of the user that the provider shows. It is no identity. */
  readonly label: string | undefined;
  /** The user's groups at the sign-in. What they may do is asked of the configuration at each request. */
  readonly groups: readonly string[];
  readonly method: 'openid' | 'token';
  /**
   * The issuer that named the user, or sha256 of the API token with which the user signed in: the session ends when the
   * configuration no longer has it.
   */
  readonly origin: string;
  readonly createdAt: number;
  /** When the user last did something. */
  readonly usedAt: number;
  /** The end, whatever the user does. */
  readonly expiresAt: number;
}

export interface Sessions {
  /** Stores the session, and deletes those that have expired. */
  add(session: Session): Promise<void>;
  get(key: string): Promise<Session | undefined>;
  touch(key: string, usedAt: number): Promise<void>;
  /** Returns false when there was none. */
  end(key: string): Promise<boolean>;
  /** Returns the sessions, the one used last first. */
  list(): Promise<readonly Session[]>;
}

export type SessionRole = 'viewer' | 'operator' | 'admin';

/** A signed-in user of the page. Every server on the store knows it. */
export interface Session {
  /** sha256 of the cookie's secret, which is not stored. */
  readonly key: string;
  readonly name: string;
  readonly role: SessionRole;
  readonly method: 'openid' | 'token';
  /** sha256 of the API token with which the user signed in: the session ends with the token. */
  readonly token: string | undefined;
  readonly createdAt: number;
  /** When the user last did something. */
  readonly usedAt: number;
  /** The end, whatever the user does. */
  readonly expiresAt: number;
}

/** A sign-in that the identity provider has not answered yet. It is answered once. */
export interface PendingSignIn {
  /** sha256 of the state that the browser and the provider carry. */
  readonly key: string;
  readonly verifier: string;
  readonly nonce: string;
  /** The page to show afterwards, a path. */
  readonly target: string;
  readonly expiresAt: number;
}

export interface Sessions {
  /** Stores the session, and deletes those that have expired. */
  add(session: Session): Promise<void>;
  get(key: string): Promise<Session | undefined>;
  touch(key: string, usedAt: number): Promise<void>;
  /** Returns false when there was none. */
  end(key: string): Promise<boolean>;
  /** Stores the sign-in, and deletes those that have expired. */
  begin(signIn: PendingSignIn, now: number): Promise<void>;
  /** Returns and deletes the sign-in, so that only one answer to it counts. */
  take(key: string): Promise<PendingSignIn | undefined>;
}

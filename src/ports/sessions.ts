import type { Access } from '../core/guard/access.ts';

/** A signed-in user of the page. Every server on the store knows it. */
export interface Session {
  /** sha256 of the cookie's secret, which is not stored. */
  readonly key: string;
  readonly name: string;
  /** What the user's groups or token gave at the sign-in. */
  readonly access: Access;
  /** The user's groups at the sign-in. */
  readonly groups: readonly string[];
  readonly method: 'openid' | 'token';
  /** sha256 of the API token with which the user signed in: the session ends with the token. */
  readonly token: string | undefined;
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

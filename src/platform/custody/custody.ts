/** What a custody stores: one text. Its tokens are sealed (AES-256-GCM); the rest is readable JSON. */
export interface CustodyDocument {
  /** 1 for the first document, and one more with every write. */
  readonly version: number;
  readonly text: string;
}

/**
 * Keeps the rotating tokens of one connection. `openFileCustody` and `openSqliteCustody` are two; a program may bring its
 * own. Several processes may share one, on the same document. An error of `read` or `replace` becomes `STORE_INVALID`.
 */
export interface TokenCustody {
  /** Returns the newest document. Undefined: nothing was stored yet. */
  read(): Promise<CustodyDocument | undefined>;
  /**
   * Stores `next` if the newest document has the version `seen` (undefined: there is none); else stores nothing and
   * returns false. Compares and writes in one step, also against other processes. Resolves with true only when the
   * document survives a crash of the machine: a refresh token is presented, and its successor is used, only after that.
   */
  replace(seen: number | undefined, next: CustodyDocument): Promise<boolean>;
  /** Called once, after the last use. */
  close(): Promise<void>;
}

/* Rows about what is sealed, and about who was forgotten. Conventions as in schema.ts. */

export interface RawTextRow {
  run: string;
  number: number;
  at: number;
  /** JSON of what it belongs to and the text, sealed. */
  sealed: string;
}

export interface ForgottenRow {
  connection: string;
  /** Keyed hash of connection and identification. */
  hash: string;
  owner: string;
  disabled_at: number | null;
  gone_since: number | null;
  removed_at: number | null;
  removed_blacklist: number | null;
  forgotten_at: number;
}

/** Keys that the store itself made, sealed when there is an `encryptionKey`. */
export interface StoreKeyRow {
  name: string;
  value: string;
}

import { RollcallError } from '../../core/run/errors.ts';
import type { Seal } from '../../ports/tokens.ts';
import type { Database } from './database.ts';
import { put } from './row-writer.ts';

/** The seals of a store: the first one seals, and all of them open. Without any, texts are stored as they are. */
export interface KeyRing {
  /** Ids of all keys that open texts. */
  readonly keyIds: readonly string[];
  /** Beginning of every text that the current key sealed; undefined without a key. */
  readonly prefix: string | undefined;
  /** Returns the text sealed for its place, or unchanged without a key. */
  close(text: string, context: string): string;
  /** Returns the text of a column, sealed or not. Throws `STORE_INVALID` when no configured key opens it. */
  open(text: string, context: string): string;
  /** Returns the text sealed for another place. One that no configured key opens stays as it is, and is counted as unreadable. */
  move(text: string, from: string, to: string): string;
}

const sealedForm = /^v1\.([0-9a-f]{8})\./;

export function openKeyRing(seals: readonly Seal[]): KeyRing {
  const [current] = seals;
  const ring: KeyRing = {
    keyIds: seals.map(({ keyId }) => keyId),
    prefix: current === undefined ? undefined : `v1.${current.keyId}.`,
    close: (text, context) => (current === undefined ? text : current.seal(text, context)),
    open(text, context) {
      // Plain texts of the store are JSON or sentences, and none begins with `v1.`.
      if (!text.startsWith('v1.')) return text;
      const keyId = sealedForm.exec(text)?.[1];
      const opened = seals.find((seal) => seal.keyId === keyId)?.open(text, context);
      if (opened === undefined) throw lostKey(keyId, seals.length > 0);
      return opened;
    },
    move(text, from, to) {
      const keyId = sealedForm.exec(text)?.[1];
      return ring.keyIds.some((one) => one === keyId) ? ring.close(ring.open(text, from), to) : text;
    },
  };
  return ring;
}

const keyIdName = 'sealed with';

/**
 * Records which key seals the store. Throws `STORE_INVALID` when personal data in it is sealed and no key is configured:
 * otherwise new rows would silently be stored as they are.
 */
export async function checkKeys(db: Database, seals: readonly Seal[]): Promise<void> {
  const row = await db.selectFrom('store_keys').select('value').where('name', '=', keyIdName).executeTakeFirst();
  const [current] = seals;
  if (current === undefined) {
    if (row === undefined) return;
    throw lostKey(row.value, false);
  }
  const isKnown = row === undefined || seals.some(({ keyId }) => keyId === row.value);
  // A key that is configured nowhere stays recorded. Reading what it sealed fails with its name.
  if (row?.value === current.keyId || !isKnown) return;
  await writeKeyId(db, current.keyId);
}

/** Records that the current key seals the store, when nothing is left that another one sealed. */
export async function recordKey(db: Database, { keyIds }: KeyRing): Promise<void> {
  const [current] = keyIds;
  if (current !== undefined) await writeKeyId(db, current);
}

function writeKeyId(db: Database, keyId: string): Promise<void> {
  return put(db, 'store_keys', { name: keyIdName, value: keyId });
}

const onceLost = 'set a new encryptionKey and run "rollcall admin keys status"';

/** Returns the error for a sealed text that cannot be opened. */
export function lostKey(keyId: string | undefined, hasKey: boolean, ifLost = onceLost): RollcallError {
  const which = keyId === undefined ? 'another key' : `the key ${keyId}`;
  const now = hasKey ? 'the configured encryptionKey is a different one' : 'encryptionKey is not set';
  const message =
    `personal data in the store was sealed with ${which}, and ${now}. Restore that key as encryptionKey, or name it in ` +
    `formerEncryptionKeys beside the new one. If it is lost, ${ifLost}. Nothing was changed.`;
  return new RollcallError(message, { code: 'STORE_INVALID' });
}

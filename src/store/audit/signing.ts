import { createHash, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { RollcallError } from '../../core/run/errors.ts';
import type { Signature, Signing } from '../../ports/store-operations.ts';
import { type Database, inTransaction } from '../db/database.ts';
import type { KeyRing } from '../db/key-ring.ts';
import { placeOf } from '../db/tables.ts';
import { appendAudit } from './chain.ts';

/** The keys that sign for this deployment. A private part never leaves the store, and is sealed in it. */
export function createSigning(db: Database, keys: KeyRing): Signing {
  return {
    async keys() {
      const rows = await db
        .selectFrom('signing_keys')
        .selectAll()
        .orderBy('made_at', 'desc')
        .orderBy('sealed')
        .execute();
      return rows.map(({ id, made_at: at, public: text, sealed }) => {
        return { id, at, public: text, isCurrent: sealed !== null };
      });
    },

    renew(entry) {
      if (keys.prefix === undefined) {
        const message =
          'a signing key is stored sealed: set "encryptionKey" first. Make one with: openssl rand -base64 32';
        throw new RollcallError(message, { code: 'CONFIG_INVALID' });
      }
      const { publicKey, privateKey } = generateKeyPairSync('ed25519');
      const spki = publicKey.export({ type: 'spki', format: 'der' });
      const id = createHash('sha256').update(spki).digest('hex').slice(0, 16);
      const secret = privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64');
      const sealed = keys.close(secret, placeOf('signing_keys', 'sealed', { id }));
      return inTransaction(db, async (transaction) => {
        await transaction.updateTable('signing_keys').set({ sealed: null }).execute();
        const row = { id, made_at: entry.at, public: spki.toString('base64'), sealed };
        await transaction.insertInto('signing_keys').values(row).execute();
        await appendAudit(transaction, { ...entry, detail: `key ${id}` });
      });
    },

    sign: (text) => signIn(db, keys, text),
  };
}

/** Signs a text with the current key. Undefined: there is none. Throws `STORE_INVALID` when its seal cannot be opened. */
export async function signIn(db: Database, keys: KeyRing, text: string): Promise<Signature | undefined> {
  const row = await db
    .selectFrom('signing_keys')
    .select(['id', 'sealed'])
    .where('sealed', 'is not', null)
    .executeTakeFirst();
  if (row === undefined || row.sealed === null) return undefined;
  const { id: key } = row;
  const secret = Buffer.from(keys.open(row.sealed, placeOf('signing_keys', 'sealed', { id: key })), 'base64');
  const privateKey = createPrivateKey({ key: secret, type: 'pkcs8', format: 'der' });
  return { key, signature: sign(null, Buffer.from(text), privateKey).toString('base64') };
}

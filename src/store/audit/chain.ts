import { createHash, randomBytes, verify } from 'node:crypto';
import { sql } from 'kysely';
import type { Audit, AuditEntry, AuditProof, ChainedEntry, Signature } from '../../ports/store-operations.ts';
import { type Database, inTransaction, type OpenTransaction, pagesByKey, type Schema } from '../db/database.ts';
import { lockName } from '../db/differences.ts';
import { fields } from '../db/fields.ts';

/*
 * Each entry of the audit is chained to the one before it: `commitment` is sha256 of salt and texts, and `chain` is sha256
 * of the chain before, the commitment and all that is no text. Where a text is changed because a person was forgotten, the
 * salt goes, and the chain still holds. docs/verify-report.mjs computes the same.
 */

const entries = fields<AuditEntry, 'audit'>(
  'audit',
  {
    ...{ by_whom: 'by', why: 'reason', said_as: 'as' },
    ...{ seq: null, sync_then: null, salt: null, commitment: null, chain: null },
  },
  { label: 'optional', reason: 'optional', as: 'optional' },
);

type Row = Schema['audit'];
type Texts = Pick<Row, 'detail' | 'why' | 'said_as' | 'label'>;
type Link = Pick<Row, 'seq' | 'commitment' | 'id' | 'at' | 'by_whom' | 'action' | 'sync_then' | 'connection' | 'run'>;

type Proving = { -readonly [Name in keyof AuditProof]: AuditProof[Name] };

const rowsAtOnce = 1000;

export function createAudit(db: Database): Audit {
  return {
    add: (entry) => inTransaction(db, (transaction) => appendAudit(transaction, entry)),

    async list({ limit, since, until, before, actions, syncs, ...equal }) {
      let wanted = db.selectFrom('audit').selectAll().orderBy('id', 'desc').limit(limit);
      for (const [column, value] of Object.entries(entries.toPatch(equal))) {
        if (value !== null) wanted = wanted.where(sql.ref(column), '=', value);
      }
      if (syncs !== undefined) wanted = wanted.where('sync', 'in', syncs);
      if (actions !== undefined) wanted = wanted.where('action', 'in', actions);
      if (until !== undefined) wanted = wanted.where('at', '<', until);
      if (since !== undefined) wanted = wanted.where('at', '>=', since);
      if (before !== undefined) wanted = wanted.where('id', '<', before);
      return (await wanted.execute()).map(entries.fromRow);
    },

    async prove(see) {
      const head = await lastOf(db, 'audit_heads');
      const { seq, chain } = head;
      const proof: Proving = { from: seq, to: seq, start: chain, chain, forgotten: 0, broken: undefined };
      if (!(await isHeadSigned(db)))
        return { ...proof, broken: 'the head of the pruned entries does not match its signature' };
      const read = (after: Row | undefined) =>
        db
          .selectFrom('audit')
          .selectAll()
          .where('seq', '>', after?.seq ?? -1)
          .orderBy('seq')
          .limit(rowsAtOnce)
          .execute();
      for await (const rows of pagesByKey(rowsAtOnce, read)) {
        for (const row of rows) {
          // What is missing may have been pruned meanwhile.
          const pruned = row.seq === proof.to + 1 ? undefined : await findLast(db, 'audit_heads');
          if (pruned?.seq === row.seq - 1) Object.assign(proof, { to: pruned.seq, chain: pruned.chain });
          proof.broken = brokenAt(row, proof);
          if (proof.broken !== undefined) return proof;
          Object.assign(proof, { to: row.seq, chain: row.chain });
          if (row.salt === null) proof.forgotten += 1;
          see?.(linkOf(row, row.chain));
        }
      }
      return proof;
    },
  };
}

function brokenAt(row: Row, { to, chain }: Pick<AuditProof, 'to' | 'chain'>): string | undefined {
  if (row.seq !== to + 1) return `entry ${to + 1} is missing, before ${row.id}`;
  const isAsWritten = row.salt === null || commitmentOf(row.salt, row) === row.commitment;
  return isAsWritten && chainOf(chain, row) === row.chain ? undefined : `entry ${row.seq} (${row.id}) was changed`;
}

/** Adds an entry as the last of the chain. Two processes that add at once wait for each other. */
export async function appendAudit(db: OpenTransaction, entry: AuditEntry): Promise<void> {
  await lockName(db, 'audit');
  const last = (await findLast(db, 'audit')) ?? (await lastOf(db, 'audit_heads'));
  const row = entries.toRow(entry);
  const salt = randomBytes(16).toString('hex');
  const link = { ...row, seq: last.seq + 1, sync_then: row.sync, commitment: commitmentOf(salt, row) };
  await db
    .insertInto('audit')
    .values({ ...link, salt, chain: chainOf(last.chain, link) })
    .execute();
}

type Chained = 'audit' | 'audit_heads';

function findLast(db: Database, table: Chained) {
  return db.selectFrom(table).select(['seq', 'chain']).orderBy('seq', 'desc').limit(1).executeTakeFirst();
}

async function lastOf(db: Database, table: Chained): Promise<Pick<Row, 'seq' | 'chain'>> {
  return (await findLast(db, table)) ?? { seq: 0, chain: '' };
}

function commitmentOf(salt: string, { detail, why, said_as, label }: Texts): string {
  return sha256(salt + JSON.stringify([detail, why, said_as, label]));
}

function chainOf(before: string, row: Link): string {
  return sha256(before + JSON.stringify(linkOf(row, '').link));
}

function linkOf({ seq, commitment, id, at, by_whom, action, sync_then, connection, run }: Link, chain: string) {
  return { link: [seq, commitment, id, at, by_whom, action, sync_then, connection, run], chain } satisfies ChainedEntry;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Returns whether the head is as its key signed it. One from before there was a key has no signature. */
async function isHeadSigned(db: Database): Promise<boolean> {
  const head = await db
    .selectFrom('audit_heads')
    .leftJoin('signing_keys', 'signing_keys.id', 'audit_heads.key')
    .select(['seq', 'chain', 'signature', 'public'])
    .executeTakeFirst();
  if (head === undefined || head.signature === null) return true;
  const key = { key: Buffer.from(head.public ?? '', 'base64'), type: 'spki', format: 'der' } as const;
  return head.public !== null && verify(null, Buffer.from(headText(head)), key, Buffer.from(head.signature, 'base64'));
}

function headText({ seq, chain }: Pick<Row, 'seq' | 'chain'>): string {
  return JSON.stringify(['audit', seq, chain]);
}

type Sign = (text: string) => Promise<Signature | undefined>;

/** Deletes the entries before the first one of `before` or later. The signed head of the chain stays. */
export async function pruneAudit(db: OpenTransaction, before: number, sign: Sign): Promise<void> {
  await lockName(db, 'audit');
  const kept = await db
    .selectFrom('audit')
    .select((eb) => eb.fn.min<number | null>('seq').as('seq'))
    .where('at', '>=', before)
    .executeTakeFirst();
  const last = await db
    .selectFrom('audit')
    .select(['seq', 'chain', 'at'])
    .where('seq', '<', kept?.seq ?? Number.MAX_SAFE_INTEGER)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (last === undefined) return;
  const signed = await sign(headText(last));
  await db.deleteFrom('audit_heads').execute();
  const row = { ...last, signature: signed?.signature ?? null, key: signed?.key ?? null };
  await db.insertInto('audit_heads').values(row).execute();
  await db.deleteFrom('audit').where('seq', '<=', last.seq).execute();
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Generated, Kysely, Transaction } from 'kysely';
import type { CorrectionCode } from '../../core/person/corrections.ts';
import type { ChangeClass, ChangeKind, ChangePart } from '../../core/plan/change.ts';
import type { PersonEvent } from '../../core/plan/event.ts';
import type { LeaverEnding } from '../../core/plan/leavers.ts';
import type { PastStanding } from '../../core/plan/roster.ts';
import { conflict, RollcallError } from '../../core/run/errors.ts';
import type { FindingCode } from '../../core/run/finding.ts';
import type { BatchState, ChangeState, Outcome, Phase } from '../../core/run/run.ts';
import type { AlertDelivery } from '../../ports/alerts.ts';
import type { Preview } from '../../ports/previews.ts';
import { isKnownPhase, type UnknownState } from '../../ports/runs.ts';
import type {
  AuditAction,
  Batch,
  DecisionState,
  HoldFacts,
  OwnedRun,
  TokenState,
  TriggerKind,
} from '../../ports/store.ts';
import type { Session } from '../../ports/store-operations.ts';
import { TryAgain } from './errors.ts';
import { store } from './migrations/001-start.ts';

/**
 * The tables after the last migration, the same in every database: text, integers and null only. Instants are epoch ms,
 * booleans are 0 or 1, structures are JSON text, and identifications sort by code point. Both drivers return integers and
 * counts as numbers, because all of them are far below 2^53. A later migration that adds columns declares them as the first
 * one does, and they are joined here.
 */
export type Schema = {
  [Table in keyof Tables]: {
    [Name in keyof Tables[Table]['columns'] & string]: Column<Tables[Table]['columns'][Name], WordOf<Table, Name>>;
  };
};

type Tables = typeof store;

/** The words of the product in text columns. Any other text is free. */
interface Words {
  triggers: { kind: TriggerKind; state: 'waiting' | 'taken' | 'cancelled' };
  runs: { trigger_kind: TriggerKind; phase: Phase | UnknownState; outcome: Outcome | UnknownState };
  findings: { code: FindingCode };
  corrections: { code: CorrectionCode };
  changes: { kind: ChangeKind; event: PersonEvent; part: ChangePart; mark: ChangeState };
  batches: { kind: Batch['kind']; state: BatchState | UnknownState; final: NonNullable<Batch['final']> };
  previews: { state: Preview['state'] };
  roster_pages: { part: 'people' | 'emails' };
  standings: { before: PastStanding };
  baselines: { role: 'accepted' | 'measured' | 'safeguards' };
  holds: { class: ChangeClass; state: HoldFacts['state'] };
  decisions: { state: DecisionState };
  leavers: { ending: LeaverEnding };
  tokens: { state: TokenState };
  alert_deliveries: { state: AlertDelivery['state'] };
  audit: { action: AuditAction };
  sessions: { method: Session['method'] };
}

type WordOf<Table, Name> = Table extends keyof Words
  ? Name extends keyof Words[Table]
    ? Words[Table][Name]
    : string
  : string;

/** The type of a column by its text in SQL. One with a default may be left out of an insert. */
type Column<Sql, Word> = Sql extends `${string} default ${string}`
  ? Generated<Value<Sql, Word>>
  : Sql extends `${string} not null${string}`
    ? Value<Sql, Word>
    : Value<Sql, Word> | null;

type Value<Sql, Word> = Sql extends `text${string}` ? Word : number;

/** Returns the columns of the primary key of a table. */
export function keyOf<Table extends keyof Schema>(table: Table): readonly (keyof Schema[Table] & string)[] {
  return store[table].key as readonly (keyof Schema[Table] & string)[];
}

export function columnsOf<Table extends keyof Schema>(table: Table): readonly (keyof Schema[Table] & string)[] {
  return Object.keys(store[table].columns) as unknown as readonly (keyof Schema[Table] & string)[];
}

export type Database = Kysely<Schema>;
export type OpenTransaction = Transaction<Schema>;

export interface OpenDatabase {
  readonly db: Database;
  /** For messages. */
  readonly place: string;
  /** Rejects when the open database is not the one at its place. Absent: the server of the database knows. */
  readonly prove?: () => Promise<void>;
}

/** Every attempt runs the whole transaction. Five collisions in a row are more than coincidence. */
const tries = 5;

/**
 * Writes everything that `work` writes, or nothing. In SQLite no other connection writes meanwhile. In PostgreSQL no
 * other connection writes the same rows, and `lockName` guards decisions that depend on reads. `work` runs again when the
 * database undid it because of a conflicting transaction, so it must keep no state between calls.
 */
export async function inTransaction<T>(db: Database, work: (transaction: OpenTransaction) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (!(error instanceof TryAgain) || attempt === tries) throw error;
    }
  }
}

/**
 * Runs a transaction as the run's owner. Throws, with nothing written, `LEASE_LOST` when the caller no longer owns the
 * run, and `CONFLICT` when the run is in a phase that only a newer version knows.
 */
export async function asOwner<T>(
  db: Database,
  owned: OwnedRun,
  work: (transaction: OpenTransaction) => Promise<T>,
): Promise<T> {
  requireKnownPhase(owned);
  return inTransaction(db, async (transaction) => {
    await requireLease(transaction, owned);
    return work(transaction);
  });
}

function requireKnownPhase({ run }: OwnedRun): void {
  if (isKnownPhase(run.phase)) return;
  const message = `run ${run.id} is in the phase "${run.phase}", which this version of Rollcall does not know. Nothing was written; the newer version that shares this store continues the run.`;
  throw conflict(message);
}

async function requireLease(transaction: OpenTransaction, { run, lease }: OwnedRun): Promise<void> {
  // An update, not a read: with several connections, it keeps the lease row locked until the transaction ends.
  const { numUpdatedRows } = await transaction
    .updateTable('leases')
    .set({ fence: lease.fence })
    .where((eb) => eb.and({ name: lease.name, owner: lease.owner, fence: lease.fence }))
    .executeTakeFirst();
  if (numUpdatedRows > 0n) return;
  const message =
    `run ${run.id} is no longer owned by this worker: the lease ${lease.name} (fence ${lease.fence}) was released or taken ` +
    'over. Nothing was written; the current owner continues the run.';
  throw new RollcallError(message, { code: 'LEASE_LOST' });
}

/**
 * Yields rows in pieces by key, not by a cursor: nothing stays open between two pieces, however slow the reader is. `read`
 * returns at most `limit` rows after the given one, in order of key.
 */
export async function* pagesByKey<Row>(
  limit: number,
  read: (after: Row | undefined) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[], void> {
  for (let after: Row | undefined; ; ) {
    const rows = await read(after);
    if (rows.length > 0) yield rows;
    if (rows.length < limit) return;
    after = rows.at(-1);
    // The driver of SQLite is synchronous, so without this nothing else of this process would run before the last piece.
    await nextTurn();
  }
}

export function isPostgresUrl(url: string): boolean {
  return /^postgres(ql)?:/i.test(url);
}

import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { inOrderOfKey, textType } from '../differences.ts';

/** All tables of the first release. `bigint`, because instants exceed 32 bits. */
export const first: Migration = { up: createTables };

async function createTables(db: Kysely<unknown>): Promise<void> {
  await createRuns(db);
  await createPlans(db);
  await createLedger(db);
  await createHolds(db);
  await createTokens(db);
}

async function createRuns(db: Kysely<unknown>): Promise<void> {
  const text = textType(db);
  await db.schema
    .createTable('leases')
    .addColumn('name', text, (column) => column.primaryKey().notNull())
    .addColumn('owner', text)
    .addColumn('fence', 'bigint', (column) => column.notNull())
    .addColumn('until_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('triggers')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('sync', text, (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('key', text, (column) => column.notNull().unique())
    .addColumn('requested_at', 'bigint', (column) => column.notNull())
    .addColumn('scope', text, (column) => column.notNull())
    .addColumn('scope_key', text, (column) => column.notNull())
    .addColumn('state', text, (column) => column.notNull().defaultTo('waiting'))
    .addColumn('run', text)
    .execute();
  await db.schema
    .createIndex('triggers_waiting')
    .on('triggers')
    .columns(['sync', 'requested_at'])
    .where(sql.ref('state'), '=', sql.lit('waiting'))
    .execute();
  await db.schema.createIndex('triggers_slots').on('triggers').columns(['sync', 'kind', 'requested_at']).execute();
  await db.schema
    .createTable('runs')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('sync', text, (column) => column.notNull())
    .addColumn('connection', text, (column) => column.notNull())
    .addColumn('trigger_kind', text, (column) => column.notNull())
    .addColumn('scope', text, (column) => column.notNull())
    .addColumn('phase', text, (column) => column.notNull())
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('ended_at', 'bigint')
    .addColumn('outcome', text)
    .addColumn('reason', text)
    .addColumn('digest', text)
    .addColumn('counts', text, (column) => column.notNull())
    .addColumn('facts', text, (column) => column.notNull())
    .addColumn('is_cancel_requested', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('is_pruned', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  // The database itself refuses a second unfinished run of a sync.
  await db.schema
    .createIndex('runs_one_unfinished')
    .unique()
    .on('runs')
    .column('sync')
    .where(sql.ref('ended_at'), 'is', null)
    .execute();
  await db.schema.createIndex('runs_newest').on('runs').columns(['sync', 'started_at']).execute();
  await db.schema
    .createTable('findings')
    .addColumn('run', text, (column) => column.notNull().references('runs.id').onDelete('cascade'))
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('code', text, (column) => column.notNull())
    .addColumn('identification', text)
    .addColumn('place', text)
    .addColumn('message', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('findings_key', ['run', 'number'])
    .execute();
  await db.schema
    .createTable('reads')
    .addColumn('run', text, (column) => column.primaryKey().notNull().references('runs.id').onDelete('cascade'))
    .addColumn('sync', text, (column) => column.notNull())
    .addColumn('read_at', 'bigint', (column) => column.notNull())
    .addColumn('row_count', 'bigint', (column) => column.notNull())
    .addColumn('stamp', text, (column) => column.notNull())
    .addColumn('is_accepted', 'integer', (column) => column.notNull())
    .addColumn('fill_rates', text, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('reads_newest').on('reads').columns(['sync', 'read_at']).execute();
}

async function createPlans(db: Kysely<unknown>): Promise<void> {
  const text = textType(db);
  await db.schema
    .createTable('plans')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('sync', text, (column) => column.notNull())
    // A run has one plan.
    .addColumn('run', text, (column) => column.unique().references('runs.id').onDelete('cascade'))
    .addColumn('made_at', 'bigint', (column) => column.notNull())
    .addColumn('digest', text)
    .execute();
  await db.schema.createIndex('plans_digest').on('plans').columns(['sync', 'digest']).execute();
  await db.schema
    .createTable('changes')
    .addColumn('plan', text, (column) => column.notNull().references('plans.id').onDelete('cascade'))
    .addColumn('identification', text, (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('before_json', text)
    .addColumn('after_json', text, (column) => column.notNull())
    .addColumn('changed', text, (column) => column.notNull())
    .addColumn('classes', 'integer', (column) => column.notNull())
    .addColumn('reason', text, (column) => column.notNull())
    .addColumn('hash', text, (column) => column.notNull())
    .addColumn('state', text, (column) => column.notNull().defaultTo('planned'))
    .addColumn('state_reason', text)
    .addColumn('batch', text)
    .addColumn('is_approved', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('applied_at', 'bigint')
    .addPrimaryKeyConstraint('changes_key', ['plan', 'identification'])
    .execute();
  await db.schema.createIndex('changes_person').on('changes').column('identification').execute();
  await db.schema
    .createIndex('changes_batch')
    .on('changes')
    .columns(['batch', 'identification'])
    .where(sql.ref('batch'), 'is not', null)
    .execute();
  await db.schema
    .createIndex('changes_applied')
    .on('changes')
    .column('applied_at')
    .where(sql.ref('applied_at'), 'is not', null)
    .execute();
  await db.schema
    .createTable('batches')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('run', text, (column) => column.notNull().references('runs.id').onDelete('cascade'))
    .addColumn('sync', text, (column) => column.notNull())
    .addColumn('connection', text, (column) => column.notNull())
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('size', 'integer', (column) => column.notNull())
    .addColumn('state', text, (column) => column.notNull())
    .addColumn('sent_at', 'bigint')
    .addColumn('file_id', text)
    .addColumn('file_name', text)
    .addColumn('status', text)
    .addColumn('polls', 'integer', (column) => column.notNull())
    .addColumn('final', text)
    .addColumn('final_at', 'bigint')
    .addColumn('reason', text)
    .addColumn('parent', text)
    .addUniqueConstraint('batches_number', ['run', 'number'])
    .execute();
  await db.schema.createIndex('batches_open').on('batches').columns(['connection', 'state']).execute();
}

async function createLedger(db: Kysely<unknown>): Promise<void> {
  const text = textType(db);
  // Every run reads the whole ledger by key. SQLite stores rows in insertion order by default; in key order, it reads a
  // million of them four times as fast.
  await db.schema
    .createTable('ledger')
    .addColumn('connection', text, (column) => column.notNull())
    .addColumn('identification', text, (column) => column.notNull())
    .addColumn('owner', text, (column) => column.notNull())
    .addColumn('hidden', text)
    .addColumn('quirks', text)
    .addColumn('unverified', 'integer', (column) => column.notNull())
    .addColumn('disabled_at', 'bigint')
    .addColumn('gone_since', 'bigint')
    .addColumn('miss_count', 'integer')
    .addColumn('miss_since', 'bigint')
    .addColumn('miss_stamp', text)
    .addColumn('removed_at', 'bigint')
    .addColumn('removed_blacklist', 'integer')
    .addColumn('written_at', 'bigint')
    .addPrimaryKeyConstraint('ledger_key', ['connection', 'identification'])
    .modifyEnd(inOrderOfKey(db))
    .execute();
}

async function createHolds(db: Kysely<unknown>): Promise<void> {
  const text = textType(db);
  await db.schema
    .createTable('holds')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('sync', text, (column) => column.notNull())
    .addColumn('run', text, (column) => column.notNull())
    .addColumn('class', text, (column) => column.notNull())
    .addColumn('reason', text, (column) => column.notNull())
    .addColumn('digest', text, (column) => column.notNull())
    .addColumn('hashes', text, (column) => column.notNull())
    .addColumn('hashes_key', text, (column) => column.notNull())
    .addColumn('held_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('state', text, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('holds_state').on('holds').columns(['sync', 'state']).execute();
  await db.schema
    .createTable('hold_runs')
    .addColumn('hold', text, (column) => column.notNull().references('holds.id').onDelete('cascade'))
    .addColumn('run', text, (column) => column.notNull().references('runs.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('hold_runs_key', ['hold', 'run'])
    .execute();
  await db.schema.createIndex('hold_runs_run').on('hold_runs').column('run').execute();
  await db.schema
    .createTable('approvals')
    .addColumn('sync', text, (column) => column.notNull())
    .addColumn('hash', text, (column) => column.notNull())
    .addColumn('decision', text, (column) => column.notNull())
    .addColumn('by_whom', text, (column) => column.notNull())
    .addColumn('decided_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('approvals_key', ['sync', 'hash'])
    .execute();
}

async function createTokens(db: Kysely<unknown>): Promise<void> {
  const text = textType(db);
  await db.schema
    .createTable('tokens')
    .addColumn('connection', text, (column) => column.primaryKey().notNull())
    .addColumn('generation', 'bigint', (column) => column.notNull())
    .addColumn('state', text, (column) => column.notNull())
    .addColumn('access_sealed', text)
    .addColumn('refresh_sealed', text)
    .addColumn('issued_at', 'bigint')
    .addColumn('expires_at', 'bigint')
    .addColumn('seed_hash', text)
    .addColumn('used_seeds', text, (column) => column.notNull())
    .addColumn('refresh_started_at', 'bigint')
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('reason', text)
    .execute();
}

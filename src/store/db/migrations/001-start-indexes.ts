import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres } from '../differences.ts';
import { store } from './001-start.ts';
import type { Columns, Table } from './001-start-audit.ts';

/**
 * SQLite stores rows in insertion order by default. Every run reads the whole ledger by key: in key order, it reads a
 * million of them four times as fast. Decisions are in order of person, as plans are read: a million of them in order of
 * their hashes take six times as long to find.
 */
const inOrderOfKey: readonly string[] = ['ledger', 'decisions'];

/** The indexes of the first tables, and what each is for where its name does not say it. */
const indexes: readonly string[] = [
  `create index triggers_waiting on triggers (sync, requested_at) where state = 'waiting'`,
  'create index triggers_slots on triggers (sync, kind, requested_at)',
  // The database itself refuses a second unfinished run of a sync.
  'create unique index runs_one_unfinished on runs (sync) where ended_at is null',
  'create index runs_newest on runs (sync, started_at)',
  'create index runs_ended on runs (sync, ended_at)',
  // Lets alerts find the runs of all syncs that ended lately with one query.
  'create index runs_by_end on runs (ended_at)',
  'create index reads_newest on reads (sync, read_at)',
  'create index plans_digest on plans (sync, digest)',
  // The changes of all syncs, newest first. Plans that were only shown are not listed.
  'create index plans_newest on plans (made_at, id) where run is not null',
  'create index changes_person on changes (identification)',
  'create index changes_batch on changes (batch, identification) where batch is not null',
  'create index changes_applied on changes (applied_at) where applied_at is not null',
  'create unique index batches_numbers on batches (run, number)',
  'create index batches_open on batches (connection, state)',
  // Finds the next batch of a run, and those that are out, without reading the ones that have ended.
  'create index batches_by_state on batches (run, state, number)',
  'create index ledger_waiting on ledger (connection) where leaders_wait = 1',
  'create index batches_parts on batches (run, state, number) where parent is not null',
  'create index previews_by_state on previews (state, requested_at)',
  'create index holds_state on holds (sync, state)',
  'create index hold_runs_run on hold_runs (run)',
  `create index alert_deliveries_waiting on alert_deliveries (channel, made_at) where state = 'waiting'`,
  'create index alert_deliveries_newest on alert_deliveries (made_at)',
  // A person has one statement that counts.
  'create unique index leavers_open on leavers (sync, identification) where ended_at is null',
  'create index leavers_seen on leavers (seen_at) where seen_at is not null',
  'create index leavers_ended on leavers (sync, ended_at)',
  'create index audit_sync on audit (sync, id)',
  'create unique index audit_chain on audit (seq)',
  'create index findings_person on findings (identification, code) where identification is not null',
  'create index findings_until on findings (until_at) where until_at is not null',
];

export const tables: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const made = Object.entries<Table<Columns>>(store).map(([name, shape]) => statementFor(db, name, shape));
    await sql.raw([...made, ...indexes].join(';\n')).execute(db);
    await sql`insert into store_identity (id) values (${randomUUID()})`.execute(db);
  },
};

function statementFor(db: Kysely<unknown>, name: string, { key, columns }: Table<Columns>): string {
  // SQLite compares and sorts text by code point; PostgreSQL would sort it by its locale.
  const typed = (text: string) => (isPostgres(db) ? text.replace(/^text\b/, 'text collate "C"') : text);
  const parts = Object.entries(columns).map(([column, text]) => `${column} ${typed(text)}`);
  // PostgreSQL reads its index in order of the key, so the table itself needs no order.
  const ending = inOrderOfKey.includes(name) && !isPostgres(db) ? ' without rowid' : '';
  return `create table ${name} (${parts.join(', ')}, primary key (${key.join(', ')}))${ending}`;
}

import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres } from '../differences.ts';

/** All tables. `bigint`, because instants exceed 32 bits. What a column means is in `tables.ts`. */
export const tables: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statementsFor(db)) await sql.raw(statement).execute(db);
  },
};

/** The statements that differ between the two databases are words in these texts. */
function statementsFor(db: Kysely<unknown>): readonly string[] {
  const statements = [...runs, ...plans, ...people, ...decisions, ...connections, ...operators];
  if (!isPostgres(db)) return statements.map((one) => one.replace('in order of key', 'without rowid'));
  // SQLite compares and sorts text by code point; PostgreSQL would sort it by its locale. It reads its index in order of
  // the key, so the table itself needs none.
  return statements.map((one) => one.replace('in order of key', '').replace(/\btext\b/g, 'text collate "C"'));
}

const runs = [
  `create table leases (
    name text primary key not null,
    owner text,
    fence bigint not null,
    until_at bigint not null,
    deaths integer not null default 0
  )`,
  `create table turns (
    name text not null,
    owner text not null,
    number bigint not null,
    until_at bigint not null,
    primary key (name, owner)
  )`,
  `create table clock_marks (
    boot text primary key not null,
    uptime_ms bigint not null,
    at bigint not null
  )`,
  `create table clock_jumps (
    before_at bigint not null,
    after_at bigint not null,
    primary key (before_at, after_at)
  )`,
  `create table triggers (
    id text primary key not null,
    sync text not null,
    kind text not null,
    key text not null unique,
    requested_at bigint not null,
    scope text not null,
    scope_key text not null,
    state text not null default 'waiting',
    run text
  )`,
  `create index triggers_waiting on triggers (sync, requested_at) where state = 'waiting'`,
  'create index triggers_slots on triggers (sync, kind, requested_at)',
  `create table runs (
    id text primary key not null,
    sync text not null,
    connection text not null,
    trigger_kind text not null,
    scope text not null,
    phase text not null,
    started_at bigint not null,
    ended_at bigint,
    outcome text,
    reason text,
    digest text,
    counts text not null,
    facts text not null,
    requests text,
    phases text,
    is_cancel_requested integer not null default 0,
    is_success integer not null default 0,
    is_pruned integer not null default 0
  )`,
  // The database itself refuses a second unfinished run of a sync.
  'create unique index runs_one_unfinished on runs (sync) where ended_at is null',
  'create index runs_newest on runs (sync, started_at)',
  'create index runs_ended on runs (sync, ended_at)',
  // Lets alerts find the runs of all syncs that ended lately with one query.
  'create index runs_by_end on runs (ended_at)',
  `create table findings (
    run text not null references runs (id) on delete cascade,
    number integer not null,
    code text not null,
    identification text,
    place text,
    message text not null,
    primary key (run, number)
  )`,
  `create table raw_texts (
    run text not null,
    number integer not null,
    at bigint not null,
    sealed text not null,
    primary key (run, number)
  )`,
  `create table reads (
    run text primary key not null references runs (id) on delete cascade,
    sync text not null,
    read_at bigint not null,
    row_count bigint not null,
    stamp text not null,
    is_accepted integer not null,
    fill_rates text not null,
    sight text,
    blocked text
  )`,
  'create index reads_newest on reads (sync, read_at)',
];

const plans = [
  // A run has one plan.
  `create table plans (
    id text primary key not null,
    sync text not null,
    run text unique references runs (id) on delete cascade,
    made_at bigint not null,
    digest text,
    configuration text
  )`,
  'create index plans_digest on plans (sync, digest)',
  `create table changes (
    plan text not null references plans (id) on delete cascade,
    identification text not null,
    kind text not null,
    personal text not null,
    changed text not null,
    classes integer not null,
    waits_for text,
    hash text not null,
    rule text not null,
    episode text not null,
    state text not null default 'planned',
    state_reason text,
    batch text,
    is_approved integer not null default 0,
    is_rejected integer not null default 0,
    asked text,
    applied_at bigint,
    primary key (plan, identification)
  )`,
  'create index changes_person on changes (identification)',
  'create index changes_batch on changes (batch, identification) where batch is not null',
  // The members of a hold. It has all that is asked of a million of them, so that their wide rows are not read.
  `create index changes_held on changes (plan, identification, classes, hash) where state = 'held'`,
  'create index changes_applied on changes (applied_at) where applied_at is not null',
  `create table batches (
    id text primary key not null,
    run text not null references runs (id) on delete cascade,
    sync text not null,
    connection text not null,
    number integer not null,
    kind text not null,
    size integer not null,
    state text not null,
    sent_at bigint,
    file_id text,
    file_name text,
    status text,
    polls integer not null,
    final text,
    final_at bigint,
    reason text,
    parent text,
    is_parking integer not null,
    unique (run, number)
  )`,
  'create index batches_open on batches (connection, state)',
  // Finds the next batch of a run, and those that are out, without reading the ones that have ended.
  'create index batches_by_state on batches (run, state, number)',
  'create index batches_parts on batches (run, state, number) where parent is not null',
  `create table previews (
    id text primary key not null,
    sync text not null,
    scope text not null,
    requested_by text not null,
    requested_at bigint not null,
    expires_at bigint not null,
    state text not null default 'waiting',
    attempt integer not null default 0,
    started_at bigint,
    ended_at bigint,
    progress text,
    report text,
    reason text
  )`,
  'create index previews_by_state on previews (state, requested_at)',
];

const people = [
  // Every run reads the whole ledger by key. SQLite stores rows in insertion order by default; in key order, it reads a
  // million of them four times as fast.
  `create table ledger (
    connection text not null,
    identification text not null,
    owner text not null,
    account_id text,
    hidden text,
    quirks text,
    unverified integer not null,
    disabled_at bigint,
    gone_since bigint,
    miss_count integer,
    miss_since bigint,
    miss_stamp text,
    hand_over_since bigint,
    taken_from text,
    taken_at bigint,
    removed_at bigint,
    removed_blacklist integer,
    written_at bigint,
    primary key (connection, identification)
  ) in order of key`,
  `create table forgotten (
    connection text not null,
    hash text not null,
    owner text not null,
    disabled_at bigint,
    gone_since bigint,
    removed_at bigint,
    removed_blacklist integer,
    forgotten_at bigint not null,
    primary key (connection, hash)
  )`,
  `create table store_keys (
    name text primary key not null,
    value text not null
  )`,
  `create table rosters (
    sync text primary key not null,
    run text not null,
    read_at bigint not null,
    fingerprint text not null,
    salt text not null,
    people integer not null,
    people_pages integer not null,
    email_pages integer not null
  )`,
  `create table roster_pages (
    sync text not null,
    part text not null,
    page integer not null,
    digest text not null,
    data text not null,
    primary key (sync, part, page)
  )`,
  `create table directories (
    sync text primary key not null,
    run text not null,
    read_at bigint not null,
    people integer not null,
    pages integer not null
  )`,
  `create table directory_pages (
    sync text not null,
    page integer not null,
    digest text not null,
    sealed text not null,
    primary key (sync, page)
  )`,
  `create table baselines (
    sync text not null,
    role text not null,
    fingerprint text not null,
    sealed text not null,
    run text,
    at bigint not null,
    is_open integer not null,
    is_held integer not null,
    primary key (sync, role)
  )`,
  `create table watermarks (
    sync text primary key not null,
    known_at bigint not null,
    full_at bigint not null,
    full_run text not null,
    fingerprint text not null
  )`,
];

const decisions = [
  `create table holds (
    id text primary key not null,
    sync text not null,
    run text not null,
    class text not null,
    reason text not null,
    digest text not null,
    members_key text not null,
    size integer not null,
    held_at bigint not null,
    expires_at bigint not null,
    state text not null
  )`,
  'create index holds_state on holds (sync, state)',
  `create table hold_runs (
    hold text not null references holds (id) on delete cascade,
    run text not null references runs (id) on delete cascade,
    primary key (hold, run)
  )`,
  'create index hold_runs_run on hold_runs (run)',
  // In order of person, as plans are read: a million decisions in order of their hashes take six times as long to find.
  `create table decisions (
    sync text not null,
    hash text not null,
    identification text not null,
    rule text not null,
    episode text not null,
    state text not null,
    by_whom text,
    why text,
    at bigint not null,
    expires_at bigint,
    run text,
    ended_at bigint,
    ended_by text,
    fields text not null,
    primary key (sync, identification, hash)
  ) in order of key`,
];

const connections = [
  `create table tokens (
    connection text primary key not null,
    generation bigint not null,
    state text not null,
    access_sealed text,
    refresh_sealed text,
    issued_at bigint,
    expires_at bigint,
    seed_hash text,
    used_seeds text not null,
    refresh_started_at bigint,
    attempts integer not null,
    reason text,
    retry_at bigint,
    tried_seeds text,
    room text,
    restored_at bigint,
    restored_seed text
  )`,
  `create table alert_states (
    subject text primary key not null,
    version bigint not null,
    state text not null
  )`,
  `create table alert_deliveries (
    notice text not null,
    channel text not null,
    subject text not null,
    made_at bigint not null,
    body text not null,
    state text not null,
    tries integer not null,
    next_at bigint not null,
    ended_at bigint,
    error text,
    thread text,
    receipt text,
    primary key (notice, channel)
  )`,
  `create index alert_deliveries_waiting on alert_deliveries (channel, made_at) where state = 'waiting'`,
  'create index alert_deliveries_newest on alert_deliveries (made_at)',
];

const operators = [
  `create table pauses (
    sync text primary key not null,
    paused_at bigint not null,
    by_whom text not null,
    until_at bigint
  )`,
  `create table learned (
    connection text primary key not null,
    facts text not null
  )`,
  `create table audit (
    id text primary key not null,
    at bigint not null,
    by_whom text not null,
    action text not null,
    sync text,
    connection text,
    run text,
    detail text,
    why text,
    via text
  )`,
  'create index audit_sync on audit (sync, id)',
  `create table restores (
    id text primary key not null,
    at bigint not null,
    made_at bigint not null,
    by_whom text not null
  )`,
  `create table sessions (
    key text primary key not null,
    name text not null,
    role text not null,
    method text not null,
    token text,
    created_at bigint not null,
    used_at bigint not null,
    expires_at bigint not null
  )`,
  `create table sign_ins (
    key text primary key not null,
    verifier text not null,
    nonce text not null,
    target text not null,
    expires_at bigint not null
  )`,
  // Tells a version that does not know a migration whether it can still use the store.
  `create table schema_compatibility (
    migration text primary key not null,
    since text not null,
    breaks text
  )`,
];

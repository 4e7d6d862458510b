import { auditTables, table } from './001-start-audit.ts';
import { processTables } from './001-start-processes.ts';

/** All tables. `bigint`, because instants exceed 32 bits. `tables.ts` says to whom a column belongs. */
export const store = {
  /** One row. A restore gives the store another id. */
  store_identity: table(['id'], {
    id: 'text not null',
    /** Why processes refuse this copy; null while they do not. */
    refused: 'text',
    /** The id of the store whose content was moved here. */
    moved_from: 'text',
  }),
  ...processTables,
  triggers: table(['id'], {
    id: 'text not null',
    sync: 'text not null',
    kind: 'text not null',
    key: 'text not null unique',
    requested_at: 'bigint not null',
    scope: 'text not null',
    /** Equal for equal scopes, whatever the order of identifications. */
    scope_key: 'text not null',
    state: `text not null default 'waiting'`,
    /** The run that took the trigger. */
    run: 'text',
    /** Who requested it by hand. */
    requester: 'text',
  }),
  runs: table(['id'], {
    id: 'text not null',
    sync: 'text not null',
    connection: 'text not null',
    trigger_kind: 'text not null',
    scope: 'text not null',
    phase: 'text not null',
    started_at: 'bigint not null',
    ended_at: 'bigint',
    outcome: 'text',
    reason: 'text',
    digest: 'text',
    counts: 'text not null',
    read: 'text',
    plan: 'text',
    delivery: 'text',
    /** `end` is a word of SQL. */
    end_facts: 'text',
    waiting: 'text',
    problem: 'text',
    requests: 'text',
    /** Null before the first change of phase. */
    phases: 'text',
    is_cancel_requested: 'integer not null default 0',
    /** 1 when the run ended and did its work. */
    is_success: 'integer not null default 0',
    /** 1 when findings, changes and batches were deleted. */
    is_pruned: 'integer not null default 0',
  }),
  findings: table(['run', 'number'], {
    run: 'text not null references runs (id) on delete cascade',
    number: 'integer not null',
    code: 'text not null',
    identification: 'text',
    place: 'text',
    message: 'text not null',
    /** The message without the people and places that it names (`causeOf`). */
    cause: 'text not null',
    /** The finding stands for those of so many people. */
    people: 'integer',
    /** The start of the last run without changes that told the same and keeps no findings of its own. */
    until_at: 'bigint',
  }),
  corrections: table(['sync', 'code', 'subject', 'field'], {
    sync: 'text not null',
    code: 'text not null',
    subject: 'text not null',
    field: 'text not null',
    place: 'text not null',
    owner: 'text not null',
    has_access: 'integer not null',
    since: 'bigint not null',
  }),
  raw_texts: table(['run', 'number'], {
    run: 'text not null',
    number: 'integer not null',
    at: 'bigint not null',
    /** JSON of what it belongs to and the text, sealed. */
    sealed: 'text not null',
  }),
  reads: table(['run'], {
    run: 'text not null references runs (id) on delete cascade',
    sync: 'text not null',
    read_at: 'bigint not null',
    row_count: 'bigint not null',
    stamp: 'text not null',
    is_accepted: 'integer not null',
    fill_rates: 'text not null',
    sight: 'text',
    /** Counts by kind. */
    blocked: 'text',
    /** JSON of what the read looked like, sealed. */
    profile: 'text',
  }),
  /** A run has one plan. */
  plans: table(['id'], {
    id: 'text not null',
    sync: 'text not null',
    run: 'text unique references runs (id) on delete cascade',
    made_at: 'bigint not null',
    /** Null until the plan is sealed. */
    digest: 'text',
    /** Fingerprint of the configuration with which the plan was made. */
    configuration: 'text',
  }),
  changes: table(['plan', 'identification', 'part'], {
    plan: 'text not null references plans (id) on delete cascade',
    identification: 'text not null',
    /** `ChangePart`: a change of the account, or of the leaders. */
    part: `text not null default 'account'`,
    kind: 'text not null',
    /** A `PersonEvent`. */
    event: 'text not null',
    /** JSON of what holds personal data; see `toPlannedChange`. Sealed with a key. */
    personal: 'text not null',
    /** Names between commas: `,email,job,`. */
    changed: 'text not null',
    /** Sum of the bits of `classBits`. */
    classes: 'integer not null',
    waits_for: 'text',
    hash: 'text not null',
    rule: 'text not null',
    episode: 'text not null',
    /** What was marked on it alone. Its state follows from this and from `plan_holds`: see `stated`. */
    mark: `text not null default 'planned'`,
    mark_reason: 'text',
    /** 1: an operator left it out of a decision about others. */
    is_left_out: 'integer not null default 0',
    batch: 'text',
    is_approved: 'integer not null default 0',
    is_rejected: 'integer not null default 0',
    /** Digests of the requested values as JSON, where a decision about a field depends on them. */
    asked: 'text',
    applied_at: 'bigint',
  }),
  /** What the guards held of a plan: a hold of 100,000 changes is one row. */
  plan_holds: table(['plan', 'number'], {
    plan: 'text not null references plans (id) on delete cascade',
    /** The first hold of a change says why. */
    number: 'integer not null',
    /** Sum of the bits of `classBits`. */
    classes: 'integer not null',
    reason: 'text not null',
  }),
  batches: table(['id'], {
    id: 'text not null',
    run: 'text not null references runs (id) on delete cascade',
    sync: 'text not null',
    connection: 'text not null',
    number: 'integer not null',
    kind: 'text not null',
    size: 'integer not null',
    state: 'text not null',
    sent_at: 'bigint',
    file_id: 'text',
    file_name: 'text',
    status: 'text',
    polls: 'integer not null',
    final: 'text',
    final_at: 'bigint',
    reason: 'text',
    parent: 'text',
  }),
  previews: table(['id'], {
    id: 'text not null',
    sync: 'text not null',
    scope: 'text not null',
    mapping: 'text',
    requested_by: 'text not null',
    requested_at: 'bigint not null',
    expires_at: 'bigint not null',
    state: `text not null default 'waiting'`,
    attempt: 'integer not null default 0',
    started_at: 'bigint',
    ended_at: 'bigint',
    progress: 'text',
    /** Names people by identification, without values. */
    report: 'text',
    reason: 'text',
  }),
  ledger: table(['connection', 'identification'], {
    connection: 'text not null',
    identification: 'text not null',
    owner: 'text not null',
    account_id: 'text',
    /** Null when empty, which is the usual case and needs no parsing. */
    hidden: 'text',
    quirks: 'text',
    /** `LedgerLeaders`. */
    leaders: 'text',
    /** 1: a leader waits, so that a read of a few people finds them without opening all entries. */
    leaders_wait: 'integer not null',
    unverified: 'integer not null',
    disabled_at: 'bigint',
    gone_since: 'bigint',
    miss_count: 'integer',
    miss_since: 'bigint',
    miss_stamp: 'text',
    hand_over_since: 'bigint',
    taken_from: 'text',
    taken_at: 'bigint',
    removed_at: 'bigint',
    removed_blacklist: 'integer',
    written_at: 'bigint',
  }),
  forgotten: table(['connection', 'hash'], {
    connection: 'text not null',
    /** Keyed hash of connection and identification. */
    hash: 'text not null',
    owner: 'text not null',
    disabled_at: 'bigint',
    gone_since: 'bigint',
    removed_at: 'bigint',
    removed_blacklist: 'integer',
    forgotten_at: 'bigint not null',
  }),
  /** Keys that the store itself made, sealed when there is an `encryptionKey`. */
  store_keys: table(['name'], {
    name: 'text not null',
    value: 'text not null',
  }),
  rosters: table(['sync'], {
    sync: 'text not null',
    run: 'text not null',
    read_at: 'bigint not null',
    fingerprint: 'text not null',
    salt: 'text not null',
    people: 'integer not null',
    people_pages: 'integer not null',
    email_pages: 'integer not null',
    /** From then on, `standings` says of whom the rosters said something else. */
    known_since: 'bigint not null',
  }),
  /** What the rosters said of a person until the read of `run` said something else. */
  standings: table(['sync', 'person', 'at'], {
    sync: 'text not null',
    /** Hash with the roster's salt. */
    person: 'text not null',
    run: 'text not null',
    /** The start of the run. A read that is doubted has a second row, one millisecond later. */
    at: 'bigint not null',
    /** `PastStanding`. */
    before: 'text not null',
  }),
  roster_pages: table(['sync', 'part', 'page'], {
    sync: 'text not null',
    part: 'text not null',
    page: 'integer not null',
    /** sha256 of `data`: a page that is equal is not written again. */
    digest: 'text not null',
    /** 32-bit numbers, little-endian, in base64; see core/roster.ts. */
    data: 'text not null',
  }),
  directories: table(['sync'], {
    sync: 'text not null',
    run: 'text not null',
    read_at: 'bigint not null',
    people: 'integer not null',
    pages: 'integer not null',
  }),
  directory_pages: table(['sync', 'page'], {
    sync: 'text not null',
    page: 'integer not null',
    digest: 'text not null',
    /** JSON of the rows, sealed. */
    sealed: 'text not null',
  }),
  baselines: table(['sync', 'role'], {
    sync: 'text not null',
    /** `measured`: what an edit was measured with, until it is accepted. */
    role: 'text not null',
    fingerprint: 'text not null',
    sealed: 'text not null',
    run: 'text',
    at: 'bigint not null',
    is_open: 'integer not null',
    is_held: 'integer not null',
  }),
  watermarks: table(['sync'], {
    sync: 'text not null',
    known_at: 'bigint not null',
    full_at: 'bigint not null',
    full_run: 'text not null',
    fingerprint: 'text not null',
  }),
  /** Its changes are those of the run's plan that are held and in the class. */
  holds: table(['id'], {
    id: 'text not null',
    sync: 'text not null',
    run: 'text not null',
    class: 'text not null',
    reason: 'text not null',
    held_before: 'text',
    digest: 'text not null',
    /** sha256 over the hashes of its changes in order of identification: equal for holds of the same changes. */
    members_key: 'text not null',
    /** Number of its changes when it was opened. */
    size: 'integer not null',
    held_at: 'bigint not null',
    expires_at: 'bigint not null',
    state: 'text not null',
  }),
  /** Every run that held the same changes. A renewed hold is found from the run that created it. */
  hold_runs: table(['hold', 'run'], {
    hold: 'text not null references holds (id) on delete cascade',
    run: 'text not null references runs (id) on delete cascade',
  }),
  /** What a person decided about a person and an account, an account alone, or the users of a sync that is gone. */
  standing_decisions: table(['id'], {
    /** That of its audit entry. */
    id: 'text not null',
    connection: 'text not null',
    sync: 'text not null',
    way: 'text not null',
    identification: 'text',
    /** The account, where it is of another identification. */
    other: 'text',
    account_id: 'text',
    /** Digest of the name that HR gave, where the decision is about the account of that identification. */
    name_digest: 'text',
    /** The sync that is gone. */
    owner: 'text',
    by_whom: 'text not null',
    why: 'text',
    at: 'bigint not null',
    /** Null: for good. */
    until_at: 'bigint',
    ended_at: 'bigint',
    ended_by: 'text',
  }),
  leavers: table(['id'], {
    id: 'text not null',
    sync: 'text not null',
    identification: 'text not null',
    said_at: 'bigint not null',
    /** The run that said it. */
    said_in: 'text not null',
    /** A plain date; null: HR gives none. */
    leaves: 'text',
    effective_at: 'bigint not null',
    /** The later of the two. */
    clock_at: 'bigint not null',
    /** The run whose disable the platform showed. */
    run: 'text',
    sent_at: 'bigint',
    seen_at: 'bigint',
    ended_at: 'bigint',
    ending: 'text',
  }),
  decisions: table(['sync', 'identification', 'hash'], {
    sync: 'text not null',
    hash: 'text not null',
    identification: 'text not null',
    rule: 'text not null',
    /** A number: 0, 1, … */
    episode: 'text not null',
    state: 'text not null',
    by_whom: 'text',
    why: 'text',
    at: 'bigint not null',
    /** Null for a rejection. */
    expires_at: 'bigint',
    /** The run that used the approval up. */
    run: 'text',
    ended_at: 'bigint',
    /** The run whose read ended the episode. */
    ended_by: 'text',
    /** `DecidedFields` as JSON. */
    fields: 'text not null',
    /** `GivenApprovals` as JSON: it needs more of them. */
    given: 'text',
  }),
  tokens: table(['connection'], {
    connection: 'text not null',
    generation: 'bigint not null',
    state: 'text not null',
    access_sealed: 'text',
    refresh_sealed: 'text',
    issued_at: 'bigint',
    expires_at: 'bigint',
    seed_hash: 'text',
    used_seeds: 'text not null',
    refresh_started_at: 'bigint',
    attempts: 'integer not null',
    reason: 'text',
    retry_at: 'bigint',
    tried_seeds: 'text',
    room: 'text',
    /** When a restore put the row here; null once an operator has confirmed it. */
    restored_at: 'bigint',
    /** Hash of the first token that was configured at the restore. Null when the store knew it. */
    restored_seed: 'text',
  }),
  alert_states: table(['subject'], {
    subject: 'text not null',
    version: 'bigint not null',
    state: 'text not null',
  }),
  alert_deliveries: table(['notice', 'channel'], {
    notice: 'text not null',
    channel: 'text not null',
    subject: 'text not null',
    made_at: 'bigint not null',
    body: 'text not null',
    state: 'text not null',
    tries: 'integer not null',
    next_at: 'bigint not null',
    ended_at: 'bigint',
    error: 'text',
    /** The run that it is about; null when it stands alone. */
    thread: 'text',
    /** The receiver's id of it. */
    receipt: 'text',
  }),
  pauses: table(['sync'], {
    sync: 'text not null',
    paused_at: 'bigint not null',
    by_whom: 'text not null',
    until_at: 'bigint',
  }),
  /** `facts`: JSON of `LearnedFacts`. */
  learned: table(['connection'], {
    connection: 'text not null',
    facts: 'text not null',
  }),
  ...auditTables,
  restores: table(['id'], {
    id: 'text not null',
    at: 'bigint not null',
    /** When the backup was made. */
    made_at: 'bigint not null',
    by_whom: 'text not null',
  }),
  /** Where the reports stand that are sent by e-mail. */
  mailed_reports: table(['name'], {
    name: 'text not null',
    attempt: 'bigint not null default 0',
    slot_at: 'bigint',
    requested_at: 'bigint',
    success_at: 'bigint',
    failures: 'integer not null default 0',
    failure: 'text',
    retry_at: 'bigint',
  }),
  /**
   * One row per migration, including those that this version does not know: tells a version whether it can still use the
   * store. Its columns can never change.
   */
  schema_compatibility: table(['migration'], {
    migration: 'text not null',
    /** The first release that has the migration. */
    since: 'text not null',
    /** Why versions without the migration cannot use the store; null when they can. */
    breaks: 'text',
  }),
};

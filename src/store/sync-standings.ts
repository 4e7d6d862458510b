import { type Selectable, sql } from 'kysely';
import type { SyncStanding } from '../ports/reports.ts';
import type { Database } from './db/database.ts';
import type { Schema } from './db/schema.ts';
import { pauseAt } from './operations.ts';
import { toRun } from './runs.ts';

type Nullable<Row> = { readonly [Column in keyof Row]: Row[Column] | null };

/** The columns of `runs` are those of the newest run. */
interface StandingRow
  extends Omit<Selectable<Schema['runs']>, 'id'>,
    Nullable<Pick<Selectable<Schema['runs']>, 'id'>>,
    Nullable<Pick<Selectable<Schema['pauses']>, 'paused_at' | 'by_whom' | 'until_at'>> {
  readonly name: string;
  readonly waiting_requests: number;
  readonly requested_at: number | null;
  readonly accepted_at: number | null;
  readonly attempt_at: number | null;
  readonly last: string | null;
  readonly last_at: number | null;
  readonly last_outcome: string | null;
  readonly last_reason: string | null;
  readonly fresh_at: number | null;
  readonly success_at: number | null;
  readonly failures: number;
  readonly failing_since: number | null;
}

/** Stored scopes of runs that cover all employees. */
const fullScopes = sql.join([{ kind: 'all' }, { kind: 'all', isFull: true }].map((scope) => JSON.stringify(scope)));

const ended = sql`from runs where sync = names.name and scope in (${fullScopes}) and ended_at is not null`;
const newestFirst = sql`order by ended_at desc, id desc limit 1`;
const failed = sql`${ended} and outcome != 'cancelled' and is_success = 0 and ended_at > coalesce(success.ended_at, -1)`;
const waiting = sql`from triggers where sync = names.name and state = 'waiting'`;

/** `Reports.syncs`. Each part uses an index of its own, so the time depends on the syncs, and not on their history. */
export async function readStandings(db: Database, names: readonly string[], now: number): Promise<SyncStanding[]> {
  const { rows } = await sql<StandingRow>`
    with names (name) as (values ${sql.join(names.map((name) => sql`(${name})`))})
    select names.name, newest.*, pauses.paused_at, pauses.by_whom, pauses.until_at,
      (select count(distinct scope_key) ${waiting}) as waiting_requests,
      (select min(requested_at) ${waiting}) as requested_at,
      (select read_at from reads where sync = names.name and is_accepted = 1 order by read_at desc limit 1) as accepted_at,
      attempt.ended_at as attempt_at,
      latest.id as last, latest.ended_at as last_at, latest.outcome as last_outcome, latest.reason as last_reason,
      success.started_at as fresh_at, success.ended_at as success_at,
      (select count(*) ${failed}) as failures,
      (select min(ended_at) ${failed}) as failing_since
    from names
    left join pauses on pauses.sync = names.name
    left join runs as newest on newest.id = coalesce(
      (select id from runs where sync = names.name and ended_at is null),
      (select id from runs where sync = names.name order by started_at desc, id desc limit 1))
    left join runs as attempt on attempt.id = (select id ${ended} ${newestFirst})
    left join runs as latest on latest.id = (select id ${ended} and outcome != 'cancelled' ${newestFirst})
    left join runs as success on success.id = (select id ${ended} and is_success = 1 ${newestFirst})`.execute(db);
  return rows.map((row) => toStanding(row, now));
}

function toStanding({ id, name, paused_at, by_whom, until_at, ...row }: StandingRow, now: number): SyncStanding {
  const isPaused = paused_at !== null && by_whom !== null;
  return {
    sync: name,
    newest: id === null ? undefined : toRun({ ...row, id }),
    pause: isPaused ? pauseAt({ sync: name, paused_at, by_whom, until_at }, now) : undefined,
    requests: row.waiting_requests,
    requestedAt: row.requested_at ?? undefined,
    acceptedAt: row.accepted_at ?? undefined,
    endedAt: row.last_at ?? undefined,
    attemptAt: row.attempt_at ?? undefined,
    freshAt: row.fresh_at ?? undefined,
    successAt: row.success_at ?? undefined,
    failures: row.failures,
    failingSince: row.failing_since ?? undefined,
    lastFailure:
      row.failures === 0 || row.last === null
        ? undefined
        : { run: row.last, outcome: row.last_outcome ?? '', reason: row.last_reason ?? undefined },
  };
}

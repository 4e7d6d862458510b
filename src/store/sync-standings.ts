import { type Selectable, sql } from 'kysely';
import type { SyncStanding } from '../ports/reports.ts';
import type { Run } from '../ports/store.ts';
import type { Database, Schema } from './db/database.ts';
import { pauseAt } from './operations.ts';
import { toRun } from './runs.ts';

const instants = ['requestedAt', 'acceptedAt', 'endedAt', 'freshAt', 'successAt', 'failingSince'] as const;
type Instants<None> = { readonly [Name in (typeof instants)[number]]: number | None };

/** The columns of `runs` are those of the newest run. */
interface StandingRow extends Omit<Selectable<Schema['runs']>, 'id'>, Instants<null> {
  readonly name: string;
  readonly id: string | null;
  readonly paused_at: number | null;
  readonly by_whom: string | null;
  readonly until_at: number | null;
  readonly asked: number;
  readonly failures: number;
  readonly last: string | null;
  readonly last_outcome: string | null;
  readonly last_reason: string | null;
}

const canceled: Run['outcome'] = 'cancelled';
/** Stored scopes of runs that cover all employees. */
const fullScopes = sql.join([{ kind: 'all' }, { kind: 'all', isFull: true }].map((scope) => JSON.stringify(scope)));

const ended = sql`from runs where sync = names.name and scope in (${fullScopes}) and outcome != ${canceled}`;
const newestFirst = sql`order by ended_at desc, id desc limit 1`;
const failed = sql`${ended} and is_success = 0 and ended_at > coalesce(success.ended_at, -1)`;
const waiting = sql`from triggers where sync = names.name and state = 'waiting'`;

/** `Reports.syncs`. Each part uses an index of its own, so the time depends on the syncs, and not on their history. */
export async function readStandings(db: Database, names: readonly string[], now: number): Promise<SyncStanding[]> {
  const { rows } = await sql<StandingRow>`
    with names (name) as (values ${sql.join(names.map((name) => sql`(${name})`))})
    select names.name, newest.*, pauses.paused_at, pauses.by_whom, pauses.until_at,
      (select count(distinct scope_key) ${waiting}) as asked,
      (select min(requested_at) ${waiting}) as "requestedAt",
      (select read_at from reads where sync = names.name and is_accepted = 1 order by read_at desc limit 1) as "acceptedAt",
      latest.id as last, latest.ended_at as "endedAt", latest.outcome as last_outcome, latest.reason as last_reason,
      success.started_at as "freshAt", success.ended_at as "successAt",
      (select count(*) ${failed}) as failures, (select min(ended_at) ${failed}) as "failingSince"
    from names
    left join pauses on pauses.sync = names.name
    left join runs as newest on newest.id = coalesce(
      (select id from runs where sync = names.name and ended_at is null),
      (select id from runs where sync = names.name order by started_at desc, id desc limit 1))
    left join runs as latest on latest.id = (select id ${ended} and ended_at is not null ${newestFirst})
    left join runs as success on success.id = (select id ${ended} and is_success = 1 and ended_at is not null ${newestFirst})
    `.execute(db);
  return rows.map((row) => toStanding(row, now));
}

function toStanding({ id, name, paused_at, by_whom, until_at, ...row }: StandingRow, now: number): SyncStanding {
  const isPaused = paused_at !== null && by_whom !== null;
  const { failures, last, last_outcome: outcome, last_reason: reason } = row;
  return {
    ...(Object.fromEntries(instants.map((key) => [key, row[key] ?? undefined])) as Instants<undefined>),
    sync: name,
    newest: id === null ? undefined : toRun({ ...row, id }),
    pause: isPaused ? pauseAt({ sync: name, paused_at, by_whom, until_at }, now) : undefined,
    requests: row.asked,
    failures,
    lastFailure:
      failures === 0 || last === null ? undefined : { run: last, outcome: outcome ?? '', reason: reason ?? undefined },
  };
}

import type { NotNull, Selectable } from 'kysely';
import { given } from '../core/run/given.ts';
import {
  type AlertBook,
  type AlertDelivery,
  type AlertNotice,
  type AlertState,
  type AlertSubject,
  type Observation,
  threadOf,
} from '../ports/alerts.ts';
import { type Database, inTransaction, type Schema } from './db/database.ts';
import { fields } from './db/fields.ts';
import { addNew } from './db/row-writer.ts';
import { countChanges } from './plans/plan-access.ts';

export function createAlerts(db: Database): AlertBook {
  return {
    states: async () => (await db.selectFrom('alert_states').selectAll().orderBy('subject').execute()).map(toState),

    async state(subject) {
      const row = await db
        .selectFrom('alert_states')
        .selectAll()
        .where('subject', '=', subjectKey(subject))
        .executeTakeFirst();
      return row && toState(row);
    },

    async observe(seen) {
      const row = { process: seen.process, until_at: seen.until, seen: JSON.stringify(seen) };
      await db
        .insertInto('observations')
        .values(row)
        .onConflict((conflict) => conflict.column('process').doUpdateSet(row))
        .execute();
    },

    async observations(now) {
      const rows = await db
        .selectFrom('observations')
        .selectAll()
        .where('until_at', '>', now)
        .orderBy('process')
        .execute();
      return rows.map(({ seen }) => JSON.parse(seen) as Observation);
    },

    save: (seenVersion, next, outgoing) =>
      inTransaction(db, async (transaction) => {
        const version = seenVersion + 1;
        const row = { subject: subjectKey(next.subject), version, state: JSON.stringify({ ...next, version }) };
        const isOurs =
          seenVersion === 0
            ? await addNew(transaction, 'alert_states', row)
            : await transaction
                .updateTable('alert_states')
                .set(row)
                .where((eb) => eb.and({ subject: row.subject, version: seenVersion }))
                .executeTakeFirst()
                .then(({ numUpdatedRows }) => numUpdatedRows > 0n);
        if (!isOurs) return false;
        const rows = outgoing.flatMap(({ notice, channels }) => channels.map((channel) => toRow(notice, channel)));
        if (rows.length > 0) await transaction.insertInto('alert_deliveries').values(rows).execute();
        return true;
      }),

    async claim(channels, now, until) {
      if (channels.length === 0) return [];
      const waiting = await db
        .selectFrom('alert_deliveries')
        .selectAll()
        .where('state', '=', 'waiting')
        .where('channel', 'in', channels)
        .orderBy('made_at')
        .orderBy('notice')
        .execute();
      const queues = new Set<string>();
      const claimed: AlertDelivery[] = [];
      for (const row of waiting) {
        const queue = JSON.stringify([row.channel, row.subject]);
        if (queues.has(queue)) continue;
        queues.add(queue);
        if (row.next_at > now) continue;
        const { numUpdatedRows } = await db
          .updateTable('alert_deliveries')
          .set({ next_at: until, tries: row.tries + 1 })
          .where((eb) => eb.and({ notice: row.notice, channel: row.channel, state: 'waiting' }))
          // Another process that claimed it in between has moved it.
          .where('next_at', '=', row.next_at)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) continue;
        const first = row.thread === null ? undefined : await firstReceipt(db, row.channel, row.thread);
        claimed.push({ ...toDelivery(row), tries: row.tries + 1, nextAt: until, first });
      }
      return claimed;
    },

    async settle(notice, channel, result) {
      const ended = { next_at: 0, ended_at: result.kind === 'again' ? null : result.at };
      await db
        .updateTable('alert_deliveries')
        .set(
          result.kind === 'delivered'
            ? { ...ended, state: 'delivered', error: null, receipt: result.receipt ?? null }
            : result.kind === 'again'
              ? { next_at: result.nextAt, error: result.error }
              : { ...ended, state: result.kind, error: result.error },
        )
        .where((eb) => eb.and({ notice, channel, state: 'waiting' }))
        .execute();
    },

    async undelivered(channels, before) {
      if (channels.length === 0) return [];
      const rows = await db
        .selectFrom('alert_deliveries')
        .select((eb) => ['channel', eb.fn.countAll<number>().as('notices'), eb.fn.min('made_at').as('since')])
        .select((eb) => eb.fn.max('error').as('error'))
        .where('channel', 'in', channels)
        .where(({ and, or, not, exists, selectFrom, eb }) =>
          or([
            and([eb('state', '=', 'waiting'), eb('tries', '>', 0)]),
            and([
              eb('state', '=', 'unconfirmed'),
              not(
                exists(
                  selectFrom('alert_deliveries as sure')
                    .select('sure.notice')
                    .where('sure.state', '=', 'delivered')
                    .whereRef('sure.channel', '=', 'alert_deliveries.channel')
                    .whereRef('sure.made_at', '>=', 'alert_deliveries.made_at'),
                ),
              ),
            ]),
          ]),
        )
        .groupBy('channel')
        .orderBy('channel')
        .execute();
      const late = rows.filter(({ since }) => Number(since) < before);
      return late.map(({ channel, notices, since, error }) => {
        return { channel, notices: Number(notices), since: Number(since), ...given({ error: error ?? undefined }) };
      });
    },

    async list(limit) {
      const rows = await db
        .selectFrom('alert_deliveries')
        .selectAll()
        .orderBy('made_at', 'desc')
        .orderBy('notice', 'desc')
        .orderBy('channel')
        .limit(limit)
        .execute();
      return rows.map(toDelivery);
    },

    async prune(before) {
      await db.deleteFrom('observations').where('until_at', '<', before).execute();
      const { numDeletedRows } = await db
        .deleteFrom('alert_deliveries')
        .where('made_at', '<', before)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },

    async endedRuns(since, limit, sync) {
      const order = since === undefined ? 'desc' : 'asc';
      return db
        .selectFrom('runs')
        .select(['id', 'sync', 'outcome', 'started_at as startedAt', 'ended_at as endedAt'])
        .where('ended_at', 'is not', null)
        .$if(since !== undefined, (query) => query.where('ended_at', '>=', since ?? 0))
        .$if(sync !== undefined, (query) => query.where('sync', '=', sync ?? ''))
        .$narrowType<{ outcome: NotNull; endedAt: NotNull }>()
        .orderBy('ended_at', order)
        .orderBy('id', order)
        .limit(limit)
        .execute();
    },

    async changeResults(runs) {
      const found = await countChanges(db, runs, ['plan', 'kind', 'state']);
      const keyOf = ({ kind, state }: (typeof found)[number]): string => `${kind} ${state}`;
      const inOrder = found.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
      // A run's plan has the id of the run.
      return inOrder.map(({ plan, ...result }) => ({ ...result, run: plan }));
    },
  };
}

/** For example `sync people` or `connection acme`. Names contain no blanks. */
function subjectKey({ kind, name }: AlertSubject): string {
  return `${kind} ${name}`;
}

function toState(row: Selectable<Schema['alert_states']>): AlertState {
  return { ...(JSON.parse(row.state) as AlertState), version: row.version };
}

function toRow(notice: AlertNotice, channel: string): Schema['alert_deliveries'] {
  const fresh = { state: 'waiting', tries: 0, nextAt: notice.at, endedAt: undefined, error: undefined } as const;
  return {
    ...deliveries.toRow({ notice, channel, ...fresh }),
    notice: notice.id,
    subject: subjectKey(notice.subject),
    made_at: notice.at,
    thread: threadOf(notice) ?? null,
    receipt: null,
  };
}

async function firstReceipt(db: Database, channel: string, thread: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('alert_deliveries')
    .select('receipt')
    .where((eb) => eb.and({ channel, thread }))
    .where('receipt', 'is not', null)
    .orderBy('made_at')
    .orderBy('notice')
    .executeTakeFirst();
  return row?.receipt ?? undefined;
}

const deliveries = fields<Omit<AlertDelivery, 'first'>, 'alert_deliveries'>(
  'alert_deliveries',
  { notice: null, subject: null, made_at: null, body: 'notice', thread: null, receipt: null },
  { notice: 'json' },
);

function toDelivery(row: Selectable<Schema['alert_deliveries']>): AlertDelivery {
  return { ...deliveries.fromRow(row), first: undefined };
}

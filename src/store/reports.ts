import { sql } from 'kysely';
import type { Counts } from '../core/run/run.ts';
import { type AppliedCount, type EndedCount, factKey, quarterMs, type Reports } from '../ports/reports.ts';
import type { Uptime } from '../ports/runtime.ts';
import type { Database } from './db/database.ts';
import type { KeyRing } from './db/key-ring.ts';
import { inLists } from './db/row-writer.ts';
import { appliedSpans } from './plans/applied-since.ts';
import { classMask, toPlannedChange } from './plans/changes.ts';
import { keepByVersion, waitingHashes, waitingVersion } from './plans/decisions.ts';
import { holdFields } from './plans/hold-members.ts';
import { stated } from './plans/stated.ts';
import { createRunReports, heldEnds } from './run-reports.ts';

export function createReports(db: Database, keys: KeyRing, uptime: Pick<Uptime, 'now'> | undefined): Reports {
  const waiting = keepByVersion<ReadonlySet<string>>();
  return {
    ...createRunReports(db, uptime),
    heldEnds: (run, sync, now) => heldEnds(db, run, sync, now),

    async hold(id) {
      const row = await db.selectFrom('holds').selectAll().where('id', '=', id).executeTakeFirst();
      return row && holdFields.fromRow(row);
    },

    async recentChanges({ syncs, since, until, kind, class: wanted, state, limit, after }) {
      let found = db
        .selectFrom('plans')
        .innerJoin(stated, 'changes.plan', 'plans.id')
        .selectAll('changes')
        .select(['plans.sync', 'plans.made_at'])
        .where('plans.run', 'is not', null)
        .where('plans.digest', 'is not', null)
        .where('plans.sync', 'in', syncs)
        .where('plans.made_at', '>=', since)
        .where('plans.made_at', '<', until);
      if (kind !== undefined) found = found.where('changes.kind', '=', kind);
      if (state !== undefined) found = found.where('changes.state', '=', state);
      if (wanted !== undefined) {
        found = found.where((eb) => eb(eb('changes.classes', '&', classMask([wanted])), '!=', 0));
      }
      if (after !== undefined) {
        const [at, run, identification, part] = after;
        found = found.where((eb) =>
          eb.or([
            eb(eb.refTuple('plans.made_at', 'plans.id'), '<', eb.tuple(at, run)),
            eb.and([
              eb('plans.id', '=', run),
              eb(eb.refTuple('changes.identification', 'changes.part'), '>', eb.tuple(identification, part)),
            ]),
          ]),
        );
      }
      const rows = await found
        .orderBy('plans.made_at', 'desc')
        .orderBy('plans.id', 'desc')
        .orderBy('changes.identification')
        .orderBy('changes.part')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        sync: row.sync,
        run: row.plan,
        at: row.made_at,
        event: row.event,
        change: toPlannedChange(row, keys),
      }));
    },

    async firstSaid(sync, identifications) {
      const first = new Map<string, number>();
      for (const names of inLists(identifications)) {
        const rows = await db
          .selectFrom('changes')
          .innerJoin('plans', 'plans.id', 'changes.plan')
          .innerJoin('runs', 'runs.id', 'plans.run')
          .select(['changes.identification', 'changes.rule', 'changes.episode'])
          .select((eb) => eb.fn.min(eb.fn.coalesce('changes.applied_at', 'runs.started_at')).as('at'))
          .where('changes.identification', 'in', names)
          .where('plans.sync', '=', sync)
          .where('plans.digest', 'is not', null)
          .groupBy(['changes.identification', 'changes.rule', 'changes.episode'])
          .execute();
        for (const { at, ...fact } of rows) first.set(factKey(fact), Number(at));
      }
      return first;
    },

    async closedHolds({ syncs, limit, after }) {
      let wanted = db.selectFrom('holds').selectAll().where('sync', 'in', syncs).where('state', '!=', 'open');
      if (after !== undefined) {
        wanted = wanted.where((eb) => eb(eb.refTuple('held_at', 'id'), '<', eb.tuple(after.heldAt, after.id)));
      }
      const rows = await wanted.orderBy('held_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
      return rows.map(holdFields.fromRow);
    },

    async shownPlan(id) {
      const row = await db
        .selectFrom('plans')
        .select('sync')
        .where('id', '=', id)
        .where('run', 'is', null)
        .where('digest', 'is not', null)
        .executeTakeFirst();
      return row?.sync;
    },

    async waitingHashes(sync, now) {
      return waiting(sync, await waitingVersion(db, sync, now), () => waitingHashes(db, sync, now));
    },

    async streak(sync) {
      const ended = db
        .selectFrom('runs')
        .where('sync', '=', sync)
        .where('scope', 'in', fullScopes)
        .where('ended_at', 'is not', null)
        .orderBy('ended_at', 'desc')
        .orderBy('id', 'desc');
      const [newest, success] = await Promise.all([
        ended.select('ended_at').where('outcome', '!=', 'cancelled').limit(1).executeTakeFirst(),
        ended.select(['started_at', 'ended_at']).where('is_success', '=', 1).limit(1).executeTakeFirst(),
      ]);
      const successAt = success?.ended_at ?? undefined;
      const failed = ended
        .where('outcome', '!=', 'cancelled')
        .where('is_success', '=', 0)
        .where('ended_at', '>', successAt ?? -1);
      const [sums, last] = await Promise.all([
        failed
          .clearOrderBy()
          .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.min('ended_at').as('since')])
          .executeTakeFirstOrThrow(),
        failed.select(['id', 'outcome', 'reason']).limit(1).executeTakeFirst(),
      ]);
      return {
        endedAt: newest?.ended_at ?? undefined,
        freshAt: success?.started_at ?? undefined,
        successAt,
        failures: sums.count,
        failingSince: sums.since ?? undefined,
        lastFailure: last && { run: last.id, outcome: last.outcome ?? '', reason: last.reason ?? undefined },
      };
    },

    async expiredHolds(sync, now) {
      const rows = await db
        .selectFrom('holds')
        .selectAll()
        .where('sync', '=', sync)
        .where('state', '=', 'open')
        .where('expires_at', '<=', now)
        .orderBy('held_at')
        .orderBy('id')
        .execute();
      if (rows.length === 0) return { holds: [], changes: 0 };
      const { count } = await db
        .selectFrom('decisions')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('sync', '=', sync)
        .where('state', '=', 'open')
        .where('ended_at', 'is', null)
        .where('expires_at', '<=', now)
        .executeTakeFirstOrThrow();
      return { holds: rows.map(holdFields.fromRow), changes: count };
    },

    async applied(since) {
      const syncs = new Map<string, string>();
      const found = new Map<string, AppliedCount>();
      for await (const { from, to } of appliedSpans(db, since)) {
        const rows = await db
          .selectFrom('changes')
          .select(['plan', 'event'])
          .select((eb) => [quarterOf('applied_at').as('at'), eb.fn.countAll<number>().as('count')])
          .where('applied_at', '>=', from)
          .where('applied_at', '<=', to)
          .groupBy(['plan', 'event', quarterOf('applied_at')])
          .execute();
        const unknown = [...new Set(rows.map(({ plan }) => plan))].filter((plan) => !syncs.has(plan));
        for (const ids of inLists(unknown)) {
          const plans = await db.selectFrom('plans').select(['id', 'sync']).where('id', 'in', ids).execute();
          for (const { id, sync } of plans) syncs.set(id, sync);
        }
        for (const { plan, event, at, count } of rows) {
          const sync = syncs.get(plan) ?? '';
          const key = `${at} ${event} ${sync}`;
          const before = found.get(key)?.count ?? 0;
          found.set(key, { sync, event, at, count: before + count });
        }
      }
      return [...found.values()];
    },

    async ended(since) {
      const rows = await db
        .selectFrom('runs')
        .select(['sync', 'outcome', 'is_success'])
        .select((eb) => [quarterOf('ended_at').as('at'), eb.fn.countAll<number>().as('count')])
        .where('ended_at', '>=', since)
        .groupBy(['sync', 'outcome', 'is_success', quarterOf('ended_at')])
        .execute();
      const failed = await failedChanges(db, since);
      return rows.map(({ sync, outcome, is_success, at, count }): EndedCount => {
        const word = outcome ?? '';
        const key = `${sync} ${word} ${at}`;
        const isSuccess = is_success === 1;
        return { sync, outcome: word, isSuccess, at, count, failed: isSuccess ? 0 : (failed.get(key) ?? 0) };
      });
    },
  };
}

/** Stored scopes of runs that cover all employees. */
export const fullScopes = [{ kind: 'all' }, { kind: 'all', isFull: true }].map((scope) => JSON.stringify(scope));

/** Returns the start of the quarter of an hour. Both databases divide whole numbers without a fraction. */
function quarterOf(column: 'applied_at' | 'ended_at') {
  return sql<number>`${sql.ref(column)} / ${sql.lit(quarterMs)} * ${sql.lit(quarterMs)}`;
}

/** Failed changes by sync, outcome and quarter. Only such runs have any. */
async function failedChanges(db: Database, since: number): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('runs')
    .select(['sync', 'outcome', 'counts', 'ended_at'])
    .where('ended_at', '>=', since)
    .where('outcome', 'in', ['failed', 'partial', 'cancelled'])
    .execute();
  const sums = new Map<string, number>();
  for (const { sync, outcome, counts, ended_at } of rows) {
    const { failed } = JSON.parse(counts) as Counts;
    const at = Math.floor((ended_at ?? 0) / quarterMs) * quarterMs;
    const key = `${sync} ${outcome ?? ''} ${at}`;
    sums.set(key, (sums.get(key) ?? 0) + failed);
  }
  return sums;
}

import { sql } from 'kysely';
import type { EndFacts, PlanFacts } from '../core/run/facts.ts';
import type { Counts } from '../core/run/run.ts';
import { type AppliedCount, type EndedCount, factKey, quarterMs, type Reports } from '../ports/reports.ts';
import type { Uptime } from '../ports/runtime.ts';
import type { Database } from './db/database.ts';
import type { KeyRing } from './db/key-ring.ts';
import { inLists } from './db/row-writer.ts';
import { appliedSpans } from './plans/applied-since.ts';
import { classMask, stated, toPlannedChange } from './plans/changes.ts';
import { keepByVersion, waitingHashes, waitingVersion } from './plans/decisions.ts';
import { holdFields } from './plans/hold-members.ts';
import { createRunReports, heldEnds } from './run-reports.ts';
import { readStandings } from './sync-standings.ts';

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

    async syncs(names, now) {
      const found = names.length === 0 ? [] : await readStandings(db, names, now);
      return new Map(found.map((one) => [one.sync, one]));
    },

    async holders(names) {
      const rows = await db.selectFrom('leases').selectAll().where('name', 'in', names).execute();
      return new Map(
        rows.flatMap(({ name, owner, until_at: until }) => (owner === null ? [] : [[name, { owner, until }]])),
      );
    },

    async lastReads() {
      const rows = await db
        .selectFrom('rosters')
        .innerJoin('runs', 'runs.id', 'rosters.run')
        .select(['rosters.sync', 'rosters.run', 'rosters.read_at', 'rosters.people', 'runs.plan', 'runs.end_facts'])
        .execute();
      return new Map(
        rows.map(({ sync, run, read_at: at, people, plan, end_facts: end }) => {
          const { created = 0 } = end === null ? {} : (JSON.parse(end) as Partial<EndFacts>);
          const facts = plan === null ? undefined : (JSON.parse(plan) as PlanFacts);
          return [sync, { at, run, rows: people, created, plan: facts }];
        }),
      );
    },

    async applied(since) {
      const found = new Map<string, AppliedCount>();
      for await (const { from, to } of appliedSpans(db, since)) {
        const rows = await db
          .selectFrom('changes')
          // Joined, SQLite could begin with the plans, and read all changes of each.
          .select((eb) => eb.selectFrom('plans').select('sync').whereRef('plans.id', '=', 'changes.plan').as('sync'))
          .select((eb) => ['event', quarterOf('applied_at').as('at'), eb.fn.countAll<number>().as('count')])
          .where('applied_at', '>=', from)
          .where('applied_at', '<=', to)
          .groupBy(['sync', 'event', quarterOf('applied_at')])
          .execute();
        for (const { sync, event, at, count } of rows) {
          const key = `${at} ${event} ${sync}`;
          const before = found.get(key)?.count ?? 0;
          found.set(key, { sync: sync ?? '', event, at, count: before + count });
        }
      }
      return [...found.values()];
    },

    async ended(since) {
      // Only runs without success have failed changes.
      const counts = sql<string | null>`case when is_success = 0 then counts end`;
      const rows = await db
        .selectFrom('runs')
        .select(['sync', 'outcome', 'is_success', counts.as('counts')])
        .select((eb) => [quarterOf('ended_at').as('at'), eb.fn.countAll<number>().as('count')])
        .where('ended_at', '>=', since)
        .groupBy(['sync', 'outcome', 'is_success', counts, quarterOf('ended_at')])
        .execute();
      return rows.map(({ sync, outcome, is_success, counts: some, at, count }): EndedCount => {
        const failed = some === null ? 0 : (JSON.parse(some) as Counts).failed * count;
        return { sync, outcome: outcome ?? '', isSuccess: is_success === 1, at, count, failed };
      });
    },
  };
}

/** Returns the start of the quarter of an hour. Both databases divide whole numbers without a fraction. */
function quarterOf(column: 'applied_at' | 'ended_at') {
  return sql<number>`${sql.ref(column)} / ${sql.lit(quarterMs)} * ${sql.lit(quarterMs)}`;
}

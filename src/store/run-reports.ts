import { sql } from 'kysely';
import type { FindingCause, HeldEnd, Reports } from '../ports/reports.ts';
import type { Uptime } from '../ports/runtime.ts';
import type { Database } from './db/database.ts';
import { classesOf, stated, statedAs } from './plans/changes.ts';
import { ofChange } from './plans/hold-members.ts';
import { countChanges, inPiece, piecesOf } from './plans/plan-access.ts';
import { timelineOf, toFinding } from './runs.ts';

const mostCauses = 200;
const examplesOfCause = 3;

type RunReports = Pick<Reports, 'timeline' | 'findingCauses' | 'findings' | 'batchStates'>;

/** The questions about one run. */
export function createRunReports(db: Database, uptime: Pick<Uptime, 'now'> | undefined): RunReports {
  return {
    async timeline(run, now) {
      const row = await db
        .selectFrom('runs')
        .select(['phase', 'phases', 'started_at'])
        .where('id', '=', run)
        .executeTakeFirst();
      return row === undefined ? [] : timelineOf(row, now);
    },

    async findingCauses(run) {
      const codes = await db
        .selectFrom('findings')
        .select((eb) => ['code', eb.fn.countAll<number>().as('count')])
        .where('run', '=', run)
        .where('people', 'is', null)
        .groupBy('code')
        .orderBy('count', 'desc')
        .orderBy('code')
        .execute();
      const rows = await db
        .selectFrom((eb) =>
          eb
            .selectFrom('findings')
            .selectAll()
            .select([
              sql<number>`row_number() over (partition by code, cause order by number)`.as('rank'),
              sql<number>`count(*) over (partition by code, cause)`.as('equals'),
            ])
            .where('run', '=', run)
            .where('people', 'is', null)
            .as('ranked'),
        )
        .selectAll()
        .where('rank', '<=', examplesOfCause)
        .orderBy('equals', 'desc')
        .orderBy('code')
        .orderBy('cause')
        .orderBy('number')
        .limit(mostCauses * examplesOfCause)
        .execute();
      const causes = new Map<string, FindingCause>();
      for (const { rank, equals, cause: message, ...row } of rows) {
        const { code } = row;
        const key = `${code} ${message}`;
        const examples = [...(causes.get(key)?.examples ?? []), toFinding(row)];
        if (causes.has(key) || causes.size < mostCauses) {
          causes.set(key, { code, message, count: equals, examples });
        }
      }
      return { byCode: codes.map(({ code, count }) => ({ code, count: count })), causes: [...causes.values()] };
    },

    async findings({ run, limit, code, cause, after }) {
      let wanted = db.selectFrom('findings').selectAll().where('run', '=', run).orderBy('number').limit(limit);
      if (code !== undefined) wanted = wanted.where(sql.ref('code'), '=', code);
      if (cause !== undefined) wanted = wanted.where('cause', '=', cause);
      if (after !== undefined) wanted = wanted.where('number', '>', after);
      return (await wanted.execute()).map((row) => ({ ...toFinding(row), number: row.number }));
    },

    batchStates: openBatchStates(db, uptime),
  };
}

type BatchStates = Awaited<ReturnType<Reports['batchStates']>>;

interface Counted {
  readonly states: Promise<BatchStates>;
  /** By `Uptime`. Infinite while the count is in progress, so that all who ask share it. */
  until: number;
}

/**
 * The counts of a large run are returned again for so many times the time that they took. A page that shows the run asks
 * every few seconds, and counting a million changes takes a second.
 */
const reuseFactor = 20;
const shortestReuseMs = 2000;
const longestReuseMs = 60_000;
/** A run with more changes counts as large. */
const largeChanges = 25_000;

/** Opens `Reports.batchStates`. Without `uptime`, it counts each time. */
function openBatchStates(db: Database, uptime: Pick<Uptime, 'now'> | undefined): Reports['batchStates'] {
  const counted = new Map<string, Counted>();

  const count = async (run: string): Promise<{ readonly states: BatchStates; readonly isLarge: boolean }> => {
    const groups = await countChanges(db, [run], ['batch', 'state']);
    const states = groups.flatMap(({ batch, ...rest }) => (batch === null ? [] : [{ batch, ...rest }]));
    return { states, isLarge: groups.reduce((sum, group) => sum + group.count, 0) > largeChanges };
  };

  return async (run) => {
    const begun = uptime?.now() ?? 0;
    for (const [id, { until }] of counted) if (until <= begun) counted.delete(id);
    // The counts of a run in progress are not those of its end.
    const row = await db.selectFrom('runs').select('ended_at').where('id', '=', run).executeTakeFirst();
    const key = `${run} ${row?.ended_at ?? ''}`;
    const known = counted.get(key);
    if (known !== undefined) return known.states;
    const counting = count(run);
    const entry: Counted = { states: counting.then(({ states }) => states), until: Number.POSITIVE_INFINITY };
    counted.set(key, entry);
    try {
      const { states, isLarge } = await counting;
      const now = uptime?.now() ?? 0;
      const reuseMs = Math.min(Math.max((now - begun) * reuseFactor, shortestReuseMs), longestReuseMs);
      entry.until = isLarge && uptime !== undefined ? now + reuseMs : now;
      return states;
    } catch (error) {
      counted.delete(key);
      throw error;
    }
  };
}

/** `Reports.heldEnds`, piece by piece: a run may hold a million changes. */
export async function heldEnds(db: Database, run: string, sync: string, now: number): Promise<readonly HeldEnd[]> {
  const found = new Map<string, HeldEnd>();
  for await (const piece of piecesOf(db, run)) {
    const rows = await db
      .selectFrom(stated)
      .where(inPiece(piece))
      .where('changes.state', '=', 'held')
      .leftJoin('decisions', (join) => ofChange(join, sync))
      .leftJoin(statedAs('later'), (join) =>
        join
          .onRef('later.plan', '=', 'decisions.run')
          .onRef('later.identification', '=', 'changes.identification')
          .onRef('later.part', '=', 'changes.part'),
      )
      .select((eb) => [
        'changes.classes',
        'decisions.by_whom as by',
        'decisions.why',
        'decisions.run',
        'later.state as end',
        eb
          .case()
          .when(eb.and([eb('decisions.state', '=', 'approved'), eb('decisions.run', 'is not', null)]))
          .then(eb.val<HeldEnd['state']>('approved'))
          .when('decisions.state', '=', 'rejected')
          .then(eb.val<HeldEnd['state']>('rejected'))
          .when(eb.or([eb('decisions.state', 'is', null), eb('decisions.ended_at', 'is not', null)]))
          .then(eb.val<HeldEnd['state']>('ended'))
          .when('decisions.expires_at', '<=', now)
          .then(eb.val<HeldEnd['state']>('expired'))
          .when('decisions.state', '=', 'approved')
          .then(eb.val<HeldEnd['state']>('approved'))
          .else(eb.val<HeldEnd['state']>('open'))
          .end()
          .as('became'),
        eb.fn.countAll<number>().as('count'),
      ])
      .groupBy(['changes.classes', 'decisions.by_whom', 'decisions.why', 'decisions.run', 'later.state', 'became'])
      .execute();
    for (const { classes, became: state, by, why, run: user, end, count } of rows) {
      const isDecided = state === 'approved' || state === 'rejected';
      const facts = {
        classes: classesOf(classes),
        state,
        by: isDecided ? (by ?? undefined) : undefined,
        why: isDecided ? (why ?? undefined) : undefined,
        run: isDecided ? (user ?? undefined) : undefined,
        end: isDecided ? (end ?? undefined) : undefined,
      };
      const key = JSON.stringify(facts);
      found.set(key, { ...facts, count: (found.get(key)?.count ?? 0) + count });
    }
  }
  return [...found.values()];
}

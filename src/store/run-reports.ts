import { sql } from 'kysely';
import type { FindingCause, Reports } from '../ports/reports.ts';
import type { Uptime } from '../ports/runtime.ts';
import { openBatchStates } from './batch-states.ts';
import type { Database } from './database.ts';
import { timelineOf } from './phase-times.ts';
import { toFinding } from './runs.ts';

const mostCauses = 200;
const examplesOfCause = 3;

/** The text of a finding without the place and the person that it names, which differ between findings of one cause. */
const causeText = sql<string>`replace(case when place is null then message else replace(message, place || ': ', '') end, ' ' || coalesce(identification, '—') || ' ', ' … ')`;

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
        .select((eb) => ['code', eb.fn.countAll().as('count')])
        .where('run', '=', run)
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
              sql<number>`row_number() over (partition by code, ${causeText} order by number)`.as('rank'),
              causeText.as('cause'),
              sql<number>`count(*) over (partition by code, ${causeText})`.as('equals'),
            ])
            .where('run', '=', run)
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
          causes.set(key, { code, message, count: Number(equals), examples });
        }
      }
      return { byCode: codes.map(({ code, count }) => ({ code, count: Number(count) })), causes: [...causes.values()] };
    },

    async findings({ run, limit, code, cause, after }) {
      let wanted = db.selectFrom('findings').selectAll().where('run', '=', run).orderBy('number').limit(limit);
      if (code !== undefined) wanted = wanted.where(sql.ref('code'), '=', code);
      if (cause !== undefined) wanted = wanted.where(causeText, '=', cause);
      if (after !== undefined) wanted = wanted.where('number', '>', after);
      return (await wanted.execute()).map((row) => ({ ...toFinding(row), number: Number(row.number) }));
    },

    batchStates: openBatchStates(db, uptime),
  };
}

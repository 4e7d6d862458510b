import type { ExpressionBuilder } from 'kysely';
import { type Leaver, leaverRules } from '../core/plan/leavers.ts';
import { given } from '../core/run/given.ts';
import type { LeaverStore, LeaverUpdate } from '../ports/leavers.ts';
import type { ChangeMark } from '../ports/store.ts';
import type { Database, OpenTransaction, Schema } from './db/database.ts';
import { fields } from './db/fields.ts';
import { inLists, RowWriter, replace } from './db/row-writer.ts';
import { stated } from './plans/changes.ts';

const leavers = fields<Leaver, 'leavers'>(
  'leavers',
  {},
  {
    leaves: 'optional',
    run: 'optional',
    sentAt: 'optional',
    seenAt: 'optional',
    endedAt: 'optional',
    ending: 'optional',
  },
);

export const toLeaver = leavers.fromRow;

export function createLeavers(db: Database): LeaverStore {
  return {
    async list(sync, endedSince) {
      const rows = await db
        .selectFrom('leavers')
        .selectAll()
        .where('sync', '=', sync)
        .where((eb) => eb.or([eb('ended_at', 'is', null), eb('ended_at', '>=', endedSince)]))
        .orderBy('clock_at')
        .orderBy('identification')
        .execute();
      return rows.map(toLeaver);
    },

    async counting(now) {
      const rows = await db
        .selectFrom('leavers')
        .select((eb) => ['sync', 'clock_at', eb.fn.countAll<number>().as('people')])
        .where('ended_at', 'is', null)
        .where((eb) => eb.not(isKept(eb, now)))
        .groupBy(['sync', 'clock_at'])
        .execute();
      return rows.map(({ sync, clock_at: clockAt, people }) => ({ sync, clockAt, people: Number(people) }));
    },

    async planned(sync) {
      const ranked = db
        .selectFrom('leavers')
        .innerJoin('changes', 'changes.identification', 'leavers.identification')
        .innerJoin('plans', 'plans.id', 'changes.plan')
        .select(['changes.plan', 'changes.identification', 'plans.made_at'])
        .select((eb) =>
          eb.fn
            .agg<number>('row_number')
            .over((over) => over.partitionBy('changes.identification').orderBy('plans.made_at', 'desc'))
            .as('rank'),
        )
        .where('leavers.sync', '=', sync)
        .where('leavers.ended_at', 'is', null)
        .where('plans.sync', '=', sync)
        .where('plans.run', 'is not', null)
        .where('plans.digest', 'is not', null)
        .where('changes.kind', 'in', ['disable', 'remove'])
        .as('ranked');
      const rows = await db
        .selectFrom(ranked)
        .innerJoin(stated, (join) =>
          join.onRef('changes.plan', '=', 'ranked.plan').onRef('changes.identification', '=', 'ranked.identification'),
        )
        .select([
          'ranked.plan as run',
          'ranked.identification',
          'ranked.made_at',
          'changes.state',
          'changes.state_reason',
        ])
        .where('ranked.rank', '=', 1)
        .where('changes.kind', 'in', ['disable', 'remove'])
        .execute();
      return new Map(
        rows.map(({ run, identification, made_at: at, state, state_reason: reason }) => {
          return [identification, { run, at, state, ...given({ reason: reason ?? undefined }) }];
        }),
      );
    },

    async disabledSince(since) {
      const rows = await db
        .selectFrom('leavers')
        .select(['id', 'sync', 'clock_at', 'seen_at'])
        .where('seen_at', '>=', since)
        .execute();
      return rows.map(({ id, sync, clock_at: from, seen_at: at }) => {
        return { id, sync, seenAt: at ?? from, tookMs: Math.max(0, (at ?? from) - from) };
      });
    },
  };
}

/** Whether a person rejected the disable, or decided that the account stays as it is. */
function isKept(eb: ExpressionBuilder<Schema, 'leavers'>, now: number) {
  const rejections = eb
    .selectFrom('decisions')
    .select('decisions.hash')
    .whereRef('decisions.sync', '=', 'leavers.sync')
    .whereRef('decisions.identification', '=', 'leavers.identification')
    .where('decisions.rule', 'in', leaverRules)
    .where('decisions.state', '=', 'rejected')
    .where('decisions.ended_at', 'is', null);
  const left = eb
    .selectFrom('standing_decisions as kept')
    .select('kept.id')
    .whereRef('kept.sync', '=', 'leavers.sync')
    .where((on) =>
      on.or([
        on('kept.identification', '=', on.ref('leavers.identification')),
        on('kept.other', '=', on.ref('leavers.identification')),
      ]),
    )
    .where('kept.way', '=', 'leave')
    .where('kept.ended_at', 'is', null)
    .where((on) => on.or([on('kept.until_at', 'is', null), on('kept.until_at', '>', now)]));
  return eb.or([eb.exists(rejections), eb.exists(left)]);
}

const writer = new RowWriter<'leavers', Schema['leavers']>('leavers', replace);

/** `RunEffects.leavers`. */
export async function updateLeavers(db: OpenTransaction, sync: string, update: LeaverUpdate): Promise<void> {
  const rows = await db
    .selectFrom('leavers')
    .selectAll()
    .where('sync', '=', sync)
    .where('ended_at', 'is', null)
    .execute();
  await writer.write(db, update(rows.map(toLeaver)).map(leavers.toRow));
}

/** Ends the clocks of the people whose disable was shown by a read-back of the batch. */
export async function endDisabled(
  db: OpenTransaction,
  batch: Pick<Schema['batches'], 'run' | 'sync' | 'sent_at'>,
  marks: readonly ChangeMark[],
): Promise<void> {
  const shown = marks.filter(({ state, part = 'account' }) => state === 'applied' && part === 'account');
  if (shown.length === 0) return;
  const counting = db.selectFrom('leavers').select('id').where('sync', '=', batch.sync).where('ended_at', 'is', null);
  if ((await counting.limit(1).executeTakeFirst()) === undefined) return;
  const at = Math.max(...shown.map(({ appliedAt = 0 }) => appliedAt));
  for (const names of inLists(shown.map(({ identification }) => identification))) {
    await db
      .updateTable('leavers')
      .set({ run: batch.run, sent_at: batch.sent_at, seen_at: at, ended_at: at, ending: 'disabled' })
      .where('sync', '=', batch.sync)
      .where('identification', 'in', names)
      .where('ended_at', 'is', null)
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('changes')
            .select('changes.plan')
            .where('changes.plan', '=', batch.run)
            .whereRef('changes.identification', '=', 'leavers.identification')
            .where('changes.kind', 'in', ['disable', 'remove']),
        ),
      )
      .execute();
  }
}

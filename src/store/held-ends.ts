import type { HeldEnd } from '../ports/reports.ts';
import { classesOf } from './change-rows.ts';
import type { Database } from './database.ts';
import { ofChange } from './hold-members.ts';
import { inPiece, piecesOf } from './plan-pieces.ts';

/** `Reports.heldEnds`, piece by piece: a run may hold a million changes. */
export async function heldEnds(db: Database, run: string, sync: string, now: number): Promise<readonly HeldEnd[]> {
  const found = new Map<string, HeldEnd>();
  for await (const piece of piecesOf(db, run)) {
    const rows = await db
      .selectFrom('changes')
      .where(inPiece(piece))
      .where('changes.state', '=', 'held')
      .leftJoin('decisions', (join) => ofChange(join, sync))
      .leftJoin('changes as later', (join) =>
        join.onRef('later.plan', '=', 'decisions.run').onRef('later.identification', '=', 'changes.identification'),
      )
      .select((eb) => [
        'changes.classes',
        'decisions.by_whom as by',
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
        eb.fn.countAll().as('count'),
      ])
      .groupBy(['changes.classes', 'decisions.by_whom', 'decisions.run', 'later.state', 'became'])
      .execute();
    for (const { classes, became: state, by, run: user, end, count } of rows) {
      const isDecided = state === 'approved' || state === 'rejected';
      const facts = {
        classes: classesOf(classes),
        state,
        by: isDecided ? (by ?? undefined) : undefined,
        run: isDecided ? (user ?? undefined) : undefined,
        end: isDecided ? (end ?? undefined) : undefined,
      };
      const key = JSON.stringify(facts);
      found.set(key, { ...facts, count: (found.get(key)?.count ?? 0) + Number(count) });
    }
  }
  return [...found.values()];
}

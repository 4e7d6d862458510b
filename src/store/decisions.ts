import type { Selectable } from 'kysely';
import { type ChangeName, episodeOf } from '../core/plan/change.ts';
import { chunk } from '../core/run/batch.ts';
import type { ChangeVerdict, DecisionRecord, Decisions } from '../ports/store.ts';
import { type Database, inTransaction, toInstant } from './database.ts';
import { decisionsOf, lockName } from './differences.ts';
import { endEpisodes } from './end-episodes.ts';
import { restateHolds } from './hold-members.ts';
import { pendingPeople } from './pending-people.ts';
import { recordPlan } from './record-plan.ts';
import { inLists, RowWriter } from './row-writer.ts';
import type { DecisionRow } from './schema.ts';

/** Changes whose earlier decisions are read with one statement. */
const decidedPerPiece = 256;

export function createDecisions(db: Database): Decisions {
  const writer = new RowWriter<'decisions', DecisionRow>('decisions', (insert) =>
    insert.onConflict((conflict) =>
      conflict.columns(['sync', 'identification', 'hash']).doUpdateSet((eb) => ({
        state: eb.ref('excluded.state'),
        by_whom: eb.ref('excluded.by_whom'),
        why: eb.ref('excluded.why'),
        at: eb.ref('excluded.at'),
        expires_at: eb.ref('excluded.expires_at'),
        run: eb.ref('excluded.run'),
      })),
    ),
  );

  return {
    async of(sync, identification) {
      return (await readMany(db, sync, [identification])).get(identification) ?? [];
    },

    ofMany: (sync, identifications) => readMany(db, sync, identifications),

    decide(sync, changes, verdict) {
      return inTransaction(db, async (transaction) => {
        await lockName(transaction, decisionsOf(sync));
        let decided = 0;
        const different = [...new Map(changes.map((change) => [change.hash, change])).values()];
        for (const piece of chunk(different, decidedPerPiece)) {
          const names = piece.map(({ identification }) => identification);
          const known = await readMany(transaction, sync, names);
          const open = piece.filter((change) => mayDecide(change, known.get(change.identification) ?? [], verdict));
          await writer.write(
            transaction,
            open.map((change) => toRow(sync, change, verdict)),
          );
          decided += open.length;
        }
        await restateHolds(transaction, { sync, now: verdict.at });
        return decided;
      });
    },

    leaveOut(sync, changes, by) {
      return inTransaction(db, async (transaction) => {
        await lockName(transaction, decisionsOf(sync));
        for (const piece of chunk(changes, decidedPerPiece)) {
          await transaction
            .updateTable('decisions')
            .set({ by_whom: by })
            .where('sync', '=', sync)
            .where('identification', 'in', [...inLists(piece.map(({ identification }) => identification))].flat())
            .where('hash', 'in', [...inLists(piece.map(({ hash }) => hash))].flat())
            .where('state', '=', 'open')
            .where('ended_at', 'is', null)
            .execute();
        }
      });
    },

    record: (owned, planId, times) => recordPlan(db, owned, planId, times),
    pending: (sync, query) => pendingPeople(db, sync, query),
    end: (owned, planId, identifications, now) => endEpisodes(db, owned, { planId, identifications, now }),
  };
}

async function readMany(
  db: Database,
  sync: string,
  identifications: readonly string[],
): Promise<Map<string, DecisionRecord[]>> {
  const found = new Map<string, DecisionRecord[]>();
  for (const names of inLists(identifications)) {
    const rows = await db
      .selectFrom('decisions')
      .selectAll()
      .where('sync', '=', sync)
      .where('identification', 'in', names)
      .orderBy('at', 'desc')
      .orderBy('hash')
      .execute();
    for (const row of rows) {
      const records = found.get(row.identification);
      if (records === undefined) found.set(row.identification, [toRecord(row)]);
      else records.push(toRecord(row));
    }
  }
  return found;
}

/** Whether the change is still of the current episode, and not one that the verdict has to leave alone. */
function mayDecide(change: ChangeName, known: readonly DecisionRecord[], verdict: ChangeVerdict): boolean {
  if (episodeOf(change.rule, known) !== change.episode) return false;
  if (verdict.state === 'rejected' || verdict.reopens === true) return true;
  return known.find(({ hash }) => hash === change.hash)?.state !== 'rejected';
}

function toRow(sync: string, change: ChangeName, verdict: ChangeVerdict): DecisionRow {
  return {
    sync,
    hash: change.hash,
    identification: change.identification,
    rule: change.rule,
    episode: change.episode,
    state: verdict.state,
    by_whom: verdict.by,
    why: verdict.why ?? null,
    at: verdict.at,
    expires_at: verdict.state === 'approved' ? verdict.expiresAt : null,
    run: null,
    ended_at: null,
    ended_by: null,
  };
}

export function toRecord(row: Selectable<DecisionRow>): DecisionRecord {
  return {
    identification: row.identification,
    rule: row.rule,
    episode: row.episode,
    hash: row.hash,
    state: row.state,
    by: row.by_whom ?? undefined,
    why: row.why ?? undefined,
    at: Number(row.at),
    expiresAt: toInstant(row.expires_at),
    run: row.run ?? undefined,
    endedAt: toInstant(row.ended_at),
  };
}

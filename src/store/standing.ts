import type { Updateable } from 'kysely';
import type { PairDecision, StandingDecision, StandingRename } from '../core/plan/standing.ts';
import type { StandingDecisions } from '../ports/decisions.ts';
import { appendAudit } from './audit/chain.ts';
import { type Database, inTransaction, type OpenTransaction, type Schema } from './db/database.ts';
import { fields } from './db/fields.ts';

/** All that a decision of any kind has. */
type Row = Omit<StandingDecision, 'way'> &
  Partial<Pick<PairDecision, 'identification' | 'other' | 'why' | 'until'>> & {
    readonly way: StandingDecision['way'];
    readonly accountId?: string;
    readonly nameDigest?: string;
    readonly owner?: string;
  };

const decisions = fields<Row, 'standing_decisions'>(
  'standing_decisions',
  { by_whom: 'by', until_at: 'until', ended_at: null, ended_by: null },
  {
    identification: 'optional',
    other: 'optional',
    accountId: 'optional',
    nameDigest: 'optional',
    owner: 'optional',
    why: 'optional',
    until: 'optional',
  },
);

export const toStanding = (row: Partial<Schema['standing_decisions']>) => decisions.fromRow(row) as StandingDecision;

export function createStanding(db: Database): StandingDecisions {
  const read = () => db.selectFrom('standing_decisions').selectAll().orderBy('at', 'desc').orderBy('id', 'desc');
  return {
    add(decision, entry) {
      const { id, at, by, reason: why } = entry;
      const row = decisions.toRow({ ...decision, id, at, by, ...(why === undefined ? {} : { why }) });
      return inTransaction(db, async (transaction) => {
        if (decision.way !== 'rename') await endStanding(transaction, row, { ended_at: at, ended_by: by });
        await transaction.insertInto('standing_decisions').values(row).execute();
        await appendAudit(transaction, entry);
      });
    },

    async list(connection, now) {
      const rows = await read()
        .where('connection', '=', connection)
        .where('ended_at', 'is', null)
        .where((eb) => eb.or([eb('until_at', 'is', null), eb('until_at', '>', now)]))
        .execute();
      return rows.map(toStanding);
    },

    async renames(connection) {
      const rows = await read().where('connection', '=', connection).where('way', '=', 'rename').execute();
      return rows.map(toStanding) as StandingRename[];
    },
  };
}

type People = Pick<
  Updateable<Schema['standing_decisions']>,
  'connection' | 'sync' | 'identification' | 'other' | 'owner'
>;

/** Ends the decisions of the sync about exactly these people. */
export async function endStanding(
  db: OpenTransaction,
  { connection = '', sync = '', identification = null, other = null, owner = null }: People,
  end: { readonly ended_at: number; readonly ended_by: string },
): Promise<void> {
  await db
    .updateTable('standing_decisions')
    .set(end)
    .where((eb) => eb.and({ connection, sync }))
    .where('identification', 'is not distinct from', identification)
    .where('other', 'is not distinct from', other)
    .where('owner', 'is not distinct from', owner)
    .where('ended_at', 'is', null)
    .execute();
}

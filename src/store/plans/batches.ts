import { conflict, notFound, type RollcallError } from '../../core/run/errors.ts';
import type { Batch, BatchEffects, Batches, PlannedBatch } from '../../ports/store.ts';
import { asOwner, type Database, type OpenTransaction, type Schema } from '../db/database.ts';
import type { KeyRing } from '../db/key-ring.ts';
import { inLists } from '../db/row-writer.ts';
import { leaveTurn } from '../leases.ts';
import { endDisabled } from '../leavers.ts';
import { createLedgerWriter, toLedgerRows } from '../ledger.ts';
import { appendFindings, patchRun, toRun } from '../runs.ts';
import { rejectUndone } from './decisions.ts';
import { addBatches, batches, markChanges } from './states.ts';

/**
 * States of a batch whose effect is not known once its run has ended. Outbox batches have no effect of ours, and leaders
 * are read before each change.
 */
const unknownStates = ['sending', 'sent', 'unresolved'] as const;

export function createBatches(db: Database, keys: KeyRing): Batches {
  const ledgerWriter = createLedgerWriter();

  async function writeEffects(
    transaction: OpenTransaction,
    batch: Pick<Schema['batches'], 'id' | 'run' | 'sync' | 'connection' | 'sent_at'>,
    { marks = [], ledger = [], undone = [] }: BatchEffects,
  ): Promise<void> {
    await markChanges(transaction, batch.run, marks, batch.id);
    await endDisabled(transaction, batch, marks);
    await ledgerWriter.write(transaction, toLedgerRows(batch.connection, ledger, keys));
    await rejectUndone(transaction, batch, undone);
  }

  const ofUnknownEffect = (connections: readonly string[]) =>
    db
      .selectFrom('batches')
      .innerJoin('runs', 'runs.id', 'batches.run')
      .selectAll('batches')
      .where('batches.connection', 'in', connections)
      .where('batches.kind', 'not in', ['outbox', 'leaders'])
      .where('batches.state', 'in', unknownStates)
      .orderBy('runs.started_at')
      .orderBy('batches.run')
      .orderBy('batches.number');

  return {
    create: (owned, some) => asOwner(db, owned, (transaction) => addBatches(transaction, owned.run.id, some)),

    async get(id) {
      const row = await db.selectFrom('batches').selectAll().where('id', '=', id).executeTakeFirst();
      return row && batches.fromRow(row);
    },

    async getMany(ids) {
      const found: Batch[] = [];
      for (const some of inLists(ids)) {
        const rows = await db.selectFrom('batches').selectAll().where('id', 'in', some).execute();
        found.push(...rows.map(batches.fromRow));
      }
      return found;
    },

    async ofRun(runId, { states, limit } = {}) {
      let wanted = db.selectFrom('batches').selectAll().where('run', '=', runId).orderBy('number');
      if (states !== undefined) wanted = wanted.where('state', 'in', states);
      if (limit !== undefined) wanted = wanted.limit(limit);
      return (await wanted.execute()).map(batches.fromRow);
    },

    async ofRuns(runs) {
      if (runs.length === 0) return [];
      const wanted = db.selectFrom('batches').selectAll().where('run', 'in', runs).orderBy('run').orderBy('number');
      return (await wanted.execute()).map(batches.fromRow);
    },

    async wave(runId) {
      const rows = (await waveRows(db, runId)).toSorted((one, other) => one.number - other.number);
      return {
        open: rows.filter(({ state }) => state !== 'planned').map(batches.fromRow),
        planned: rows.filter(({ state }) => state === 'planned').map(toPlannedBatch),
      };
    },

    async unknown(connections) {
      const rows = connections.length === 0 ? [] : await ofUnknownEffect(connections).select('runs.ended_at').execute();
      return {
        unresolved: rows.filter((row) => row.ended_at !== null).map(batches.fromRow),
        unproven: rows.filter((row) => row.ended_at === null).map(batches.fromRow),
      };
    },

    async claimed({ run }, identifications) {
      const others = await ofUnknownEffect([run.connection]).where('batches.run', '!=', run.id).execute();
      const claimed = new Set<string>();
      if (others.length === 0) return claimed;
      const runs = new Set(others.map((batch) => batch.run));
      for (const names of inLists(identifications)) {
        const rows = await db
          .selectFrom('changes')
          .select(['identification', 'plan'])
          .where('identification', 'in', names)
          .where('mark', 'in', ['sent', 'unresolved'])
          .execute();
        // A run's plan has the id of the run.
        for (const { identification, plan } of rows) if (runs.has(plan)) claimed.add(identification);
      }
      return claimed;
    },

    update(owned, id, patch, also = {}) {
      return asOwner(db, owned, async (transaction) => {
        const row = await transaction
          .updateTable('batches')
          // At least one column must be set: even with an empty patch, the effects need their batch.
          .set({ id, ...batches.toPatch(patch) })
          .where((eb) => eb.and({ id, run: owned.run.id }))
          .returning(['id', 'run', 'sync', 'connection', 'sent_at'])
          .executeTakeFirst();
        if (row === undefined) throw noSuchBatch(id, owned.run.id);
        await writeEffects(transaction, row, also);
        const { delivery, findings = [], run = {}, leaves } = also;
        if (leaves !== undefined) await leaveTurn(transaction, leaves, owned.run.id);
        if (findings.length > 0) await appendFindings(transaction, owned.run.id, findings);
        return { run: toRun(await patchRun(transaction, owned.run.id, run, delivery)), lease: owned.lease };
      });
    },

    resolve(owned, id, reason, also) {
      return asOwner(db, owned, async (transaction) => {
        const row = await transaction
          .selectFrom('batches')
          .innerJoin('runs', 'runs.id', 'batches.run')
          .select(['batches.id', 'batches.run', 'batches.sync', 'batches.connection', 'batches.sent_at'])
          .select(['batches.state', 'runs.ended_at'])
          .where('batches.id', '=', id)
          .executeTakeFirst();
        if (row === undefined) throw noSuchBatch(id);
        // Runs of two syncs may resolve the same batch. The first result counts.
        if (row.state === 'settled') return;
        if (row.ended_at === null) {
          const message = `batch ${id} belongs to run ${row.run}, which has not ended. Only the owner of that run can settle it.`;
          throw conflict(message);
        }
        const { numUpdatedRows } = await transaction
          .updateTable('batches')
          .set({ state: 'settled', reason })
          .where('id', '=', id)
          // Another run may have settled it in between.
          .where('state', '!=', 'settled')
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return;
        await writeEffects(transaction, row, also);
      });
    },
  };
}

function noSuchBatch(id: string, run?: string): RollcallError {
  const where = run === undefined ? 'the store' : `run ${run}`;
  return notFound(`${where} has no batch ${id}; nothing was written.`);
}

type WaveRow = Awaited<ReturnType<typeof waveRows>>[number];

/**
 * Returns the batches of unknown effect, the first planned one and all planned parts, with what their changes and their
 * parents say of them. Without an order, because SQLite would read all batches of the run in that order.
 */
function waveRows(db: Database, runId: string) {
  const some = db
    .selectFrom('batches')
    .selectAll('batches')
    .select((eb) => {
      const changes = eb
        .selectFrom('changes')
        .whereRef('changes.batch', '=', 'batches.id')
        .whereRef('changes.plan', '=', 'batches.run')
        .limit(1);
      return [
        changes.select('changes.kind').as('kind_of_change'),
        changes.select('changes.hash').where('changes.waits_for', 'is not', null).as('waiting_change'),
        eb
          .selectFrom('batches as unreceived')
          .select('unreceived.id')
          .whereRef('unreceived.id', '=', 'batches.parent')
          .where('unreceived.kind', '=', 'csv')
          .where('unreceived.file_id', 'is', null)
          .as('unreceived_parent'),
        eb
          .selectFrom('batches as all')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('all.run', '=', runId)
          .as('of_all'),
      ];
    })
    .where('batches.run', '=', runId);
  const planned = some.where('batches.state', '=', 'planned').where((eb) =>
    eb.or([
      eb('batches.parent', 'is not', null),
      eb(
        'batches.number',
        '=',
        eb
          .selectFrom('batches as first')
          .select(({ fn }) => fn.min('first.number').as('number'))
          .where('first.run', '=', runId)
          .where('first.state', '=', 'planned'),
      ),
    ]),
  );
  return some.where('batches.state', 'in', unknownStates).unionAll(planned).execute();
}

function toPlannedBatch(row: WaveRow): PlannedBatch {
  return {
    ...batches.fromRow(row),
    // Disables share a file with no other change.
    isDisabling: row.kind_of_change === 'disable',
    dependsOnOthers: row.kind === 'leaders' || row.waiting_change !== null,
    isOfUnreceived: row.unreceived_parent !== null,
    ofAll: Number(row.of_all),
  };
}

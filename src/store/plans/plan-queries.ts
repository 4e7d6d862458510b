import { RollcallError } from '../../core/run/errors.ts';
import type { PlannedChange, Plans } from '../../ports/store.ts';
import type { Database } from '../db/database.ts';
import type { KeyRing } from '../db/key-ring.ts';
import { inLists } from '../db/row-writer.ts';
import { classMask, toPlannedChange } from './changes.ts';
import { inPiece, piecesOf } from './plan-access.ts';

/** The read-only queries on plans. */
export function createPlanQueries(
  db: Database,
  keys: KeyRing,
): Pick<Plans, 'hashes' | 'page' | 'get' | 'getMany' | 'findByDigest' | 'history'> {
  return {
    async *hashes(planId) {
      for await (const piece of piecesOf(db, planId)) {
        const rows = await db
          .selectFrom('changes')
          .select('hash')
          .where(inPiece(piece))
          .where('state', 'in', ['planned', 'held'])
          .where('is_approved', '=', 0)
          .orderBy('identification')
          .execute();
        for (const { hash } of rows) yield hash;
      }
    },

    async page(planId, query) {
      const { limit, after, states, classes, batch } = query;
      if (states?.length === 0) return [];
      let wanted = db.selectFrom('changes').selectAll().orderBy('identification');
      if (states !== undefined) wanted = wanted.where('state', 'in', states);
      if (classes !== undefined) wanted = wanted.where((eb) => eb(eb('classes', '&', classMask(classes)), '!=', 0));
      if (batch !== undefined) wanted = wanted.where('batch', '=', batch);
      // The rows of a batch have an index of their own. Otherwise few wanted rows may lie among many unwanted ones.
      const isSifted = batch === undefined && (states !== undefined || classes !== undefined);
      const pieces = isSifted ? piecesOf(db, planId, after) : [{ plan: planId, after: after ?? '', upTo: undefined }];
      const found: PlannedChange[] = [];
      for await (const piece of pieces) {
        const rows = await wanted
          .where(inPiece(piece))
          .limit(limit - found.length)
          .execute();
        for (const row of rows) found.push(toPlannedChange(row, keys));
        if (found.length >= limit) break;
      }
      return found;
    },

    async get(planId, identification) {
      const row = await db
        .selectFrom('changes')
        .selectAll()
        .where('plan', '=', planId)
        .where('identification', '=', identification)
        .executeTakeFirst();
      return row && toPlannedChange(row, keys);
    },

    async getMany(planId, identifications) {
      const found: PlannedChange[] = [];
      for (const names of inLists(identifications)) {
        const rows = await db
          .selectFrom('changes')
          .selectAll()
          .where('plan', '=', planId)
          .where('identification', 'in', names)
          .execute();
        for (const row of rows) found.push(toPlannedChange(row, keys));
      }
      return found;
    },

    async findByDigest(sync, digest) {
      const beginning = digest.toLowerCase();
      if (!/^[0-9a-f]{8,64}$/.test(beginning)) {
        const message =
          'a plan is identified by its digest: 8 to 64 characters, 0-9 and a-f, as `rollcall plan` prints it.';
        throw new RollcallError(message, { code: 'USAGE' });
      }
      const rows = await db
        .selectFrom('plans')
        .selectAll()
        .where('sync', '=', sync)
        .where('digest', '>=', beginning)
        // Every hex digit sorts before g.
        .where('digest', '<', `${beginning}g`)
        .orderBy('made_at', 'desc')
        .orderBy('id', 'desc')
        .execute();
      const newest = rows[0];
      if (newest === undefined || newest.digest === null) return undefined;
      if (rows.some((row) => row.digest !== newest.digest)) {
        const message = `several plans of ${sync} have a digest that begins with ${beginning}. Enter more characters of it.`;
        throw new RollcallError(message, { code: 'USAGE' });
      }
      return {
        id: newest.id,
        sync: newest.sync,
        run: newest.run ?? undefined,
        madeAt: Number(newest.made_at),
        digest: newest.digest,
      };
    },

    async history(sync, identification, limit) {
      const rows = await db
        .selectFrom('changes')
        .innerJoin('plans', 'plans.id', 'changes.plan')
        .innerJoin('runs', 'runs.id', 'plans.run')
        .selectAll('changes')
        .select(['runs.id as run', 'runs.started_at'])
        .where('changes.identification', '=', identification)
        .where('plans.sync', '=', sync)
        .where('plans.digest', 'is not', null)
        .orderBy('runs.started_at', 'desc')
        .orderBy('runs.id', 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        ...toPlannedChange(row, keys),
        run: row.run,
        at: Number(row.applied_at ?? row.started_at),
      }));
    },
  };
}

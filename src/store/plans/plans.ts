import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ChangePart, partOf } from '../../core/plan/change.ts';
import type { RefusedCreate } from '../../core/plan/refused-create.ts';
import { conflict, usageError } from '../../core/run/errors.ts';
import { noKinds, noStates } from '../../core/run/report.ts';
import type { PlanHeader, PlannedChange, Plans } from '../../ports/store.ts';
import type { Database, OpenTransaction } from '../db/database.ts';
import type { KeyRing } from '../db/key-ring.ts';
import { inLists, RowWriter } from '../db/row-writer.ts';
import { patchRun } from '../runs.ts';
import { countAppliedSince, disablesSince } from './applied-since.ts';
import {
  classMask,
  countClasses,
  isHeld,
  type NewChangeRow,
  stated,
  toNewChangeRow,
  toPlannedChange,
} from './changes.ts';
import { asPlanner, countChanges, dropPlan, inPiece, inPlan, piecesOf, sealed, sealPlan } from './plan-access.ts';
import { createPlanStates } from './states.ts';

/** Changes per transaction while a plan is written. Other processes wait for at most this many. */
const pieceRows = 4096;

export function createPlans(db: Database, keys: KeyRing): Plans {
  const writer = new RowWriter<'changes', NewChangeRow>('changes');

  return {
    ...createPlanStates(db),
    ...createPlanQueries(db, keys),

    begin(owned, header, first = []) {
      return asPlanner(db, owned, header, async (transaction) => {
        await beginPlan(transaction, header);
        await writer.write(
          transaction,
          first.map((change) => toNewChangeRow(header.id, change, keys)),
        );
        const { run, madeAt } = header;
        if (run !== undefined) await patchRun(transaction, run, { phase: 'planning', phaseAt: madeAt });
      });
    },

    async add(owned, planId, changes) {
      for (let from = 0; from < changes.length; from += pieceRows) {
        const rows = changes.slice(from, from + pieceRows).map((change) => toNewChangeRow(planId, change, keys));
        await inPlan(db, owned, planId, async (transaction, { digest }) => {
          if (digest !== null) throw sealed(planId);
          await writer.write(transaction, rows);
        });
        await nextTurn();
      }
    },

    replaceHeld(owned, planId, changes) {
      return inPlan(db, owned, planId, async (transaction) => {
        const held = new Set<string>();
        for (const names of inLists(changes.map(({ identification }) => identification))) {
          const rows = await transaction
            .deleteFrom('changes')
            .where('plan', '=', planId)
            .where('identification', 'in', names)
            .where('part', '=', 'account')
            .where(isHeld)
            .where('is_approved', '=', 0)
            .returning('identification')
            .execute();
          for (const { identification } of rows) held.add(identification);
        }
        const others = changes.filter(({ identification }) => held.has(identification));
        await writer.write(
          transaction,
          others.map((change) => toNewChangeRow(planId, change, keys)),
        );
        return others.length;
      });
    },

    appliedSince: (who, since) => countAppliedSince(db, who, since),

    async disabledSince(who, since) {
      return (await disablesSince(db, who, since)).map((row) => toPlannedChange(row, keys));
    },

    async count(planId) {
      const groups = await countChanges(db, [planId], ['kind', 'classes', 'state', 'is_approved', 'is_rejected']);
      const [kinds, states] = [{ ...noKinds }, { ...noStates }];
      const wanted = groups.filter((group) => group.is_rejected === 0);
      for (const { state, count } of groups) states[state] += count;
      for (const { kind, count } of wanted) kinds[kind] += count;
      const open = wanted.filter((group) => group.state === 'planned' && group.is_approved === 0);
      const configuration = classMask(['configuration']);
      const beside = open.filter((group) => (group.classes & configuration) === 0);
      const made = groups.filter((group) => group.kind === 'create' && group.state === 'applied');
      const created = made.reduce((sum, { count }) => sum + count, 0);
      return {
        states,
        kinds,
        created,
        classes: countClasses(wanted),
        open: countClasses(open),
        beside: countClasses(beside),
      };
    },

    seal: (owned, planId, digest) =>
      inPlan(db, owned, planId, (transaction, plan) => sealPlan(transaction, { ...plan, id: planId }, digest)),
  };
}

/**
 * Drops what an earlier attempt wrote, including the batches of its run: a run has one plan. Throws `CONFLICT` once a
 * batch was sent: from then on the plan records what was sent, and the caller missed that another worker continued.
 */
async function beginPlan(db: OpenTransaction, header: PlanHeader): Promise<void> {
  const { id, sync, run, madeAt, configuration = null } = header;
  if (run !== undefined) {
    const sent = await db
      .selectFrom('batches')
      .select('id')
      .where('run', '=', run)
      .where('state', '!=', 'planned')
      .limit(1)
      .executeTakeFirst();
    if (sent !== undefined) {
      const message = `the plan of run ${run} cannot be made again, because its batch ${sent.id} was sent. Continue its delivery.`;
      throw conflict(message);
    }
    await db.deleteFrom('batches').where('run', '=', run).execute();
    const earlier = await db.selectFrom('plans').select('id').where('run', '=', run).execute();
    for (const plan of earlier) await dropPlan(db, plan.id);
  }
  await dropPlan(db, id);
  await db
    .insertInto('plans')
    .values({ id, sync, run: run ?? null, made_at: madeAt, digest: null, configuration })
    .execute();
}

/** The read-only queries on plans. */
function createPlanQueries(
  db: Database,
  keys: KeyRing,
): Pick<Plans, 'hashes' | 'page' | 'get' | 'getMany' | 'findByDigest' | 'history' | 'refusedCreates'> {
  const getMany: Plans['getMany'] = async (planId, identifications, part = 'account') => {
    const found: PlannedChange[] = [];
    for (const names of inLists(identifications)) {
      const rows = await db
        .selectFrom(stated)
        .selectAll()
        .where('plan', '=', planId)
        .where('identification', 'in', names)
        .$if(part !== 'all', (query) => query.where('part', '=', part as ChangePart))
        .execute();
      for (const row of rows) found.push(toPlannedChange(row, keys));
    }
    return found;
  };

  return {
    async *hashes(planId) {
      for await (const piece of piecesOf(db, planId)) {
        // Sifted here: a statement whose few rows lie among many others would hold up other work.
        const rows = await db
          .selectFrom(stated)
          .select(['hash', 'state', 'is_approved'])
          .where(inPiece(piece))
          .orderBy('identification')
          .orderBy('part')
          .execute();
        for (const { hash, state, is_approved: approved } of rows) {
          if (approved === 0 && (state === 'planned' || state === 'held')) yield hash;
        }
      }
    },

    async page(planId, query) {
      const { limit, after, states, classes, batch } = query;
      if (states?.length === 0) return [];
      let wanted = db.selectFrom(stated).selectAll().orderBy('identification').orderBy('part');
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
      const last = found.at(-1);
      if (found.length < limit || last === undefined || partOf(last) === 'leaders') return found;
      const second = await wanted
        .where((eb) => eb.and({ plan: planId, identification: last.identification, part: 'leaders' }))
        .execute();
      return [...found, ...second.map((row) => toPlannedChange(row, keys))];
    },

    get: async (planId, identification, part) => (await getMany(planId, [identification], part))[0],
    getMany,

    async findByDigest(sync, digest) {
      const beginning = digest.toLowerCase();
      if (!/^[0-9a-f]{8,64}$/.test(beginning)) {
        const message =
          'a plan is identified by its digest: 8 to 64 characters, 0-9 and a-f, as `rollcall plan` prints it.';
        throw usageError(message);
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
        throw usageError(message);
      }
      return {
        id: newest.id,
        sync: newest.sync,
        run: newest.run ?? undefined,
        madeAt: newest.made_at,
        digest: newest.digest,
      };
    },

    async refusedCreates(sync, identifications) {
      const found: (RefusedCreate & { readonly identification: string })[] = [];
      for (const names of inLists(identifications)) {
        const rows = await db
          .selectFrom('changes')
          .innerJoin('plans', 'plans.id', 'changes.plan')
          .innerJoin('runs', 'runs.id', 'plans.run')
          .innerJoin('batches', 'batches.id', 'changes.batch')
          .select(['changes.identification', 'changes.hash'])
          .select(({ fn }) => [fn.countAll().as('tries'), fn.max('runs.ended_at').as('last')])
          .where('changes.identification', 'in', names)
          .where((eb) => eb.and({ 'plans.sync': sync, 'changes.kind': 'create', 'changes.mark': 'failed' }))
          .where('runs.outcome', '!=', 'failed')
          .where((eb) =>
            eb.or([
              eb('batches.kind', '=', 'direct'),
              eb('batches.size', '=', 1),
              eb('batches.final', 'in', ['done', 'learned']),
            ]),
          )
          .groupBy(['changes.identification', 'changes.hash'])
          .execute();
        for (const { identification, hash, tries, last } of rows)
          found.push({ identification, hash, tries: Number(tries), lastAt: Number(last) });
      }
      return Map.groupBy(found, ({ identification }) => identification);
    },

    async history(sync, identification, limit) {
      const rows = await db
        .selectFrom(stated)
        .innerJoin('plans', 'plans.id', 'changes.plan')
        .innerJoin('runs', 'runs.id', 'plans.run')
        .selectAll('changes')
        .select(['runs.id as run', 'runs.started_at'])
        .where((eb) => eb.and({ 'changes.identification': identification, 'plans.sync': sync }))
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

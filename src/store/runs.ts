import { type Selectable, sql } from 'kysely';
import { notFound } from '../core/run/errors.ts';
import { causeOf, type Finding } from '../core/run/finding.ts';
import { noCounts } from '../core/run/run.ts';
import { successOutcomes } from '../ports/alerts.ts';
import type { PhaseTime } from '../ports/reports.ts';
import type { DeliveryPatch } from '../ports/runs.ts';
import type { Run, RunPatch, Runs } from '../ports/store.ts';
import { asOwner, type Database, inTransaction, type OpenTransaction, type Schema } from './db/database.ts';
import { lockName } from './db/differences.ts';
import { fields } from './db/fields.ts';
import type { KeyRing } from './db/key-ring.ts';
import { RowWriter } from './db/row-writer.ts';
import { pruneRuns } from './housekeeping.ts';
import { leaveTurn } from './leases.ts';
import { updateLeavers } from './leavers.ts';
import { prepareHolds, renewHolds } from './plans/holds.ts';
import { sealPlan } from './plans/plan-access.ts';
import { addBatches } from './plans/states.ts';
import { putCorrections, putWatermark, readWatermark } from './reads.ts';
import { takeTriggers } from './triggers.ts';

export function createRuns(db: Database, keys: KeyRing): Runs {
  return {
    open(sync, make) {
      return inTransaction(db, async (transaction) => {
        await lockName(transaction, `runs ${sync}`);
        const open = await transaction
          .selectFrom('runs')
          .selectAll()
          .where('sync', '=', sync)
          .where('ended_at', 'is', null)
          .executeTakeFirst();
        if (open !== undefined) return { run: toRun(open), isNew: false };

        const request = await takeTriggers(transaction, sync, make);
        if (request === undefined) return undefined;
        // The caller read the clock before it waited for the lock. A run never starts before the last one has ended.
        const last = await transaction
          .selectFrom('runs')
          .select((eb) => eb.fn.max('ended_at').as('endedAt'))
          .where('sync', '=', sync)
          .executeTakeFirst();
        const row = {
          id: make.id,
          sync,
          connection: make.connection,
          ...request.row,
          phase: 'reading' as const,
          started_at: Math.max(make.now, last?.endedAt ?? 0),
          counts: JSON.stringify(noCounts),
        };
        const opened = await transaction.insertInto('runs').values(row).returningAll().executeTakeFirstOrThrow();
        const { triggers } = request;
        return { run: toRun(opened), isNew: true, triggers, lastEndedAt: last?.endedAt ?? undefined };
      });
    },

    get: (id) => findRun(db, id),

    async list({ sync, syncs, limit, after, outcome, trigger, since, until }) {
      const rows = await db
        .selectFrom('runs')
        .selectAll()
        .$if(sync !== undefined, (query) => query.where('sync', '=', sync ?? ''))
        .$if(syncs !== undefined, (query) => query.where('sync', 'in', syncs ?? []))
        .$if(after !== undefined, (query) =>
          query.where((eb) =>
            eb.or([
              eb('started_at', '<', after?.startedAt ?? 0),
              eb.and([eb('started_at', '=', after?.startedAt ?? 0), eb('id', '<', after?.id ?? '')]),
            ]),
          ),
        )
        .$if(outcome === 'open', (query) => query.where('ended_at', 'is', null))
        .$if(outcome !== undefined && outcome !== 'open', (query) => query.where(sql.ref('outcome'), '=', outcome))
        .$if(trigger !== undefined, (query) => query.where('trigger_kind', '=', trigger ?? 'manual'))
        .$if(since !== undefined, (query) => query.where('started_at', '>=', since ?? 0))
        .$if(until !== undefined, (query) => query.where('started_at', '<', until ?? 0))
        .orderBy('started_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(toRun);
    },

    async unfinished() {
      const rows = await db
        .selectFrom('runs')
        .selectAll()
        .where('ended_at', 'is', null)
        .orderBy('started_at')
        .orderBy('id')
        .execute();
      return rows.map(toRun);
    },

    async update(
      owned,
      patch,
      { watermark, findings, moreFindings = [], delivery, batches = [], holds, ...also } = {},
    ) {
      const { id, sync } = owned.run;
      const renewed = holds && { ...holds, prepared: await prepareHolds(db, id, holds.all) };
      return asOwner(db, owned, async (transaction) => {
        if (watermark !== undefined) {
          await putWatermark(transaction, sync, watermark(await readWatermark(transaction, sync)));
        }
        if (findings !== undefined) {
          await transaction.deleteFrom('findings').where('run', '=', id).execute();
          await findingWriter.write(transaction, findings.map(toFindingRow(id, 1)));
        }
        if (also.corrections !== undefined) await putCorrections(transaction, sync, also.corrections);
        if (moreFindings.length > 0) await appendFindings(transaction, id, moreFindings);
        if (patch.digest !== undefined) await sealPlanOf(transaction, id, patch.digest);
        await addBatches(transaction, id, batches);
        if (renewed !== undefined) await renewHolds(transaction, owned, renewed);
        if (also.leavers !== undefined) await updateLeavers(transaction, sync, also.leavers);
        if (also.leaves !== undefined) await leaveTurn(transaction, also.leaves, id);
        // The outcome says it, unless the run says more.
        const isSuccess = successOutcomes.some((outcome) => outcome === patch.outcome);
        const told = { ...(patch.outcome === undefined ? {} : { isSuccess }), ...patch };
        return { run: toRun(await patchRun(transaction, id, told, delivery)), lease: owned.lease };
      });
    },

    updateDelivery(owned, patch) {
      return asOwner(db, owned, async (transaction) => {
        const run = toRun(await patchRun(transaction, owned.run.id, {}, patch));
        return { run, lease: owned.lease };
      });
    },

    async addFindings(owned, findings) {
      if (findings.length === 0) return;
      await asOwner(db, owned, (transaction) => appendFindings(transaction, owned.run.id, findings));
    },

    async findings(runId, limit) {
      const rows = await db
        .selectFrom('findings')
        .selectAll()
        .where('run', '=', runId)
        .orderBy('number')
        .$if(limit !== undefined, (query) => query.limit(limit ?? 0))
        .execute();
      return rows.map(toFinding);
    },

    async findingsCount(runId) {
      const row = await db
        .selectFrom('findings')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('run', '=', runId)
        .executeTakeFirstOrThrow();
      return row.count;
    },

    async requestCancel(runId) {
      const { numUpdatedRows } = await db
        .updateTable('runs')
        .set({ is_cancel_requested: 1 })
        .where('id', '=', runId)
        .where('ended_at', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    prune: (
      before,
      keep,
      { shown = before, audit = before, previews = before, unchanged = Number.MAX_SAFE_INTEGER } = {},
    ) => pruneRuns({ db, keys }, before, keep, { shown, audit, previews, unchanged }),
  };
}

async function findRun(db: Database, id: string): Promise<Run | undefined> {
  const row = await db.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirst();
  return row && toRun(row);
}

/** Updates columns of a run. `learned`: see `Runs.updateDelivery`. Throws `NOT_FOUND`. */
export async function patchRun(
  db: OpenTransaction,
  id: string,
  patch: RunPatch,
  learned?: DeliveryPatch,
): Promise<Selectable<Schema['runs']>> {
  const after = { ...(await phasesAfter(db, id, patch)), ...(await deliveryAfter(db, id, learned)) };
  const row = await db
    .updateTable('runs')
    // At least one column must be set for `returning`: an empty patch still reads the row.
    .set({ id, ...runs.toPatch(patch), ...after })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw notFound(`the store has no run ${id}; \`rollcall runs\` lists those it has.`);
  return row;
}

/** Seals the plan of a run that has one. */
async function sealPlanOf(db: OpenTransaction, run: string, digest: string): Promise<void> {
  const plan = await db.selectFrom('plans').select(['id', 'digest']).where('run', '=', run).executeTakeFirst();
  if (plan !== undefined) await sealPlan(db, plan, digest);
}

const findingWriter = new RowWriter<'findings', Schema['findings']>('findings');

/** `Runs.addFindings`. */
export async function appendFindings(db: OpenTransaction, run: string, findings: readonly Finding[]): Promise<void> {
  const last = await db
    .selectFrom('findings')
    .select((eb) => eb.fn.max('number').as('number'))
    .where('run', '=', run)
    .executeTakeFirst();
  // `max` of no rows is null.
  const from = (last?.number ?? 0) + 1;
  await findingWriter.write(db, findings.map(toFindingRow(run, from)));
}

const runs = fields<Run, 'runs'>(
  'runs',
  { trigger_kind: 'trigger', end_facts: 'end', phases: null, is_pruned: null },
  {
    scope: 'json',
    counts: 'json',
    read: 'json',
    plan: 'json',
    delivery: 'json',
    end: 'json',
    waiting: 'json',
    problem: 'json',
    requests: 'json',
    isCancelRequested: 'flag',
    isSuccess: 'flag',
  },
);

export function toRun(row: Selectable<Schema['runs']>): Run {
  return runs.fromRow({ ...row, requests: row.requests ?? '{}' });
}

const findingFields = fields<Pick<Finding, 'code' | 'identification' | 'at' | 'message' | 'people'>, 'findings'>(
  'findings',
  { run: null, number: null, cause: null, until_at: null, place: 'at' },
  { identification: 'optional', at: 'optional', people: 'optional' },
);

export const toFinding = findingFields.fromRow;

function toFindingRow(run: string, from: number): (finding: Finding, index: number) => Schema['findings'] {
  return (finding, index) => {
    const facts = { cause: causeOf(finding), run, number: from + index, until_at: null };
    return { ...findingFields.toRow(finding), ...facts };
  };
}

/** Returns the column after the delivery has learned something. What is undefined is left out of the text. */
async function deliveryAfter(
  db: OpenTransaction,
  run: string,
  learned?: DeliveryPatch,
): Promise<{ delivery?: string }> {
  if (learned === undefined) return {};
  const row = await db.selectFrom('runs').select('delivery').where('id', '=', run).executeTakeFirst();
  return { delivery: JSON.stringify({ ...JSON.parse(row?.delivery ?? '{}'), ...learned }) };
}

/** The column `phases`: when the current phase began, and what the run spent in each before it. */
interface StoredTimes {
  readonly since: number;
  readonly spent: readonly (readonly [phase: string, startedAt: number, ms: number])[];
}

/** Returns the column after a change of phase. A run alternates between two phases, so times are sums. */
async function phasesAfter(
  db: OpenTransaction,
  run: string,
  { phase, phaseAt }: Pick<RunPatch, 'phase' | 'phaseAt'>,
): Promise<{ readonly phases?: string }> {
  if (phase === undefined || phaseAt === undefined) return {};
  const row = await db
    .selectFrom('runs')
    .select(['phase', 'phases', 'started_at'])
    .where('id', '=', run)
    .executeTakeFirst();
  if (row === undefined || row.phase === phase) return {};
  const before = readTimes(row.phases, row.started_at);
  const times: StoredTimes = { since: phaseAt, spent: addTime(before, row.phase, phaseAt) };
  return { phases: JSON.stringify(times) };
}

function readTimes(text: string | null, startedAt: number): StoredTimes {
  return text === null ? { since: startedAt, spent: [] } : (JSON.parse(text) as StoredTimes);
}

function addTime({ since, spent }: StoredTimes, phase: string, until: number): StoredTimes['spent'] {
  const ms = Math.max(0, until - since);
  if (!spent.some(([name]) => name === phase)) return [...spent, [phase, since, ms]];
  return spent.map(([name, at, sum]) => (name === phase ? [name, at, sum + ms] : [name, at, sum]));
}

/** Returns the phases of a run in the order in which they began. `now`: for the phase that it is in. */
export function timelineOf(
  row: { readonly phase: string; readonly phases: string | null; readonly started_at: number },
  now: number,
): readonly PhaseTime[] {
  const times = readTimes(row.phases, row.started_at);
  const spent = row.phase === 'done' ? times.spent : addTime(times, row.phase, now);
  return spent.map(([phase, startedAt, ms]) => ({ phase, startedAt, ms, isCurrent: phase === row.phase }));
}

import { withApproval } from '../../core/guard/approvals.ts';
import { episodeOf } from '../../core/plan/change.ts';
import { rejectionsAgainst } from '../../core/plan/decision.ts';
import type { UndoneRecord } from '../../core/plan/undo.ts';
import { chunk } from '../../core/run/batch.ts';
import type { ChangeVerdict, DecidedChange, DecisionRecord, Decisions } from '../../ports/store.ts';
import { type Database, inTransaction, type OpenTransaction, pagesByKey, type Schema } from '../db/database.ts';
import { decisionsOf, lockName } from '../db/differences.ts';
import { fields } from '../db/fields.ts';
import { inLists, RowWriter, replace } from '../db/row-writer.ts';
import { endEpisodes, pendingPeople, recordPlan } from './episodes.ts';
import { isSettled, isWaiting, restateHolds } from './hold-members.ts';

/** Changes whose earlier decisions are read with one statement. */
const decidedPerPiece = 256;

export function createDecisions(db: Database): Decisions {
  const writer = new RowWriter<'decisions', Schema['decisions']>('decisions', replace);

  return {
    async of(sync, identification) {
      return (await readMany(db, sync, [identification])).get(identification) ?? [];
    },

    ofMany: (sync, identifications) => readMany(db, sync, identifications),

    decide(sync, changes, verdict) {
      return inTransaction(db, async (transaction) => {
        await lockName(transaction, decisionsOf(sync));
        let decided = 0;
        const expiresAt = verdict.state === 'approved' ? verdict.expiresAt : undefined;
        const different = [...new Map(changes.map((change) => [change.hash, change])).values()];
        for (const piece of chunk(different, decidedPerPiece)) {
          const names = piece.map(({ identification }) => identification);
          const known = await readMany(transaction, sync, names);
          const rows = new Map<string, DecisionRecord>();
          for (const change of piece) {
            const decisions = known.get(change.identification) ?? [];
            if (episodeOf(change.rule, decisions) !== change.episode) continue;
            const against = verdict.state === 'approved' ? rejectionsAgainst(change, decisions) : [];
            if (against.length > 0 && !(verdict.state === 'approved' && verdict.reopens === true)) continue;
            for (const one of against) rows.set(one.hash, lifted(one, verdict.at));
            rows.set(change.hash, recordOf(change, { at: verdict.at, expiresAt, verdict }));
            decided += 1;
          }
          await writer.write(
            transaction,
            [...rows.values()].map((record) => rowOf(sync, record)),
          );
        }
        await restateHolds(transaction, { sync, now: verdict.at });
        return decided;
      });
    },

    give(sync, changes, { class: about, of, expiresAt, ...approval }) {
      return inTransaction(db, async (transaction) => {
        await lockName(transaction, decisionsOf(sync));
        const complete = new Set<string>();
        for (const piece of chunk(changes, decidedPerPiece)) {
          const names = piece.map(({ identification }) => identification);
          const known = await readMany(transaction, sync, names);
          const rows = piece.flatMap((change) => {
            const decisions = known.get(change.identification) ?? [];
            if (episodeOf(change.rule, decisions) !== change.episode) return [];
            const exact =
              decisions.find(({ hash }) => hash === change.hash) ?? recordOf(change, { at: approval.at, expiresAt });
            const given = withApproval(exact.given?.given ?? [], approval);
            if (given.length >= of) complete.add(change.hash);
            return rowOf(sync, { ...exact, given: { class: about, of, given } });
          });
          await writer.write(transaction, rows);
        }
        return complete;
      });
    },

    async given(syncs, now) {
      if (syncs.length === 0) return [];
      const rows = await db
        .selectFrom('decisions')
        .select((eb) => ['sync', 'given', eb.fn.countAll<number>().as('changes')])
        .where('sync', 'in', syncs)
        .where('given', 'is not', null)
        .where(isWaiting(now))
        .groupBy(['sync', 'given'])
        .execute();
      return rows.map(({ sync, given, changes }) => ({ sync, approvals: JSON.parse(given ?? '{}'), changes }));
    },

    leaveOut(sync, changes, { by, at }) {
      return inTransaction(db, async (transaction) => {
        await lockName(transaction, decisionsOf(sync));
        for (const piece of chunk(changes, decidedPerPiece)) {
          const open = await transaction
            .selectFrom('decisions')
            .selectAll()
            .where('sync', '=', sync)
            .where('identification', 'in', [...inLists(piece.map(({ identification }) => identification))].flat())
            .where('hash', 'in', [...inLists(piece.map(({ hash }) => hash))].flat())
            .where('state', '=', 'open')
            .where('ended_at', 'is', null)
            .execute();
          const decided = new Map(piece.map((change) => [change.hash, change.fields]));
          await writer.write(
            transaction,
            open
              .map(toRecord)
              .map((one) => rowOf(sync, { ...one, by, at, fields: decided.get(one.hash) ?? one.fields })),
          );
        }
      });
    },

    record: (owned, planId, times) => recordPlan(db, owned, planId, times),
    pending: (sync, query) => pendingPeople(db, sync, query),
    end: (owned, planId, people, now) => endEpisodes(db, owned, { planId, ...people, now }),
  };
}

/** Stores what later runs must not do again, in the current episode of each rule. */
export async function rejectUndone(
  db: OpenTransaction,
  { sync, run }: Pick<Schema['batches'], 'sync' | 'run'>,
  undone: readonly UndoneRecord[],
): Promise<void> {
  if (undone.length === 0) return;
  await lockName(db, decisionsOf(sync));
  const names = undone.map(({ identification }) => identification);
  const known = await readMany(db, sync, names);
  const rows = undone.map((record) => {
    const episode = episodeOf(record.rule, known.get(record.identification) ?? []);
    return rowOf(sync, { ...record, episode, run });
  });
  await new RowWriter<'decisions', Schema['decisions']>('decisions', replace).write(db, rows);
}

async function readMany(
  db: Database,
  sync: string,
  identifications: readonly string[],
): Promise<Map<string, DecisionRecord[]>> {
  const found = new Map<string, DecisionRecord[]>();
  const ofSync = db.selectFrom('decisions').where('sync', '=', sync);
  const isMany = identifications.length > decidedPerPiece;
  // A first plan asks for everyone, and a sync has no decision then.
  if (isMany && (await ofSync.select('hash').limit(1).executeTakeFirst()) === undefined) return found;
  for (const names of inLists(identifications)) {
    const rows = await ofSync
      .selectAll()
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

/** A rejection that an operator took back: it waits no longer, and its episode continues. */
function lifted(rejection: DecisionRecord, at: number): DecisionRecord {
  return { ...rejection, state: 'open', by: undefined, why: undefined, at, expiresAt: at, run: undefined };
}

/** Without a verdict: a change of a plan that was only shown, so no run has held it yet. */
function recordOf(
  { identification, rule, episode, hash, fields: decided }: DecidedChange,
  { at, expiresAt, verdict }: Pick<DecisionRecord, 'at' | 'expiresAt'> & { readonly verdict?: ChangeVerdict },
): DecisionRecord {
  const said = { state: verdict?.state ?? 'open', by: verdict?.by, why: verdict?.why, run: undefined } as const;
  return { identification, rule, episode, hash, fields: decided, ...said, at, expiresAt, endedAt: undefined };
}

/** The row of a decision whose episode continues. */
function rowOf(sync: string, record: DecisionRecord): Schema['decisions'] {
  return { ...decisions.toRow(record), sync, ended_by: null };
}

const decisions = fields<DecisionRecord, 'decisions'>(
  'decisions',
  { sync: null, by_whom: 'by', ended_by: null },
  { fields: 'json', given: 'optional json' },
);

export const toRecord = decisions.fromRow;

/** Decisions per statement. A hash has 64 characters. */
const readAtOnce = 5000;

/** Hashes of the sync's changes that wait for a person at this instant. */
export async function waitingHashes(db: Database, sync: string, now: number): Promise<ReadonlySet<string>> {
  const read = (after = { identification: '', hash: '' }) =>
    db
      .selectFrom('decisions')
      .select(['identification', 'hash'])
      .where('sync', '=', sync)
      .where((eb) => eb(eb.refTuple('identification', 'hash'), '>', eb.tuple(after.identification, after.hash)))
      .where(isWaiting(now))
      .orderBy('identification')
      .orderBy('hash')
      .limit(readAtOnce)
      .execute();
  const found = new Set<string>();
  for await (const rows of pagesByKey(readAtOnce, read)) for (const { hash } of rows) found.add(hash);
  return found;
}

/** Changes whenever a change of the sync begins or ceases to wait. */
export async function waitingVersion(db: Database, sync: string, now: number): Promise<string> {
  const both = [await versionsOf(db, [sync], isWaiting(now)), await versionsOf(db, [sync], isSettled(now))];
  return both.map(([found]) => found?.version ?? '').join();
}

/**
 * Returns for each sync with such decisions a version that changes with them. `expired`: those without a verdict that wait
 * no longer.
 */
export async function versionsOf(db: Database, syncs: readonly string[], isMeant: ReturnType<typeof isWaiting>) {
  if (syncs.length === 0) return [];
  const rows = await db
    .selectFrom('decisions')
    .select((eb) => ['sync', eb.fn.countAll().as('count'), eb.fn.max('at').as('at'), eb.fn.max('hash').as('hash')])
    .select((eb) => {
      const isUndecided = eb.and([eb('state', '=', 'open'), eb('ended_at', 'is', null)]);
      return eb.fn.countAll<number>().filterWhere(isUndecided).as('expired');
    })
    .where('sync', 'in', syncs)
    .where(isMeant)
    .groupBy('sync')
    .execute();
  return rows.map(({ sync, count, at, hash, expired }) => ({ sync, version: `${count} ${at} ${hash}`, expired }));
}

/**
 * Keeps the last answer for each name as long as its version is the same: alerts, metrics and pages ask again and again,
 * and a million changes take seconds to count.
 */
export function keepByVersion<Value>(): (name: string, version: string, make: () => Promise<Value>) => Promise<Value> {
  const kept = new Map<string, { readonly version: string; readonly value: Promise<Value> }>();
  return (name, version, make) => {
    const known = kept.get(name);
    if (known?.version === version) return known.value;
    const value = make();
    kept.set(name, { version, value });
    value.catch(() => kept.delete(name));
    return value;
  };
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SelectQueryBuilder } from 'kysely';
import type { ChangeClass } from '../../core/plan/change.ts';
import type { Applier } from '../../ports/store.ts';
import type { Database, Schema } from '../db/database.ts';
import { inLists } from '../db/row-writer.ts';
import { countClasses, type StatedChange, stated } from './changes.ts';

/** Applied changes, or those of one instant, that one statement reads. */
const pieceRows = 2500;

/** Which changes count: `all` of the sync and its former names; of another sync, those of people who are ours now. */
type Claim = 'all' | 'ours now' | 'none';

/** `Plans.appliedSince`. */
export async function countAppliedSince(
  db: Database,
  who: Applier,
  since: number,
): Promise<Readonly<Record<ChangeClass, number>>> {
  const groups = await readSince(db, who, since, (changes) =>
    changes
      .select(['plan', 'classes'])
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .groupBy(['plan', 'classes'])
      .execute(),
  );
  return countClasses(groups);
}

/** `Plans.disabledSince`. */
export function disablesSince(db: Database, who: Applier, since: number): Promise<StatedChange[]> {
  return readSince(db, who, since, (changes) => changes.where('kind', '=', 'disable').selectAll().execute());
}

/**
 * Reads what was or may have been applied since then. Each statement uses one index for the few rows it needs: joined to
 * `runs`, SQLite would read every change that the sync has ever had.
 */
async function readSince<Row extends { readonly plan: string }>(
  db: Database,
  who: Applier,
  since: number,
  read: (changes: Changes) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  const claims = new Map<string, Claim>();
  for await (const span of appliedSpans(db, since)) {
    const found = await read(appliedBetween(db, span));
    const plans = [...new Set(found.map(({ plan }) => plan))];
    await learnClaims(db, who, plans, claims);
    rows.push(...found.filter(({ plan }) => claims.get(plan) === 'all'));
    for (const shared of inLists(plans.filter((plan) => claims.get(plan) === 'ours now'))) {
      rows.push(...(await read(ownedNow(appliedBetween(db, span).where('plan', 'in', shared), who))));
    }
  }
  for await (const changes of perhapsSince(db, who, since)) rows.push(...(await read(changes)));
  return rows;
}

/** A plan's id is its run's. Plans that were only shown have applied nothing. */
async function learnClaims(
  db: Database,
  who: Applier,
  plans: readonly string[],
  claims: Map<string, Claim>,
): Promise<void> {
  const unknown = plans.filter((plan) => !claims.has(plan));
  for (const plan of unknown) claims.set(plan, 'none');
  for (const ids of inLists(unknown)) {
    const rows = await db
      .selectFrom('plans')
      .innerJoin('runs', 'runs.id', 'plans.run')
      .select(['plans.id as id', 'runs.sync as sync'])
      .where('plans.id', 'in', ids)
      .where('runs.connection', '=', who.connection)
      .execute();
    for (const { id, sync } of rows) claims.set(id, claimOf(sync, who));
  }
}

function claimOf(sync: string, { others }: Applier): Claim {
  return others.includes(sync) ? 'ours now' : 'all';
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Spans of time, both ends included, from `since` to the newest applied change. */
export async function* appliedSpans(db: Database, since: number): AsyncGenerator<Span, void> {
  for (let from = since; ; ) {
    const end = await db
      .selectFrom('changes')
      .select('applied_at')
      .where('applied_at', '>=', from)
      .orderBy('applied_at')
      .limit(1)
      .offset(pieceRows - 1)
      .executeTakeFirst();
    const to = Number(end?.applied_at ?? Number.MAX_SAFE_INTEGER);
    yield { from, to };
    if (end === undefined) return;
    from = to + 1;
    await nextTurn();
  }
}

type Changes = SelectQueryBuilder<Omit<Schema, 'changes'> & { changes: StatedChange }, 'changes', unknown>;

function appliedBetween(db: Database, { from, to }: Span): Changes {
  return db
    .selectFrom(stated)
    .where('applied_at', '>=', from)
    .where('applied_at', '<=', to)
    .where('is_approved', '=', 0);
}

function ownedNow(changes: Changes, { connection, sync }: Applier): Changes {
  return changes.where((eb) =>
    eb.exists(
      eb
        .selectFrom('ledger')
        .select('ledger.owner')
        .where('ledger.connection', '=', connection)
        .whereRef('ledger.identification', '=', 'changes.identification')
        .where('ledger.owner', '=', sync),
    ),
  );
}

/** What went out since then and may have been applied, batch by batch. */
async function* perhapsSince(db: Database, who: Applier, since: number): AsyncGenerator<Changes, void> {
  const batches = await db
    .selectFrom('batches')
    .select(['id', 'sync'])
    .where('connection', '=', who.connection)
    .where('sent_at', '>=', since)
    .execute();
  for (const { id, sync } of batches) {
    const changes = db
      .selectFrom(stated)
      .where('batch', '=', id)
      .where('mark', 'in', ['sent', 'unresolved'])
      .where('applied_at', 'is', null)
      .where('is_approved', '=', 0);
    yield claimOf(sync, who) === 'all' ? changes : ownedNow(changes, who);
    await nextTurn();
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChangeClass } from '../core/change.ts';
import { countClasses } from './change-rows.ts';
import type { Database } from './database.ts';
import { inLists } from './row-writer.ts';

/** Rows per statement: applied changes, or changes of one instant. */
const pieceRows = 2500;

interface Group {
  readonly classes: number;
  readonly count: number | string | bigint;
}

/**
 * Implements `Plans.appliedSince`. Each statement uses one index to reach few rows. With a join to `plans`, SQLite
 * would scan every change that the sync has ever had.
 */
export async function countAppliedSince(
  db: Database,
  sync: string,
  since: number,
): Promise<Readonly<Record<ChangeClass, number>>> {
  const groups: Group[] = [];
  const ours = new Map<string, boolean>();
  for await (const span of appliedSpans(db, since)) {
    const found = await appliedIn(db, span);
    const unknown = [...new Set(found.map(({ plan }) => plan))].filter((plan) => !ours.has(plan));
    for (const plan of unknown) ours.set(plan, false);
    for (const plans of inLists(unknown)) {
      const rows = await db
        .selectFrom('plans')
        .select('id')
        .where('id', 'in', plans)
        .where('sync', '=', sync)
        .execute();
      for (const { id } of rows) ours.set(id, true);
    }
    groups.push(...found.filter(({ plan }) => ours.get(plan) === true));
  }
  for await (const some of unresolvedSince(db, sync, since)) groups.push(...some);
  return countClasses(groups);
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Yields spans of time, both ends included, from `since` to the newest applied change. */
async function* appliedSpans(db: Database, since: number): AsyncGenerator<Span, void> {
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

function appliedIn(db: Database, { from, to }: Span): Promise<(Group & { readonly plan: string })[]> {
  return db
    .selectFrom('changes')
    .select(['plan', 'classes'])
    .select((eb) => eb.fn.countAll().as('count'))
    .where('applied_at', '>=', from)
    .where('applied_at', '<=', to)
    .where('is_approved', '=', 0)
    .groupBy(['plan', 'classes'])
    .execute();
}

/** Yields, per batch, what was sent since then and may have been applied. */
async function* unresolvedSince(db: Database, sync: string, since: number): AsyncGenerator<readonly Group[], void> {
  const batches = await db
    .selectFrom('batches')
    .select('id')
    .where('sync', '=', sync)
    .where('sent_at', '>=', since)
    .execute();
  for (const { id } of batches) {
    yield await db
      .selectFrom('changes')
      .select('classes')
      .select((eb) => eb.fn.countAll().as('count'))
      .where('batch', '=', id)
      .where('state', 'in', ['sent', 'unresolved'])
      .where('applied_at', 'is', null)
      .where('is_approved', '=', 0)
      .groupBy('classes')
      .execute();
    await nextTurn();
  }
}

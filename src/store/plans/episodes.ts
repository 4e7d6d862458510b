import { type ExpressionBuilder, sql } from 'kysely';
import { compareIdentifications } from '../../core/plan/change.ts';
import { type DecidedFields, type FieldDigests, whatStays } from '../../core/plan/decision.ts';
import type { DecidedPeople, OwnedRun } from '../../ports/store.ts';
import { asOwner, type Database, type OpenTransaction, type Schema } from '../db/database.ts';
import { decisionsOf, lockName } from '../db/differences.ts';
import { inLists } from '../db/row-writer.ts';
import { stated } from './changes.ts';
import { aboutPiece, decisionAbout, inPiece, inPieces, type PlanPiece, proposalsAbout } from './plan-access.ts';

/** As `Schema['decisions'].fields`: a decision about everything that the rule does. */
const wholeChange = JSON.stringify({ isWhole: true, digests: {} } satisfies DecidedFields);

interface Times {
  readonly now: number;
  readonly expiresAt: number;
}

/** `Decisions.record`, piece by piece: a hold may be as large as the plan. */
export async function recordPlan(db: Database, owned: OwnedRun, planId: string, times: Times): Promise<boolean> {
  const { sync } = owned.run;
  const pieces = inPieces(db, owned, planId, async (transaction, piece) => {
    await lockName(transaction, decisionsOf(sync));
    await openHeld(transaction, sync, piece, times);
    await withdrawOthers(transaction, sync, piece, times.now);
    const isLast = piece.upTo === undefined;
    return isLast && (await pendingPeople(transaction, sync, { now: times.now, limit: 1 })).length > 0;
  });
  let isPending = false;
  for await (const found of pieces) isPending = found;
  return isPending;
}

/**
 * Opens the decision of each held change. One that was approved for a run, or too long ago, is open again. So is one that
 * ended: its value is requested again while the rule still applies.
 */
async function openHeld(db: OpenTransaction, sync: string, piece: PlanPiece, { now, expiresAt }: Times): Promise<void> {
  await db
    .insertInto('decisions')
    .columns(['sync', 'hash', 'identification', 'rule', 'episode', 'state', 'at', 'expires_at', 'by_whom', 'fields'])
    .expression((eb) =>
      eb
        .selectFrom(stated)
        .select((row) => [
          row.val(sync).as('sync'),
          'hash',
          'identification',
          'rule',
          'episode',
          row.val('open').as('state'),
          row.fn.coalesce(leftOut(row, sync, 'at'), row.cast<number>(row.val(now), 'bigint')).as('at'),
          row.cast<number>(row.val(expiresAt), 'bigint').as('expires_at'),
          leftOut(row, sync, 'by_whom').as('by_whom'),
          row.fn.coalesce(leftOut(row, sync, 'fields'), row.val(wholeChange)).as('fields'),
        ])
        .where(inPiece(piece))
        .where('state', '=', 'held'),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['sync', 'identification', 'hash'])
        .doUpdateSet((eb) => ({
          state: 'open',
          at: eb
            .case()
            .when('decisions.ended_at', 'is not', null)
            .then(eb.ref('excluded.at'))
            .else(eb.ref('decisions.at'))
            .end(),
          // A person who left it out of a decision still wants to decide it.
          by_whom: eb
            .case()
            .when('decisions.ended_at', 'is not', null)
            .then(eb.ref('excluded.by_whom'))
            .when('decisions.state', '=', 'open')
            .then(eb.ref('decisions.by_whom'))
            .else(null)
            .end(),
          // An approval that waits for another one stays with the same change, in the same episode.
          given: eb
            .case()
            .when(eb.and([eb('decisions.state', '=', 'open'), eb('decisions.ended_at', 'is', null)]))
            .then(eb.ref('decisions.given'))
            .else(null)
            .end(),
          why: null,
          run: null,
          expires_at: eb.ref('excluded.expires_at'),
          ended_at: null,
          ended_by: null,
        }))
        .where((eb) =>
          eb.or([
            eb('decisions.ended_at', 'is not', null),
            eb('decisions.state', '=', 'open'),
            eb.and([
              eb('decisions.state', '=', 'approved'),
              eb.or([eb('decisions.run', 'is not', null), eb('decisions.expires_at', '<=', now)]),
            ]),
          ]),
        ),
    )
    .execute();
}

/** What was left out of a decision stays so when the change gets other values. */
function leftOut(eb: ExpressionBuilder<Schema, 'changes'>, sync: string, column: 'by_whom' | 'fields' | 'at') {
  return eb
    .case()
    .when('changes.is_left_out', '=', 1)
    .then(
      eb
        .selectFrom('decisions')
        .select(column)
        .where('decisions.sync', '=', sync)
        .whereRef('decisions.identification', '=', 'changes.identification')
        .whereRef('decisions.rule', '=', 'changes.rule')
        .where('decisions.state', '=', 'open')
        .where('decisions.ended_at', 'is', null)
        .where('decisions.by_whom', 'is not', null)
        .orderBy('decisions.at', 'desc')
        .orderBy('decisions.hash')
        .limit(1),
    )
    .end();
}

/** A change that the plan delivers, or has with other values, waits for no approval. */
async function withdrawOthers(db: OpenTransaction, sync: string, piece: PlanPiece, now: number): Promise<void> {
  await db
    .updateTable('decisions')
    .set({ expires_at: now })
    .where((eb) => eb.and({ sync, state: 'open' }))
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .where(aboutPiece(piece))
    .where((eb) =>
      eb.exists(
        proposalsAbout(eb, piece.plan).where((on) =>
          on.or([on('changes.state', '!=', 'held'), on('changes.hash', '!=', on.ref('decisions.hash'))]),
        ),
      ),
    )
    .execute();
}

interface Ending extends DecidedPeople {
  readonly planId: string;
  readonly now: number;
}

/** `Decisions.end`. */
export function endEpisodes(db: Database, owned: OwnedRun, ending: Ending): Promise<void> {
  const { sync, id: run } = owned.run;
  const { planId, identifications, keepsRejections, part = 'account', now } = ending;
  return asOwner(db, owned, async (transaction) => {
    await lockName(transaction, decisionsOf(sync));
    const shown = await shownPlans(transaction, sync, now);
    const { scope } = owned.run;
    const rules = scope.kind === 'users' && scope.undoes !== undefined ? 'undo' : part;
    for (const names of inLists(identifications)) {
      const people = { sync, names, rules } as const;
      await useUp(transaction, { ...people, run, planId });
      await openDecisions(transaction, people)
        .set({ ended_at: now, ended_by: run })
        .where('state', '!=', 'rejected')
        .where((eb) => eb.not(eb.exists(proposalsAbout(eb, planId))))
        .execute();
      if (!keepsRejections) await endRejections(transaction, { ...people, run, planId, now });
      for (const plan of shown) await endShown(transaction, { ...people, run, planId, now, plan });
    }
  });
}

interface Names {
  readonly sync: string;
  readonly run: string;
  readonly planId: string;
  readonly names: readonly string[];
  /** Undo runs end only decisions about undone changes, and other runs only the others: see `isUndoRule`. */
  readonly rules: keyof typeof ruled;
}

/** Conditions on the rule of a decision or change. */
const ruled = {
  undo: sql<boolean>`rule like 'undo-%'`,
  leaders: sql<boolean>`rule like 'leaders-%'`,
  account: sql<boolean>`(rule not like 'undo-%' and rule not like 'leaders-%')`,
} as const;

/** Ends the rejections of what the plan no longer requests: of an update, field by field. */
async function endRejections(
  db: OpenTransaction,
  { sync, run, planId, names, rules, now }: Names & { readonly now: number },
): Promise<void> {
  const rows = await db
    .selectFrom('decisions')
    .select(['identification', 'hash', 'rule', 'fields'])
    .where('sync', '=', sync)
    .where('identification', 'in', names)
    .where(ruled[rules])
    .where('state', '=', 'rejected')
    .where('ended_at', 'is', null)
    .execute();
  const rejected = rows.map((row) => ({ ...row, text: row.fields, fields: JSON.parse(row.fields) as DecidedFields }));
  if (rejected.length === 0) return;
  const changes = await db
    .selectFrom('changes')
    .select(['identification', 'rule', 'asked'])
    .where('plan', '=', planId)
    .where('identification', 'in', [...new Set(rejected.map(({ identification }) => identification))])
    .execute();
  const proposed = Map.groupBy(
    changes.map((row) => ({ ...row, asked: row.asked === null ? undefined : (JSON.parse(row.asked) as FieldDigests) })),
    ({ identification }) => identification,
  );
  for (const { text, ...row } of rejected) {
    const stays = whatStays(row, proposed.get(row.identification) ?? []);
    const fields = JSON.stringify(stays);
    if (fields === text) continue;
    await db
      .updateTable('decisions')
      .set(stays === undefined ? { ended_at: now, ended_by: run } : { fields })
      .where((eb) => eb.and({ sync, identification: row.identification, hash: row.hash }))
      .execute();
  }
}

/** An approval is for the next decision about the person: other values need another one. */
async function useUp(db: OpenTransaction, { run, planId, ...people }: Names): Promise<void> {
  await openDecisions(db, people)
    .set({ run })
    .where('state', '=', 'approved')
    .where('run', 'is', null)
    .where((eb) => eb.exists(proposalsAbout(eb, planId).whereRef('changes.hash', '!=', 'decisions.hash')))
    .execute();
}

function openDecisions(db: OpenTransaction, { sync, names, rules }: Pick<Names, 'sync' | 'names' | 'rules'>) {
  return db
    .updateTable('decisions')
    .where('sync', '=', sync)
    .where('ended_at', 'is', null)
    .where(ruled[rules])
    .where('identification', 'in', names);
}

/**
 * Remembers that a change which a plan showed is gone, so that the plan's digest does not approve it when it appears
 * again.
 */
async function endShown(
  db: OpenTransaction,
  { sync, run, planId, names, rules, now, plan }: Names & { readonly now: number; readonly plan: string },
): Promise<void> {
  const gone = await db
    .selectFrom('changes')
    .select(['identification', 'rule', 'episode', 'hash'])
    .where('plan', '=', plan)
    .where('identification', 'in', names)
    .where(ruled[rules])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('changes as proposed')
            .select('proposed.hash')
            .where('proposed.plan', '=', planId)
            .whereRef('proposed.identification', '=', 'changes.identification')
            .whereRef('proposed.rule', '=', 'changes.rule'),
        ),
      ),
    )
    .execute();
  if (gone.length === 0) return;
  const rows = gone.map((change): Schema['decisions'] => ({
    ...change,
    sync,
    state: 'open',
    by_whom: null,
    why: null,
    at: now,
    expires_at: now,
    run: null,
    ended_at: now,
    ended_by: run,
    fields: wholeChange,
    given: null,
  }));
  await db
    .insertInto('decisions')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['sync', 'identification', 'hash']).doNothing())
    .execute();
}

/** How long the digest of a plan that was shown may be approved (`rollcall apply --approve`). */
const shownForMs = 24 * 3_600_000;

/** `Decisions.pending`. */
export async function pendingPeople(
  db: Database,
  sync: string,
  { now, limit, after = '' }: { readonly now: number; readonly limit: number; readonly after?: string },
): Promise<readonly string[]> {
  const decided = await db
    .selectFrom('decisions')
    .select('identification')
    .distinct()
    .where('sync', '=', sync)
    .where('ended_at', 'is', null)
    .where('identification', '>', after)
    .orderBy('identification')
    .limit(limit)
    .execute();
  const names = new Set(decided.map(({ identification }) => identification));
  for (const plan of await shownPlans(db, sync, now)) {
    const shown = await db
      .selectFrom(stated)
      .select('identification')
      .where('plan', '=', plan)
      .where('identification', '>', after)
      .where('state', 'in', ['planned', 'held'])
      .where((eb) => eb.not(eb.exists(decisionAbout(eb, sync))))
      .orderBy('identification')
      .limit(limit)
      .execute();
    for (const { identification } of shown) names.add(identification);
  }
  return [...names].sort(compareIdentifications).slice(0, limit);
}

/** Plans of the sync that were only shown, and not too long ago to be approved by digest. */
async function shownPlans(db: Database, sync: string, now: number): Promise<readonly string[]> {
  const plans = await db
    .selectFrom('plans')
    .select('id')
    .where('sync', '=', sync)
    .where('run', 'is', null)
    .where('digest', 'is not', null)
    .where('made_at', '>', now - shownForMs)
    .execute();
  return plans.map(({ id }) => id);
}

import type { FieldName } from '../../core/person/fields.ts';
import type { Change } from '../../core/plan/change.ts';
import { fieldsDecided } from '../../core/plan/decision.ts';
import type { UndoOrder } from '../../core/plan/undo.ts';
import { chunk } from '../../core/run/batch.ts';
import { undoneBy } from '../../ports/runs.ts';
import type { EngineIo } from '../engine-io.ts';
import type { PlanWork } from '../plan-job.ts';
import type { PeopleIndex } from '../read/people-index.ts';

/**
 * The people whose former e-mail an undo puts back: their slots, each with the user who has the address by now. Empty for
 * any other run.
 */
export type FormerEmails = Map<number, string | undefined>;

const peopleAtOnce = 500;

/** Makes each person of an undo the claimant of the e-mail that the change took away, unless HR gave it to another. */
export async function claimFormerEmails({ scope, sync, index }: PlanWork, io: EngineIo): Promise<FormerEmails> {
  const order = undoneBy(scope);
  const former: FormerEmails = new Map();
  if (order === undefined || scope.kind !== 'users') return former;
  const roster = await io.store.rosters.open(sync.settings.name);
  for (const names of chunk(scope.identifications, peopleAtOnce)) {
    const moved = (await io.store.plans.getMany(order.run, names)).filter((change) => losesEmail(change, order));
    for (const { identification } of moved) index.dropEmail(index.find(identification).slot);
    const claims = await roster?.claims(moved.map(({ before }) => before?.fields.email ?? ''));
    for (const { identification, before } of moved) {
      const email = before?.fields.email ?? '';
      const { slot } = index.find(identification);
      const holder = index.findEmail(email);
      const others = (claims?.get(email) ?? []).filter((key) => key !== roster?.keyOf(identification));
      if (holder === -1 && !others.some((key) => isElsewhere(key, index))) {
        former.set(slot, undefined);
        index.addEmail(email, slot);
      } else former.set(slot, holder === -1 ? 'another employee' : index.person(holder).identification);
    }
  }
  return former;
}

/** People of this read claim what this read shows. */
function isElsewhere(key: string, index: PeopleIndex): boolean {
  return !index.hasKey(key);
}

function losesEmail(change: Change, { only }: UndoOrder): boolean {
  const fields = Object.keys(fieldsDecided(change, only).digests) as FieldName[];
  return change.kind === 'update' && fields.includes('email') && (change.before?.fields.email ?? '') !== '';
}

import type { Change, ChangeKind } from '../../core/plan/change.ts';
import { judgeChange } from '../../core/plan/judge.ts';
import type { LedgerEntry } from '../../core/plan/ledger.ts';
import { entryOf } from '../../core/plan/ledger-steps.ts';
import type { Finding } from '../../core/run/finding.ts';
import type { Lookup } from '../../ports/platform.ts';
import type { Batch } from '../../ports/store.ts';
import type { ReadBack } from '../read-back/read-back.ts';

export type Trouble = Pick<Finding, 'code'> & { readonly reason: string };
export type Objection = (lookup: Lookup) => Trouble | undefined;

/** Returns the check of the user that can stop a change; undefined when the change goes whatever the account is now. */
export function objectionTo({ kind }: Change, batch: Batch): Objection | undefined {
  // A direct update does not enable an account, and direct delivery reads the user first.
  return kind === 'update' && batch.kind === 'direct' ? undefined : objections[kind];
}

function whyNotCreate(lookup: Lookup): Trouble | undefined {
  if (lookup.found === false) return undefined;
  const already = 'the user is on the platform now; the next run checks it again';
  return { code: 'lookup-disagrees', reason: lookup.found === 'unclear' ? lookup.reason : already };
}

/**
 * Returns why an update is not sent. A row with U enables the account (contract: no other way is shown), so it must not
 * undo a disable.
 */
function whyNotUpdate(lookup: Lookup): Trouble | undefined {
  if (lookup.found === 'unclear') return { code: 'lookup-disagrees', reason: lookup.reason };
  if (!lookup.found) return { code: 'lookup-disagrees', reason: 'the platform no longer has this user' };
  if (lookup.user.enabled) return undefined;
  return { code: 'foreign-disable', reason: 'the account was disabled after the plan was made' };
}

/** Returns why a removal is not sent. A removal cannot be undone, so a user who was enabled since is kept. */
function whyNotRemove(lookup: Lookup): Trouble | undefined {
  if (lookup.found === 'unclear') return { code: 'lookup-disagrees', reason: lookup.reason };
  if (!lookup.found || !lookup.user.enabled) return undefined;
  return { code: 'lookup-disagrees', reason: 'the account was enabled after the plan was made' };
}

const objections: Partial<Record<ChangeKind, Objection>> = {
  create: whyNotCreate,
  update: whyNotUpdate,
  remove: whyNotRemove,
};

/** Returns the change as the platform shows it, if all of it is applied. */
export function readBackIfApplied(
  change: Change,
  lookup: Lookup,
  known: LedgerEntry | undefined,
): ReadBack | undefined {
  if (lookup.found === 'unclear') return undefined;
  const user = lookup.found ? lookup.user : undefined;
  const own = entryOf(user?.id ?? change.before?.userId, known);
  const verdict = judgeChange(change, user, own);
  return verdict.kind === 'applied' ? { change, verdict, known: own, accountId: user?.id } : undefined;
}

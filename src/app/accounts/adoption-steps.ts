import { customFieldNumber, type FieldValues, fieldNames, fieldTraits, type User } from '../../core/person/fields.ts';
import { beforeOf } from '../../core/plan/change.ts';
import { withKnown } from '../../core/plan/diff.ts';
import type { LedgerEntry } from '../../core/plan/ledger.ts';
import type { NewDecision, Pair } from '../../core/plan/standing.ts';
import { unknownFields } from '../../core/run/batch.ts';
import { given } from '../../core/run/given.ts';
import type { Dialect } from '../../core/run/settings.ts';
import type { Sync } from '../../run/engine-io.ts';
import type { Explained } from '../../run/why.ts';
import type { Adoption } from '../../views/people.ts';
import { waysOf } from './decisions.ts';

/** What is known of one person before an adoption. */
export interface AdoptionFacts {
  readonly identification: string;
  readonly user: User | undefined;
  /** The entry of a user who is not removed, about the account that the platform shows. */
  readonly entry: LedgerEntry | undefined;
  /** The platform changed the account's identification, and the ledger has not followed: it has this one. */
  readonly former?: string;
  /** Why the read and the search for the person say nothing. */
  readonly unclear?: string;
  /** Present for a person who may be of a pair or waits for approval, or who has neither an account nor an entry. */
  readonly explained?: Explained;
  readonly pair?: Pair;
  /** The outcome of an earlier change to one of the two is not known. */
  readonly isWaiting?: boolean;
  /** What the ledger knows of the account that seems to be the person's. */
  readonly hidden?: FieldValues;
}

/** What carries an adoption out. */
type Act =
  | { readonly kind: 'move'; readonly owner: string }
  /** `fields`: what the write carries so that it clears nothing. */
  | { readonly kind: 'rename'; readonly account: User; readonly fields: FieldValues }
  /** The account got the identification by an adoption that was interrupted. */
  | { readonly kind: 'follow'; readonly from: string; readonly accountId: string }
  | { readonly kind: 'decide'; readonly decision: NewDecision };

/** One adoption, and what it does. */
export interface Step {
  readonly adoption: Adoption;
  readonly pair?: Pair;
  /** Digest of the name of another person than the account's, in the record. */
  readonly stranger?: string;
  /** Absent: nothing. */
  readonly act?: Act;
}

/**
 * Returns what adopting a person does: the first line that fits. Pure.
 *
 *   read and search disagree about the person        nothing
 *   a rename of the account was interrupted          the ledger follows
 *   has an account or an entry:  of another sync     the user moves
 *                                of a pair           nothing: the other one is to be named
 *                                of another person   nothing: the other ways
 *                                of no sync          nothing: the next run takes it over
 *                                of this sync        nothing
 *   no other account seems to be theirs              nothing: the next run creates one, or why not
 *   an earlier change has no known outcome           nothing
 *   a rename would clear values                      nothing
 *   the platform can change identifications          the other account gets this one
 *   it cannot                                        nothing: by hand
 *
 * Undefined: nothing knows the person.
 */
export function stepOf(facts: AdoptionFacts, { dialect, settings: { name } }: Sync): Step | undefined {
  const { identification, user, entry, former, unclear, explained, pair } = facts;
  const account = user && { id: user.id, enabled: user.enabled };
  const ways = pair && waysOf(pair);
  const isStranger = pair !== undefined && pair.identification === pair.other;
  const step = (over: Partial<Adoption> & Pick<Adoption, 'effect'>, act?: Act): Step => ({
    adoption: { identification, kind: 'none', ...given({ account }), ...over, isDone: false, ...given({ ways }) },
    ...given({ pair: isStranger ? undefined : pair, act, stranger: explained?.subject?.stranger?.nameDigest }),
  });
  if (unclear !== undefined) return step({ effect: `nothing is done: ${unclear}` });
  if (user !== undefined && former !== undefined) {
    const effect = `an interrupted adoption gave the account of ${former} this identification: the history of ${former} moves too`;
    const act = { kind: 'follow', from: former, accountId: user.id } as const;
    return step({ kind: 'rename', other: former, owner: name, effect }, act);
  }
  if (user !== undefined || entry !== undefined) {
    const owner = entry?.owner;
    if (owner !== undefined && owner !== name) {
      const effect = `moves from sync ${owner} to sync ${name}. The next run of ${name} decides about the account from its own source`;
      return step({ kind: 'move', owner, effect }, { kind: 'move', owner });
    }
    if (isStranger) {
      return step({
        ...given({ owner }),
        effect: 'HR and the account name different people: decide whether they are the same person',
      });
    }
    if (pair?.other === identification) {
      const effect = `it seems to be the account of ${pair.identification}: name that one to give it the identification`;
      return step({ ...given({ owner }), effect });
    }
    if (pair !== undefined) {
      return step({ ...given({ owner }), effect: `has an account, and ${pair.other} seems to be the same person` });
    }
    const free = `no sync owns the user: the next run of ${name} takes it over if the person is active in its source`;
    return step({ ...given({ owner }), effect: owner === undefined ? free : `already belongs to sync ${name}` });
  }
  const other = explained?.conflict?.user;
  if (explained === undefined || other === undefined) {
    if (explained === undefined || explained.records.length === 0) return undefined;
    const { decision, failure } = explained;
    const isCreate = decision?.change?.kind === 'create';
    const why = failure ?? decision?.finding?.message ?? `run "rollcall why ${name} ${identification}"`;
    return step({ effect: isCreate ? `has no account yet: the next run of ${name} creates it` : why });
  }
  const { identification: old, id, enabled } = other;
  const about = { account: { id, enabled }, other: old };
  const byHand = `Change ${old} to ${identification} on the platform by hand, or correct the source`;
  if (facts.isWaiting === true) {
    return step({ ...about, effect: `nothing changes: the outcome of an earlier change to ${old} is not known yet` });
  }
  const fields = carriedOver(other, facts.hidden ?? {}, dialect);
  const unknown = unknownFields({ kind: 'update', before: beforeOf(other), after: fields }, dialect);
  if (dialect.put === 'replaces' && unknown.length > 0) {
    const effect = `nothing changes: the call would clear ${unknown.join(', ')}, and neither the platform nor the ledger shows the value (dialect.put is replaces). ${byHand}`;
    return step({ ...about, effect });
  }
  if (dialect.userId === 'id' || (dialect.userId === 'uid' && other.uid !== undefined)) {
    const effect = `the account of ${old} gets the identification ${identification}, and keeps its other fields`;
    return step({ ...about, kind: 'rename', effect }, { kind: 'rename', account: other, fields });
  }
  const cannot = `the platform cannot change an identification with dialect.userId: ${dialect.userId}`;
  return step({ ...about, effect: `${cannot}. ${byHand}` });
}

/** Returns what is known of the account's fields, because a PUT that replaces would clear them. */
function carriedOver(
  { fields, unreadable }: User,
  hidden: FieldValues,
  { customFieldLimit, put }: Dialect,
): FieldValues {
  const known = put === 'replaces' ? withKnown(fields, { unreadable }, { hidden }, fieldNames(hidden)) : fields;
  const names = fieldNames(known).filter((name) => {
    return fieldTraits(name).isDirect && customFieldNumber(name) <= customFieldLimit.direct;
  });
  return Object.fromEntries(names.map((name) => [name, known[name]]));
}

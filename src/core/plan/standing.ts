/**
 * A person of the source and an account under another identification that seem to be one person. A run changes neither
 * until a person decides: `adopt` gives the account the new identification, and the ways below are the others.
 */
export interface Pair {
  /** The person in the source. */
  readonly identification: string;
  /** The account. */
  readonly other: string;
}

/**
 * `leave`: the account stays as it is, and the person is left out, until an instant. `replace`: the account is disabled
 * and the person gets one; both wait for approval. `apart`: they are two people, each decided alone. `disable`: the next
 * full run plans the disable of an account that no sync owns. `same`, `another`: see `IdentityDecision`.
 */
export const decisionWays = ['leave', 'replace', 'apart', 'disable', 'same', 'another'] as const;

export type DecisionWay = (typeof decisionWays)[number];

/** What a person can decide about two. */
export type PairWay = Exclude<DecisionWay, 'disable' | IdentityWay>;

export type IdentityWay = 'same' | 'another';

/** Who decided, and why. */
interface Signed {
  readonly by: string;
  readonly why?: string;
}

interface Ending {
  /** Epoch ms. Absent: for good. */
  readonly until?: number;
}

/** What a person decided about two. */
export interface PairDecision extends Pair, Signed, Ending {
  readonly way: PairWay;
}

/** What a person decided about an account that no record of the source names and no sync owns. */
export interface AccountDecision extends Signed, Ending {
  readonly way: 'leave' | 'disable';
  readonly identification: string;
  /** The platform's id of the account to disable: an account made later under the identification is another one. */
  readonly accountId?: string;
}

/**
 * Whether the record of an identification is about the person of its account, while HR gives the name that it gave then.
 * `another`: the account is disabled, and stays so.
 */
export interface IdentityDecision extends Signed {
  readonly way: IdentityWay;
  readonly identification: string;
  readonly accountId: string;
  /** See `nameDigest` in `core/person/same-person.ts`. Absent: whatever name HR gives. */
  readonly nameDigest?: string;
}

export function isOfIdentity<One extends { readonly way: string }>(
  one: One,
): one is Extract<One, { readonly way: IdentityWay }> {
  return one.way === 'same' || one.way === 'another';
}

/** The account of `other` gets the identification. It stands until the ledger has followed. */
interface RenameDecision extends Pair, Signed {
  readonly way: 'rename';
}

/** The users of a sync that is not configured stay as they are. */
interface OwnerDecision extends Signed {
  readonly way: 'leave';
  readonly owner: string;
}

type Decision = PairDecision | AccountDecision | RenameDecision | OwnerDecision | IdentityDecision;

interface Place {
  readonly connection: string;
  readonly sync: string;
}

/** A decision of a person that counts until its end: its instant, a later one about the same people, or that it is carried out. */
export type StandingDecision = Decision & Place & { readonly id: string; readonly at: number };

export type StandingRename = Extract<StandingDecision, { readonly way: 'rename' }>;

type Unsigned<One> = One extends unknown ? Omit<One, keyof Signed> : never;

/** A decision without what its audit entry says: who decided, when, and why. */
export type NewDecision = Unsigned<Decision> & Place;

/** The decisions of a sync that stand, for one plan. */
export interface Standing {
  readonly ofTwo: readonly PairDecision[];
  /** What was decided about accounts that no sync owns, by identification. */
  readonly accounts: ReadonlyMap<string, AccountDecision>;
  /** What was decided about accounts and the records of their identifications. */
  readonly identities: ReadonlyMap<string, IdentityDecision>;
  /** Returns the decisions about two of whom this is one: the new person, or the account. */
  about(identification: string): readonly PairDecision[];
  /** Returns whether a person decided that the account is disabled: alone, or because a new person replaces its user. */
  disables(identification: string): boolean;
  /** Returns what was decided about these two. */
  way(identification: string, other: string): PairWay | undefined;
}

/** Opens the decisions, given the newest first. */
export function openStanding(decisions: readonly Decision[]): Standing {
  const ofTwo: PairDecision[] = [];
  const accounts = new Map<string, AccountDecision>();
  const identities = new Map<string, IdentityDecision>();
  const byName = new Map<string, PairDecision[]>();
  for (const one of decisions) {
    if ('owner' in one || one.way === 'rename') continue;
    if (!('other' in one)) {
      if (isOfIdentity(one)) identities.set(one.identification, one);
      else accounts.set(one.identification, one);
      continue;
    }
    ofTwo.push(one);
    for (const name of [one.identification, one.other]) byName.set(name, [...(byName.get(name) ?? []), one]);
  }
  const about = (name: string): readonly PairDecision[] => byName.get(name) ?? [];
  return {
    ofTwo,
    accounts,
    identities,
    about,
    disables: (name) =>
      accounts.get(name)?.way === 'disable' ||
      about(name).some(({ way, other }) => way === 'replace' && other === name),
    way: (identification, other) => about(other).find((one) => one.identification === identification)?.way,
  };
}

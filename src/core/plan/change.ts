import { createHash, type Hash, hash } from 'node:crypto';
import {
  customFieldNumber,
  type FieldName,
  type FieldValues,
  fieldNames,
  fieldOrder,
  fieldTraits,
  maxDirectCustomField,
  type User,
} from '../person/fields.ts';
import type { LedgerLeaders } from './ledger.ts';

export const changeKinds = ['create', 'update', 'enable', 'disable', 'remove', 'lead', 'unlead'] as const;

export type ChangeKind = (typeof changeKinds)[number];

/** `lead` and `unlead` change a person's leaders: a change of its own beside the one of the person's account. */
export type ChangePart = 'account' | 'leaders';

/** Returns the part of a person that a change is about. A plan has at most one change of each part. */
export function partOf({ kind }: { readonly kind: ChangeKind }): ChangePart {
  return kind === 'lead' || kind === 'unlead' ? 'leaders' : 'account';
}

/** Returns whether a freeze stops changes of the kind: those that take an account away. */
export function isFreezable(kind: ChangeKind): boolean {
  return kind === 'disable' || kind === 'remove';
}

/**
 * The classes that guards count. One change can be in several classes: an update of the e-mail is in two. `handOvers`:
 * disables and removes of people whom another sync is expected to take over. They are sent only when approved.
 * `configuration`: what differs for a person by an edit of the configuration alone; see `core/plan/configuration.ts`.
 * `identity`: the record of an identification is about another person than its account. Such a change is in no class of its
 * kind, and is sent only when approved. `recreate`: creates of people who had an account, where many are gone at once; the same.
 */
export const changeClasses = [
  'creates',
  'updates',
  'emailChanges',
  'firstSight',
  'enables',
  'disables',
  'removes',
  'handOvers',
  'configuration',
  'leads',
  'unleads',
  'identity',
  'recreate',
] as const;

export type ChangeClass = (typeof changeClasses)[number];

/** A class of which some changes pass without approval. */
export type LimitedClass = Exclude<ChangeClass, 'identity' | 'recreate'>;

export const limitedClasses = changeClasses.filter(
  (name): name is LimitedClass => name !== 'identity' && name !== 'recreate',
);

/** The user before the change, reduced to what judging, writing and undoing need. */
export interface Before {
  readonly userId: string;
  readonly enabled: boolean;
  readonly fields: FieldValues;
  readonly lastUpdate?: string;
  /** See `User.rawIdentification`. */
  readonly rawIdentification?: string;
  /** Unobservable values that `firstSight: assume` takes as equal. They are stored with the change and never sent. */
  readonly assumed?: FieldValues;
  /** See `User.unreadable`. */
  readonly unreadable?: readonly string[];
  /** What the ledger knows of the leaders once a change of them is applied. */
  readonly leaders?: LedgerLeaders;
  /** The ledger's values of the changed fields that the platform does not show. An undo puts them back. */
  readonly hidden?: FieldValues;
}

/** What a decision says about the fields of a change. */
export interface DecidedFields {
  /** Whether everything that the rule does is decided, whatever its values. Never for an update. */
  readonly isWhole: boolean;
  /** A digest of the requested value by field. */
  readonly digests: FieldDigests;
}

/** What later runs must not do again, once the change of an undo that carries it is applied. */
export interface NotAgain {
  readonly rule: string;
  readonly fields: DecidedFields;
  readonly by: string;
  readonly why: string;
}

export type FieldDigests = Readonly<Partial<Record<FieldName, string>>>;

/** A change of one user. `after` holds every field that the write carries; `changed` names those that differ. */
export interface Change {
  readonly identification: string;
  readonly kind: ChangeKind;
  readonly before: Before | undefined;
  readonly after: FieldValues;
  readonly changed: readonly FieldName[];
  readonly classes: readonly ChangeClass[];
  /** Why the change is made, as a sentence. */
  readonly reason: string;
  /** The user whose account has the new e-mail until that user's own change is proven: this change goes after it. */
  readonly waitsFor?: string;
  /** What later runs must not do again after this change of an undo. */
  readonly notAgain?: NotAgain;
  /** A create for a person whose account Rollcall removed. */
  readonly returns?: true;
  /** The row of the truth table that produced the change (`Rule` in `plan.ts`). */
  readonly rule: string;
  /** The period during which the rule applies to the person in all accepted reads; see core/episode.ts. */
  readonly episode: string;
  /**
   * sha256 over (identification, rule, episode, before, after), hex. Approvals and rejections refer to changes by this
   * hash.
   */
  readonly hash: string;
}

/** The proposal of the truth table: a change without its rule, episode and hash. */
export type ChangeDraft = Omit<Change, 'hash' | 'rule' | 'episode'>;

/** A draft with the row of the truth table that proposes it. */
export type Proposal = ChangeDraft & Pick<Change, 'rule'>;

/**
 * Adds the hash to a change. Field order does not affect the hash. The user's `lastUpdate` and id are not part of it.
 */
export function sealChange(draft: ChangeDraft & Pick<Change, 'rule' | 'episode'>): Change {
  const before = draft.before && {
    enabled: draft.before.enabled,
    fields: sortedEntries(draft.before.fields, draft.changed),
  };
  const text = JSON.stringify([
    draft.identification,
    draft.rule,
    draft.episode,
    before ?? null,
    sortedEntries(draft.after),
  ]);
  return { ...draft, hash: hash('sha256', text, 'hex') };
}

/** The place of each field in order of name: a hash has its values so, and no change sorts its names again. */
const places: ReadonlyMap<string, number> = new Map([...fieldOrder].sort().map((name, place) => [name, place]));

function sortedEntries(values: FieldValues, only?: readonly FieldName[]): [string, string | undefined][] {
  const entries = new Array<[string, string | undefined] | undefined>(places.size);
  for (const key in values) {
    const name = key as FieldName;
    const place = places.get(name);
    if (place === undefined) throw new RangeError(`no platform field is called ${name}`);
    if (only === undefined || only.includes(name)) entries[place] = [name, values[name]];
  }
  return entries.filter((entry) => entry !== undefined);
}

/**
 * Builds the digest of a plan from the hashes of its open changes, added in order of identification (see
 * `compareIdentifications`).
 */
export class PlanDigest {
  readonly #hash: Hash = createHash('sha256');

  add(changeHash: string): void {
    this.#hash.update(changeHash);
  }

  /** Returns the digest as hex sha256. Must be called once. */
  end(): string {
    return this.#hash.digest('hex');
  }
}

/** Compares identifications by code point. Plans and files use this order, and it is the same in every store. */
export function compareIdentifications(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/**
 * Returns whether plain POST and PUT can carry the change. Enable and disable exist in CSV only, remove exists as
 * DELETE only. `highestCustomField`: the highest custom field that POST and PUT accept here
 * (`dialect.customFieldLimit.direct`).
 */
export function isDirectlyDeliverable(
  change: Pick<Change, 'kind' | 'after'>,
  highestCustomField: number = maxDirectCustomField,
): boolean {
  if (change.kind === 'remove') return true;
  if (change.kind !== 'create' && change.kind !== 'update') return false;
  return (Object.keys(change.after) as FieldName[]).every(
    (name) => fieldTraits(name).isDirect && customFieldNumber(name) <= highestCustomField,
  );
}

/** Returns the part of a user that a change stores. */
export function beforeOf(user: User, assumed: FieldValues = {}, hidden: FieldValues = {}): Before {
  return {
    userId: user.id,
    enabled: user.enabled,
    fields: user.fields,
    ...(user.lastUpdate === undefined ? {} : { lastUpdate: user.lastUpdate }),
    ...(user.rawIdentification === undefined ? {} : { rawIdentification: user.rawIdentification }),
    ...(Object.keys(assumed).length === 0 ? {} : { assumed }),
    ...(user.unreadable.length === 0 ? {} : { unreadable: user.unreadable }),
    ...(Object.keys(hidden).length === 0 ? {} : { hidden }),
  };
}

/** Returns the key of the change's user on the platform: the identification as the platform writes it. */
export function platformKey({ identification, before }: Pick<Change, 'identification' | 'before'>): string {
  return before?.rawIdentification ?? identification;
}

/**
 * Identifies one change as a plan showed it. Two changes of one person with the same values are different changes in
 * two cases: another rule produced them, or an accepted read interrupted the rule in between.
 */
export type ChangeName = Pick<Change, 'identification' | 'rule' | 'episode' | 'hash'>;

/**
 * An episode that the store keeps, because one of its changes was held, approved, rejected, or shown and later no
 * longer proposed.
 */
export interface KnownEpisode extends Pick<Change, 'rule' | 'episode'> {
  /** When an accepted read ended it (epoch ms); undefined while the rule still applies. */
  readonly endedAt: number | undefined;
}

/**
 * Returns the episode of a change that `rule` proposes now: the one that has not ended, else the number after the last
 * one, else `0`. It follows from the store alone, so `plan` and a later `apply` give the change the same hash.
 */
export function episodeOf(rule: string, known: readonly KnownEpisode[]): string {
  let next = 0;
  for (const episode of known) {
    if (episode.rule !== rule) continue;
    if (episode.endedAt === undefined) return episode.episode;
    next = Math.max(next, Number(episode.episode) + 1);
  }
  return String(next);
}

/** One changed field, for display and for files. `''` is an empty field. */
export interface FieldDifference {
  readonly field: FieldName;
  /** Undefined: the platform does not return it. */
  readonly before: string | undefined;
  readonly after: string;
}

/** Returns the fields that a change sets: those that differ, and for a create every field with a value. */
export function differencesOf(change: Pick<Change, 'kind' | 'before' | 'after' | 'changed'>): FieldDifference[] {
  const { kind, before, after, changed } = change;
  const names = kind === 'create' ? fieldNames(after).filter((name) => after[name] !== '') : changed;
  return names.map((field) => ({ field, before: shownBefore(field, before), after: after[field] ?? '' }));
}

function shownBefore(field: FieldName, before: Change['before']): string | undefined {
  if (before === undefined) return '';
  return fieldTraits(field).isReadable ? (before.fields[field] ?? '') : undefined;
}

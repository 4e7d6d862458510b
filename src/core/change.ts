import { createHash, type Hash } from 'node:crypto';
import { customFieldNumber, type FieldName, type FieldValues, fieldTraits, maxDirectCustomField } from './fields.ts';
import type { User } from './user.ts';

export type ChangeKind = 'create' | 'update' | 'enable' | 'disable' | 'remove';

/** The classes that guards count. A change can be in several: an update of the e-mail is in two. */
export type ChangeClass = 'creates' | 'updates' | 'emailChanges' | 'firstSight' | 'enables' | 'disables' | 'removes';

export const changeClasses: readonly ChangeClass[] = [
  'creates',
  'updates',
  'emailChanges',
  'firstSight',
  'enables',
  'disables',
  'removes',
];

/** The user as it was before, cut to what is needed to judge, to write and to undo. */
export interface Before {
  readonly userId: string;
  readonly enabled: boolean;
  readonly fields: FieldValues;
  readonly lastUpdate?: string;
  /** See `User.rawIdentification`. */
  readonly rawIdentification?: string;
  /** Unobservable values taken as equal at first sight (`firstSight: assume`): remembered with the change, never sent. */
  readonly assumed?: FieldValues;
}

/** One user's change. `after` holds every field that the write carries; `changed` names those that differ. */
export interface Change {
  readonly identification: string;
  readonly kind: ChangeKind;
  readonly before: Before | undefined;
  readonly after: FieldValues;
  readonly changed: readonly FieldName[];
  readonly classes: readonly ChangeClass[];
  /** A sentence: why this change. */
  readonly reason: string;
  /** The row of the truth table that made it (`Rule` in core/plan.ts). Empty in rows of versions that stored none. */
  readonly rule: string;
  /** The time in which the rule applied to the person without interruption by accepted reads; see core/episode.ts. */
  readonly episode: string;
  /** sha256 over (identification, rule, episode, before, after), hex. Approvals and rejections name changes by it. */
  readonly hash: string;
}

/** What the truth table proposes: a change without its origin and hash. */
export type ChangeDraft = Omit<Change, 'hash' | 'rule' | 'episode'>;

/** Gives a change its hash. Field order does not matter; the user's `lastUpdate` and id do not take part. */
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
  return { ...draft, hash: createHash('sha256').update(text).digest('hex') };
}

function sortedEntries(values: FieldValues, only?: readonly FieldName[]): [string, string][] {
  const entries = Object.entries(values) as [FieldName, string][];
  const kept = only === undefined ? entries : entries.filter(([name]) => only.includes(name));
  return kept.sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Builds a plan's digest from the hashes of its open changes, fed in order of identification (see `compareIdentifications`). */
export class PlanDigest {
  readonly #hash: Hash = createHash('sha256');

  add(changeHash: string): void {
    this.#hash.update(changeHash);
  }

  /** Ends the digest: hex sha256. Must be called once. */
  end(): string {
    return this.#hash.digest('hex');
  }
}

/** Order of identifications in plans and files: by code point, the same in every store. */
export function compareIdentifications(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/**
 * Whether plain POST and PUT can carry the change. Enabling and disabling go by CSV only, removal by DELETE only.
 * `highestCustomField`: what this platform's POST and PUT take (`dialect.customFieldLimit.direct`).
 */
export function isDirectlyDeliverable(
  change: Pick<Change, 'kind' | 'after'>,
  highestCustomField: number = maxDirectCustomField,
): boolean {
  if (change.kind === 'remove') return true;
  if (change.kind === 'enable' || change.kind === 'disable') return false;
  return (Object.keys(change.after) as FieldName[]).every(
    (name) => fieldTraits(name).isDirect && customFieldNumber(name) <= highestCustomField,
  );
}

/** The part of a user that a change remembers. */
export function beforeOf(user: User, assumed: FieldValues = {}): Before {
  return {
    userId: user.id,
    enabled: user.enabled,
    fields: user.fields,
    ...(user.lastUpdate === undefined ? {} : { lastUpdate: user.lastUpdate }),
    ...(user.rawIdentification === undefined ? {} : { rawIdentification: user.rawIdentification }),
    ...(Object.keys(assumed).length === 0 ? {} : { assumed }),
  };
}

/** The key that addresses the change's user on the platform: the identification as the platform writes it. */
export function platformKey({ identification, before }: Pick<Change, 'identification' | 'before'>): string {
  return before?.rawIdentification ?? identification;
}

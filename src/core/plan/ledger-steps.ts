import { type FieldName, type FieldTraits, type FieldValues, fieldTraits } from '../person/fields.ts';
import { countOf, formatInstant } from '../run/formats.ts';
import type { MappingSettings, SyncSettings } from '../run/settings.ts';
import type { Change } from './change.ts';
import type { Verdict } from './judge.ts';
import type { LedgerEntry, Misses } from './ledger.ts';
import { type AbsenceProof, newerStamp } from './snapshot.ts';

/** Transitions of a ledger entry. Each function returns the same object when nothing changes. */

/** Returns the entry of a user that was already equal and is now owned by the sync. */
export function adopted(owner: string, identification: string, hidden: FieldValues): LedgerEntry {
  return { identification, owner, hidden, quirks: {}, unverified: 0 };
}

/**
 * Returns the entry, unless it belongs to an earlier account. An account that was deleted and created again has another
 * id.
 */
export function entryOf(accountId: string | undefined, entry: LedgerEntry | undefined): LedgerEntry | undefined {
  if (accountId === undefined || entry?.accountId === undefined) return entry;
  return entry.accountId === accountId ? entry : undefined;
}

/** Stores the account's id. */
export function withAccount(entry: LedgerEntry, accountId: string): LedgerEntry {
  return entry.accountId === accountId ? entry : { ...entry, accountId };
}

/**
 * Marks the user as seen in the source: neither missing nor gone. `isEnabled`: also enabled on the platform, by any
 * writer.
 */
export function seenInSource(entry: LedgerEntry, isEnabled: boolean, assumed: FieldValues = {}): LedgerEntry {
  const learned = Object.entries(assumed).filter(([name, value]) => entry.hidden[name as FieldName] !== value);
  const isStale = isEnabled && entry.disabledAt !== undefined;
  const isGone = entry.misses !== undefined || entry.goneSince !== undefined || entry.handOverSince !== undefined;
  if (!isGone && learned.length === 0 && !isStale) return entry;
  const { misses: _misses, goneSince: _goneSince, handOverSince: _handOverSince, disabledAt, ...rest } = entry;
  const hidden = { ...entry.hidden, ...Object.fromEntries(learned) };
  return { ...rest, hidden, ...(isEnabled || disabledAt === undefined ? {} : { disabledAt }) };
}

/** Returns the entry of a user whom the sync `owner` takes over. The time since the person is gone starts again. */
export function takenOver(entry: LedgerEntry, owner: string, at: number): LedgerEntry {
  return { ...seenInSource(entry, false), owner, taken: { from: entry.owner, at } };
}

/** Returns the entry of a user whose own sync is no longer configured, as the entry of `owner`. */
export function leftBehind(entry: LedgerEntry, owner: string, at: number): LedgerEntry {
  return { ...entry, owner, taken: { from: entry.owner, at } };
}

/** Ends the count of misses: a read names the person, whatever it says of them. */
export function withoutMisses(entry: LedgerEntry): LedgerEntry {
  if (entry.misses === undefined) return entry;
  const { misses: _misses, ...rest } = entry;
  return rest;
}

/** Counts a miss if the snapshot is newer than the last counted one. */
export function countMiss(entry: LedgerEntry, proof: AbsenceProof, now: number): LedgerEntry {
  const { misses } = entry;
  const stamp = newerStamp(proof, misses?.stamp);
  if (stamp === undefined) return entry;
  return { ...entry, misses: { count: (misses?.count ?? 0) + 1, since: misses?.since ?? now, stamp } };
}

/**
 * Marks the user as gone from the source while disabled by us. Sets the start of the time until removal, and never
 * moves it.
 */
export function markGone(entry: LedgerEntry, now: number): LedgerEntry {
  return entry.goneSince === undefined ? { ...entry, goneSince: now } : entry;
}

/** Releases a user that is gone from the source and no longer on the platform, whatever removed it. */
export function goneFromPlatform(entry: LedgerEntry, now: number): LedgerEntry {
  return { ...entry, removed: { at: now, blacklist: false } };
}

export interface WriteFacts {
  readonly owner: string;
  readonly now: number;
  readonly blacklist: boolean;
  /** The account id from the read-back; undefined when it showed none. */
  readonly accountId: string | undefined;
  readonly mapping: Pick<MappingSettings, 'fields'>;
}

/** Returns the entry after a change was seen applied, or was sent without confirmation (`unverified`). */
export function afterChange(
  change: Change,
  verdict: Extract<Verdict, { kind: 'applied' | 'unverified' | 'ignored' }>,
  entry: LedgerEntry | undefined,
  facts: WriteFacts,
): LedgerEntry {
  const next = written(change, verdict, entryOf(facts.accountId, entry), facts);
  return facts.accountId === undefined ? next : withAccount(next, facts.accountId);
}

function written(
  change: Change,
  verdict: Extract<Verdict, { kind: 'applied' | 'unverified' | 'ignored' }>,
  entry: LedgerEntry | undefined,
  facts: WriteFacts,
): LedgerEntry {
  const { owner, now } = facts;
  const base = entry === undefined || entry.removed !== undefined ? adopted(owner, change.identification, {}) : entry;
  const { disabledAt, goneSince, misses, handOverSince, ...rest } = base;
  switch (change.kind) {
    case 'remove':
      return { ...base, owner, removed: { at: now, blacklist: facts.blacklist }, writtenAt: now };
    case 'disable':
      // A disabled user counts as gone. When a user out of scope is seen again, `seenInSource` reverts this.
      return { ...base, owner, disabledAt: now, goneSince: base.goneSince ?? now, writtenAt: now };
    case 'lead':
    case 'unlead': {
      // The account is as it was.
      const { leaders } = change.before ?? {};
      if (leaders === undefined || verdict.kind !== 'applied') return base;
      return {
        ...base,
        leaders: { ...leaders, ...(verdict.leaders && { shown: verdict.leaders }), checkedAt: now },
        writtenAt: now,
      };
    }
    case 'create':
    case 'update':
    case 'enable': {
      const hidden = { ...change.before?.assumed, ...base.hidden, ...hiddenPart(change.after, facts.mapping) };
      const quirks = verdict.kind === 'unverified' ? base.quirks : standingQuirks(base, change, verdict.quirks);
      const unverified = verdict.kind === 'unverified' ? sendsSoFar(base, hidden) + 1 : 0;
      const kept = change.kind === 'update' && disabledAt !== undefined ? { disabledAt } : {};
      // The update of a disabled account is no sign that the person is back.
      const isGone = change.kind === 'update' && change.before?.enabled === false && goneSince !== undefined;
      return { ...rest, ...kept, ...(isGone ? { goneSince } : {}), owner, hidden, quirks, unverified, writtenAt: now };
    }
  }
}

/** Returns the fields whose value the ledger stores: the platform does not show it, or may show the edit of another. */
function hiddenPart(values: FieldValues, { fields }: WriteFacts['mapping']): FieldValues {
  const names = (Object.keys(values) as FieldName[]).filter(
    (name) => mayBeHidden(fieldTraits(name)) || fields[name]?.write === 'keepLocalEdits',
  );
  return Object.fromEntries(names.map((name) => [name, values[name]]));
}

/** Returns the quirks that remain valid. A new write of a field replaces its old quirk. */
function standingQuirks(entry: LedgerEntry, change: Change, found: LedgerEntry['quirks']): LedgerEntry['quirks'] {
  const kept = Object.entries(entry.quirks).filter(([name]) => !change.changed.includes(name as FieldName));
  return { ...Object.fromEntries(kept), ...found };
}

function sendsSoFar(entry: LedgerEntry, hidden: FieldValues): number {
  const isSame = Object.entries(hidden).every(([name, value]) => entry.hidden[name as FieldName] === value);
  return isSame ? entry.unverified : 0;
}

/** Returns whether the platform may hide the field: write-only fields, and dates, whose shown format may be unknown. */
function mayBeHidden(traits: FieldTraits): boolean {
  return !traits.isReadable || traits.isDate;
}

/** When a missing person is disabled: after so many complete reads without the person, and never before an instant. */
export interface MissingWait {
  readonly afterReads: number;
  /** Epoch ms. */
  readonly from: number;
}

/** Returns when the person is disabled. Empty where the sync never disables the person. */
export function missingWait(
  { since }: Misses,
  identification: string,
  { missing, policy, protected: exempt }: Pick<SyncSettings, 'missing' | 'policy' | 'protected'>,
): { readonly wait?: MissingWait } {
  if (missing === 'never' || policy !== 'sync' || exempt.includes(identification)) return {};
  return { wait: { afterReads: missing.afterReads, from: since + missing.minAgeMs } };
}

/** Returns whether a user who is gone from the source has been disabled and gone for long enough to be removed. */
export function isRemovalDue(
  { disabledAt, goneSince }: LedgerEntry,
  { remove }: Pick<SyncSettings, 'remove'>,
  now: number,
): boolean {
  if (remove === 'never' || disabledAt === undefined) return false;
  return now - Math.max(disabledAt, goneSince ?? now) >= remove.afterMs;
}

/** A user of ours whom a full read does not name. */
export interface MissingUser {
  readonly identification: string;
  readonly isEnabled: boolean;
  /** The entry about the account shown. */
  readonly entry: LedgerEntry;
  /** What an operator decided about the disable or remove. A rejected one needs no lookup, an approved one is next. */
  readonly decided: 'approved' | 'rejected' | undefined;
}

/**
 * Returns the users whom their absence may get disabled or removed, nearest to it first. Among equals, those come first
 * whose last counted read is the oldest, so that each gets a turn.
 */
export function usersAtStake<One extends MissingUser>(
  users: readonly One[],
  rules: Pick<SyncSettings, 'missing' | 'policy' | 'protected' | 'remove'>,
  now: number,
): readonly One[] {
  const { missing, policy, protected: exempt } = rules;
  const ranked = users.flatMap((user) => {
    const { identification, isEnabled, entry, decided } = user;
    if (policy !== 'sync' || exempt.includes(identification)) return [];
    const last = entry.misses?.stamp ?? '';
    const first = decided === undefined ? 1 : decided === 'approved' ? 0 : 2;
    if (!isEnabled) return isRemovalDue(entry, rules, now) ? [{ user, rank: [first, 0, 0], last }] : [];
    if (missing === 'never') return [];
    const { count = 0, since = now } = entry.misses ?? {};
    const reads = Math.max(0, missing.afterReads - count - 1);
    return [{ user, rank: [first, reads, Math.max(0, since + missing.minAgeMs - now)], last }];
  });
  const order = (a: (typeof ranked)[number], b: (typeof ranked)[number]): number => {
    const at = a.rank.findIndex((value, i) => value !== b.rank[i]);
    if (at !== -1) return (a.rank[at] as number) - (b.rank[at] as number);
    return [a.last, a.user.identification].join('\n') < [b.last, b.user.identification].join('\n') ? -1 : 1;
  };
  return ranked.sort(order).map(({ user }) => user);
}

/** When a missing person is disabled: `disabled from 2026-11-26 02:30:00 UTC at the earliest, after 2 reads`. */
export function waitWords({ from, afterReads }: MissingWait): string {
  return `disabled from ${formatInstant(from)} at the earliest, after ${countOf(afterReads, 'read')}`;
}

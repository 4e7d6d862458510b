import type { FieldName, FieldValues } from './fields.ts';
import type { LedgerEntry } from './ledger.ts';
import type { MissingProof } from './snapshot.ts';

/** How one ledger entry becomes the next. Each returns the same object when nothing changes. */

/** A user that was equal already becomes ours. */
export function adopted(owner: string, identification: string, hidden: FieldValues): LedgerEntry {
  return { identification, owner, hidden, quirks: {}, unverified: 0 };
}

/** Seen in the source: neither missing nor gone. `isEnabled`: also enabled on the platform, whoever did that. */
export function seenInSource(entry: LedgerEntry, isEnabled: boolean, assumed: FieldValues = {}): LedgerEntry {
  const learned = Object.entries(assumed).filter(([name, value]) => entry.hidden[name as FieldName] !== value);
  const isStale = isEnabled && entry.disabledAt !== undefined;
  if (entry.misses === undefined && entry.goneSince === undefined && learned.length === 0 && !isStale) return entry;
  const { misses: _misses, goneSince: _goneSince, disabledAt, ...rest } = entry;
  const hidden = { ...entry.hidden, ...Object.fromEntries(learned) };
  return { ...rest, hidden, ...(isEnabled || disabledAt === undefined ? {} : { disabledAt }) };
}

/** Counts a miss, once per snapshot. */
export function countMiss(entry: LedgerEntry, proof: MissingProof, now: number): LedgerEntry {
  const { misses } = entry;
  if (misses === undefined) return { ...entry, misses: { count: 1, since: now, stamp: proof.stamp } };
  if (misses.stamp === proof.stamp) return entry;
  return { ...entry, misses: { count: misses.count + 1, since: misses.since, stamp: proof.stamp } };
}

/** Gone from the source while disabled by us: the clock towards removal starts, and keeps its start. */
export function markGone(entry: LedgerEntry, now: number): LedgerEntry {
  return entry.goneSince === undefined ? { ...entry, goneSince: now } : entry;
}

/** Gone from the source and no longer on the platform, by whomever: ours no more. */
export function goneFromPlatform(entry: LedgerEntry, now: number): LedgerEntry {
  return { ...entry, removed: { at: now, blacklist: false } };
}

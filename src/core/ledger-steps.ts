import type { Change } from './change.ts';
import { type FieldName, type FieldTraits, type FieldValues, fieldTraits } from './fields.ts';
import type { Verdict } from './judge.ts';
import type { LedgerEntry } from './ledger.ts';
import { type MissingProof, newerStamp } from './snapshot.ts';

/** How one ledger entry becomes the next. Each returns the same object when nothing changes. */

/** A user that was equal already becomes ours. */
export function adopted(owner: string, identification: string, hidden: FieldValues): LedgerEntry {
  return { identification, owner, hidden, quirks: {}, unverified: 0 };
}

/** Returns the entry, unless it is about an earlier account: one that was deleted and created again has another id. */
export function entryOf(accountId: string | undefined, entry: LedgerEntry | undefined): LedgerEntry | undefined {
  if (accountId === undefined || entry?.accountId === undefined) return entry;
  return entry.accountId === accountId ? entry : undefined;
}

/** Keeps the account's id. */
export function withAccount(entry: LedgerEntry, accountId: string): LedgerEntry {
  return entry.accountId === accountId ? entry : { ...entry, accountId };
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

/** Counts a miss, if the snapshot is newer than the one that was counted last. */
export function countMiss(entry: LedgerEntry, proof: MissingProof, now: number): LedgerEntry {
  const { misses } = entry;
  const stamp = newerStamp(proof, misses?.stamp);
  if (stamp === undefined) return entry;
  return { ...entry, misses: { count: (misses?.count ?? 0) + 1, since: misses?.since ?? now, stamp } };
}

/** Gone from the source while disabled by us: the clock towards removal starts, and keeps its start. */
export function markGone(entry: LedgerEntry, now: number): LedgerEntry {
  return entry.goneSince === undefined ? { ...entry, goneSince: now } : entry;
}

/** Gone from the source and no longer on the platform, by whomever: ours no more. */
export function goneFromPlatform(entry: LedgerEntry, now: number): LedgerEntry {
  return { ...entry, removed: { at: now, blacklist: false } };
}

export interface WriteFacts {
  readonly owner: string;
  readonly now: number;
  readonly blacklist: boolean;
  /** The id of the account that the read-back showed; undefined when it showed none. */
  readonly accountId?: string | undefined;
}

/** The entry after a change was seen applied, or was sent without a sign (`unverified`). */
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
  const { disabledAt, goneSince, misses, ...rest } = base;
  switch (change.kind) {
    case 'remove':
      return { ...base, owner, removed: { at: now, blacklist: facts.blacklist }, writtenAt: now };
    case 'disable':
      // Whoever is disabled is gone already: out of scope and seen again, `seenInSource` takes it back.
      return { ...base, owner, disabledAt: now, goneSince: base.goneSince ?? now, writtenAt: now };
    case 'create':
    case 'update':
    case 'enable': {
      const hidden = { ...change.before?.assumed, ...base.hidden, ...hiddenPart(change.after) };
      const quirks = verdict.kind === 'unverified' ? base.quirks : standingQuirks(base, change, verdict.quirks);
      const unverified = verdict.kind === 'unverified' ? sendsSoFar(base, hidden) + 1 : 0;
      const kept = change.kind === 'update' && disabledAt !== undefined ? { disabledAt } : {};
      return { ...rest, ...kept, owner, hidden, quirks, unverified, writtenAt: now };
    }
  }
}

/** Fields whose value the ledger has to remember because the platform does not show it. */
function hiddenPart(values: FieldValues): FieldValues {
  const names = (Object.keys(values) as FieldName[]).filter((name) => mayBeHidden(fieldTraits(name)));
  return Object.fromEntries(names.map((name) => [name, values[name]]));
}

/** A new write of a field replaces what was known of how the platform keeps it. */
function standingQuirks(entry: LedgerEntry, change: Change, found: LedgerEntry['quirks']): LedgerEntry['quirks'] {
  const kept = Object.entries(entry.quirks).filter(([name]) => !change.changed.includes(name as FieldName));
  return { ...Object.fromEntries(kept), ...found };
}

function sendsSoFar(entry: LedgerEntry, hidden: FieldValues): number {
  const isSame = Object.entries(hidden).every(([name, value]) => entry.hidden[name as FieldName] === value);
  return isSame ? entry.unverified : 0;
}

/** Write-only fields, and dates: a platform may show a date in a form that cannot be understood. */
function mayBeHidden(traits: FieldTraits): boolean {
  return !traits.isReadable || traits.isDate;
}

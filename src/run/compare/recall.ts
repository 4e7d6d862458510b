import type { LedgerEntry } from '../../core/plan/ledger.ts';
import type { Finding } from '../../core/run/finding.ts';
import type { SyncSettings } from '../../core/run/settings.ts';
import type { OwnedUsers } from '../../ports/store.ts';
import type { EngineIo, Sync } from '../engine-io.ts';
import { mark, type PeopleIndex } from '../read/people-index.ts';
import type { SomePeople } from '../read/some-people.ts';
import { findMoved, type HandOverPeriod } from '../seal/report-hand-overs.ts';
import { isConfiguredOn } from './neighbors.ts';

export interface RecallJob {
  readonly sync: Sync;
  readonly index: PeopleIndex;
  /** The people whom the run is about. Undefined: all people; those that only the ledger has get a slot too. */
  readonly only: SomePeople | undefined;
  readonly period: Omit<HandOverPeriod, 'sync'>;
  readonly find: (finding: Finding) => void;
}

/** Above this number, a sequential read of the whole ledger is faster. */
const lookedUpEntries = 1000;

/**
 * Marks each person whose entry is `plain` (ours, and everything write-only is as wanted), so that most people need no
 * second look: by one sequential read of the ledger, or by a look-up of a few. People that only the ledger knows may be
 * missing. Returns how many users are ours; those whom a renamed or deleted sync has left behind count where the source
 * names them.
 */
export async function recall({ sync, index, only, find, ...job }: RecallJob, io: EngineIo): Promise<OwnedUsers> {
  const { name, connection } = sync.settings;
  const isFull = only === undefined;
  const count = { managed: 0, enabled: 0 };
  const period = { ...job.period, sync: name };
  const recallEach = (entries: Iterable<LedgerEntry>): void => {
    for (const entry of entries) {
      const moved = findMoved(entry, period);
      if (moved !== undefined && (isFull || index.find(entry.identification).isExact)) find(moved);
      const claim = claimOf(entry, sync.settings, io);
      if (!recallOne(entry, index, claim, isFull)) continue;
      // A few people are looked up here, and all that are ours by name are counted below.
      if (!isFull && only.count <= lookedUpEntries && claim === 'ours') continue;
      count.managed += 1;
      if (entry.disabledAt === undefined) count.enabled += 1;
    }
  };
  if (only !== undefined && only.count <= lookedUpEntries) {
    const known = await io.store.ledger.getMany(connection, only.names());
    recallEach(known.values());
    const owned = await io.store.ledger.countOwned(connection, name);
    return { managed: count.managed + owned.managed, enabled: count.enabled + owned.enabled };
  }
  for await (const entries of io.store.ledger.all(connection)) recallEach(entries);
  return count;
}

type Claim = 'ours' | 'left behind' | 'none';

function claimOf({ owner, removed }: LedgerEntry, { name: sync, connection }: SyncSettings, io: EngineIo): Claim {
  if (removed !== undefined) return 'none';
  if (owner === sync) return 'ours';
  return isConfiguredOn(connection, owner, io) ? 'none' : 'left behind';
}

/** Returns whether the user counts as ours. */
function recallOne(entry: LedgerEntry, index: PeopleIndex, claim: Claim, isFull: boolean): boolean {
  const isOurs = claim === 'ours';
  const found = index.find(entry.identification);
  if (found.slot === -1) {
    if (isOurs && isFull) fileAbsent(index, entry.identification);
  } else if (found.isExact) {
    index.set(found.slot, mark.inLedger);
    const { accountId } = entry;
    const mayBePlain = isOurs && accountId !== undefined && isPlain(entry);
    if (mayBePlain && index.isWrittenAsWanted(found.slot, entry)) index.setPlain(found.slot, accountId);
    const counts = isOurs || (claim === 'left behind' && index.has(found.slot, mark.inSource));
    if (counts) index.set(found.slot, mark.ours);
    return counts;
  }
  return isOurs;
}

/** Quirks are not checked: they matter only where the platform does not show what is wanted. */
function isPlain({ unverified, disabledAt, goneSince, misses }: LedgerEntry): boolean {
  return unverified === 0 && disabledAt === undefined && goneSince === undefined && misses === undefined;
}

function fileAbsent(index: PeopleIndex, identification: string): void {
  const slot = index.add(identification);
  index.name(slot, identification);
  index.set(slot, mark.inLedger | mark.ours);
}

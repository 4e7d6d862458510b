import type { LedgerEntry } from '../core/ledger.ts';
import type { EngineIo, Sync } from './engine-io.ts';
import { mark, type PeopleIndex } from './people-index.ts';
import type { SomePeople } from './some-people.ts';

export interface RecallJob {
  readonly sync: Sync;
  readonly index: PeopleIndex;
  /** The people whom the run is about; undefined: everybody, and people that only the ledger knows get a slot as well. */
  readonly only: SomePeople | undefined;
}

/** Above this the whole ledger is read through: in order it is quicker. */
const lookedUpEntries = 1000;

/**
 * Marks each person whose entry is `plain` (ours, and everything write-only is as wanted), so that most people need no
 * second look: by one sequential read of the ledger, or by a look-up of a few. People that only the ledger knows may be
 * missing. Returns how many users are ours.
 */
export async function recall({ sync, index, only }: RecallJob, io: EngineIo): Promise<number> {
  const { name, connection } = sync.settings;
  const isFull = only === undefined;
  if (only !== undefined && only.count <= lookedUpEntries) {
    const known = await io.store.ledger.getMany(connection, only.names());
    for (const entry of known.values()) recallOne(entry, index, name, isFull);
    return io.store.ledger.countOwned(connection, name);
  }
  let managed = 0;
  for await (const entries of io.store.ledger.all(connection)) {
    for (const entry of entries) if (recallOne(entry, index, name, isFull)) managed += 1;
  }
  return managed;
}

function recallOne(entry: LedgerEntry, index: PeopleIndex, sync: string, isFull: boolean): boolean {
  const isOurs = entry.owner === sync && entry.removed === undefined;
  const found = index.find(entry.identification);
  if (found.slot === -1) {
    if (isOurs && isFull) fileAbsent(index, entry.identification);
  } else if (found.isExact) {
    index.set(found.slot, mark.inLedger);
    if (isOurs && isPlain(entry) && index.isWrittenAsWanted(found.slot, entry)) index.set(found.slot, mark.plain);
  }
  return isOurs;
}

/** Quirks need no look: they matter only where the platform does not show what is wanted. */
function isPlain({ unverified, disabledAt, goneSince, misses }: LedgerEntry): boolean {
  return unverified === 0 && disabledAt === undefined && goneSince === undefined && misses === undefined;
}

function fileAbsent(index: PeopleIndex, identification: string): void {
  const slot = index.add(identification);
  index.name(slot, identification);
  index.set(slot, mark.inLedger);
}

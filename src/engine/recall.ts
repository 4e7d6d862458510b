import type { LedgerEntry } from '../core/ledger.ts';
import type { EngineIo, Sync } from './engine-io.ts';
import { mark, type PeopleIndex } from './people-index.ts';

/**
 * One sequential read of the ledger. Marks each person whose entry is `plain` (ours, and everything write-only is as
 * wanted), so that most people need no second look; people that only the ledger knows get a slot: they may be missing.
 */
export async function recall(sync: Sync, index: PeopleIndex, isFull: boolean, io: EngineIo): Promise<number> {
  const { name, connection } = sync.settings;
  let managed = 0;
  for await (const entries of io.store.ledger.all(connection)) {
    for (const entry of entries) {
      const isOurs = entry.owner === name && entry.removed === undefined;
      if (isOurs) managed += 1;
      const found = index.find(entry.identification);
      if (found.slot === -1) {
        if (isOurs && isFull) fileAbsent(index, entry.identification);
        continue;
      }
      if (!found.isExact) continue;
      index.set(found.slot, mark.inLedger);
      if (isOurs && isPlain(entry) && index.isWrittenAsWanted(found.slot, entry)) index.set(found.slot, mark.plain);
    }
  }
  return managed;
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

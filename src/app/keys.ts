import type { UnreadableValues } from '../ports/store.ts';
import type { AppIo } from './app-io.ts';
import { auditEntry, type SignedCaller } from './audit.ts';
import { listCounts } from './person-records.ts';

/** Describes values that no configured key opens: `2 ledger entries, 3 changes`. */
export function describeUnreadable({
  ledger,
  changes,
  rawTexts,
  directories,
  tokens,
  forgotten,
}: UnreadableValues): string {
  const parts = [
    [ledger, 'ledger entry', 'ledger entries'],
    [changes, 'change', 'changes'],
    [rawTexts, 'raw answer of another system', 'raw answers of other systems'],
    [directories, 'page of a directory', 'pages of directories'],
    [tokens, 'token pair', 'token pairs'],
    [forgotten, 'forgotten person', 'forgotten people'],
  ] as const;
  return listCounts(parts);
}

/** Returns whether there is something to drop: token pairs stay until new ones replace them. */
export function isDroppable({ ledger, changes, rawTexts, forgotten }: UnreadableValues): boolean {
  return ledger + changes + rawTexts + forgotten > 0;
}

/** Drops what no configured key opens, and returns what it was. Does nothing when there is nothing to drop. */
export async function eraseUnreadable(
  { engine: io }: AppIo,
  signed: SignedCaller,
): Promise<readonly UnreadableValues[]> {
  const { store, syncs, clock } = io;
  const found = (await store.sealing.unreadable()).filter(isDroppable);
  if (found.length === 0) return found;
  const waits = [...syncs.values()].map(({ settings }) => settings.settle.unknownAfterMs);
  const detail = found.map((one) => `key ${one.keyId}: ${describeUnreadable(one)}`).join('; ');
  const entry = auditEntry({ action: 'drop-unreadable', detail, ...signed }, io);
  await store.sealing.dropUnreadable(clock.now() - Math.max(0, ...waits), entry);
  return found;
}

/** Counts the stored values that no configured key opens, by key. */
export function countUnreadable({ engine }: AppIo): Promise<readonly UnreadableValues[]> {
  return engine.store.sealing.unreadable();
}

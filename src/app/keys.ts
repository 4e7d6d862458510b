import { countOf } from '../core/count-of.ts';
import type { EngineIo } from '../engine/engine-io.ts';
import type { UnreadableValues } from '../ports/store.ts';
import type { SignedCaller } from './person-records.ts';

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
  return parts
    .filter(([count]) => count > 0)
    .map(([count, one, many]) => countOf(count, one, many))
    .join(', ');
}

/** Returns whether there is something to drop: token pairs stay until new ones replace them. */
export function isDroppable({ ledger, changes, rawTexts, forgotten }: UnreadableValues): boolean {
  return ledger + changes + rawTexts + forgotten > 0;
}

/** Drops what no configured key opens, and returns what it was. Does nothing when there is nothing to drop. */
export async function dropUnreadable(
  { by, reason, via }: SignedCaller,
  { store, syncs, clock, newId }: EngineIo,
): Promise<readonly UnreadableValues[]> {
  const found = (await store.sealing.unreadable()).filter(isDroppable);
  if (found.length === 0) return found;
  const at = clock.now();
  const waits = [...syncs.values()].map(({ settings }) => settings.settle.unknownAfterMs);
  const detail = found.map((one) => `key ${one.keyId}: ${describeUnreadable(one)}`).join('; ');
  await store.sealing.dropUnreadable(at - Math.max(0, ...waits), {
    ...{ id: newId('audit'), at, by, action: 'drop-unreadable', detail },
    ...{ sync: undefined, connection: undefined, run: undefined },
    ...(reason === undefined ? {} : { reason }),
    ...(via === undefined ? {} : { via }),
  });
  return found;
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HoldRecord, OpenHolds } from '../ports/holds.ts';

export type HoldCounts = Pick<OpenHolds, 'changes' | 'byClass'>;

/** Number of hashes that are counted before other work of this process gets a turn. */
const countedPerTurn = 10_000;

/** Counts the distinct changes of holds, in total and by class. The hashes within one hold are distinct. */
export async function countHolds(holds: readonly Pick<HoldRecord, 'class' | 'hashes'>[]): Promise<HoldCounts> {
  const byClass: Record<string, number> = {};
  for (const name of new Set(holds.map((hold) => hold.class))) {
    byClass[name] = await countDifferent(holds.filter((hold) => hold.class === name));
  }
  return { changes: await countDifferent(holds), byClass };
}

async function countDifferent(holds: readonly Pick<HoldRecord, 'hashes'>[]): Promise<number> {
  const [first, ...others] = holds;
  if (first === undefined || others.length === 0) return first?.hashes.length ?? 0;
  const seen = new Set<string>();
  let counted = 0;
  for (const { hashes } of holds) {
    for (const hash of hashes) {
      seen.add(hash);
      counted += 1;
      if (counted % countedPerTurn === 0) await nextTurn();
    }
  }
  return seen.size;
}

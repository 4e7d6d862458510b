import type { Finding } from '../../core/run/finding.ts';
import type { PeopleIndex } from '../read/people-index.ts';

/** People who lead themselves through others. */
export interface Cycles {
  has(slot: number): boolean;
  findings(): readonly Finding[];
}

const namedMembers = 5;

/**
 * Finds the cycles of main leaders at or above `starts`. `leaderOf`: the slot of the wanted leader by slot; -1 for none. A
 * finding names the person first from whom the cycle was reached.
 */
export function findCycles(
  leaderOf: Int32Array,
  starts: readonly number[],
  index: Pick<PeopleIndex, 'person'>,
): Cycles {
  /** 0: not seen. Otherwise the walk that saw the slot first. */
  const seen = new Int32Array(leaderOf.length);
  const members = new Set<number>();
  const cycles: number[][] = [];
  for (const start of new Set(starts)) {
    let slot = start;
    while (seen[slot] === 0) {
      seen[slot] = start + 1;
      slot = leaderOf[slot] as number;
    }
    // The walk ended at a person without a leader (-1), or met an earlier walk.
    if (seen[slot] !== start + 1) continue;
    const cycle: number[] = [];
    for (let next = slot; cycle.length === 0 || next !== slot; next = leaderOf[next] as number) cycle.push(next);
    for (const member of cycle) members.add(member);
    cycles.push(cycle);
  }
  return { has: (slot) => members.has(slot), findings: () => cycles.map((cycle) => findingOf(cycle, index)) };
}

function findingOf(cycle: readonly number[], index: Pick<PeopleIndex, 'person'>): Finding {
  const names = cycle.slice(0, namedMembers).map((slot) => index.person(slot).identification);
  const more = cycle.length > namedMembers ? ' → …' : '';
  const message = `these people lead each other in a circle: ${[...names].join(' → ')}${more} → ${names[0]}. Their main leaders are not changed. Correct the source`;
  return { code: 'leader-cycle', identification: names[0] ?? '', message };
}

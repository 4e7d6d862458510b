import type { ChangeKind } from '../core/change.ts';
import type { Counts } from '../core/run.ts';
import type { RunFacts } from '../ports/store.ts';
import { formatCount, formatNumber } from './amounts.ts';

const kinds: readonly ChangeKind[] = ['create', 'update', 'enable', 'disable', 'remove'];

/** How many people are to be changed. */
export function changesInAll(counts: Counts): number {
  return kinds.reduce((sum, kind) => sum + counts[kind], 0);
}

/** `4 to create, 5 to update (2 first-sight writes), 3 to disable`; empty when there is nothing. */
export function renderKinds(counts: Counts): string {
  return kinds
    .filter((kind) => counts[kind] > 0)
    .map((kind) => {
      const firstSight =
        kind === 'update' && counts.firstSight > 0 ? ` (${formatCount(counts.firstSight, 'first-sight write')})` : '';
      return `${formatNumber(counts[kind])} to ${kind}${firstSight}`;
    })
    .join(', ');
}

const ends = ['applied', 'held', 'failed', 'unverified', 'unresolved'] as const;

/** `8 applied, 3 held, 1 failed`; empty when nothing was tried. */
export function renderEnds(counts: Counts): string {
  const parts = ends.filter((end) => counts[end] > 0).map((end) => `${formatNumber(counts[end])} ${end}`);
  if (counts.repeated > 0) parts.push(`${formatNumber(counts.repeated)} sent again`);
  return parts.join(', ');
}

/** `520 source rows, 512 platform users, 500 managed, 488 unchanged`. */
export function renderFacts(facts: RunFacts): string {
  return [
    amount(facts.sourceRows, 'source row'),
    amount(facts.platformUsers, 'platform user'),
    number(facts.managedUsers, 'managed'),
    number(facts.unchanged, 'unchanged'),
    facts.unmanaged === 0 ? undefined : number(facts.unmanaged, 'on the platform only'),
    facts.rejected === undefined || facts.rejected === 0
      ? undefined
      : number(facts.rejected, 'dropped, as a person rejected them'),
    facts.splits === undefined || facts.splits === 0
      ? undefined
      : formatCount(facts.splits, 'file split', 'files split'),
  ]
    .filter((text) => text !== undefined)
    .join(', ');
}

function amount(value: number | undefined, one: string): string | undefined {
  return value === undefined ? undefined : formatCount(value, one);
}

function number(value: number | undefined, what: string): string | undefined {
  return value === undefined ? undefined : `${formatNumber(value)} ${what}`;
}

import type { ChangeKind } from '../core/change.ts';
import { formatInstant } from '../core/instant.ts';
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

/** `only who has changed since 2026-11-21 12:00:00 UTC`; empty where a full read needs no word. */
export function renderRead({ read }: RunFacts): string {
  switch (read?.kind) {
    case 'delta':
      return `read: only who has changed since ${formatInstant(read.since ?? read.at)}`;
    case 'point':
      return 'read: the people named';
    case 'full':
      return read.reason === undefined ? '' : `read: everybody, because ${read.reason}`;
    case undefined:
      return '';
  }
}

/** Which read it was, in a word for a table. */
export function readWord({ read }: RunFacts): string {
  return read === undefined ? '–' : readWords[read.kind];
}

const readWords = { full: 'full', delta: 'delta', point: 'named' } as const;

/** `520 source rows, 512 platform users, 500 managed, 488 unchanged`. */
export function renderFacts(facts: RunFacts): string {
  return [
    amount(facts.sourceRows, 'source row'),
    amount(facts.platformUsers, 'platform user'),
    number(facts.managedUsers, 'managed'),
    number(facts.unchanged, 'unchanged'),
    facts.unmanaged === 0 ? undefined : number(facts.unmanaged, 'on the platform only'),
    facts.postponed === undefined || facts.postponed === 0
      ? undefined
      : number(facts.postponed, 'left for a later run, see the findings'),
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

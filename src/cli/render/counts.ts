import { blockedKinds } from '../../core/guard/blocked.ts';
import { changeKinds } from '../../core/plan/change.ts';
import { waitWords } from '../../core/plan/ledger-steps.ts';
import type { DeliveryFacts, PlanFacts } from '../../core/run/facts.ts';
import { formatCount, formatDuration, formatInstant, formatNumber } from '../../core/run/formats.ts';
import { type RequestBudget, type RequestPurpose, requestPurposes, totalOf } from '../../core/run/requests.ts';
import type { Counts } from '../../core/run/run.ts';
import type { Run } from '../../ports/store.ts';

export function changesInAll(counts: Counts): number {
  return changeKinds.reduce((sum, kind) => sum + counts[kind], 0);
}

/** Renders `4 to create, 5 to update (2 first writes), 3 to disable`; empty without changes. */
export function renderKinds(counts: Counts): string {
  return changeKinds
    .filter((kind) => counts[kind] > 0)
    .map((kind) => {
      const firstSight =
        kind === 'update' && counts.firstSight > 0 ? ` (${formatCount(counts.firstSight, 'first write')})` : '';
      return `${formatNumber(counts[kind])} to ${kind}${firstSight}`;
    })
    .join(', ');
}

const ends = ['applied', 'held', 'failed', 'unverified', 'unresolved'] as const;

/** Renders `8 applied, 3 held, 1 failed`; empty when nothing was tried. */
export function renderEnds(counts: Counts): string {
  const parts = ends.filter((end) => counts[end] > 0).map((end) => `${formatNumber(counts[end])} ${end}`);
  if (counts.repeated > 0) parts.push(`${formatNumber(counts.repeated)} sent again`);
  return parts.join(', ');
}

/** Renders `only changed employees since 2026-11-21 12:00:00 UTC`; empty for a full read. */
export function renderRead({ read }: Run): string {
  switch (read?.kind) {
    case 'delta':
      return `read: only employees changed since ${formatInstant(read.since ?? read.at)}`;
    case 'point':
      return 'read: only the named employees';
    case 'full':
      return read.reason === undefined ? '' : `read: all employees, because ${read.reason}`;
    case undefined:
      return '';
  }
}

export function readWord({ read }: Run): string {
  return read === undefined ? '–' : readWords[read.kind];
}

const readWords = { full: 'full', delta: 'delta', point: 'named' } as const;

/** Renders `520 source rows, 512 platform users, 500 managed, 488 unchanged`. */
export function renderFacts(facts: PlanFacts, { splits }: DeliveryFacts = {}): string {
  return [
    formatCount(facts.sourceRows, 'source row'),
    facts.platformUsers === undefined ? undefined : formatCount(facts.platformUsers, 'platform user'),
    number(facts.managedUsers, 'managed'),
    number(facts.unchanged, 'unchanged'),
    some(facts.outOfScope, 'out of scope'),
    someOf(facts.noAccount, 'needs no account', 'need no account'),
    some(facts.unmanaged, 'on the platform only'),
    renderMissing(facts),
    someOf(facts.respectedEdits, 'respected edit'),
    facts.isFirstConfiguration ? 'first run' : undefined,
    someOf(facts.sourceLookups, 'lookup in the HR system', 'lookups in the HR system'),
    renderBlocked(facts),
    some(facts.postponed, 'postponed to a later run, see the findings'),
    some(facts.createsWait, 'without an account, because creates had no effect'),
    ...skipped(facts.rejected - facts.undone, 'rejected'),
    ...skipped(facts.undone, 'undid'),
    facts.frozen && `${number(facts.frozen.count, 'frozen')} (until ${formatInstant(facts.frozen.until)})`,
    someOf(splits, 'file split', 'files split'),
  ]
    .filter((text) => text !== undefined)
    .join(', ');
}

/** `6 missing (disabled from 2026-11-26 02:30:00 UTC at the earliest, after 2 reads)`; undefined when no person is. */
export function renderMissing({ missing, missingWait }: PlanFacts): string | undefined {
  if (missing === 0) return undefined;
  return `${formatNumber(missing)} missing${missingWait === undefined ? '' : ` (${waitWords(missingWait)})`}`;
}

/** `12 blocked (10 status-unknown, 2 identity-conflict)`; undefined when no person is. */
export function renderBlocked({ blocked }: PlanFacts): string | undefined {
  const kinds = blockedKinds.filter((kind) => (blocked[kind] ?? 0) > 0);
  if (kinds.length === 0) return undefined;
  const all = kinds.reduce((sum, kind) => sum + (blocked[kind] ?? 0), 0);
  return `${formatNumber(all)} blocked (${kinds.map((kind) => `${formatNumber(blocked[kind] ?? 0)} ${kind}`).join(', ')})`;
}

function skipped(count: number, did: string): readonly string[] {
  return count === 0 ? [] : [`${formatNumber(count)} skipped: you ${did} ${count === 1 ? 'it' : 'them'}`];
}

function someOf(value: number | undefined, one: string, many?: string): string | undefined {
  return value ? formatCount(value, one, many) : undefined;
}

function number(value: number | undefined, what: string): string | undefined {
  return value === undefined ? undefined : `${formatNumber(value)} ${what}`;
}

function some(value: number | undefined, what: string): string | undefined {
  return value === 0 ? undefined : number(value, what);
}

/** Renders `31 files, about 560 requests, 1 min at 10/s`. */
export function renderBudget({ files, requests, perSecond, seconds }: RequestBudget): string {
  const sent = files === 0 ? '' : `${formatCount(files, 'file')}, `;
  // Whole minutes are precise enough for an estimate.
  const ms = seconds < 90 ? seconds * 1000 : Math.round(seconds / 60) * 60_000;
  return `${sent}about ${formatCount(requests, 'request')}, ${formatDuration(ms)} at ${formatNumber(perSecond)}/s`;
}

/** Renders the requests of a run by purpose; empty before the first request. */
export function renderRequests({ requests, plan }: Run): string[] {
  const total = totalOf(requests);
  if (total === 0) return [];
  const planned = plan?.budget === undefined ? '' : ` (planned: about ${formatNumber(plan.budget.requests)})`;
  const purposes = requestPurposes.flatMap((purpose) => {
    const count = requests[purpose];
    return count === undefined ? [] : [`${formatNumber(count)} ${words[purpose]}`];
  });
  return [`${formatCount(total, 'request')}${planned}: ${purposes.join(', ')}`];
}

const words: Readonly<Record<RequestPurpose, string>> = {
  scan: 'scan',
  lookup: 'lookup',
  proof: 'proof',
  read: 'single reads',
  upload: 'upload',
  poll: 'poll',
  write: 'direct writes',
  leaders: 'leaders',
  token: 'token',
  other: 'other',
};

import { formatInstant } from '../core/run/instant.ts';
import type { Run } from '../ports/store.ts';
import { formatDuration } from './amounts.ts';
import { readWord, renderBlocked, renderEnds, renderKinds } from './render-counts.ts';
import { renderOutcome } from './render-run.ts';
import { renderTable } from './render-table.ts';
import type { Style } from './style.ts';

/** Renders runs as a table, newest first. `show` has the reasons. */
export function renderRuns(runs: readonly Run[], now: number, style: Style): string {
  const head = ['RUN', 'SYNC', 'TRIGGER', 'READ', 'STARTED', 'TOOK', 'OUTCOME', 'CHANGES'].map(style.colors.dim);
  const rows = runs.map((run) => [
    run.id,
    run.sync,
    run.trigger,
    readWord(run.facts),
    formatInstant(run.startedAt),
    formatDuration((run.endedAt ?? now) - run.startedAt),
    renderOutcome({ ...run, reason: undefined }, style),
    [renderEnds(run.counts) || renderKinds(run.counts), renderBlocked(run.facts) ?? ''].filter(Boolean).join(', ') ||
      '–',
  ]);
  return renderTable([head, ...rows]);
}

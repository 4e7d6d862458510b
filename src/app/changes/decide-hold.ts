import { normalText } from '../../core/person/text.ts';
import { conflict } from '../../core/run/errors.ts';
import { countOf } from '../../core/run/formats.ts';
import { noKinds } from '../../core/run/report.ts';
import { type BatchLoad, requestBudget, scanRequests } from '../../core/run/requests.ts';
import type { Run } from '../../ports/store.ts';
import type { EngineIo, Sync } from '../../run/engine-io.ts';
import type { Effect } from '../../views/changes.ts';
import type { HoldDetail, VerdictReport } from '../../views/holds.ts';
import { openIn } from '../../views/runs.ts';
import type { AppIo } from '../app-io.ts';
import { decideRun } from '../approve.ts';
import type { SignedCaller } from '../audit.ts';
import { partlyApproved } from '../holds.ts';
import { groupRows, type HoldSelection, type IndexedChange, matcherOf } from './change-index.ts';
import type { OpenedHold } from './search-changes.ts';

/** An approval or rejection of changes of a hold. */
export interface HoldOrder extends SignedCaller {
  readonly action: 'approve' | 'reject';
  readonly selection: HoldSelection;
  readonly reopens?: boolean;
}

/** Describes one hold: why, who in groups, and what an approval does. Throws `NOT_FOUND`. */
export async function describeHold({ engine: io, changes }: AppIo, id: string): Promise<HoldDetail> {
  const opened = await changes.hold(id);
  const { hold, run, isApprovable } = opened;
  const rows = waitingRows(opened);
  const listed = hold.state === 'open' ? rows : opened.changes.index.rows.filter(opened.changes.isAmong);
  const { store, clock } = io;
  const isUndecided = isApprovable && rows.length === hold.size;
  const held = isUndecided ? [] : await store.reports.heldEnds(run.id, hold.sync, clock.now());
  const ends = held.filter(({ classes }) => classes.includes(hold.class));
  const isReplaced = hold.state !== 'open' && openIn(ends) > 0;
  const later = isReplaced ? await store.holds.listOpen(hold.sync) : [];
  return {
    hold,
    run,
    isApprovable,
    ends,
    replacedBy: later.findLast((one) => one.class === hold.class),
    waiting: rows.length,
    approvals: (await partlyApproved(hold.sync, io)).filter((one) => one.class === hold.class),
    kinds: groupRows(listed, 'kind'),
    reasons: groupRows(listed, 'reason'),
    fields: groupRows(listed, 'field'),
    effect: effectOf(rows, run, io),
  };
}

/** Estimates what an approval of this selection does. Changes nothing. */
export async function estimateHold(
  { engine: io, changes }: AppIo,
  id: string,
  selection: HoldSelection,
): Promise<Effect> {
  const opened = await changes.hold(id);
  return effectOf(selected(opened, selection), opened.run, io);
}

/**
 * Approves or rejects changes of a hold. Throws `CONFLICT`, and decides nothing, when the number of selected changes is
 * not the one that the operator saw.
 */
export async function decideHold(
  io: AppIo,
  id: string,
  { action, selection, ...order }: HoldOrder,
): Promise<VerdictReport> {
  const opened = await io.changes.hold(id);
  const { hold, run } = opened;
  const rows = selected(opened, selection);
  const { ids, except, filter, expect } = selection;
  if (expect !== undefined && expect !== rows.length) {
    const message = `the selection has ${countOf(rows.length, 'change')} now instead of ${expect}, so nothing was decided. Review the selection again`;
    throw conflict(message);
  }
  if (ids === undefined && except === undefined && filter === undefined) {
    return decideRun(io, action, run.id, { only: [hold.class], ...order });
  }
  // The decision itself reports a person who no longer waits.
  const left = new Set(except?.map(normalText));
  const isNamed = filter === undefined && ids !== undefined;
  const names = isNamed
    ? ids.filter((name) => !left.has(normalText(name)))
    : rows.map(({ identification }) => identification);
  if (names.length === 0) {
    throw conflict('no selected change waits for approval, so nothing was decided');
  }
  return decideRun(io, action, run.id, { only: [hold.class], ids: names, ...order });
}

function waitingRows({ isWaiting, changes: { index } }: OpenedHold): readonly IndexedChange[] {
  return index.rows.filter(isWaiting);
}

function selected(opened: OpenedHold, { ids, except, filter = {} }: HoldSelection): readonly IndexedChange[] {
  const chosen = ids && new Set(ids.map(normalText));
  const left = new Set(except?.map(normalText));
  const isMatch = matcherOf(filter);
  return waitingRows(opened).filter((row) => {
    const { identification } = row;
    return chosen?.has(identification) !== false && !left.has(identification) && isMatch(row);
  });
}

/** An operator reads the names of so many before a decision. */
const namedPeople = 10;

/**
 * Estimates what a run takes that delivers these changes of a run and nothing else. The plan of the run has the size of
 * the directory.
 */
function effectOf(rows: readonly IndexedChange[], { sync, plan }: Run, { syncs }: Pick<EngineIo, 'syncs'>): Effect {
  const kinds = { ...noKinds };
  for (const { kind } of rows) kinds[kind] += 1;
  const undeliverable = rows.filter(({ file }) => file === 'none').length;
  const people = rows.slice(0, namedPeople).map(({ identification, name }) => ({ identification, name }));
  const configured = syncs.get(sync);
  const budget = configured && budgetOf(rows, plan, configured);
  return { changes: rows.length, kinds, people, budget, undeliverable };
}

function budgetOf(rows: readonly IndexedChange[], plan: Run['plan'], { settings, limits }: Sync) {
  const batches: BatchLoad[] = [];
  for (const [file, some] of Map.groupBy(rows, (row) => row.file)) {
    if (file === 'none') continue;
    const [kind] = file.split(' ') as [BatchLoad['kind']];
    for (let from = 0; from < some.length; from += settings.batchRows) {
      const size = Math.min(settings.batchRows, some.length - from);
      batches.push({ kind, size, leads: kind === 'leaders' ? size : 0 });
    }
  }
  const { platformUsers: users = 0, pageSize } = plan ?? {};
  const directory = pageSize === undefined ? undefined : { users, pageSize };
  // The run reads the directory once before it sends anything.
  const planning = directory === undefined ? 0 : scanRequests(users, directory.pageSize);
  return requestBudget({ planning, batches, directory, settle: settings.settle, limits });
}

import { usageError } from '../core/run/errors.ts';
import { type Waiting, waitFor } from '../core/run/waiting.ts';
import { isFilePending } from '../core/run/waves.ts';
import { deploymentLease, type LeaseHolder, runLease, workersLease } from '../ports/leases.ts';
import type { FindingPage } from '../ports/reports.ts';
import type { Batch, ChangeQuery, PlannedChange, Plans, RawText, Run, RunFilter } from '../ports/store.ts';
import { spanOn } from '../run/clock-span.ts';
import type { EngineIo } from '../run/engine-io.ts';
import { changeView } from '../views/changes.ts';
import type { FoundFindings, RunPage, RunProgress, RunReport, RunWork } from '../views/runs.ts';
import type { AppIo } from './app-io.ts';
import { findRun, findSync, storedName } from './find-named.ts';
import { isReadWaiting } from './holds.ts';

const shownFindings = 1000;
const shownVerdicts = 20;

/** Reports everything that the store has about a run that has ended. See `openRunReport`. */
export async function runReport(run: Run, io: Pick<EngineIo, 'store' | 'clock'>): Promise<RunReport> {
  const { store, clock } = io;
  const hasHeld = run.counts.held > 0;
  const isDecided = hasHeld || run.plan?.isReadDoubted === true;
  const [findings, batches, holds, isWaiting, verdicts] = await Promise.all([
    store.runs.findings(run.id, shownFindings),
    store.batches.ofRun(run.id),
    hasHeld ? store.holds.ofRun(run.id) : [],
    isReadWaiting(run, store),
    isDecided ? store.audit.list({ run: run.id, actions: ['approve', 'reject'], limit: shownVerdicts }) : [],
  ]);
  const findingsInAll = findings.length < shownFindings ? findings.length : await store.runs.findingsCount(run.id);
  const heldEnds = holds.length === 0 ? [] : await store.reports.heldEnds(run.id, run.sync, clock.now());
  return {
    ...{ run, findings, findingsInAll, batches, holds },
    ...{ heldEnds, isReadWaiting: isWaiting, verdicts, resumed: [], work: undefined },
  };
}

/** Returns the cursor after a run. It holds the place, because the run may be gone when the next page is read. */
export function cursorAfter({ startedAt, id }: Pick<Run, 'id' | 'startedAt'>): string {
  return `${startedAt}.${id}`;
}

function placeOf(cursor: string): Pick<Run, 'id' | 'startedAt'> {
  const [, at, id] = /^(\d+)\.(.+)$/.exec(cursor) ?? [];
  if (at !== undefined && id !== undefined) return { startedAt: Number(at), id };
  throw usageError('the cursor is not valid. Use the cursor of the previous page');
}

/** Lists runs, newest first. With `after`, a cursor, only those that follow. Throws `USAGE` for another text. */
export async function findRuns(
  { engine }: AppIo,
  { after, ...asked }: Omit<RunFilter, 'after'> & { readonly after?: string },
): Promise<readonly Run[]> {
  const { store, syncs } = engine;
  const filter = asked.sync === undefined ? asked : { ...asked, sync: storedName(asked.sync, syncs) };
  const runs = await store.runs.list(after === undefined ? filter : { ...filter, after: placeOf(after) });
  // A sync that is no longer configured still has runs; a name without runs may be misspelled.
  if (runs.length === 0 && asked.sync !== undefined) findSync(asked.sync, syncs);
  return runs;
}

/** Returns what changes while a run works. */
export async function readRunProgress({ engine: { store } }: AppIo, id: string): Promise<RunProgress> {
  const run = await findRun(id, store);
  return { run, batches: await store.batches.ofRun(run.id) };
}

/** Lists what other systems sent during a run. It may hold personal data; findings and reasons never quote it. */
export async function readRawTexts({ engine: { store } }: AppIo, id: string): Promise<readonly RawText[]> {
  return store.rawTexts.ofRun((await findRun(id, store)).id);
}

/** Where the changes of plans are read. */
export interface PlanPages {
  readonly engine: { readonly store: { readonly plans: Pick<Plans, 'page'> } };
}

/** Lists changes of a run or of a shown plan, in order of identification. */
export function findChanges(
  { engine }: PlanPages,
  planId: string,
  query: ChangeQuery,
): Promise<readonly PlannedChange[]> {
  return engine.store.plans.page(planId, query);
}

const pageSize = 500;

/** Yields every change of a plan, page by page from the store, so that memory holds one page only. */
export async function* everyChange(
  io: PlanPages,
  planId: string,
  filter: Omit<ChangeQuery, 'limit'>,
  signal: AbortSignal,
): AsyncGenerator<readonly PlannedChange[]> {
  let { after } = filter;
  for (;;) {
    signal.throwIfAborted();
    const page = await findChanges(io, planId, {
      ...filter,
      limit: pageSize,
      ...(after === undefined ? {} : { after }),
    });
    if (page.length > 0) yield page;
    if (page.length < pageSize) return;
    after = page.at(-1)?.identification;
  }
}

/** Yields one JSON object per line (application/x-ndjson). */
export async function* linesOf(pages: AsyncIterable<readonly PlannedChange[]>): AsyncGenerator<string> {
  for await (const page of pages) yield page.map((change) => `${JSON.stringify(changeView(change))}\n`).join('');
}

/** Yields one JSON array. */
export async function* jsonOf(pages: AsyncIterable<readonly PlannedChange[]>): AsyncGenerator<string> {
  let lead = '[';
  for await (const page of pages) {
    for (const change of page) {
      yield `${lead}\n${JSON.stringify(changeView(change))}`;
      lead = ',';
    }
  }
  yield lead === '[' ? '[]\n' : '\n]\n';
}

/** Reports one run, which may be in progress. A unique part of the id is enough, in every use case that takes a run. */
export async function describeRun(io: AppIo, id: string): Promise<RunReport> {
  const run = await findRun(id, io.engine.store);
  const report = await runReport(run, io.engine);
  const work = readRunWork(run, report.batches, await readRunLeases([run.id], io), io);
  const waiting = run.waiting ?? (await waitOutside(run, work, io));
  return { ...report, work, run: { ...run, waiting } };
}

/** Returns a wait that no process can store with the run: for a worker, or for Redis. */
async function waitOutside(run: Run, work: RunWork | undefined, io: AppIo): Promise<Waiting | undefined> {
  if (work === undefined) return undefined;
  const { interrupted } = work;
  const since = interrupted?.at ?? run.startedAt;
  const redis = await io.checkRedis?.();
  if (redis?.state === 'failed') return waitFor('redis', 'a worker continues the run', { about: redis.message, since });
  if (interrupted === undefined) return undefined;
  return waitFor('worker', 'the run continues', { about: 'no process works on the run', since });
}

/** Reads who works on some runs, or could. */
export function readRunLeases(runs: readonly string[], { engine }: AppIo): Promise<ReadonlyMap<string, LeaseHolder>> {
  return engine.store.reports.holders([deploymentLease, workersLease, ...runs.map(runLease)]);
}

/** Returns undefined for a run that has ended. `holders`: see `readRunLeases`. */
export function readRunWork(
  run: Run,
  batches: readonly Batch[],
  holders: ReadonlyMap<string, LeaseHolder>,
  io: AppIo,
): RunWork | undefined {
  if (run.phase === 'done') return undefined;
  return { interrupted: interruptionOf(run, holders, io), files: filesOf(run, batches, io) };
}

function interruptionOf(
  run: Run,
  holders: ReadonlyMap<string, LeaseHolder>,
  { engine, checkRedis }: AppIo,
): RunWork['interrupted'] {
  const isHeld = (lease: string): boolean => (holders.get(lease)?.until ?? 0) > engine.clock.now();
  // With Redis, a worker holds the run only while it takes a step. A deployment takes a run that is free.
  const isQueued = checkRedis !== undefined;
  if (isHeld(runLease(run.id)) || isHeld(isQueued ? workersLease : deploymentLease)) return undefined;
  // A lease that has expired is still there. One that was released is not.
  return { at: holders.get(runLease(run.id))?.until, isQueued };
}

function filesOf(run: Run, batches: readonly Batch[], { engine }: AppIo): RunWork['files'] {
  const settle = engine.syncs.get(run.sync)?.settings.settle;
  const out = batches.filter((batch) => batch.state === 'sent' && isFilePending(batch));
  if (settle === undefined || out.length === 0) return undefined;
  const sentAt = Math.max(...out.map((batch) => batch.sentAt ?? 0));
  return { count: out.length, untilMs: sentAt + spanOn(engine.clock, settle.deadlineMs) };
}

/** Reports one run with its timeline, and its findings by cause. */
export async function readRunPage({ engine }: AppIo, id: string): Promise<RunPage> {
  const { store, clock } = engine;
  const run = await findRun(id, store);
  const [report, timeline, causes] = await Promise.all([
    runReport(run, engine),
    store.reports.timeline(run.id, clock.now()),
    store.reports.findingCauses(run.id),
  ]);
  // A plan that is being written may have a million changes, and none is in a batch.
  const states = report.batches.length === 0 ? [] : await store.reports.batchStates(run.id);
  return { report, timeline, ...causes, states };
}

/** Lists findings of a run. Throws `USAGE` for a page that begins nowhere. */
export async function readFindings(
  { engine: { store } }: AppIo,
  id: string,
  page: Omit<FindingPage, 'run'>,
): Promise<FoundFindings> {
  if (page.after !== undefined && !Number.isSafeInteger(page.after)) {
    throw usageError('the cursor is not valid. Use the cursor of the previous page');
  }
  const run = await findRun(id, store);
  const found = await store.reports.findings({ ...page, run: run.id, limit: page.limit + 1 });
  const findings = found.slice(0, page.limit);
  return { findings, next: found.length > page.limit ? findings.at(-1)?.number : undefined };
}

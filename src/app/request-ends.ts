import { describeError, isStoreAway, notFound, RollcallError } from '../core/run/errors.ts';
import { noPlan } from '../core/run/facts.ts';
import { chooseOutcome, noStates } from '../core/run/report.ts';
import { type ChangeState, noCounts } from '../core/run/run.ts';
import { type Waiting, waitFor } from '../core/run/waiting.ts';
import { successOutcomes } from '../ports/alerts.ts';
import { runLease, workersLease } from '../ports/leases.ts';
import { leaversKey } from '../ports/runs.ts';
import type { Run, RunScope, Trigger } from '../ports/store.ts';
import type { EngineIo } from '../run/engine-io.ts';
import { changesOf } from '../run/plan-changes.ts';
import { pruneBeside } from '../run/prune-old.ts';
import { openRun } from '../run/request-run.ts';
import type { RunReport } from '../views/runs.ts';
import type { RequestResult, RequestState } from '../views/syncs.ts';
import type { AppIo, WatchOptions } from './app-io.ts';
import { runReport } from './runs.ts';
import { refusePaused } from './syncs.ts';

const pollMs = 500;

/**
 * Drives the run of a trigger to its end, after interrupted runs of the same sync. Waits for a run that another process
 * drives. Reports the trigger's run and the resumed ones. `isNew`: the trigger was just stored, so no run has it.
 */
export async function runHere(trigger: Trigger, options: WatchOptions, io: AppIo, isNew = false): Promise<RunReport> {
  const { engine } = io;
  const resumed: Run[] = [];
  await io.endOrphans(options.signal);
  let own: string | undefined;
  let lastEndedAt: number | undefined;
  for (let isKnown = isNew; ; isKnown = false) {
    if (own === undefined && !isKnown) {
      const state = await engine.store.triggers.state(trigger.id);
      if (state?.kind === 'cancelled') throw neverBegan(trigger);
      if (state?.kind === 'taken') own = state.run;
    }
    if (own !== undefined) {
      const ended = await finishRun(own, options, io);
      if (ended !== undefined) {
        // Once a day is enough, as in a deployment.
        if (dayOf(lastEndedAt) !== dayOf(engine.clock.now())) await pruneBeside(engine);
        await io.checkAlerts(options.signal);
        const leavers = ended.run.isSuccess ? undefined : await engine.store.triggers.find(leaversKey(own));
        if (leavers?.state.kind === 'waiting') resumed.push((await runHere(leavers.trigger, options, io)).run);
        return { ...(await runReport(ended.run, engine)), resumed: resumed.filter(({ id }) => id !== own) };
      }
    } else {
      const opened = await openRun(trigger.sync, engine);
      if (opened === undefined) await refusePaused(trigger.sync, io, '; the request waits for the end of the pause');
      if (opened?.isNew === true && opened.triggers.includes(trigger.id)) {
        own = opened.run.id;
        lastEndedAt = opened.lastEndedAt;
      }
      if (opened !== undefined && !opened.isNew) {
        const { id: run, startedAt } = opened.run;
        const holder = await engine.store.leases.holder(runLease(run), engine.clock.now());
        // Unless another process works on it.
        if (holder === undefined) options.progress({ step: 'continuing', run, startedAt });
        const old = await finishRun(run, options, io);
        if (old?.isDrivenHere === true) resumed.push(old.run);
      }
    }
    options.signal.throwIfAborted();
  }
}

const dayMs = 86_400_000;

/** Returns the number of the day in UTC. */
function dayOf(at = 0): number {
  return Math.floor(at / dayMs);
}

function neverBegan({ sync }: Trigger): RollcallError {
  return new RollcallError(`the request for ${sync} was canceled before its run began`, { code: 'CANCELLED' });
}

/**
 * Drives the run, or waits one interval while another process does. Returns the run after it has ended, and whether this
 * process brought it to its end.
 */
async function finishRun(runId: string, options: WatchOptions, { engine, drive }: AppIo) {
  const { store, clock } = engine;
  const driven = await drive(runId, options);
  options.signal.throwIfAborted();
  if (typeof driven === 'object') return { run: driven, isDrivenHere: true };
  const run = await store.runs.get(runId);
  if (run?.phase === 'done') return { run, isDrivenHere: driven === 'ended' };
  if (driven === 'ended') return undefined;
  const holder = await store.leases.holder(runLease(runId), clock.now());
  if (holder !== undefined) {
    const next = 'either it ends, or it dies and this process continues within seconds';
    const waiting = waitFor('process', next, { about: `run ${runId}`, since: run?.startedAt ?? clock.now() });
    options.progress({ step: 'waiting', waiting, nextAt: holder.until });
  }
  await clock.sleep(pollMs, options.signal);
  return undefined;
}

const followEveryMs = 1000;
/** A deployment that is replaced is away for shorter. */
const goneAfterMs = 60_000;

/** A database that is restarted or replaced is away for shorter. */
const mostAwayMs = 600_000;

/**
 * Waits until a deployment has ended the run that takes the trigger, and reports that run. When the deployment is
 * gone, this process drives the run. Waits for a store that is away for up to ten minutes. Interrupting the wait changes
 * nothing: the request stays.
 */
export async function followRun(trigger: Trigger, options: WatchOptions, io: AppIo): Promise<RunReport | undefined> {
  const { store, clock } = io.engine;
  const begunAt = clock.now();
  let deployedAt = begunAt;
  let answeredAt = clock.now();
  let isAway = false;
  let shown = '';
  for (;;) {
    try {
      const state = await store.triggers.state(trigger.id);
      if (state?.kind === 'cancelled') throw neverBegan(trigger);
      const run = state?.kind === 'taken' ? await store.runs.get(state.run) : undefined;
      if (run?.phase === 'done') return await runReport(run, io.engine);
      if (run === undefined && (await store.pauses.get(trigger.sync, clock.now())) !== undefined) return undefined;
      if (run !== undefined) shown = await showProgress(run, shown, options, io);
      const waiting = run?.waiting ?? (await missingWorker(begunAt, io));
      if (waiting !== undefined) options.progress({ step: 'waiting', waiting });
      answeredAt = clock.now();
      isAway = false;
      if (await io.isDeployed()) deployedAt = clock.now();
    } catch (error) {
      if (!isStoreAway(error)) throw error;
      if (clock.now() - answeredAt >= mostAwayMs) {
        const message = `${describeError(error)}. The request ${trigger.id} stays, and a running deployment continues its run: see "rollcall runs ${trigger.sync}" when the store answers again`;
        throw new RollcallError(message, { code: 'STORE_INVALID', cause: error });
      }
      // Told once for each outage: it is retried every second.
      const about = describeError(error).replace(/\.$/, '');
      const times = { about, since: answeredAt, until: answeredAt + mostAwayMs };
      const waiting = waitFor('store', 'this command ends, and the request stays', times);
      if (!isAway) options.progress({ step: 'waiting', waiting });
      isAway = true;
      // A deployment cannot renew its lease either.
      deployedAt = clock.now();
    }
    if (clock.now() - deployedAt >= goneAfterMs) return runHere(trigger, options, io);
    await clock.sleep(followEveryMs, options.signal);
  }
}

/** Returns the wait for a worker, where work goes through Redis and no worker is alive. */
async function missingWorker(since: number, { engine, checkRedis }: AppIo): Promise<Waiting | undefined> {
  if (checkRedis === undefined) return undefined;
  const worker = await engine.store.leases.holder(workersLease, engine.clock.now());
  if (worker !== undefined) return undefined;
  const about = 'none is alive; start one with "rollcall start --role worker"';
  return waitFor('worker', 'the run continues', { about, since });
}

/** Shows the batches of the run when their number has changed. Returns what is shown now. */
async function showProgress(run: Run, shown: string, { progress }: WatchOptions, { engine }: AppIo): Promise<string> {
  if (run.phase !== 'delivering' && run.phase !== 'proving') return shown;
  const batches = await engine.store.batches.ofRun(run.id);
  const begun = batches.filter(({ state }) => state !== 'planned');
  const now = `${begun.length} of ${batches.length}`;
  if (now !== shown && begun.length > 0) {
    const changes = begun.at(-1)?.size ?? 0;
    progress({ step: 'delivering', batch: begun.length, batches: batches.length, changes });
  }
  return now;
}

/** Returns what became of a request. Throws `NOT_FOUND` for an id that is not stored, or was pruned with its run. */
export async function readRequest({ engine }: AppIo, id: string): Promise<RequestState> {
  const { store } = engine;
  const found = await store.triggers.get(id);
  if (found === undefined) throw notFound(`there is no request ${id}`);
  const { trigger, state } = found;
  const run = state.kind === 'taken' ? await store.runs.get(state.run) : undefined;
  const result = run?.phase === 'done' ? await requestResult(trigger.scope, run, engine) : undefined;
  if (state.kind === 'cancelled') return { trigger, state: 'canceled', run, result };
  if (state.kind === 'waiting') return { trigger, state: 'waiting', run, result };
  return { trigger, state: run !== undefined && run.phase !== 'done' ? 'running' : 'ended', run, result };
}

/** For more people, all changes of the run are read in order instead. */
const mostSingleReads = 100;

/** Outcomes that follow from the changes. A failed or canceled run did not try all of them. */
const ofChanges: readonly string[] = [...successOutcomes, 'partial'];

/**
 * Returns how an ended run ended for the people whom one of its requests names. A run about more people can fail for some
 * of the others. For a request about all people, and when the changes are pruned, it is the outcome of the run.
 */
export async function requestResult(scope: RunScope, run: Run, io: EngineIo): Promise<RequestResult | undefined> {
  if (run.outcome === undefined) return undefined;
  const { states: changes } = await io.store.plans.count(run.id);
  const whole = { outcome: run.outcome, reason: run.reason, changes };
  if (scope.kind === 'all' || (run.scope.kind === 'users' && !hasOthers(scope, run.scope))) return whole;
  const isPruned = total(changes) < total(run.counts);
  if (isPruned || !ofChanges.includes(run.outcome)) return whole;
  const states = { ...noStates };
  for await (const state of statesOf(run.id, new Set(scope.identifications), io)) states[state] += 1;
  const { plan = noPlan } = run;
  const unknownPeople = plan.unknownPeople === 0 ? 0 : await countUnknown(run.id, scope.identifications, io);
  const end = {
    counts: { ...noCounts, ...states },
    states,
    isCancelled: false,
    failure: undefined,
    // Trouble with records of the run may be about other people.
    plan: { ...plan, access: noPlan.access, unknownPeople },
  };
  const { outcome, reason } = chooseOutcome(end);
  return { outcome, reason, changes: states };
}

/** Returns how many of these people the source did not know. */
async function countUnknown(run: string, identifications: readonly string[], { store }: EngineIo): Promise<number> {
  const findings = await store.runs.findings(run);
  const unknown = new Set(findings.flatMap((one) => (one.code === 'person-unknown' ? one.identification : [])));
  return identifications.filter((name) => unknown.has(name)).length;
}

async function* statesOf(run: string, names: ReadonlySet<string>, io: EngineIo): AsyncGenerator<ChangeState> {
  if (names.size <= mostSingleReads) {
    for (const name of names) {
      const change = await io.store.plans.get(run, name);
      if (change !== undefined) yield change.state;
    }
    return;
  }
  for await (const { identification, state } of changesOf(run, io, {})) if (names.has(identification)) yield state;
}

interface Named {
  readonly identifications: readonly string[];
}

/** Returns whether the run is about people whom the request does not name. */
export function hasOthers(request: Named, run: Named): boolean {
  const names = new Set(request.identifications);
  return run.identifications.some((name) => !names.has(name));
}

function total(counts: { readonly applied: number; readonly held: number; readonly failed: number }): number {
  return counts.applied + counts.held + counts.failed;
}

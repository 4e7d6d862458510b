import { describeError, RollcallError, rootCauseOf } from '../core/run/errors.ts';
import { noPlan } from '../core/run/facts.ts';
import type { Finding } from '../core/run/finding.ts';
import { countOf, firstOf, formatMinute } from '../core/run/formats.ts';
import { given } from '../core/run/given.ts';
import { isClean, watermarkAfter } from '../core/run/next-read.ts';
import { chooseOutcome, countChanges } from '../core/run/report.ts';
import { type Batch, batchTroubles, type ChangeMark, type OwnedRun, troubleOf } from '../ports/store.ts';
import { fileLeaseOf } from './deliver/file-lease.ts';
import type { EngineIo, RunContext } from './engine-io.ts';
import { changesOf, marksFor } from './plan-changes.ts';
import { waitAfterRefusal } from './request-run.ts';
import { keepRaw } from './run-notes.ts';
import type { JobOutcome } from './work.ts';

/** The parts of a context that closing a run needs. A run can be closed without its sync. */
type Owned = Pick<RunContext, 'owned'>;

/** Closes a run of which the caller does not know how it is stored now. */
export async function finishRun({ owned }: Owned, io: EngineIo, failure?: string): Promise<JobOutcome> {
  const run = await io.store.runs.get(owned.run.id);
  return run === undefined || run.phase === 'done'
    ? { kind: 'done' }
    : closeRun({ ...owned, run }, given({ failure }), io);
}

/**
 * Counts the results of all changes, chooses the outcome and closes the run. Repeatable. `run`: as it is stored now.
 * `open`: the batches that have no end, where the caller knows them.
 */
export async function closeRun(
  owned: OwnedRun,
  { failure, open }: { readonly failure?: string; readonly open?: readonly Batch[] },
  io: EngineIo,
): Promise<JobOutcome> {
  const { run } = owned;
  // The reason is stored first. Otherwise, after a crash, the changes dropped below would look as if nothing was left
  // to send.
  if (failure !== undefined) await io.store.runs.update(owned, { reason: failure });
  const batches = open ?? (await io.store.batches.ofRun(run.id, { states: ['planned', 'sending', 'sent'] }));
  const lost = await leaveUnresolved(owned, batches, io);
  await endUnsent(owned, batches, io);
  let count = await io.store.plans.count(run.id);
  if (count.states.planned > 0) {
    await dropUnsent(owned, io);
    count = await io.store.plans.count(run.id);
  }
  const { kinds, classes, states, created } = count;
  const { plan = noPlan } = run;
  const counts = countChanges(kinds, classes, states, plan.repeated);
  const end = { counts, states, isCancelled: run.isCancelRequested, failure: failure ?? run.reason, plan };
  const { outcome, reason, reasons, isSuccess } = chooseOutcome(end);
  const read = {
    id: run.id,
    read: run.read,
    needsFull: plan.needsFull,
    isClean: isClean(end),
  };
  const endedAt = io.clock.now();
  const patch = {
    phase: 'done',
    phaseAt: endedAt,
    endedAt,
    outcome,
    isSuccess,
    counts,
    end: { ...run.end, reasons, created },
    waiting: undefined,
    ...(reason === undefined ? {} : { reason }),
  } as const;
  if (plan.edit !== undefined) await io.store.baselines.advance(owned);
  const { run: stored } = await io.store.runs.update(owned, patch, {
    watermark: (last) => watermarkAfter(last, read),
    leaves: fileLeaseOf(run.connection),
    moreFindings: lost === undefined ? [] : [lost],
  });
  io.checkpoint('run-finished');
  const ended = { run: run.id, sync: run.sync, outcome, ...counts, ms: endedAt - run.startedAt };
  if (outcome === 'failed' || outcome === 'partial') {
    const failures = failedBatches(await io.store.batches.ofRun(run.id));
    io.logger.warn({ ...ended, ...given({ reason }), failures }, 'run ended');
  } else io.logger.info(ended, 'run ended');
  return { kind: 'done', run: stored };
}

const shownFailures = 5;

/** Names the batches whose rows were not applied, with their file and what happened. A batch that was split counts by its parts. */
function failedBatches(batches: readonly Batch[]): readonly string[] {
  const split = new Set(batches.map(({ parent }) => parent));
  const failed = batches.flatMap((batch) => {
    const trouble = split.has(batch.id) ? undefined : troubleOf(batch);
    const { number, size, fileId } = batch;
    const file = fileId === undefined ? '' : `, file ${fileId}`;
    return trouble === undefined ? [] : [`batch ${number} (${countOf(size, 'row')})${file}: ${batchTroubles[trouble]}`];
  });
  return firstOf(failed.slice(0, shownFailures), failed.length);
}

/** Marks the batch that is out as unresolved when the run fails. Later runs check for its effect. */
async function leaveUnresolved(owned: OwnedRun, batches: readonly Batch[], io: EngineIo): Promise<Finding | undefined> {
  const out = batches.filter(({ state }) => state === 'sending' || state === 'sent');
  for (const batch of out) {
    // The next run reads the lists of leaders again, so nothing waits for them.
    const isLeaders = batch.kind === 'leaders';
    const marks: ChangeMark[] = [];
    for await (const change of changesOf(batch.run, io, { batch: batch.id, states: ['sent', 'unresolved'] })) {
      if (change.state === 'unresolved' && !isLeaders) continue;
      const state = isLeaders ? 'failed' : 'unresolved';
      marks.push(...marksFor([change], state, 'the run ended before its effect was known'));
    }
    const state = isLeaders ? 'settled' : 'unresolved';
    await io.store.batches.update(owned, batch.id, { state, finalAt: io.clock.now() }, { marks });
  }
  const unknown = out.filter(({ kind }) => kind !== 'leaders').length;
  if (unknown === 0) return undefined;
  return {
    code: 'unresolved',
    message: `${countOf(unknown, 'batch was', 'batches were')} still without an outcome when the run ended: later runs first check whether the changes were applied`,
  };
}

/** Ends the batches that were not sent: no later run takes them. */
async function endUnsent(owned: OwnedRun, batches: readonly Batch[], io: EngineIo): Promise<void> {
  for (const { id } of batches.filter(({ state }) => state === 'planned'))
    await io.store.batches.update(owned, id, { state: 'settled', reason: notSent });
}

const notSent = 'not sent: the run ended first';

/** Drops the changes that were not sent. The next run plans again. */
async function dropUnsent(owned: OwnedRun, io: EngineIo): Promise<void> {
  let marks: ChangeMark[] = [];
  const flush = async (): Promise<void> => {
    if (marks.length > 0) await io.store.plans.setStates(owned, marks);
    marks = [];
  };
  for await (const change of changesOf(owned.run.id, io, { states: ['planned'] })) {
    marks.push(...marksFor([change], 'dropped'));
    if (marks.length >= 1000) await flush();
  }
  await flush();
}

/** Reports that the schedule waits after refused credentials. See `waitAfterRefusal`. */
const refusalWords = (until: number, sync: string): string =>
  ` The schedule now waits until ${formatMinute(until)}, longer after each refusal, so that the account is not locked. ` +
  `After you correct the credentials, "rollcall resync ${sync}" or a restart reads the source immediately.`;

/**
 * Ends a run that cannot continue. Batches that are out stay unresolved, unsent changes are dropped, and the reason is
 * stored.
 */
export async function failRun(context: RunContext, error: unknown, io: EngineIo): Promise<JobOutcome> {
  const isOurs = error instanceof RollcallError;
  const reason = isOurs ? error.message : `unexpected: ${describeError(error)}`;
  // The message of an unexpected error may quote anything.
  const text = isOurs ? RollcallError.rawTextOf(error) : String(error);
  await keepRaw(context.owned, { about: 'end of the run', text }, io);
  if (!isOurs) return finishRun(context, io, reason);
  const { sync, connection } = context.owned.run;
  const cause = rootCauseOf(error, connection);
  const isRefused = error.code === 'SOURCE_REFUSED';
  const refusedUntil = isRefused ? await waitAfterRefusal(sync, io.clock.now(), io.store.runs) : undefined;
  await io.store.runs.update(context.owned, {
    end: { failure: error.code, reasons: [reason], ...given({ cause, refusedUntil }) },
  });
  return finishRun(context, io, refusedUntil === undefined ? reason : `${reason}${refusalWords(refusedUntil, sync)}`);
}

import { PlatformError, RollcallError } from '../../core/run/errors.ts';
import type { DeliveryFacts } from '../../core/run/facts.ts';
import { isSameWait, type Waiting, waitFor } from '../../core/run/waiting.ts';
import { type FinalStatus, isFilePending, learnPace, mayBeProcessing, nextPollMs } from '../../core/run/waves.ts';
import type { FileStatus } from '../../ports/platform.ts';
import type { Batch, OwnedRun } from '../../ports/store.ts';
import { spanOn } from '../clock-span.ts';
import { afterPoll, hasStood, isReadBackDue, learnEndWord, unnamedWord } from '../deliver/end-words.ts';
import { fileLeaseOf, releaseFileLease, renewAfterMs, takeFileLease } from '../deliver/file-lease.ts';
import { readWave, type Wave } from '../deliver/wave.ts';
import type { EngineIo, RunContext } from '../engine-io.ts';
import { type NextStep, type Proven, toDelivering } from '../next-step.ts';
import { keepRaw, type UnstoredRequests } from '../run-notes.ts';
import { proveWave } from './prove-wave.ts';

/**
 * Polls the file that is out, or proves the wave. The platform's status alone never makes a change `applied`. A status
 * that the dialect does not know, or that the platform fails to return, is pending until the deadline and never a
 * success. `proveWave` says how each batch ends.
 *
 *   a file is pending   poll again, after a growing wait, until settle.deadline; then prove the wave, and this file too
 *   a file has ended    send the next batch, or prove the wave if nothing is left to send
 *   no file is pending  prove the wave
 */
export async function proveNext(
  context: RunContext,
  unstored: UnstoredRequests,
  io: EngineIo,
): Promise<NextStep | Proven> {
  const wave = await readWave(context.owned, io);
  const { out, unproven, planned } = wave;
  if (out === undefined) {
    if (unproven.length === 0) return toDelivering;
    // Other runs send their files while the users are read back.
    if (!mayBeProcessing(wave)) await releaseFileLease(context.owned, io);
    return proveWave(context, wave, unstored, io);
  }
  if (out.state === 'sending') return toDelivering;
  const { batch, run, retryAfterMs } = await pollStatus(context, { batch: out, unproven, unstored }, io);
  const ended = { planned, out: undefined, unproven: [...unproven, batch] };
  io.progress({ step: 'proving', batch: batch.number, batches: 0, status: batch.status ?? '' });
  if (!isFilePending(batch)) {
    return planned.length === 0 ? proveWave(context, ended, unstored, io) : toDelivering;
  }
  const { everyMs, deadlineMs } = context.sync.settings.settle;
  const now = io.clock.now();
  const sinceMs = batch.sentAt ?? 0;
  const untilMs = sinceMs + spanOn(io.clock, deadlineMs);
  if (now < untilMs) {
    const early = await readBackEarly(context, { batch, run, ended, unstored }, io);
    if (early !== undefined) return early;
    const wantedMs = Math.max(nextPollMs(batch, everyMs, now - sinceMs), retryAfterMs);
    return { kind: 'again', afterMs: Math.min(wantedMs, untilMs - now), waiting: waitForFile(context, batch, io), run };
  }
  if (batch.status?.startsWith(missingStatus)) await reportMissingStatus(context, batch, io);
  const next = await proveWave(context, ended, unstored, io);
  if ((await io.store.batches.get(batch.id))?.state === 'settled') await learnEndless(context, batch, io);
  return next;
}

function waitForFile({ sync }: RunContext, { number, sentAt: since = 0 }: Batch, { clock }: EngineIo): Waiting {
  const until = since + spanOn(clock, sync.settings.settle.deadlineMs);
  const times = { about: `batch ${number}`, since, until, setting: 'settle.deadline' };
  return waitFor('file', 'its users are read back', times);
}

interface Early {
  readonly ended: Wave;
  readonly unstored: UnstoredRequests;
}

/**
 * Reads the users of a pending file back before the deadline, where `isReadBackDue` says so. Returns what follows when
 * all rows are shown, so that the file is settled; undefined when it is polled further.
 */
async function readBackEarly(
  context: RunContext,
  { batch, run, ended, unstored }: Omit<Polled, 'retryAfterMs'> & Early,
  io: EngineIo,
): Promise<NextStep | Proven | undefined> {
  const { owned, sync } = context;
  const { standing, uploadWord } = run.delivery ?? {};
  if (standing?.batch !== batch.id) return undefined;
  const { everyMs } = sync.settings.settle;
  const now = io.clock.now();
  const times = { everyMs, now, sentAt: batch.sentAt ?? now };
  if (!isReadBackDue(standing, { ...times, neverEnds: true })) return undefined;
  const { neverEnds = false } = await io.store.learned.get(owned.run.connection);
  if (!isReadBackDue(standing, { ...times, neverEnds })) return undefined;
  await io.store.runs.updateDelivery(owned, { standing: { ...standing, readBackAt: now } });
  const next = await proveWave(context, ended, unstored, io);
  if ((await io.store.batches.get(batch.id))?.state !== 'settled') return undefined;
  const { word } = standing;
  if (word !== undefined && word !== uploadWord && hasStood(standing, everyMs, now)) {
    await learnEndWord(context, word, io);
  }
  return next;
}

type Polled = Awaited<ReturnType<typeof pollStatus>>;

/** Requests the file's status and stores it. A final one gives the file lease to other runs, which then send theirs. */
async function pollStatus(
  context: RunContext,
  {
    batch,
    unproven,
    unstored,
  }: Pick<Wave, 'unproven'> & { readonly batch: Batch; readonly unstored: UnstoredRequests },
  io: EngineIo,
) {
  const { owned } = context;
  // Until then the lease that was taken to send the file lasts.
  if (io.clock.now() - (batch.sentAt ?? 0) >= renewAfterMs / 2) await takeFileLease(owned, io);
  const { status, retryAfterMs } = await requestStatus(context, batch, io);
  const text = status.kind === 'no-status' ? 'the platform has no file status' : status.text;
  const word = unnamedWord(status);
  const isEnd = word !== undefined && (await isLearned(owned, word, io));
  const isUnnamed = status.kind === 'pending' && !status.isKnown && !text.startsWith(missingStatus);
  if (isUnnamed && !isEnd && batch.status !== text) {
    io.logger.warn({ run: owned.run.id, batch: batch.number, status: text }, 'unknown file status: waiting');
    await keepRaw(owned, { about: `file status of batch ${batch.number}`, text: status.raw }, io);
    const message = `batch ${batch.number}: the platform returned a status that dialect.status does not name; treated as pending. "rollcall show ${owned.run.id} --raw" shows it`;
    await io.store.runs.addFindings(owned, [{ code: 'file-status', message }]);
  }
  const final: FinalStatus | undefined = isEnd ? 'learned' : status.kind === 'pending' ? undefined : status.kind;
  const finalAt = final === undefined ? undefined : io.clock.now();
  const patch = { status: isEnd ? word : text, polls: batch.polls + 1, final, finalAt };
  const isReleased = status.kind === 'pending' && status.isReleased === true;
  const poll = { batch: batch.id, word, isUnnamed, isReleased, now: io.clock.now() };
  const standing = final === undefined ? { standing: afterPoll(owned.run.delivery?.standing, poll) } : {};
  const delivery = { ...learned(owned, { ...batch, ...patch }, io), ...standing };
  const waiting = waitForFile(context, batch, io);
  // A wait that ends is stored with what follows.
  const isOver = final !== undefined || io.clock.now() >= (waiting.until ?? 0);
  const told = isOver || isSameWait(owned.run.waiting, waiting) ? {} : { waiting };
  const isFree =
    final !== undefined && !mayBeProcessing({ out: undefined, unproven: [...unproven, { ...batch, ...patch }] });
  const effects = {
    delivery,
    run: { ...unstored(), ...told },
    ...(isFree ? { leaves: fileLeaseOf(owned.run.connection) } : {}),
  };
  const { run } = await io.store.batches.update(owned, batch.id, patch, effects);
  if (final !== undefined) io.checkpoint('status-final');
  return {
    batch: { ...batch, ...patch },
    /** The run with what the poll showed. */
    run,
    /** Wait in ms that the platform requested; 0 when it requested none. */
    retryAfterMs,
  };
}

/** A word with which the platform answered the upload itself is no end. */
async function isLearned({ run }: OwnedRun, word: string, { store }: EngineIo): Promise<boolean> {
  return word !== run.delivery?.uploadWord && (await store.learned.get(run.connection)).endWords?.[word] !== undefined;
}

/** Returns how long files take, for the first poll of the next one. */
function learned({ run }: OwnedRun, { sentAt, final }: Batch, { clock }: EngineIo): Pick<DeliveryFacts, 'filePace'> {
  if (final === 'no-status') return {};
  const passedMs = clock.now() - (sentAt ?? 0);
  return { filePace: learnPace(run.delivery?.filePace, passedMs, final !== undefined) };
}

/** Prefix of a batch status that we set because the platform returned none. */
const missingStatus = 'no status: ';

/**
 * Returns the file's status. A request that fails with a temporary error returns pending, because the batch has already
 * been sent.
 */
async function requestStatus(
  { owned, sync, signal }: RunContext,
  batch: Batch,
  io: EngineIo,
): Promise<{ readonly status: FileStatus; readonly retryAfterMs: number }> {
  try {
    return { status: await sync.platform.status(batch.fileId ?? '', signal), retryAfterMs: 0 };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.retry === 'never') throw error;
    const text = missingStatus + (error.status === undefined ? 'no complete answer' : `answered ${error.status}`);
    const fields = { run: owned.run.id, batch: batch.number, status: text, code: error.code, error: error.message };
    if (batch.status !== text) {
      io.logger.warn(fields, 'the platform does not return the file status: waiting');
      const raw = RollcallError.rawTextOf(error);
      await keepRaw(owned, { about: `file status of batch ${batch.number}`, text: raw }, io);
    }
    const retryAfterMs = error.retry === 'backoff' ? 0 : error.retry.afterMs;
    return { status: { kind: 'pending', text, isKnown: false }, retryAfterMs };
  }
}

/** Learns that file statuses of the connection do not end. Reports it once; a missing status was reported before. */
async function learnEndless({ owned, sync }: RunContext, batch: Batch, io: EngineIo): Promise<void> {
  const { connection, sync: name } = owned.run;
  if ((await io.store.learned.get(connection)).neverEnds === true) return;
  await io.store.learned.update(connection, (known) => ({ ...known, neverEnds: true }));
  if (batch.status?.startsWith(missingStatus)) return;
  const message = `batch ${batch.number}: the status of its file was still "${batch.status}" at settle.deadline, although all rows are shown. Set connections.${connection}.dialect.status.path (now ${sync.dialect.status.path}) or syncs.${name}.settle.deadline`;
  await io.store.runs.addFindings(owned, [{ code: 'file-status', message }]);
}

async function reportMissingStatus({ owned, sync }: RunContext, batch: Batch, io: EngineIo): Promise<void> {
  const message = `batch ${batch.number}: no final status until settle.deadline (last: ${batch.status}), so its users were read back. Check dialect.status.path (${sync.dialect.status.path})`;
  await io.store.runs.addFindings(owned, [{ code: 'file-status', message }]);
}

import { partOf } from '../../core/plan/change.ts';
import { refusalReason } from '../../core/plan/refused-create.ts';
import type { Finding } from '../../core/run/finding.ts';
import { countOf } from '../../core/run/formats.ts';
import { waitFor } from '../../core/run/waiting.ts';
import { endOf, isFilePending, mayBeProcessing, nextProofMs } from '../../core/run/waves.ts';
import type { Batch, ChangeMark, OwnedRun, PlannedChange, Run } from '../../ports/store.ts';
import { spanOn } from '../clock-span.ts';
import { forgetEndWord } from '../deliver/end-words.ts';
import { releaseFileLease } from '../deliver/file-lease.ts';
import { applyLookup, namesAhead } from '../deliver/look-up-ahead.ts';
import { sendAgain, splitBatch } from '../deliver/split.ts';
import { isAllProven, isProofDue, readPlanned, readWave, type Wave } from '../deliver/wave.ts';
import type { EngineIo, RunContext, Sync } from '../engine-io.ts';
import { type NextStep, type Proven, toDelivering, toProving } from '../next-step.ts';
import { changesInBatch, changesOf } from '../plan-changes.ts';
import { type LookupQuestion, type Lookups, openLookups } from '../read-back/lookups.ts';
import {
  type Certain,
  certainOf,
  findingsOf,
  type ReadBack,
  readBack,
  readLeadersBack,
} from '../read-back/read-back.ts';
import type { UnstoredRequests } from '../run-notes.ts';
import { addParts } from '../seal/batches.ts';

/** How to handle changes that the platform does not show. `untilMs` is the time of the lookup that decides. */
type IfUnseen =
  | { readonly kind: 'wait'; readonly untilMs: number }
  | { readonly kind: 'fail' | 'again' | 'split' | 'unresolved' };

/**
 * Reads back the users of all unproven batches, by one scan if that needs fewer requests than single reads, and settles
 * each batch whose changes are shown. A scan also looks at the users of the batches that are still planned. A change
 * that is not shown, by the time when the lookup began:
 *
 *   of a file that is done                   waits until settle.visibleWithin; then what has no effect at all goes again in
 *                                            smaller files, and a row that stays alone without effect has failed
 *   of direct calls                          waits until settle.visibleWithin, then has failed
 *   of a failed file                         waits until settle.visibleWithin, then the file is split (it waits once per
 *                                            run, unless the first failed file showed rows late)
 *   of a file without a status               waits until settle.deadline, then is unresolved
 *   of a file that is pending too long       is unresolved
 *   after a lost answer                      waits until settle.visibleWithin, then is unresolved
 *
 * A batch with a change that waits stays unproven as a whole, and the next proof reads it again.
 */
export async function proveWave(
  context: RunContext,
  wave: Wave,
  unstored: UnstoredRequests,
  io: EngineIo,
): Promise<NextStep | Proven> {
  const { owned, sync } = context;
  const [only, second] = wave.unproven;
  // One batch is in memory when it is judged; its people are asked about from there.
  const alone = only === undefined || second !== undefined ? undefined : await changesInBatch(only, io);
  const lookups = await openLookups(questionOf(owned, { wave, alone }, io), context, io);
  const notShown: NotShown[] = [];
  let settled = 0;
  let proven: Run | undefined;
  try {
    for (const batch of wave.unproven) {
      const changes = alone ?? (await changesInBatch(batch, io));
      const end = await proveBatch(context, { batch, changes, lookups, unstored }, io);
      if (end?.kind === 'not-shown') notShown.push(end);
      if (end?.kind !== 'settled') continue;
      settled += 1;
      proven = end.run;
    }
    // Each batch is stored with its proof, so that nothing is left to store or to read.
    if (proven !== undefined && isAllProven({ ...wave, unproven: wave.unproven.slice(settled) })) {
      if (mayBeProcessing(wave)) await releaseFileLease(owned, io);
      return { kind: 'proven', run: proven };
    }
    // Changes of direct calls that were not tried are planned again.
    const mayGoOn = wave.planned.length > 0 || wave.unproven.some(({ kind }) => kind === 'direct');
    if (mayGoOn && lookups.scannedAt !== undefined)
      await applyLookup(context, lookups, await readPlanned(owned, io), io);
  } finally {
    lookups.close();
  }
  const { run } = await io.store.runs.update(owned, unstored(), { delivery: { provedAt: lookups.startedAt } });
  const left = await readWave(owned, io);
  if (mayBeProcessing(wave) && !mayBeProcessing(left)) await releaseFileLease(owned, io);
  if (isAllProven(left)) return { kind: 'proven', run };
  if (!isProofDue(run, sync, left, io)) return toDelivering;
  return waitForProof(sync, { notShown, lookedAt: lookups.startedAt }, io);
}

/** Returns the next proof after a wait. */
function waitForProof(
  { settings }: Sync,
  { notShown, lookedAt }: { readonly notShown: readonly NotShown[]; readonly lookedAt: number },
  io: EngineIo,
): NextStep {
  const { everyMs } = settings.settle;
  if (notShown.length === 0) return toProving(everyMs);
  const changes = notShown.reduce((sum, one) => sum + one.changes, 0);
  const until = Math.max(...notShown.map((one) => one.untilMs));
  const passedMs = Math.max(...notShown.map(({ batch }) => lookedAt - endOf(batch)));
  const isUnknown = notShown.every(({ batch }) => batch.state === 'unresolved');
  const next = isUnknown
    ? 'later runs check whether they were applied'
    : 'changes that it does not show count as not applied';
  const waiting = waitFor(isUnknown ? 'outcome' : 'not-shown', next, {
    about: countOf(changes, 'change'),
    since: Math.min(...notShown.map(({ batch }) => endOf(batch))),
    until,
    setting: notShown.some(({ batch }) => batch.final === 'no-status') ? 'settle.deadline' : 'settle.visibleWithin',
  });
  // A proof at `until` decides, so a longer wait gains nothing.
  const afterMs = Math.min(nextProofMs(everyMs, passedMs), Math.max(everyMs, until - io.clock.now()));
  return toProving(afterMs, waiting);
}

interface AskedWave {
  readonly wave: Wave;
  /** The changes of its only batch. */
  readonly alone: readonly PlannedChange[] | undefined;
}

function questionOf(owned: OwnedRun, { wave, alone }: AskedWave, io: EngineIo): LookupQuestion {
  const { unproven: all, planned } = wave;
  // Changes of leaders are proven by lists.
  const unproven = all.filter(({ kind }) => kind !== 'leaders');
  return {
    step: 'reading-back',
    count: unproven.reduce((sum, { size }) => sum + size, 0),
    async *names() {
      // Changes that were not tried are planned again after the proof.
      const states = ['planned', 'sent', 'unresolved'] as const;
      for (const { id, run } of unproven) {
        const some = alone?.filter(({ state }) => states.some((one) => one === state));
        for await (const { identification } of some ?? changesOf(run, io, { batch: id, states })) yield identification;
      }
      if (planned.length > 0) yield* namesAhead(await readPlanned(owned, io), io);
    },
  };
}

interface Proof {
  readonly batch: Batch;
  readonly changes: readonly PlannedChange[];
  readonly lookups: Lookups;
  readonly unstored: UnstoredRequests;
}

/** Nothing of the batch is left. `run`: as it is stored now. */
interface Settled {
  readonly kind: 'settled';
  readonly run: Run;
}

/** A batch that waits for changes that may still appear. */
interface NotShown {
  readonly kind: 'not-shown';
  readonly batch: Batch;
  readonly changes: number;
  readonly untilMs: number;
}

/**
 * Judges the changes of one batch. Stores proven results and the ledger in one transaction, unless the batch waits for
 * changes that may still appear.
 */
async function proveBatch(context: RunContext, proof: Proof, io: EngineIo): Promise<NotShown | Settled | undefined> {
  const { batch, changes, lookups, unstored } = proof;
  const { owned, sync } = context;
  const open = changes.filter(({ state }) => state === 'sent' || state === 'unresolved');
  const isOfLeaders = batch.kind === 'leaders';
  const backs = isOfLeaders ? await readLeadersBack(open, context, io) : await readBack(open, { lookups, sync }, io);
  io.checkpoint('read-back');
  const ifUnseen = await ifUnseenIn(context, { batch, lookups }, io);
  const now = io.clock.now();
  const hasUnclear = backs.some(({ isUnclear }) => isUnclear === true);
  const action = hasUnclear && ifUnseen.kind === 'split' ? ifUnclear(context, batch, lookups.startedAt) : ifUnseen;
  // When an answer was lost or the file never ended, only a visible effect proves that the change was applied. Nothing
  // waits for leaders: the next run reads their list again.
  const isUnknown = ({ change, isUnclear }: ReadBack): boolean =>
    !isOfLeaders && (isUnclear === true || isFilePending(batch) || unknown.has(change.identification));
  const unknown = new Set(
    open.filter(({ state }) => state === 'unresolved').map(({ identification }) => identification),
  );
  const { certain, unseen } = sortBacks(backs, { action, isUnknown, sync, now });
  if (unseen.length > 0 && batch.final === 'learned' && (action.kind === 'fail' || action.kind === 'again')) {
    await forgetEndWord(context, batch, io);
    return { kind: 'not-shown', batch, changes: unseen.length, untilMs: now };
  }
  await reportRewritten(context, unseen, io);
  const isWaiting = unseen.length > 0 && action.kind === 'wait';
  if (batch.final === 'failed') await learnFromFailed(context, { batch, seen: certain.marks.length, isWaiting }, io);
  if (isWaiting) {
    // Nothing is stored of a file yet. Results that are certain now are read again later and reported once.
    if (batch.kind !== 'csv') {
      await moveUntried(context, { batch, changes }, io);
      if (certain.marks.length > 0) await io.store.batches.update(owned, batch.id, {}, certain);
    }
    return { kind: 'not-shown', batch, changes: unseen.length, untilMs: action.untilMs };
  }
  if (unseen.length > 0 && action.kind === 'split') {
    await splitBatch(context, batch, { ...certain, unseen }, io);
    return undefined;
  }
  if (action.kind === 'again' && (await sendAgain(context, { batch, changes, certain, unseen }, io))) return undefined;
  const { marks, findings } = endUnseen(unseen, (back) => action.kind === 'unresolved' || isUnknown(back));
  const unresolved = marks.filter((mark) => mark.state === 'unresolved').length;
  if (unresolved > 0) findings.push(leftUnresolved(batch, unresolved));
  // Direct calls may have stopped early (too many requests, a crash). Changes that were not tried are sent.
  const hasUntried = changes.some(({ state }) => state === 'planned');
  if (unresolved > 0) await moveUntried(context, { batch, changes }, io);
  const state = unresolved > 0 ? 'unresolved' : hasUntried ? 'planned' : 'settled';
  const finalAt = state === 'planned' ? undefined : (batch.finalAt ?? now);
  const effects = {
    ...certain,
    marks: [...certain.marks, ...marks],
    findings: [...certain.findings, ...findings],
    delivery: { provedAt: lookups.startedAt },
    run: unstored(),
  };
  const { run } = await io.store.batches.update(owned, batch.id, { state, finalAt }, effects);
  io.checkpoint('batch-settled');
  return state === 'settled' ? { kind: 'settled', run } : undefined;
}

/** Sorts the changes of a batch by what the read-back showed of each. */
function sortBacks(backs: readonly ReadBack[], { action, isUnknown, sync, now }: SortJob) {
  const isUnseen = (back: ReadBack): boolean => {
    const { verdict, change } = back;
    // The row of a file may have been applied before another writer changed the user, so it is not sent again.
    if (isEdited(back) && (action.kind === 'split' || partOf(change) === 'leaders')) return false;
    const needsSign = action.kind === 'wait' || action.kind === 'split' || isUnknown(back);
    return verdict.kind === 'not-seen' || (verdict.kind === 'unverified' && needsSign);
  };
  const seen = backs.filter((back) => !isUnseen(back));
  const certain = certainOf(seen, sync, now);
  const doubtful = seen.filter(({ verdict }) => verdict.kind === 'unverified');
  certain.findings.push(...doubtful.map(({ change }) => unverified(change.identification)));
  return {
    certain,
    /** Changes that the platform does not show, or not for sure. */
    unseen: backs.filter(isUnseen),
  };
}

interface SortJob {
  readonly action: IfUnseen;
  /** Only a visible effect proves that this change was applied. */
  readonly isUnknown: (back: ReadBack) => boolean;
  readonly sync: Sync;
  readonly now: number;
}

/** Ends changes that are still not shown: their outcome stays unknown, or they have failed. */
function endUnseen(
  unseen: readonly ReadBack[],
  isUnknown: (back: ReadBack) => boolean,
): Pick<Certain, 'marks' | 'findings'> {
  const failed = unseen.filter((back) => !isUnknown(back));
  const marks = unseen.map((back): ChangeMark => {
    const of = { identification: back.change.identification, part: partOf(back.change) };
    return isUnknown(back)
      ? { ...of, state: 'unresolved', reason: `the outcome is not known: ${whatOf(back)}` }
      : { ...of, state: 'failed', reason: reasonUnseen(back) };
  });
  return { marks, findings: failed.flatMap(findingsOf) };
}

/** Looks, once in a run, whether the platform keeps the identification of a new user in another form. */
async function reportRewritten(
  { owned, sync, signal }: RunContext,
  unseen: readonly ReadBack[],
  io: EngineIo,
): Promise<void> {
  const create = unseen.find(({ change }) => change.kind === 'create')?.change;
  if (create === undefined || (await io.store.runs.get(owned.run.id))?.delivery?.isRewriteChecked === true) return;
  await io.store.runs.updateDelivery(owned, { isRewriteChecked: true });
  const { identification, after } = create;
  const forms = [identification.toLowerCase(), identification.toUpperCase(), identification.replace(/^0+(?=.)/, '')];
  for (const form of new Set(forms.filter((one) => one !== identification))) {
    const lookup = await sync.platform.find(form, signal);
    if (lookup.found !== true) continue;
    const { fields } = lookup.user;
    const shown = (['firstName', 'lastName', 'email'] as const).filter((name) => fields[name] !== undefined);
    if (shown.length === 0 || shown.some((name) => fields[name]?.toLowerCase() !== after[name]?.toLowerCase()))
      continue;
    const message = `the platform keeps the identification ${identification} as ${form}, so new users are not found. Map it that way, for example with transform: [lowercase]`;
    await io.store.runs.addFindings(owned, [{ code: 'identification-rewritten', identification, message }]);
    return;
  }
}

/**
 * Leaves the changes of direct calls that are not shown alone in their batch: those that were not tried go to a batch of
 * their own, which is sent meanwhile.
 */
async function moveUntried(
  context: RunContext,
  { batch, changes }: { readonly batch: Batch; readonly changes: readonly PlannedChange[] },
  io: EngineIo,
): Promise<void> {
  const untried = changes.filter(({ state }) => state === 'planned').map(({ identification }) => identification);
  if (untried.length > 0) await addParts(context, { of: batch, parts: [untried] }, io);
}

async function ifUnseenIn(
  { owned, sync }: RunContext,
  { batch, lookups }: Pick<Proof, 'batch' | 'lookups'>,
  io: EngineIo,
): Promise<IfUnseen> {
  const { deadlineMs, visibleWithinMs } = sync.settings.settle;
  if (isFilePending(batch)) {
    const endMs = (batch.sentAt ?? 0) + spanOn(io.clock, deadlineMs);
    return lookups.startedAt < endMs ? { kind: 'wait', untilMs: endMs } : { kind: 'unresolved' };
  }
  const isWithout = batch.final === 'no-status';
  const untilMs = isWithout
    ? (batch.sentAt ?? 0) + spanOn(io.clock, deadlineMs)
    : endOf(batch) + spanOn(io.clock, visibleWithinMs);
  const mayWait = lookups.startedAt < untilMs;
  if (batch.final === 'failed') {
    const failedFile = (await io.store.runs.get(owned.run.id))?.delivery?.failedFile;
    return mayWait && failedFile?.showsLate !== false ? { kind: 'wait', untilMs } : { kind: 'split' };
  }
  if (mayWait) return { kind: 'wait', untilMs };
  if (isWithout || batch.state === 'unresolved') return { kind: 'unresolved' };
  return { kind: batch.kind === 'csv' && batch.size > 1 ? 'again' : 'fail' };
}

/**
 * Learns from the run's first failed file whether its rows appear late. Its parts and all later failed files are then
 * split at once, or also get `settle.visibleWithin` to appear. `seen` is the number of rows that the platform shows
 * now.
 */
async function learnFromFailed(
  { owned }: RunContext,
  { batch, seen, isWaiting }: { readonly batch: Batch; readonly seen: number; readonly isWaiting: boolean },
  io: EngineIo,
): Promise<void> {
  const known = (await io.store.runs.get(owned.run.id))?.delivery?.failedFile;
  if (known?.showsLate !== undefined || (known?.batch ?? batch.id) !== batch.id) return;
  const isFirstLook = known === undefined;
  if (isFirstLook !== isWaiting) return;
  const learned = isFirstLook ? { seen } : { seen: known.seen, showsLate: seen > known.seen };
  await io.store.runs.updateDelivery(owned, { failedFile: { ...learned, batch: batch.id } });
}

/**
 * Returns how to handle unclear users. When read and search disagree, the row may have been applied, so the file is not
 * split.
 */
function ifUnclear({ sync }: RunContext, batch: Batch, at: number): IfUnseen {
  const untilMs = (batch.finalAt ?? at) + sync.settings.settle.visibleWithinMs;
  return at < untilMs ? { kind: 'wait', untilMs } : { kind: 'unresolved' };
}

function isEdited({ verdict }: ReadBack): boolean {
  return verdict.kind === 'not-seen' && verdict.overwritten !== undefined;
}

function whatOf({ verdict }: ReadBack): string {
  return verdict.kind === 'not-seen' ? verdict.what : 'nothing shows that the platform applied the change';
}

function reasonUnseen(back: ReadBack): string {
  if (isEdited(back) || partOf(back.change) === 'leaders') return whatOf(back);
  return refusalReason(back.change.kind, `the platform reported done, but ${whatOf(back)}`);
}

function unverified(identification: string): Finding {
  const message = 'only write-only fields were sent, and lastUpdate did not change: they are sent again at most twice';
  return { code: 'unverified', identification, message };
}

function leftUnresolved(batch: Batch, count: number): Finding {
  const message = `batch ${batch.number}: the outcome of ${countOf(count, 'change')} is not known. These users wait until the platform shows the changes, or settle.unknownAfter has passed`;
  return { code: 'unresolved', message };
}

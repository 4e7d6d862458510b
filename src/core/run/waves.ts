/**
 * When a run sends, polls and proves. A wave is what was sent since the last proof. The rules are played by the delivery
 * of a run, and by the estimate of its requests before it begins.
 *
 *   the batch that is out          a file without a final status: it is polled
 *   the unproven batches           proven together when `whyProve` returns a reason
 *   the batches that were not sent `nextBatch` is sent when no proof is due
 */

/** `no-status`: the platform will not return one. `learned`: by a word that the dialect does not name. */
export type FinalStatus = 'done' | 'failed' | 'no-status' | 'learned';

/** What decides about a batch that was sent. */
export interface SentBatch {
  readonly id: string;
  readonly state: string;
  readonly sentAt: number | undefined;
  readonly fileId: string | undefined;
  readonly final: FinalStatus | undefined;
  readonly finalAt: number | undefined;
  readonly parent: string | undefined;
}

/** What decides about a batch that was not sent. */
export interface UnsentBatch {
  readonly id: string;
  /** The batch from which this one was split. */
  readonly parent: string | undefined;
  /** It carries disables, and nothing else. */
  readonly isDisabling: boolean;
  /** Its changes take over e-mails of others. */
  readonly dependsOnOthers: boolean;
  /** It is a part of a file that the platform never received: it was refused, or too large. */
  readonly isOfUnreceived?: boolean;
  /** `failed`: it was refused itself, and waits for the answer to the other half. */
  readonly final?: SentBatch['final'];
}

/** Returns whether the platform has a file of ours without a final status. */
export function isFilePending({ fileId, final }: Pick<SentBatch, 'fileId' | 'final'>): boolean {
  return fileId !== undefined && final === undefined;
}

/** A batch that is unresolved and has an end was given up: later runs settle it. */
export function isUnproven({ state, finalAt }: Pick<SentBatch, 'state' | 'finalAt'>): boolean {
  return state === 'sent' || (state === 'unresolved' && finalAt === undefined);
}

/** Returns when a batch ended at the platform, as far as it is known. */
export function endOf({ finalAt, sentAt = 0 }: Pick<SentBatch, 'finalAt' | 'sentAt'>): number {
  return finalAt ?? sentAt;
}

/** Returns whether the platform may be processing a file of a run: no other run of the connection sends one. */
export function mayBeProcessing(wave: {
  readonly out: unknown;
  readonly unproven: readonly Pick<SentBatch, 'state' | 'final'>[];
}): boolean {
  return (
    wave.out !== undefined || wave.unproven.some(({ state, final }) => state === 'unresolved' || final === 'no-status')
  );
}

/**
 * Returns the batch that is sent next: the first planned one. A probe goes before all others, then a piece of a failed
 * file of disables, then the parts of a file that was not received. Another piece goes before a batch that depends on
 * the others, because it may free the e-mails that the batch takes over. `planned`: in order of number.
 */
export function nextBatch<Planned extends UnsentBatch>(
  planned: readonly Planned[],
  probe: string | undefined,
): Planned | undefined {
  const [first] = planned;
  const pieces = planned.filter(({ parent }) => parent !== undefined);
  const inTurn = pieces.toSorted((one, other) => Number(one.final === 'failed') - Number(other.final === 'failed'));
  const alone =
    planned.find(({ id }) => id === probe) ??
    inTurn.find(({ isDisabling }) => isDisabling) ??
    inTurn.find(({ isOfUnreceived }) => isOfUnreceived === true);
  if (alone !== undefined || first?.dependsOnOthers !== true) return alone ?? first;
  return pieces.find(({ dependsOnOthers }) => !dependsOnOthers) ?? first;
}

export interface ProofFacts {
  readonly unproven: readonly Pick<SentBatch, 'id' | 'state' | 'final' | 'parent'>[];
  readonly planned: readonly Pick<UnsentBatch, 'parent'>[];
  /** What `nextBatch` returned. */
  readonly next: Pick<UnsentBatch, 'dependsOnOthers'> | undefined;
  readonly probe: string | undefined;
  /** The run sends nothing more: it is canceled, gives up, or has an old plan. */
  readonly isStopped: boolean;
  /** Time since the oldest unproven batch ended, and since the last proof. */
  readonly sinceMs: number;
  /** `settle.proofWithin`. */
  readonly proofWithinMs: number;
}

/**
 * Returns why the unproven batches are read back before anything more is sent; undefined when no proof is due.
 *
 *   nothing left   no batch is planned, or the run sends nothing more
 *   answer         a batch failed or has no status, the answer to it was lost, or it is the probe
 *   overdue        settle.proofWithin has passed since the oldest one ended, and since the last proof
 *   dependence     the next batch depends on the others
 */
export function whyProve(facts: ProofFacts): 'nothing left' | 'answer' | 'overdue' | 'dependence' | undefined {
  const { unproven, planned, next, probe } = facts;
  if (unproven.length === 0) return undefined;
  if (next === undefined || facts.isStopped) return 'nothing left';
  if (unproven.some((batch) => batch.id === probe || needsAnswer(batch, planned))) return 'answer';
  if (facts.sinceMs >= facts.proofWithinMs) return 'overdue';
  return next.dependsOnOthers ? 'dependence' : undefined;
}

/** The second half of a failed file is sent before the first one is proven, so that both share a proof. */
function needsAnswer(
  { state, final, parent }: Pick<SentBatch, 'state' | 'final' | 'parent'>,
  planned: ProofFacts['planned'],
): boolean {
  if (state === 'unresolved' || final === 'no-status') return true;
  return final === 'failed' && !(parent !== undefined && planned.some((batch) => batch.parent === parent));
}

/** How long the platform needs for a file, as far as the run's files showed. */
export interface FilePace {
  /** Time from sending the last file until a poll returned its final status. */
  readonly tookMs?: number;
  /** The longest time after which a poll returned no final status yet. */
  readonly tooSoonMs: number;
}

/** Files with at least so many rows are polled no sooner than `settle.every` until the run knows how long files take. */
const largeFileRows = 5000;
/** The shortest interval between two polls, as a part of `settle.every`. */
const smallestPart = 1 / 20;
const longestPollMs = 60_000;

/**
 * Returns the wait in ms before the first poll of a file: what the last files took. It is searched for between the
 * longest wait that was too short and the shortest that was enough.
 */
export function firstPollMs({ size }: { readonly size: number }, everyMs: number, pace: FilePace | undefined): number {
  const least = everyMs * smallestPart;
  if (pace?.tookMs === undefined) return Math.round(Math.max(least, everyMs * Math.min(1, size / largeFileRows)));
  const { tookMs, tooSoonMs } = pace;
  const guess = tooSoonMs * 1.3 >= tookMs ? tookMs : (tookMs + tooSoonMs) / 2;
  return Math.round(Math.max(least, Math.min(guess, longest(everyMs))));
}

/** Returns the wait in ms before the next poll. It grows with the time that has passed, up to one minute. */
export function nextPollMs({ size }: { readonly size: number }, everyMs: number, passedMs: number): number {
  const least = everyMs * Math.max(smallestPart, Math.min(1, size / largeFileRows));
  return Math.round(Math.min(Math.max(least, passedMs / 3), longest(everyMs)));
}

/** Returns the wait in ms before the next proof of changes that the platform does not show yet. */
export function nextProofMs(everyMs: number, passedMs: number): number {
  return Math.round(Math.min(Math.max(everyMs, passedMs / 2), longest(everyMs)));
}

/** Returns what a poll after `passedMs` adds to what the run knows. */
export function learnPace(known: FilePace | undefined, passedMs: number, isFinal: boolean): FilePace {
  const tooSoonMs = known?.tooSoonMs ?? 0;
  if (!isFinal) return { ...known, tooSoonMs: passedMs };
  // Files may become faster, so the lower bound falls a little with each file.
  return { tookMs: passedMs, tooSoonMs: Math.round(Math.min(tooSoonMs * 0.9, passedMs)) };
}

function longest(everyMs: number): number {
  return Math.max(longestPollMs, everyMs);
}

/**
 * What follows a write that the platform refuses while the same token reads. An answer speaks about what was asked: the
 * row or the file, not the connection.
 *
 *   a whole file             is split in halves, once
 *   a half, before the other waits for the answer to the other half
 *   both halves              fail, and so does the file: by name
 *   a half alone             is split until the refused row is alone, within settle.maxSplits
 *   a row alone, a change    fails by name
 */
type AfterRefusal = 'split' | 'wait' | 'fail' | 'fail-both';

export interface RefusedFile {
  readonly size: number;
  /** The file itself, a half of a refused one, or a part of a refused half. */
  readonly level: 'file' | 'half' | 'part';
  /** The answer to the other half. */
  readonly other: 'none-yet' | 'refused' | 'accepted';
  /** Splits of parts that `settle.maxSplits` still allows. */
  readonly splitsLeft: number;
}

export function afterRefusal({ size, level, other, splitsLeft }: RefusedFile): AfterRefusal {
  if (level === 'half' && other === 'none-yet') return 'wait';
  if (level === 'half' && other === 'refused') return 'fail-both';
  if (size === 1) return 'fail';
  return level === 'file' || splitsLeft > 0 ? 'split' : 'fail';
}

/** The files and direct changes that were refused since the last accepted write. */
export interface RefusedInRow {
  readonly count: number;
  /** A file of disables is among them. */
  readonly hasDisables?: true;
  /** Some were refused for another reason than a lack of permission (403). */
  readonly isMixed?: true;
}

/** From so many on, the connection is in trouble, not the rows. */
const troubleAfter = 3;

/**
 * Returns why the run stops sending: with the file of disables another one was refused, or three were refused in a row.
 * Undefined when the next one is tried.
 */
export function connectionTrouble({ count, hasDisables }: RefusedInRow): string | undefined {
  const end = 'and no write was accepted in between, so the run stopped sending';
  if (count >= troubleAfter) return `${count} files or changes in a row were refused, ${end}`;
  return hasDisables === true && count > 1 ? `the file of disables and another one were refused, ${end}` : undefined;
}

/** What the files of a connection showed about the largest that its platform accepts, in rows. */
export interface FileRows {
  /** The largest accepted one below `tooLarge`; 0 when none was accepted yet. */
  readonly accepted: number;
  /** The smallest that was too large (413). */
  readonly tooLarge: number;
  /** When that was (epoch ms). */
  readonly at: number;
}

/** Afterwards a platform may accept larger files again, so one is tried. */
const rowsKnownForMs = 30 * 86_400_000;

/** Returns how many rows a file may have; undefined when nothing is known. */
export function rowsLimit(known: FileRows | undefined, now: number): number | undefined {
  if (known === undefined || Math.abs(now - known.at) >= rowsKnownForMs) return undefined;
  return known.accepted > 0 ? known.accepted : Math.max(1, Math.floor(known.tooLarge / 2));
}

export function afterTooLarge(known: FileRows | undefined, rows: number, now: number): FileRows {
  const isCurrent = rowsLimit(known, now) !== undefined;
  const tooLarge = isCurrent ? Math.min(known?.tooLarge ?? rows, rows) : rows;
  const accepted = isCurrent ? (known?.accepted ?? 0) : 0;
  return { accepted: accepted < tooLarge ? accepted : 0, tooLarge, at: now };
}

/** Returns what an accepted file teaches; the same object when it teaches nothing. */
export function afterAccepted(known: FileRows, rows: number): FileRows {
  return rows > known.accepted && rows < known.tooLarge ? { ...known, accepted: rows } : known;
}

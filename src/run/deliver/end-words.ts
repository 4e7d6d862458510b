import type { DeliveryFacts } from '../../core/run/facts.ts';
import type { FileStatus } from '../../ports/platform.ts';
import type { Batch } from '../../ports/store.ts';
import type { EngineIo, RunContext } from '../engine-io.ts';

/** A status of a few plain words. Other texts may hold anything, so they are never learned and never quoted. */
const plainWord = /^(?=.{1,40}$)\p{L}+(?:[ _-]\p{L}+){0,3}$/u;

/** Returns the word of a status that the dialect does not name, in lower case; undefined for other statuses and texts. */
export function unnamedWord(status: FileStatus): string | undefined {
  const raw = status.kind === 'pending' && !status.isKnown ? status.raw?.trim() : undefined;
  return raw !== undefined && plainWord.test(raw) ? raw.toLowerCase() : undefined;
}

/** What the polls of the file that is out showed. */
export type StandingStatus = NonNullable<DeliveryFacts['standing']>;

interface Poll {
  readonly batch: string;
  readonly word: string | undefined;
  /** The dialect does not name the status. */
  readonly isUnnamed: boolean;
  readonly isReleased: boolean;
  readonly now: number;
}

/** Returns what the polls showed, with this one. The same word must stand in two polls at least `settle.every` apart. */
export function afterPoll(
  known: StandingStatus | undefined,
  { batch, word, isUnnamed, isReleased, now }: Poll,
): StandingStatus {
  const isSame = known?.batch === batch && known.word === word;
  return {
    batch,
    since: isSame ? known.since : now,
    ...(word === undefined ? {} : { word }),
    ...(isUnnamed ? { isUnnamed } : {}),
    ...(isReleased ? { isReleased } : {}),
    ...(known?.batch === batch && known.readBackAt !== undefined ? { readBackAt: known.readBackAt } : {}),
  };
}

/** Returns whether the word has stood long enough to be an end. */
export function hasStood({ since }: StandingStatus, everyMs: number, now: number): boolean {
  return now - since >= everyMs;
}

/**
 * Returns whether the users of a pending file are read back before the deadline: an unnamed status stands, the record is
 * no longer blocked, or statuses of this connection are known never to end. Again when twice the time has passed.
 */
export function isReadBackDue(
  standing: StandingStatus,
  facts: { readonly everyMs: number; readonly now: number; readonly sentAt: number; readonly neverEnds: boolean },
): boolean {
  const { everyMs, now, sentAt, neverEnds } = facts;
  const { isUnnamed, isReleased, readBackAt } = standing;
  const isSuspected = isReleased === true || (hasStood(standing, everyMs, now) && (isUnnamed === true || neverEnds));
  return isSuspected && (readBackAt === undefined || now - sentAt >= 2 * (readBackAt - sentAt));
}

/** Learns a status as an end, after all rows of a file were shown while it stood. Says which line makes it permanent. */
export async function learnEndWord({ owned, sync }: RunContext, word: string, io: EngineIo): Promise<void> {
  const { connection } = owned.run;
  if ((await io.store.learned.get(connection)).endWords?.[word] !== undefined) return;
  await io.store.learned.update(connection, ({ endWords, ...others }) => {
    return { ...others, endWords: { ...endWords, [word]: io.clock.now() } };
  });
  const list = [...sync.dialect.status.done, word].join(', ');
  const message = `files end with the status "${word}", which dialect.status does not name; later files are polled until then. Set connections.${connection}.dialect.status.done: [${list}]`;
  await io.store.runs.addFindings(owned, [{ code: 'file-status', message }]);
  io.logger.warn({ run: owned.run.id }, 'an unknown file status was learned as final');
}

/** Forgets a learned status, because a file that ended by it does not show all rows. The file is polled again. */
export async function forgetEndWord({ owned }: RunContext, batch: Batch, io: EngineIo): Promise<void> {
  await io.store.learned.update(owned.run.connection, ({ endWords = {}, ...others }) => {
    const rest = Object.entries(endWords).filter(([word]) => word !== batch.status);
    return { ...others, endWords: Object.fromEntries(rest) };
  });
  await io.store.batches.update(owned, batch.id, { final: undefined, finalAt: undefined, status: 'unknown status' });
}

import type { OpenedRun } from '../ports/runs.ts';
import type { AuditEntry, RunScope, Runs, Trigger, TriggerKind } from '../ports/store.ts';
import type { EngineIo } from './engine-io.ts';

export interface RunRequest {
  /** Name of a configured sync. */
  readonly sync: string;
  readonly kind: TriggerKind;
  readonly scope: RunScope;
  /** Unique. A request with a known key is the same request. Generated when absent. */
  readonly key?: string;
  /** No run takes a webhook before this instant (epoch ms). */
  readonly notBefore?: number;
  /** Stores nothing while the sync is paused. */
  readonly unlessPaused?: boolean;
}

/**
 * Stores a request for a run, for the process that drives runs of this sync, and the entry of the audit about it. `isNew`
 * is false when the key is already stored, or a pause prevents it.
 */
export async function requestRun(
  { sync, kind, scope, key, notBefore = 0, unlessPaused }: RunRequest,
  io: EngineIo,
  entry?: AuditEntry,
): Promise<{ readonly trigger: Trigger; readonly isNew: boolean }> {
  const id = io.newId('trigger');
  const trigger = { id, sync, kind, scope, key: key ?? id, requestedAt: Math.max(io.clock.now(), notBefore) };
  const isNew = await io.store.triggers.add(trigger, entry, unlessPaused);
  io.checkpoint('trigger-stored');
  return { trigger, isNew };
}

/** Opens the run that waits, or returns the one in progress. Returns undefined when there is nothing to do. */
export async function openRun(sync: string, io: EngineIo): Promise<OpenedRun | undefined> {
  const settings = io.syncs.get(sync)?.settings;
  if (settings === undefined) return undefined;
  const opened = await io.store.runs.open(sync, {
    id: io.newId('run'),
    connection: settings.connection,
    now: io.clock.now(),
  });
  if (opened?.isNew === true) io.checkpoint('run-opened');
  return opened;
}

const hourMs = 3_600_000;
const longestMs = 24 * hourMs;
/** Six doublings exceed the maximum wait, so older refusals make no difference. */
const countedRefusals = 6;

/**
 * Returns until when a schedule waits because the HR system refuses our credentials now. The wait is one hour after the
 * first refusal. It doubles after each further refusal, up to one day. Some HR systems lock accounts or ban addresses
 * that retry.
 */
export async function waitAfterRefusal(sync: string, now: number, runs: Pick<Runs, 'list'>): Promise<number> {
  const ended = (await runs.list({ sync, limit: countedRefusals })).filter(({ endedAt }) => endedAt !== undefined);
  const firstOther = ended.findIndex(({ end }) => end?.failure !== 'SOURCE_REFUSED');
  return now + Math.min(longestMs, hourMs * 2 ** (firstOther === -1 ? ended.length : firstOther));
}

/**
 * Returns until when the schedule waits after the last run (`waitAfterRefusal`). Returns undefined when it was not refused,
 * and when it started before `openedAt`, because this process may have newer credentials. Runs that were requested by hand
 * do not wait.
 */
export async function backoffUntil(
  sync: string,
  openedAt: number,
  runs: Pick<Runs, 'list'>,
): Promise<number | undefined> {
  const [last] = await runs.list({ sync, limit: 1 });
  return last?.endedAt === undefined || last.startedAt < openedAt ? undefined : last.end?.refusedUntil;
}

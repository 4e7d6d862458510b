import { classAllowance } from '../core/guard/guard.ts';
import { limitedClasses } from '../core/plan/change.ts';
import { conflict, usageError } from '../core/run/errors.ts';
import { formatInstant } from '../core/run/formats.ts';
import { given } from '../core/run/given.ts';
import type { SyncStanding } from '../ports/reports.ts';
import type { Pause, Run } from '../ports/store.ts';
import { appliedInWindow } from '../run/judge/count-changes.ts';
import type { SyncMapping, SyncState, SyncView } from '../views/syncs.ts';
import type { AppIo } from './app-io.ts';
import { note, type SignedCaller } from './audit.ts';
import { findSync, storedName, storedNames } from './find-named.ts';

export async function readSyncStates(io: AppIo): Promise<readonly SyncState[]> {
  const standings = await readStandings(io);
  return io.syncs.map((view) => syncState(view, standings, io));
}

/** Reads how the configured syncs stand, by the name that the store has. */
export function readStandings({ engine }: AppIo): Promise<ReadonlyMap<string, SyncStanding>> {
  return engine.store.reports.syncs(storedNames(engine.syncs), engine.clock.now());
}

export function syncState(
  view: SyncView,
  standings: ReadonlyMap<string, SyncStanding>,
  { engine, nextSlot }: AppIo,
): SyncState {
  const now = engine.clock.now();
  const { pause, newest, freshAt, requests = 0 } = standings.get(storedName(view.name, engine.syncs)) ?? {};
  return {
    ...view,
    pause,
    lastRun: newest,
    freshAt,
    ...(pause === undefined ? nextStart(nextSlot(view.name, now), newest, now) : noStart),
    frozenUntil: engine.syncs.get(view.name)?.frozenUntil?.(now),
    waiting: requests,
  };
}

const noStart = { nextSlotAt: undefined, refusedUntil: undefined };

/** Returns when the schedule starts the next run. A wait after refused credentials makes up for the slots in it. */
function nextStart(slot: number | undefined, newest: Run | undefined, now: number) {
  const until = newest?.endedAt === undefined ? undefined : newest.end?.refusedUntil;
  if (slot === undefined || until === undefined || until <= now) return { ...noStart, nextSlotAt: slot };
  return { nextSlotAt: Math.max(slot, until), refusedUntil: until };
}

export interface PauseOrder extends SignedCaller {
  /** When the pause ends automatically: an instant (epoch ms), or how long it lasts (ms). Absent: an operator ends it. */
  readonly until?: { readonly at: number } | { readonly inMs: number };
}

/** Longest pause that ends automatically. */
const longestPauseMs = 366 * 86_400_000;

/**
 * Prevents deployments from starting runs of the sync. Returns the pause. Throws `CONFLICT` when it is already paused,
 * and `USAGE` when the end is not in the future.
 */
export async function beginPause({ engine }: AppIo, sync: string, order: PauseOrder): Promise<Pause> {
  const { until: end, ...caller } = order;
  const { store, clock } = engine;
  findSync(sync, engine.syncs);
  const now = clock.now();
  const until = end && endOf(end, 'a pause', now);
  const pause = { sync, pausedAt: now, by: caller.by, ...given({ until }) };
  if (!(await store.pauses.add(pause))) {
    const known = await store.pauses.get(sync, now);
    const more = known?.until === undefined ? '' : ` ${untilWords(known)}`;
    const message = `${sync} is already paused${more}. To pause it again, run "rollcall resume ${sync}" first`;
    throw conflict(message);
  }
  const detail = until === undefined ? {} : { detail: untilWords(pause) };
  await note({ ...caller, action: 'pause', sync, ...detail }, engine);
  return pause;
}

/** Returns the instant that an operator set as the end (epoch ms). Throws `USAGE` unless it is in the next year. */
export function endOf(end: NonNullable<PauseOrder['until']>, what: string, now: number): number {
  const until = 'at' in end ? end.at : now + end.inMs;
  if (until > now && until <= now + longestPauseMs) return until;
  const message = `${what} ends in the future, and within a year: ${formatInstant(until)} is not (it is ${formatInstant(now)})`;
  throw usageError(message);
}

/** Returns when a pause ends: `until 2026-11-27 08:00:00 UTC`, or `until "rollcall resume SYNC"`. */
export function untilWords({ sync, until }: Pick<Pause, 'sync' | 'until'>): string {
  return `until ${until === undefined ? `"rollcall resume ${sync}"` : formatInstant(until)}`;
}

/**
 * Throws `USAGE` while the sync is paused, because no new run starts then. `waiting`: of a request that is stored and
 * waits for the end of the pause.
 */
export async function refusePaused(sync: string, { engine }: AppIo, waiting = ''): Promise<void> {
  const pause = await engine.store.pauses.get(sync, engine.clock.now());
  if (pause === undefined) return;
  const since = formatInstant(pause.pausedAt);
  const end = pause.until === undefined ? '' : `, ${untilWords(pause)}`;
  const message = `${sync} has been paused by ${pause.by} since ${since}${end}, so no new run starts${waiting}. Review "rollcall plan ${sync}", then run "rollcall resume ${sync}"`;
  throw usageError(message);
}

/** Ends a pause. Throws `CONFLICT` when the sync is not paused. */
export async function endPause({ engine }: AppIo, sync: string, caller: SignedCaller): Promise<void> {
  findSync(sync, engine.syncs);
  const isPaused = await engine.store.pauses.remove(sync, engine.clock.now());
  if (!isPaused) throw conflict(`${sync} is not paused`);
  await note({ ...caller, action: 'resume', sync }, engine);
}

/** Caches the next slot of each sync until it is due, because the search for a rare slot is slow. */
export function keepNextSlots(find: AppIo['nextSlot']): AppIo['nextSlot'] {
  const kept = new Map<string, { readonly from: number; readonly slot: number | undefined }>();
  return (sync, now) => {
    const known = kept.get(sync);
    const staleAt = known?.slot ?? (known?.from ?? Number.NEGATIVE_INFINITY) + 86_400_000;
    if (known !== undefined && now >= known.from && now < staleAt) return known.slot;
    const slot = find(sync, now);
    kept.set(sync, { from: now, slot });
    return slot;
  };
}

/** Number of slots by which an operator sees what a schedule means. */
const shownSlots = 3;

/** Returns when the schedule starts the next runs, as words: `next runs: 2026-11-21 …, …`. Undefined without a slot. */
export function nextRunWords(
  { nextSlot, engine }: Pick<AppIo, 'nextSlot' | 'engine'>,
  sync: string,
): string | undefined {
  const slots: number[] = [];
  for (let after = engine.clock.now(); slots.length < shownSlots; ) {
    const slot = nextSlot(sync, after);
    if (slot === undefined) break;
    slots.push(slot);
    after = slot;
  }
  return slots.length === 0 ? undefined : `next runs: ${slots.map(formatInstant).join(', ')}`;
}

export async function describeMapping({ engine: io }: AppIo, of: string): Promise<SyncMapping> {
  const sync = findSync(of, io.syncs);
  const { settings, mapping, source } = sync;
  const { name, connection } = settings;
  const { store } = io;
  const [read, users, used] = await Promise.all([
    store.reads.last(name),
    store.ledger.countOwned(connection, name),
    appliedInWindow(sync, io),
  ]);
  const { identification, fields } = settings.mapping;
  const rules = [
    ['identification', identification] as const,
    ...mapping.fields.flatMap((field) => {
      const rule = fields[field];
      return rule === undefined ? [] : [[field, rule] as const];
    }),
  ];
  return {
    sync: name,
    source: source.kind,
    yaml: sync.mappingText(),
    scope: settings.scope,
    readAt: read?.at,
    rows: read?.rows,
    fields: rules.map(([field, rule]) => {
      const reads = [...mapping.readers].filter(([, keys]) => keys.includes(field)).map(([path]) => path);
      return {
        ...rule,
        field,
        write: rule.write ?? 'always',
        origin: rule.kind === 'from' ? rule.path : rule.kind === 'value' ? rule.value : rule.expression,
        transforms: rule.transform,
        reads,
        fillRate: field === 'identification' ? undefined : read?.fillRates[field],
        unseen: reads.filter((path) => read?.visibility?.[path] === false),
      };
    }),
    guards: limitedClasses.map((one) => ({
      class: one,
      ...settings.guards[one],
      allowed: classAllowance(one, settings.guards[one], users),
      used: used[one],
    })),
    ...users,
  };
}

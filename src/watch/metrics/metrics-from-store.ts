import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { changeClasses } from '../../core/plan/change.ts';
import { outcomes } from '../../core/run/run.ts';
import { defaultLeaverTarget, type LeaverTarget } from '../../core/run/settings.ts';
import { noHolds } from '../../ports/decisions.ts';
import { deploymentLease, workersLease } from '../../ports/leases.ts';
import type { Clock } from '../../ports/runtime.ts';
import { type Batch, batchResult, batchResults, type Store, type TokenState } from '../../ports/store.ts';
import data from './metrics.json' with { type: 'json' };

type MetricType = keyof typeof data;

/** The names in the code of the metrics of a type. */
type MetricKey<Type extends MetricType> = keyof (typeof data)[Type];

/** One metric. Its name is defined only in the table. */
export interface MetricRow {
  readonly name: string;
  readonly type: MetricType;
  readonly labels: readonly string[];
  readonly help: string;
  /** `store`: of the whole deployment, so one process exports it. `process`: events of this process since it started. */
  readonly scope: 'store' | 'process';
  /** Upper bounds of a histogram's buckets, in seconds. */
  readonly buckets?: readonly number[];
}

/** Every metric by its name in the code. docs/metrics.md is generated from it. No label contains personal data. */
export const metricsTable = Object.fromEntries(
  Object.entries(data).flatMap(([type, rows]) => Object.entries(rows).map(([key, row]) => [key, { ...row, type }])),
) as Readonly<Record<string, MetricRow>>;

/** The instruments of the table. */
export type Instruments = Readonly<
  Record<MetricKey<'gauge'>, Gauge> & Record<MetricKey<'counter'>, Counter> & Record<MetricKey<'histogram'>, Histogram>
>;

/** Registers every metric of the table, those of the store apart from those of the process. */
export function openInstruments(registries: Readonly<Record<MetricRow['scope'], Registry>>): Instruments {
  const open = ({ name, type, labels, help, scope, buckets }: MetricRow): Gauge | Counter | Histogram => {
    const options = { name, help, labelNames: [...labels], registers: [registries[scope]] };
    if (type === 'gauge') return new Gauge(options);
    if (type === 'counter') return new Counter(options);
    return new Histogram({ ...options, ...(buckets === undefined ? {} : { buckets: [...buckets] }) });
  };
  return Object.fromEntries(
    Object.entries(metricsTable).map(([key, row]) => [key, open(row)]),
  ) as unknown as Instruments;
}

export interface WatchedNames {
  readonly syncs: readonly {
    readonly name: string;
    readonly connection: string;
    readonly schedule?: unknown;
    readonly leavers?: LeaverTarget;
  }[];
  readonly connections: readonly string[];
  /** Channels of alerts. */
  readonly channels?: readonly string[];
  /** Whether workers announce themselves: with Redis. */
  readonly hasWorkers?: boolean;
}

interface StoreIo {
  readonly store: Store;
  readonly clock: Clock;
}

const tokenStates: readonly TokenState[] = ['ready', 'refreshing', 'reauth-required', 'revoked'];

/**
 * Copies the state of the store into the instruments, with as many statements for any number of syncs. Gauges are reset each
 * time; counters get new events.
 */
export function openStoreMetrics(
  instruments: Instruments,
  io: StoreIo,
  { syncs, connections, channels = [], hasWorkers }: WatchedNames,
): { refresh(): Promise<void> } {
  const { store, clock } = io;
  // A counter that exists from the start shows its first event as an increase.
  for (const { name: sync } of syncs) {
    for (const outcome of outcomes) instruments.runs.inc({ sync, outcome }, 0);
    for (const result of batchResults) {
      instruments.batches.inc({ sync, result }, 0);
      instruments.batchRows.inc({ sync, result }, 0);
    }
  }
  const countRuns = openRunCounter(syncs, instruments, io);
  const countLeavers = openLeaverCounter(syncs, instruments, io);
  const gauges = [
    instruments.lastSuccess,
    instruments.lastAttempt,
    instruments.freshness,
    instruments.failingSince,
    instruments.runStarted,
    instruments.heldSince,
    instruments.filesPendingSince,
    instruments.tokenState,
    instruments.tokenExpiry,
  ];
  return {
    async refresh() {
      await countRuns();
      await countLeavers();
      for (const gauge of gauges) gauge.reset();
      await readSyncs(syncs, instruments, io);
      await readConnections(connections, instruments, store);
      const undelivered = await store.alerts.undelivered(channels, Number.POSITIVE_INFINITY);
      for (const channel of channels) {
        const waiting = undelivered.find((one) => one.channel === channel);
        instruments.noticesUndelivered.set({ channel }, waiting?.notices ?? 0);
      }
      const [backup] = await store.audit.list({ limit: 1, actions: ['backup'] });
      if (backup === undefined) instruments.lastBackup.remove();
      else instruments.lastBackup.set(backup.at / 1000);
      const holders = await store.reports.holders([deploymentLease, workersLease]);
      const isHeld = (lease: string) => (holders.get(lease)?.until ?? 0) > clock.now();
      instruments.schedulerUp.set(isHeld(deploymentLease) ? 1 : 0);
      if (hasWorkers === true) instruments.workerUp.set(isHeld(workersLease) ? 1 : 0);
    },
  };
}

/** Clocks of processes may differ: a run that ended up to this long before another is still included. */
const overlapMs = 60_000;
const runsAtATime = 1000;

/** Counts each run that ends from now on once. */
function openRunCounter(
  syncs: WatchedNames['syncs'],
  instruments: Instruments,
  { store, clock }: StoreIo,
): () => Promise<void> {
  const names = new Set(syncs.map(({ name }) => name));
  let until = clock.now();
  let seen: ReadonlySet<string> = new Set();
  const from = until;
  return async () => {
    const since = Math.max(from, until - overlapMs);
    let limit = runsAtATime;
    let ended = await store.alerts.endedRuns(since, limit);
    // More runs may have ended within the overlap than are read at a time.
    while (ended.length === limit && ended.every(({ id }) => seen.has(id))) {
      limit *= 2;
      ended = await store.alerts.endedRuns(since, limit);
    }
    const added = ended.filter(({ id, sync }) => !seen.has(id) && names.has(sync));
    const ids = added.map(({ id }) => id);
    // Everything is read before anything is counted, so that a store error in between does not count a run twice.
    const results = await store.alerts.changeResults(ids);
    const batches = await store.batches.ofRuns(ids);
    for (const { sync, outcome, startedAt, endedAt } of added) {
      instruments.runs.inc({ sync, outcome });
      instruments.runSeconds.observe({ sync }, (endedAt - startedAt) / 1000);
    }
    const syncOf = new Map(added.map(({ id, sync }) => [id, sync]));
    for (const { run, kind, state, count } of results) {
      instruments.changes.inc({ sync: syncOf.get(run) ?? '', kind, result: state }, count);
    }
    for (const batch of batches) countBatch(batch, instruments);
    until = Math.max(until, ...ended.map(({ endedAt }) => endedAt));
    seen = new Set(ended.map(({ id }) => id));
  };
}

/** Counts who is late, and each account that is seen disabled from now on once. */
function openLeaverCounter(
  syncs: WatchedNames['syncs'],
  instruments: Instruments,
  { store, clock }: StoreIo,
): () => Promise<void> {
  const from = clock.now();
  let seen: ReadonlySet<string> = new Set();
  let until = from;
  return async () => {
    const now = clock.now();
    const counting = await store.leavers.counting(now);
    for (const { name: sync, leavers: { withinMs } = defaultLeaverTarget } of syncs) {
      const late = counting.filter((one) => one.sync === sync && one.clockAt + withinMs < now);
      instruments.leaversLate.set(
        { sync },
        late.reduce((sum, { people }) => sum + people, 0),
      );
    }
    const disabled = await store.leavers.disabledSince(Math.max(from, until - overlapMs));
    for (const { id, sync, tookMs } of disabled) {
      if (!seen.has(id)) instruments.leaverSeconds.observe({ sync }, tookMs / 1000);
    }
    seen = new Set(disabled.map(({ id }) => id));
    until = now;
  };
}

function countBatch(batch: Batch, instruments: Instruments): void {
  const { sync, connection, kind, sentAt, finalAt, size } = batch;
  const result = batchResult(batch);
  if (result !== undefined) {
    instruments.batches.inc({ sync, result });
    instruments.batchRows.inc({ sync, result }, size);
  }
  if (sentAt === undefined || finalAt === undefined) return;
  instruments.settleSeconds.observe({ connection, kind }, (finalAt - sentAt) / 1000);
}

async function readSyncs(
  syncs: WatchedNames['syncs'],
  instruments: Instruments,
  { store, clock }: StoreIo,
): Promise<void> {
  const now = clock.now();
  const names = syncs.map(({ name }) => name);
  const standings = await store.reports.syncs(names, now);
  const holds = await store.holds.open(names, now);
  for (const { name: sync, schedule } of syncs) {
    instruments.scheduled.set({ sync }, schedule === undefined ? 0 : 1);
    const standing = standings.get(sync);
    const { endedAt, successAt, pause, newest, requests = 0, requestedAt = now } = standing ?? {};
    instruments.failures.set({ sync }, standing?.failures ?? 0);
    if (standing?.failingSince !== undefined) instruments.failingSince.set({ sync }, standing.failingSince / 1000);
    if (endedAt !== undefined) instruments.lastAttempt.set({ sync }, endedAt / 1000);
    if (successAt !== undefined) {
      instruments.lastSuccess.set({ sync }, successAt / 1000);
      instruments.freshness.set({ sync }, (now - successAt) / 1000);
    }
    instruments.paused.set({ sync }, pause === undefined ? 0 : 1);
    const isOpen = newest !== undefined && newest.endedAt === undefined;
    instruments.runsOpen.set({ sync }, isOpen ? 1 : 0);
    if (isOpen) instruments.runStarted.set({ sync }, newest.startedAt / 1000);
    const { byClass, since } = holds.get(sync) ?? noHolds;
    if (since !== undefined) instruments.heldSince.set({ sync }, since / 1000);
    for (const name of changeClasses) instruments.heldChanges.set({ sync, class: name }, byClass[name] ?? 0);
    instruments.triggersWaiting.set({ sync }, requests);
    instruments.triggerAge.set({ sync }, Math.max(0, now - requestedAt) / 1000);
  }
}

async function readConnections(
  connections: readonly string[],
  instruments: Instruments,
  { tokens, batches }: Pick<Store, 'tokens' | 'batches'>,
): Promise<void> {
  const states = await tokens.all();
  const { unresolved, unproven } = await batches.unknown(connections);
  const pending = Map.groupBy([...unresolved, ...unproven], (batch) => batch.connection);
  for (const connection of connections) {
    const files = pending.get(connection) ?? [];
    instruments.filesPending.set({ connection }, files.length);
    const oldest = Math.min(...files.map(({ sentAt = Number.POSITIVE_INFINITY }) => sentAt));
    if (Number.isFinite(oldest)) instruments.filesPendingSince.set({ connection }, oldest / 1000);
    const token = states.get(connection);
    if (token === undefined) continue;
    for (const state of tokenStates) {
      instruments.tokenState.set({ connection, state }, token.state === state ? 1 : 0);
    }
    if (token.expiresAt !== undefined) instruments.tokenExpiry.set({ connection }, token.expiresAt / 1000);
  }
}

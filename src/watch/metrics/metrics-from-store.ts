import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { changeClasses } from '../../core/plan/change.ts';
import { outcomes } from '../../core/run/run.ts';
import { defaultLeaverTarget, type LeaverTarget } from '../../core/run/settings.ts';
import { deploymentLease, workersLease } from '../../ports/leases.ts';
import type { Clock } from '../../ports/runtime.ts';
import { batchResult, batchResults, type Run, type Store, type TokenState } from '../../ports/store.ts';
import { type MetricKey, type MetricRow, metricsTable } from './metrics-table.ts';

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
const pendingStates = ['sending', 'sent', 'unresolved'];

/** Copies the state of the store into the instruments. Gauges are reset each time; counters get new events. */
export function openStoreMetrics(
  instruments: Instruments,
  io: StoreIo,
  { syncs, connections, channels = [], hasWorkers }: WatchedNames,
): { refresh(): Promise<void> } {
  // A counter that exists from the start shows its first event as an increase.
  for (const { name: sync } of syncs) {
    for (const outcome of outcomes) instruments.runs.inc({ sync, outcome }, 0);
    for (const result of batchResults) {
      instruments.batches.inc({ sync, result }, 0);
      instruments.batchRows.inc({ sync, result }, 0);
    }
  }
  const countLeavers = openLeaverCounter(syncs, instruments, io);
  const counted = syncs.map(({ name }) => openRunCounter(name, instruments, io));
  const gauges = [
    instruments.lastSuccess,
    instruments.lastAttempt,
    instruments.freshness,
    instruments.tokenState,
    instruments.tokenExpiry,
  ];
  return {
    async refresh() {
      for (const count of counted) await count();
      await countLeavers();
      for (const gauge of gauges) gauge.reset();
      for (const { name, schedule } of syncs) {
        instruments.scheduled.set({ sync: name }, schedule === undefined ? 0 : 1);
        await readSync(name, instruments, io);
      }
      for (const name of connections) await readConnection(name, instruments, io);
      await readOpenRuns({ syncs, connections }, instruments, io);
      const undelivered = await io.store.alerts.undelivered(channels, Number.POSITIVE_INFINITY);
      for (const channel of channels) {
        const waiting = undelivered.find((one) => one.channel === channel);
        instruments.noticesUndelivered.set({ channel }, waiting?.notices ?? 0);
      }
      const [backup] = await io.store.audit.list({ limit: 1, actions: ['backup'] });
      if (backup === undefined) instruments.lastBackup.remove();
      else instruments.lastBackup.set(backup.at / 1000);
      const isHeld = async (lease: string) => (await io.store.leases.holder(lease, io.clock.now())) !== undefined;
      instruments.schedulerUp.set((await isHeld(deploymentLease)) ? 1 : 0);
      if (hasWorkers === true) instruments.workerUp.set((await isHeld(workersLease)) ? 1 : 0);
    },
  };
}

/** Clocks of processes may differ: a run that ended up to this long before another is still included. */
const overlapMs = 60_000;
const runsAtATime = 1000;

/** Counts each run that ends from now on once. */
function openRunCounter(sync: string, instruments: Instruments, { store, clock }: StoreIo): () => Promise<void> {
  let until = clock.now();
  let seen: ReadonlyMap<string, number> = new Map();
  const from = until;
  return async () => {
    const ended = await store.alerts.endedRuns(sync, Math.max(from, until - overlapMs), runsAtATime);
    for (const { id, endedAt } of ended) {
      const run = seen.has(id) ? undefined : await store.runs.get(id);
      if (run !== undefined) await countRun(run, instruments, store);
      until = Math.max(until, endedAt);
    }
    seen = new Map(ended.map(({ id, endedAt }) => [id, endedAt]));
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

async function countRun(run: Run, instruments: Instruments, store: Store): Promise<void> {
  const { sync, outcome, startedAt, endedAt } = run;
  if (outcome === undefined || endedAt === undefined) return;
  // Everything is read before anything is counted, so that a store error in between does not count a run twice.
  const results = await store.alerts.changeResults(run.id);
  const batches = await store.batches.ofRun(run.id);
  instruments.runs.inc({ sync, outcome });
  instruments.runSeconds.observe({ sync }, (endedAt - startedAt) / 1000);
  for (const { kind, state, count } of results) instruments.changes.inc({ sync, kind, result: state }, count);
  for (const batch of batches) {
    const { connection, kind, sentAt, finalAt, size } = batch;
    const result = batchResult(batch);
    if (result !== undefined) {
      instruments.batches.inc({ sync, result });
      instruments.batchRows.inc({ sync, result }, size);
    }
    if (sentAt === undefined || finalAt === undefined) continue;
    instruments.settleSeconds.observe({ connection, kind }, (finalAt - sentAt) / 1000);
  }
}

async function readSync(sync: string, instruments: Instruments, { store, clock }: StoreIo): Promise<void> {
  const now = clock.now();
  const { attemptAt, successAt } = await store.alerts.lastRuns(sync);
  if (attemptAt !== undefined) instruments.lastAttempt.set({ sync }, attemptAt / 1000);
  if (successAt !== undefined) {
    instruments.lastSuccess.set({ sync }, successAt / 1000);
    instruments.freshness.set({ sync }, (now - successAt) / 1000);
  }
  instruments.paused.set({ sync }, (await store.pauses.get(sync, now)) === undefined ? 0 : 1);
  const { byClass } = await store.holds.open(sync, now);
  for (const name of changeClasses) instruments.heldChanges.set({ sync, class: name }, byClass[name] ?? 0);
  const waiting = await store.triggers.waiting(sync);
  const oldest = Math.min(now, ...waiting.map(({ requestedAt }) => requestedAt));
  instruments.triggersWaiting.set({ sync }, waiting.length);
  instruments.triggerAge.set({ sync }, (now - oldest) / 1000);
}

async function readConnection(connection: string, instruments: Instruments, { store }: StoreIo): Promise<void> {
  const token = await store.tokens.get(connection);
  if (token === undefined) return;
  for (const state of tokenStates) {
    instruments.tokenState.set({ connection, state }, token.state === state ? 1 : 0);
  }
  if (token.expiresAt !== undefined) instruments.tokenExpiry.set({ connection }, token.expiresAt / 1000);
}

async function readOpenRuns(
  names: Pick<WatchedNames, 'syncs' | 'connections'>,
  instruments: Instruments,
  { store }: StoreIo,
): Promise<void> {
  const open = await store.runs.unfinished();
  for (const { name: sync } of names.syncs) {
    instruments.runsOpen.set({ sync }, open.filter((run) => run.sync === sync).length);
  }
  const batches = (await Promise.all(open.map(({ id }) => store.batches.ofRun(id)))).flat();
  for (const connection of names.connections) {
    const underWay = batches.filter((batch) => batch.connection === connection && pendingStates.includes(batch.state));
    const { unresolved: left } = await store.batches.unknown(connection);
    const pending = new Set([...underWay, ...left].map(({ id }) => id));
    instruments.filesPending.set({ connection }, pending.size);
  }
}

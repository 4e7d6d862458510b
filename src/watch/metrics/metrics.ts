import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { Registry } from 'prom-client';
import { isStoreAway } from '../../core/run/errors.ts';
import { metricsLease } from '../../ports/leases.ts';
import type { Metrics, QueueDepth } from '../../ports/metrics.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { Lease, Store } from '../../ports/store.ts';
import { type Instruments, openInstruments, openStoreMetrics, type WatchedNames } from './metrics-from-store.ts';

export interface MetricsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly version: string;
  /** The configured names. Absent: only counters of this process are shown. */
  readonly names?: WatchedNames;
  /** Resolves to undefined when the queue does not answer. Undefined: there is no queue. */
  readonly queue: (() => Promise<QueueDepth | undefined>) | undefined;
  /** Differs from that of any other process. */
  readonly owner: string;
  /** Whether the last reload of the configuration was refused. */
  readonly isReloadRefused?: () => boolean;
}

/** Must be closed, because it monitors the event loop, and so that another process exports the metrics of the store. */
export interface OpenedMetrics {
  readonly metrics: Metrics;
  /**
   * Returns the text for Prometheus; concurrent calls share one read. One process of a deployment reads the store and
   * exports what it tells. The others, and all while the store is unavailable, have what they know themselves.
   */
  render(): Promise<string>;
  readonly contentType: string;
  close(): Promise<void>;
}

const loopResolutionMs = 20;
/** How long a scrape waits for the store (ms): less than Prometheus waits for the scrape. */
const storeAnswersMs = 4000;

/** Longer than the usual time between two scrapes. */
const exportForMs = 90_000;

interface StoreState {
  /** It answered, and took a write. */
  readonly isUp: boolean;
  /** What it tells is exported by this process. */
  readonly isOurs: boolean;
  /** All of it was read. */
  readonly isWhole: boolean;
}

/** Opens the metrics of this process. Counting costs a map lookup; only `render` reads the store. */
export function openMetrics({
  store,
  clock,
  version,
  names,
  queue,
  owner,
  isReloadRefused,
}: MetricsOptions): OpenedMetrics {
  const registries = { process: new Registry(), store: new Registry() };
  const instruments = openInstruments(registries);
  const loop = monitorEventLoopDelay({ resolution: loopResolutionMs });
  loop.enable();
  const watched = { ...(names ?? { syncs: [], connections: [] }), hasWorkers: queue !== undefined };
  /** Undefined while another process exports the metrics of the store. Counts from its beginning. */
  let fromStore: ReturnType<typeof openStoreMetrics> | undefined;
  let lease: Lease | undefined;
  instruments.info.set({ version }, 1);
  // Absent until they are known, and not 0.
  instruments.workerUp.remove();
  instruments.queueUp.remove();
  instruments.configLoaded.set(clock.now() / 1000);
  instruments.startTime.set((clock.now() - process.uptime() * 1000) / 1000);
  /** Whether the store took the write of the reading under way, or of the last one. */
  let isUp = false;
  const askStore = async (): Promise<StoreState> => {
    isUp = false;
    // Taking the lease is the write that shows whether the store takes one.
    const taken = await store.leases
      .take(metricsLease, owner, exportForMs, clock.now())
      .catch(() => 'refused' as const);
    isUp = taken !== 'refused';
    // A store that takes no write keeps its last exporter.
    if (taken !== 'refused') lease = taken;
    if (lease === undefined) fromStore = undefined;
    else fromStore ??= openStoreMetrics(instruments, { store, clock }, watched);
    await fromStore?.refresh();
    return { isUp, isOurs: fromStore !== undefined, isWhole: true };
  };
  const away: StoreState = { isUp: false, isOurs: false, isWhole: false };
  let reading: Promise<StoreState> | undefined;
  const readStore = async (): Promise<StoreState> => {
    reading ??= askStore()
      .catch((error: unknown) => (isStoreAway(error) ? away : Promise.reject(error)))
      .finally(() => {
        reading = undefined;
      });
    const enough = new AbortController();
    const cut = (): StoreState => ({ ...away, isUp });
    const late = clock.sleep(storeAnswersMs, enough.signal).then(cut, cut);
    return Promise.race([reading, late]).finally(() => enough.abort());
  };
  let refreshing: Promise<readonly Registry[]> | undefined;
  /** Returns the registries to export. */
  const refresh = async (): Promise<readonly Registry[]> => {
    const { isUp: isThere, isOurs, isWhole } = await readStore();
    instruments.storeUp.set(isThere ? 1 : 0);
    instruments.scrapeComplete.set(isWhole ? 1 : 0);
    instruments.reloadRefused.set(isReloadRefused?.() === true ? 1 : 0);
    const depth = await queue?.();
    if (queue !== undefined) instruments.queueUp.set(depth === undefined ? 0 : 1);
    showQueue(instruments, depth, clock.now());
    readProcess(instruments, loop);
    return isOurs ? [registries.store, registries.process] : [registries.process];
  };
  const refreshed = (): Promise<readonly Registry[]> => {
    refreshing ??= refresh().finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  };
  return {
    metrics: {
      requestEnded({ connection, operation, purpose, status: code, tookMs, waitedMs }) {
        const status = code === undefined ? 'none' : String(code);
        instruments.requests.inc({ connection, operation, purpose, status });
        instruments.requestSeconds.observe({ connection, operation }, tookMs / 1000);
        instruments.waitSeconds.observe({ connection }, waitedMs / 1000);
      },
      tokenPresented: (connection, outcome) => instruments.tokenRefreshes.inc({ connection, outcome }),
    },
    async render() {
      const texts = await Promise.all((await refreshed()).map((registry) => registry.metrics()));
      return texts.join('\n');
    },
    contentType: registries.process.contentType,
    async close() {
      loop.disable();
      // The store may be what is away: its exporter is then replaced a little later.
      if (lease !== undefined) await store.leases.release(lease).catch(() => {});
    },
  };
}

function showQueue({ queueJobs, queueAge }: Instruments, depth: QueueDepth | undefined, now: number): void {
  if (depth === undefined) {
    queueJobs.remove();
    queueAge.remove();
    return;
  }
  queueJobs.set(depth.waiting);
  queueAge.set(depth.oldestAt === undefined ? 0 : Math.max(0, now - depth.oldestAt) / 1000);
}

function readProcess(instruments: Instruments, loop: ReturnType<typeof monitorEventLoopDelay>): void {
  // The histogram counts whole intervals. What exceeds its resolution is the delay.
  const late = (ns: number): number => (Number.isFinite(ns) ? Math.max(0, ns / 1e9 - loopResolutionMs / 1000) : 0);
  instruments.loopDelay.set({ percentile: '50' }, late(loop.percentile(50)));
  instruments.loopDelay.set({ percentile: '99' }, late(loop.percentile(99)));
  instruments.loopDelay.set({ percentile: '100' }, loop.count === 0 ? 0 : late(loop.max));
  loop.reset();
  instruments.memory.set(process.memoryUsage.rss());
  const heap = getHeapStatistics();
  instruments.heapUsed.set(heap.used_heap_size);
  instruments.heapLimit.set(heap.heap_size_limit);
  const { user, system } = process.cpuUsage();
  instruments.cpu.reset();
  instruments.cpu.inc((user + system) / 1e6);
}

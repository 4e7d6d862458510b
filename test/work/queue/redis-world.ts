import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AppIo } from '../../../src/app/app-io.ts';
import { requestOrRun, runSync } from '../../../src/app/requests.ts';
import { findRuns } from '../../../src/app/runs.ts';
import { silentLogger } from '../../../src/ports/runtime.ts';
import type { Run } from '../../../src/ports/store.ts';
import { parseFault, type RunningSandbox, startSandbox } from '../../../src/sandbox/index.ts';
import { type Child, startChild } from '../../chaos/child.ts';
import type { KillWorld } from '../../chaos/kill-world.ts';
import { openHere } from '../../chaos/open-here.ts';
import type { Order } from '../../chaos/run-and-die.ts';
import { SharedClock } from '../../chaos/shared-clock.ts';
import { csvOf, plainSync, type Row, usersOf } from '../../support/office.ts';
import { until } from '../../support/services/redis.ts';

export interface RedisWorldOptions {
  /** What stands below `redis:`. */
  readonly redis: unknown;
  readonly users?: readonly Row[];
  readonly employees: readonly Row[];
  readonly sync?: Readonly<Record<string, unknown>>;
  readonly limits?: Readonly<Record<string, unknown>>;
  /** How long the platform works on a file. */
  readonly processingMs?: number;
  /** Where the store is; a SQLite file otherwise. */
  readonly store?: string;
  readonly encryptionKey?: string;
  /** What the connection has in place of a fixed access token. */
  readonly tokens?: (sandbox: RunningSandbox) => Readonly<Record<string, unknown>>;
}

/** A platform in this process, a store and a source on disk, and replicas in processes of their own, all in real time. */
export interface RedisWorld extends KillWorld {
  replica(order?: Pick<Order, 'die' | 'aheadMs'>): Child;
  /** Where replicas may count together (`countedIn`). */
  readonly countingFolder: string;
  /** Asks for a run as a shell does: into the store, without Redis. */
  ask(): Promise<void>;
  runs(): Promise<readonly Run[]>;
  /** Waits until so many runs have ended. */
  ended(count: number, withinMs?: number): Promise<readonly Run[]>;
  close(): Promise<void>;
}

/** Guards that let everything through: these tests are about the queue. */
const openGuards = Object.fromEntries(
  ['disables', 'enables', 'removes', 'creates', 'emailChanges', 'updates', 'firstSight'].map((name) => [
    name,
    { absolute: 100_000, percent: 100 },
  ]),
);

export async function openRedisWorld(options: RedisWorldOptions): Promise<RedisWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-test-'));
  const clock = new SharedClock({ anchor: Date.now(), speed: 1 });
  const sandbox = await startSandbox({
    now: () => clock.now(),
    processingMs: options.processingMs ?? 50,
    accessTokenLifeMs: 86_400_000_000,
    people: usersOf(options.users ?? []),
  });
  const people = {
    ...plainSync(),
    delivery: 'csv',
    settle: { every: '100ms', visibleWithin: '5s', unknownAfter: '1s' },
    guards: openGuards,
    ...options.sync,
  };
  const acme = {
    baseUrl: sandbox.url,
    ...(options.tokens?.(sandbox) ?? { accessToken: sandbox.accessToken }),
    limits: { requestsPerSecond: 1000, concurrency: 4, ...options.limits },
  };
  const config = join(folder, 'rollcall.json');
  const { redis, store, encryptionKey } = options;
  await writeFile(config, JSON.stringify({ store, redis, encryptionKey, connections: { acme }, syncs: { people } }));
  const countingFolder = join(folder, 'places');
  await mkdir(countingFolder);
  let watching: ReturnType<typeof openHere> | undefined;
  /** The product beside the replicas, opened once: the tests ask it again and again. */
  const watched = async (): Promise<AppIo> => {
    watching ??= openHere(config, { clock, logger: silentLogger });
    return (await watching).app;
  };
  const world: RedisWorld = {
    countingFolder,
    sandbox,
    clock,
    config,
    writeEmployees: (rows) => writeFile(join(folder, 'employees.csv'), csvOf(rows)),
    setFaults: (...faults) => sandbox.setFaults(faults.map(parseFault)),
    command: (order) => startChild({ ...order, config, time: clock.parameters }),
    replica: (order) => world.command({ command: 'start', ...order }),
    async here(work) {
      const { app } = await openHere(config, { clock, logger: silentLogger });
      try {
        return await work(app);
      } finally {
        await app.close();
      }
    },
    apply: () =>
      world.here((app) =>
        runSync(app, 'people', { signal: AbortSignal.timeout(200_000), progress: () => {}, by: 'shell:ana' }),
      ),
    async ask() {
      const watch = { signal: AbortSignal.timeout(200_000), progress: () => {}, by: 'shell:ana' };
      await requestOrRun(await watched(), 'people', { ...watch, scope: { kind: 'all' } });
    },
    runs: async () => findRuns(await watched(), { limit: 100 }),
    async ended(count, withinMs = 30_000) {
      let runs: readonly Run[] = [];
      await until(async () => {
        runs = (await world.runs()).filter(({ phase }) => phase === 'done');
        return runs.length >= count;
      }, withinMs);
      return runs;
    },
    async close() {
      await (await watching)?.app.close();
      await sandbox.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
  await world.writeEmployees(options.employees);
  return world;
}

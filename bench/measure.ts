import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createExpressions } from '../src/config/expressions.ts';
import { loadConfig } from '../src/config/load-config.ts';
import { openEngine } from '../src/main/engine.ts';
import { newUlid, systemClock } from '../src/main/process.ts';
import type { Logger } from '../src/ports/runtime.ts';
import type { EngineIo, Sync } from '../src/run/engine-io.ts';
import { makePlan } from '../src/run/make-plan.ts';
import { showPlan } from '../src/run/recorder.ts';
import { knownKinds } from '../src/sources/kinds.ts';
import { type BenchCase, hrFile, pageSize, storeFile } from './folder.ts';
import { benchMapping } from './people.ts';

export type MeasuredWork = 'floor' | 'plan';

/** What one child process found. */
export interface Measured {
  readonly seconds: number;
  /** CPU time of this process, user and system. */
  readonly cpuSeconds: number;
  /** Peak of the whole process, megabytes of 10^6 bytes. */
  readonly peakRssMb: number;
  /** The process before any work, everything loaded and opened. */
  readonly baseRssMb: number;
  /** How long the event loop was kept from turning. */
  readonly loopDelayMs: { readonly max: number; readonly p99: number };
  readonly changes: number;
  /** Rows, users and ledger entries that were seen: floor and plan must agree. */
  readonly seen: number;
}

const signal = new AbortController().signal;

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, child: () => silent };

/** Measures one piece of work in this process. Run as a child process; sends a `Measured`. */
async function measure(work: MeasuredWork, name: BenchCase, folder: string, url: string): Promise<Measured> {
  const config = await loadConfig(await writeConfig(name, folder, url), {
    env: {},
    sourceKinds: knownKinds,
    expressions: createExpressions(),
  });
  const parts = { clock: systemClock, logger: silent, newId: newUlid, checkpoint: () => {}, mayPresentSeed: false };
  const engine = await openEngine(config, parts);
  const sync = engine.io.syncs.get('people');
  if (sync === undefined) throw new Error('the bench configuration has no sync called people');
  const baseRssMb = process.memoryUsage.rss() / 1e6;
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  const cpuBefore = process.cpuUsage();
  const begin = performance.now();
  const result = work === 'floor' ? await readEverything(sync, engine.io) : await plan(sync, engine.io);
  const seconds = (performance.now() - begin) / 1000;
  const cpu = process.cpuUsage(cpuBefore);
  // Another turn, so that a block at the very end is seen.
  await systemClock.sleep(5);
  loop.disable();
  const peakRssMb = (process.resourceUsage().maxRSS * 1024) / 1e6;
  await engine.close();
  return {
    seconds,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
    peakRssMb,
    baseRssMb,
    loopDelayMs: { max: loop.max / 1e6, p99: loop.percentile(99) / 1e6 },
    ...result,
  };
}

/** The least that any plan has to do: decode both sides with the product's own decoders and read the ledger once. */
async function readEverything(sync: Sync, io: EngineIo): Promise<Pick<Measured, 'changes' | 'seen'>> {
  let seen = 0;
  const reading = sync.source.read({ kind: 'full' }, { ...io, signal, previous: undefined });
  for (let page = await reading.next(); page.done !== true; page = await reading.next()) {
    seen += page.value.records.length;
  }
  for await (const { users } of sync.platform.scan(signal)) seen += users.length;
  for await (const entries of io.store.ledger.all(sync.settings.connection)) seen += entries.length;
  return { changes: 0, seen };
}

async function plan(sync: Sync, io: EngineIo): Promise<Pick<Measured, 'changes' | 'seen'>> {
  const planId = io.newId('plan');
  const made = await makePlan({ sync, scope: { kind: 'all' }, signal }, showPlan(planId, sync, io), io);
  if (made.failure !== undefined) throw new Error(made.failure);
  const { kinds } = await io.store.plans.count(planId);
  const { sourceRows = 0, platformUsers = 0, managedUsers = 0 } = made.facts;
  return {
    changes: Object.values(kinds).reduce((sum, count) => sum + count, 0),
    seen: sourceRows + platformUsers + managedUsers,
  };
}

async function writeConfig(name: BenchCase, folder: string, url: string): Promise<string> {
  const path = join(folder, `rollcall-${name}.json`);
  const config = {
    store: `sqlite:./${storeFile(name)}`,
    connections: {
      acme: {
        baseUrl: url,
        accessToken: 'bench',
        limits: { requestsPerSecond: 1000, concurrency: 4 },
        dialect: { search: { pageSize } },
      },
    },
    syncs: {
      people: {
        connection: 'acme',
        source: { kind: 'csv', path: hrFile(name), complete: 'stable' },
        policy: 'sync',
        mapping: benchMapping,
        scope: "country = 'UY' and type != 'contractor'",
        lifecycle: {
          status: 'status',
          active: ['active', 'leave'],
          leaver: ['terminated'],
          hireDate: 'hire_date',
          leaveDate: 'end_date',
          timezone: 'America/Montevideo',
        },
      },
    },
  };
  await writeFile(path, JSON.stringify(config));
  return path;
}

const [, , work, name, folder = '', url = ''] = process.argv;
process.send?.(await measure(work as MeasuredWork, name as BenchCase, folder, url));

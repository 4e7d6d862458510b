import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { AppIo } from '../../src/app/app-io.ts';
import { planHere } from '../../src/app/previews.ts';
import { runSync } from '../../src/app/requests.ts';
import { describeRun, findChanges, findRuns } from '../../src/app/runs.ts';
import { silentLogger } from '../../src/ports/runtime.ts';
import type { Batch, Run } from '../../src/ports/store.ts';
import { parseFault, type RunningSandbox, startSandbox } from '../../src/sandbox/index.ts';
import type { RunReport } from '../../src/views/runs.ts';
import { csvOf, plainSync, type Row, usersOf } from '../support/office.ts';
import { slowly } from '../support/slowness.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Child, startChild } from './child.ts';
import { openHere } from './open-here.ts';
import type { Order } from './run-and-die.ts';
import { SharedClock } from './shared-clock.ts';

export interface WorldOptions {
  /** Who is on the platform before the first run. */
  readonly users: readonly Row[];
  /** Who is in the source. */
  readonly employees: readonly Row[];
  readonly faults?: readonly string[];
  readonly sync?: Readonly<Record<string, unknown>>;
  /** More syncs on the same connection, by name. */
  readonly syncs?: Readonly<Record<string, unknown>>;
  readonly connection?: (sandbox: RunningSandbox) => Readonly<Record<string, unknown>>;
  readonly root?: Readonly<Record<string, unknown>>;
  readonly accessTokenLifeMs?: number;
  /** How many ms of shared time a real one is. */
  readonly speed?: number;
}

/** A platform in this process, and a store and a source on disk, for commands in other processes. */
export interface KillWorld {
  readonly sandbox: RunningSandbox;
  readonly clock: SharedClock;
  readonly config: string;
  writeEmployees(rows: readonly Row[]): Promise<void>;
  setFaults(...faults: readonly string[]): void;
  /** Starts a command in a process of its own, at the time that this world shows now. */
  command(order: Omit<Order, 'config' | 'time'>): Child;
  /** Opens the product in this process, for as long as the work takes. */
  here<T>(work: (app: AppIo) => Promise<T>): Promise<T>;
  apply(): Promise<RunReport>;
}

const watch = () => ({ signal: AbortSignal.timeout(slowly(200_000)), progress: () => {}, by: 'shell:ana' });

/** Longer than any lease, shorter than any wait for an unknown outcome. */
export const leaseEndsMs = 31_000;
/** Longer than `settle.unknownAfter` and any lease. */
export const fatesEndMs = 31 * 60_000;
/** Longer than the wait after two refusals of a create. */
const refusalsEndMs = 25 * 3_600_000;

/** Opens a world that closes after the test. */
export async function openKillWorld(options: WorldOptions): Promise<KillWorld> {
  const folder = await temporaryFolder();
  const clock = new SharedClock({ anchor: Date.now(), speed: (options.speed ?? 100) / slowly(1) });
  const sandbox = await startSandbox({
    now: () => clock.now(),
    processingMs: 1500,
    accessTokenLifeMs: options.accessTokenLifeMs ?? 86_400_000_000,
    people: usersOf(options.users),
    faults: (options.faults ?? []).map(parseFault),
  });
  onTestFinished(() => sandbox.close());
  const people = {
    ...plainSync(),
    settle: { every: '1s', visibleWithin: '10s' },
    ...options.sync,
  };
  const acme = {
    baseUrl: sandbox.url,
    limits: { requestsPerSecond: 1000, concurrency: 4, timeout: '10m' },
    ...(options.connection?.(sandbox) ?? { accessToken: sandbox.accessToken }),
  };
  const config = join(folder, 'rollcall.json');
  await writeFile(
    config,
    JSON.stringify({ ...options.root, connections: { acme }, syncs: { people, ...options.syncs } }),
  );
  const world: KillWorld = {
    sandbox,
    clock,
    config,
    writeEmployees: (rows) => writeFile(join(folder, 'employees.csv'), csvOf(rows)),
    setFaults: (...faults) => sandbox.setFaults(faults.map(parseFault)),
    command: (order) => startChild({ ...order, config, time: clock.parameters }),
    async here(work) {
      const { app } = await openHere(config, { clock, logger: silentLogger });
      try {
        return await work(app);
      } finally {
        await app.close();
      }
    },
    apply: () => world.here((app) => runSync(app, 'people', watch())),
  };
  await world.writeEmployees(options.employees);
  return world;
}

/** Runs without kills and faults, waiting out what is unknown, until a run finds nothing left to do. Returns all of them. */
export function runToTheEnd(world: KillWorld): Promise<readonly RunReport[]> {
  return world.here((app) => runOnAndOn(world, app));
}

async function runOnAndOn(world: KillWorld, app: AppIo): Promise<readonly RunReport[]> {
  const reports: RunReport[] = [];
  for (const waitMs of [leaseEndsMs, fatesEndMs, refusalsEndMs, fatesEndMs, fatesEndMs]) {
    world.clock.jump(waitMs);
    const last = reports.at(-1)?.run;
    // In a small office even two enables may wait for an operator, who can approve a plan for 24 hours.
    const isFresh = waitMs < refusalsEndMs && last?.outcome === 'held';
    const approved = isFresh && last.digest !== undefined ? { approve: last.digest } : {};
    const report = await runSync(app, 'people', { ...watch(), ...approved });
    reports.push(report);
    world.setFaults();
    // At first there may only seem to be nothing, because fates are not known yet, or a refused create waits.
    if (report.run.outcome === 'nothing-to-do' && reports.length > 2) return reports;
  }
  const outcomes = reports.map(({ run }) => `${run.outcome}: ${run.reason ?? ''}`);
  throw new Error(`there was still something to do: ${outcomes.join(' | ')}`);
}

/** Everything that is promised whatever was killed, when, and how often. */
export async function expectPromisesKept(world: KillWorld, employees: readonly Row[]): Promise<void> {
  expectPlatformEqualsSource(world, employees);
  expectNobodyActiveDisabled(world, employees);
  expectNothingTwice(world);
  await world.here(async (app) => {
    const { counts } = await planHere(app, 'people', watch());
    expect(counts, 'the next plan is empty').toMatchObject({ create: 0, update: 0, enable: 0, disable: 0, remove: 0 });
    for (const run of await findRuns(app, { limit: 1000 })) await expectRunWhole(app, run);
  });
}

function expectPlatformEqualsSource({ sandbox }: KillWorld, employees: readonly Row[]): void {
  const shown = employees.map(({ id = '' }) => {
    const user = sandbox.state.users.get(id);
    return { id, enabled: user?.enabled ?? false, last: user?.fields.lastName ?? '', mail: user?.fields.email ?? '' };
  });
  const wanted = employees.map(({ id = '', last = '', mail = '', status }) => {
    return { id, enabled: status === 'active', last, mail };
  });
  expect(shown).toEqual(wanted);
}

function expectNobodyActiveDisabled({ sandbox }: KillWorld, employees: readonly Row[]): void {
  const active = new Set(employees.filter(({ status }) => status === 'active').map(({ id }) => id));
  const hurt = sandbox.state.log.filter(
    ({ kind, identification }) => (kind === 'disabled' || kind === 'removed') && active.has(identification),
  );
  expect(hurt).toEqual([]);
}

/** Every accepted effect went out once: the platform never took the same change of one person a second time. */
function expectNothingTwice({ sandbox }: KillWorld): void {
  const effects = sandbox.state.log.map(({ identification, kind }) => `${identification} ${kind}`);
  expect(effects.toSorted()).toEqual([...new Set(effects)].sort());
  expect(sandbox.state.log.filter(({ fields }) => fields.length === 0)).toEqual([]);
  // A batch is sent once, whatever became of it.
  const names = [...sandbox.state.files.values()].map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
}

const openStates = ['planned', 'sent', 'unresolved'] as const;

/** I7: the run has ended, every change of it too, and what it counts is what its changes say. */
async function expectRunWhole(app: AppIo, run: Run): Promise<void> {
  expect(run.phase).toBe('done');
  expect(run.outcome).toBeDefined();
  expect(await findChanges(app, run.id, { limit: 1000, states: openStates }), run.id).toEqual([]);
  const { batches } = await describeRun(app, run.id);
  expect(batches.filter((batch) => !isEnded(batch))).toEqual([]);
  const { applied, failed, unverified, unresolved, held } = run.counts;
  const dropped = (await findChanges(app, run.id, { limit: 1000, states: ['dropped'] })).length;
  const planned = run.counts.create + run.counts.update + run.counts.enable + run.counts.disable + run.counts.remove;
  expect(applied + failed + unverified + unresolved + held + dropped, 'the counts add up').toBe(planned);
  if (run.outcome === 'succeeded') expect(applied + unverified).toBe(planned);
  if (run.outcome === 'failed') expect(run.reason).toMatch(/./);
}

/** Settled, or never sent by a run that ended before. */
function isEnded({ state }: Batch): boolean {
  return state === 'settled' || state === 'planned';
}

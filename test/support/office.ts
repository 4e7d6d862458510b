import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { AppIo } from '../../src/app/app-io.ts';
import { planHere } from '../../src/app/previews.ts';
import { runSync } from '../../src/app/requests.ts';
import { createExpressions } from '../../src/config/expressions.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { openApp } from '../../src/main/app.ts';
import { type Engine, openEngine } from '../../src/main/engine.ts';
import { newUlid } from '../../src/main/process.ts';
import type { PlanReport } from '../../src/ports/previews.ts';
import type { Checkpoint } from '../../src/ports/runtime.ts';
import type { SourceKind } from '../../src/ports/source.ts';
import type { Sync } from '../../src/run/engine-io.ts';
import { parseFault, type RunningSandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/index.ts';
import { sourceKinds } from '../../src/sources/registry.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { RunReport } from '../../src/views/runs.ts';
import { FastClock } from './fast-clock.ts';
import { type MemoryLogger, memoryLogger } from './memory-logger.ts';
import { once } from './once.ts';
import { slowly } from './slowness.ts';
import { offering } from './source-kinds.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** One employee of a test: column to value. `id`, `first`, `last`, `mail`, `status` unless a test says otherwise. */
export type Row = Readonly<Record<string, string>>;

export interface OfficeOptions {
  readonly sandbox?: Partial<Omit<SandboxOptions, 'now' | 'faults'>>;
  readonly faults?: readonly string[];
  /** YAML below `syncs.people`, indented by nothing; replaces keys of the same name. */
  readonly sync?: Readonly<Record<string, unknown>>;
  readonly dialect?: Readonly<Record<string, unknown>>;
  readonly limits?: Readonly<Record<string, unknown>>;
  /** More syncs on the same connection, by name. */
  readonly syncs?: Readonly<Record<string, unknown>>;
  readonly checkpoint?: Checkpoint;
  /** Whether the product knows for how long the machine has been up, and so sees that its clock was set. */
  readonly hasUptime?: boolean;
  /** Kinds of source that only a test knows, besides those of the registry. */
  readonly kinds?: readonly SourceKind[];
}

/** A whole Rollcall on real parts: a store on disk, a CSV file, a sandbox platform over HTTP. Closed after the test. */
export interface Office {
  readonly app: AppIo;
  readonly engine: Engine;
  readonly sandbox: RunningSandbox;
  readonly clock: FastClock;
  readonly log: MemoryLogger;
  readonly folder: string;
  /** Who was active in each version of the source, with the number of writes logged by then. */
  readonly sources: readonly SourceVersion[];
  writeEmployees(rows: readonly Row[], file?: string): Promise<void>;
  writeText(text: string, file?: string): Promise<void>;
  plan(sync?: string): Promise<PlanReport>;
  apply(options?: {
    readonly sync?: string;
    readonly approve?: string;
    readonly users?: readonly string[];
  }): Promise<RunReport>;
  /** Replaces keys of the sync `people` in the file, and from then on the office has it. `undefined` removes a key. */
  edit(sync: Readonly<Record<string, unknown>>): Promise<void>;
  /** Writes these employees, and runs the sync. */
  applyRows(rows: readonly Row[]): Promise<RunReport>;
  /** Applies, and approves whatever was held, until nothing is held. */
  applyAll(sync?: string): Promise<RunReport>;
  setFaults(...faults: readonly string[]): void;
}

export interface SourceVersion {
  readonly logged: number;
  readonly active: ReadonlySet<string>;
}

const someInstant = Date.UTC(2026, 10, 21, 12);
const offices: Office[] = [];

/** Every office that this test opened since the last call. */
export function takeOffices(): readonly Office[] {
  return offices.splice(0);
}

export const plainMapping = { identification: 'id', firstName: 'first', lastName: 'last', email: 'mail' };

/** A sync over a CSV file of `employees`, which takes the file as it is. */
export const plainSync = (path = './employees.csv') => ({
  connection: 'acme',
  source: { kind: 'csv', path, complete: 'stable' },
  policy: 'sync',
  mapping: plainMapping,
  lifecycle: { status: 'status', active: ['active'], leaver: ['left'] },
});

/** A store without a row. Making its tables costs as much as a run, so they are made once. */
const emptyStore = once(async () => {
  const folder = await temporaryFolder();
  await (await openStore('sqlite:./empty.db', { folder })).close();
  return readFile(join(folder, 'empty.db'));
});

export async function openOffice(options: OfficeOptions = {}): Promise<Office> {
  const folder = await temporaryFolder();
  const clock = new FastClock(someInstant);
  const log = memoryLogger();
  const sandbox = await startSandbox({
    now: () => clock.now(),
    processingMs: 3000,
    accessTokenLifeMs: 86_400_000_000,
    ...options.sandbox,
    faults: (options.faults ?? []).map(parseFault),
  });
  onTestFinished(() => sandbox.close());
  const people = {
    ...plainSync(),
    settle: { every: '2s', visibleWithin: '20s' },
    ...options.sync,
  };
  const config = {
    connections: {
      acme: {
        baseUrl: sandbox.url,
        accessToken: sandbox.accessToken,
        limits: { requestsPerSecond: 1000, concurrency: 4, timeout: `${slowly(1000)}ms`, ...options.limits },
        dialect: options.dialect ?? {},
      },
    },
    syncs: { people, ...options.syncs },
  };
  const path = join(folder, 'rollcall.json');
  await mkdir(join(folder, '.rollcall'));
  await writeFile(join(folder, '.rollcall/rollcall.db'), await emptyStore());
  const load = async () => {
    await writeFile(path, JSON.stringify(config), { mode: 0o600 });
    const kinds = [...sourceKinds, ...(options.kinds ?? [])];
    return loadConfig(path, { env: {}, sourceKinds: offering(kinds), expressions: createExpressions() });
  };
  const loaded = await load();
  const checkpoint = options.checkpoint ?? (() => {});
  const parts = { clock, logger: log, newId: newUlid, checkpoint, mayPresentSeed: true };
  const engine = await openEngine(loaded, options.hasUptime === true ? { ...parts, uptime: clock.uptime } : parts);
  const app = openApp(loaded, engine);
  onTestFinished(() => app.close());
  const watch = { signal: AbortSignal.timeout(slowly(200_000)), progress: () => {}, by: 'shell:ana' };

  const sources: SourceVersion[] = [];
  const office: Office = {
    sources,
    app,
    engine,
    sandbox,
    clock,
    log,
    folder,
    writeEmployees: (rows, file) => office.writeText(csvOf(rows), file),
    async writeText(text, file = 'employees.csv') {
      if (file === 'employees.csv') sources.push({ logged: sandbox.state.log.length, active: activeIn(text) });
      await writeFile(join(folder, file), text);
      // HR writes at the time of the office, which is not that of the machine.
      await utimes(join(folder, file), clock.now() / 1000, clock.now() / 1000);
    },
    plan: (sync = 'people') => planHere(app, sync, watch),
    apply: ({ sync = 'people', approve, users } = {}) =>
      runSync(app, sync, {
        ...watch,
        ...(approve === undefined ? {} : { approve }),
        ...(users === undefined ? {} : { scope: { kind: 'users', identifications: users } }),
      }),
    async edit(sync) {
      Object.assign(config.syncs.people, sync);
      const edited = await openEngine(await load(), parts);
      onTestFinished(() => edited.close());
      (engine.io.syncs as Map<string, Sync>).set('people', edited.io.syncs.get('people') as Sync);
    },
    async applyRows(rows) {
      await office.writeEmployees(rows);
      return office.apply();
    },
    async applyAll(sync = 'people') {
      const plan = await planHere(app, sync, watch);
      return runSync(app, sync, { ...watch, approve: plan.digest });
    },
    setFaults: (...faults) => sandbox.setFaults(faults.map(parseFault)),
  };
  offices.push(office);
  onTestFinished(() => void takeOffices());
  return office;
}

/** Ids of the lines that say active: the id is the first column, the status the last. */
function activeIn(text: string): ReadonlySet<string> {
  const active = text.split('\n').filter((line) => line.endsWith(',active'));
  return new Set(active.map((line) => line.slice(0, line.indexOf(','))));
}

export function csvOf(rows: readonly Row[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return [columns, ...rows.map((row) => columns.map((name) => row[name] ?? ''))]
    .map((line) => `${line.map(cell).join(',')}\n`)
    .join('');
}

/** Synthetic employees E1, E2, …; `patch` changes some. */
export function employees(count: number, patch: Readonly<Record<string, Row>> = {}): Row[] {
  return Array.from({ length: count }, (_, i) => {
    const id = `E${i + 1}`;
    return { id, first: `Ana${i + 1}`, last: 'Díaz', mail: `ana${i + 1}@example.com`, status: 'active', ...patch[id] };
  });
}

/** The same people as users of the platform. */
export function usersOf(rows: readonly Row[]): NonNullable<SandboxOptions['people']> {
  return rows.map((row) => ({
    identification: row.id ?? '',
    enabled: row.status !== 'left',
    fields: { firstName: row.first ?? '', lastName: row.last ?? '', email: row.mail ?? '' },
  }));
}

export function readText(folder: string, file: string): Promise<string> {
  return readFile(join(folder, file), 'utf8');
}

/** Opens an office of so many people that a run has taken over: they are on the platform, and nothing is left to do. */
export async function openManaged(count: number, options: OfficeOptions = {}): Promise<Office> {
  const office = await openOffice({ ...options, sandbox: { people: usersOf(employees(count)), ...options.sandbox } });
  expect((await office.applyRows(employees(count))).run.outcome).toBe('nothing-to-do');
  return office;
}

/** Returns so many employees, of whom the first `changed` have a new last name. */
export function renamed(count: number, changed: number, patch: Readonly<Record<string, Row>> = {}): Row[] {
  return employees(count).map((row, i) => ({
    ...row,
    ...(i < changed ? { last: 'Paz' } : {}),
    ...patch[row.id ?? ''],
  }));
}

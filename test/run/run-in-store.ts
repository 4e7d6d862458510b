import { tmpdir } from 'node:os';
import { onTestFinished } from 'vitest';
import type { Leaders, User } from '../../src/core/person/fields.ts';
import type { Change } from '../../src/core/plan/change.ts';
import { leaderStates } from '../../src/core/plan/leaders.ts';
import type { LedgerEntry } from '../../src/core/plan/ledger.ts';
import { chunk } from '../../src/core/run/batch.ts';
import { PlatformError } from '../../src/core/run/errors.ts';
import type { DeliveryFacts } from '../../src/core/run/facts.ts';
import { defaultDialect, defaultLimits, type SettleSettings, type SyncSettings } from '../../src/core/run/settings.ts';
import { openSeal } from '../../src/platform/tokens/seal.ts';
import type { BatchToSubmit, Delivery, Submission } from '../../src/ports/delivery.ts';
import type { FileStatus, LeadersLookup, Lookup, Platform } from '../../src/ports/platform.ts';
import type { CheckpointName, ProgressEvent } from '../../src/ports/runtime.ts';
import type { Batch, OwnedRun, Run, Store } from '../../src/ports/store.ts';
import { advanceRun } from '../../src/run/advance-run.ts';
import type { EngineIo, RunContext, Sync } from '../../src/run/engine-io.ts';
import { newBatch } from '../../src/run/seal/batches.ts';
import type { JobOutcome } from '../../src/run/work.ts';
import { openFileSpool } from '../../src/store/db/file-spool.ts';
import { openStore } from '../../src/store/index.ts';
import { openRun, writePlan } from '../contracts/store-samples.ts';
import { sampleKey } from '../contracts/store-sealing.ts';
import { FakeClock, someInstant } from '../support/fake-clock.ts';
import { type MemoryLogger, memoryLogger } from '../support/memory-logger.ts';
import { compilePlainMapping, configured, plainSettings } from './plain-settings.ts';

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;

/** Short round figures, each different from the others, so that a test tells which one was used. */
export const settle: SettleSettings = {
  everyMs: 5 * second,
  deadlineMs: 10 * minute,
  visibleWithinMs: 2 * minute,
  unknownAfterMs: 30 * minute,
  maxSplits: 12,
  proofWithinMs: 8 * minute,
  lookWithinMs: 9 * minute,
};

export interface SceneOptions {
  readonly changes: readonly Change[];
  readonly kind?: Batch['kind'];
  /** Which changes go together; one batch of all when absent. */
  readonly batches?: readonly (readonly string[])[];
  readonly settle?: Partial<SettleSettings>;
  readonly settings?: Partial<SyncSettings>;
  readonly ledger?: readonly LedgerEntry[];
  readonly delivery?: DeliveryFacts;
  /** Users beside those whom the changes name in `before`. */
  readonly users?: readonly User[];
  /** Runs of other scenes share their store and clock with this one. */
  readonly beside?: Scene;
  readonly run?: string;
}

/** What the platform does next; a test changes it as it goes. */
export interface Script {
  /** Answers a submission. When absent, or without an answer: takes every change and lands those of `lands`. */
  submit: ((batch: BatchToSubmit) => Submission | undefined | Promise<Submission>) | undefined;
  lands: (change: Change) => boolean;
  status: FileStatus | Error;
  /** What a read of one user answers, when it is not what the directory shows. */
  find: (identification: string) => Lookup | undefined | Promise<undefined>;
  /** What a read of one list of leaders answers, when it is not what `leaders` shows. */
  list: (identification: string) => LeadersLookup | undefined;
  /** How many users a page of a scan holds; all of them when absent. */
  pageSize: number | undefined;
  scanCost: number | undefined;
  scanError: Error | undefined;
  /** The process dies at this place, once. */
  dieAt: CheckpointName | undefined;
}

/** What every scene has: a store, a clock, a platform, and a sync of them in a process. */
export interface EngineScene {
  readonly store: Store;
  readonly clock: FakeClock;
  readonly io: EngineIo;
  readonly sync: Sync;
  readonly users: Map<string, User>;
  /** The lists of leaders that are not empty. */
  readonly leaders: Map<string, Leaders>;
  /** Whose lists were read, in order. */
  readonly listed: readonly string[];
  readonly script: Script;
  readonly log: MemoryLogger;
  /** The identifications of each submission, in order. */
  readonly sent: readonly (readonly string[])[];
  /** How often each call of the platform was made. */
  readonly calls: Record<'find' | 'scan' | 'status', number>;
  /** Each identification that was asked for, as it was asked for. */
  readonly asked: readonly string[];
  /** How many scratch files are open. */
  openSpools(): number;
  readonly places: CheckpointName[];
  readonly events: ProgressEvent[];
  readonly stopping: AbortController;
}

export interface Scene extends EngineScene {
  readonly lost: AbortController;
  /** The run with its lease, as a worker that takes the run up finds it. */
  context(): Promise<RunContext>;
  /** Advances the run by one step. */
  step(): Promise<JobOutcome>;
  /** Advances the run until it is done or `until` holds, waiting as it asks to. Returns how long that took. */
  play(until?: () => Promise<boolean>): Promise<number>;
  run(): Promise<Run>;
  states(): Promise<Record<string, string>>;
  reasons(): Promise<Record<string, string | undefined>>;
  batches(): Promise<readonly Batch[]>;
  findings(): Promise<readonly string[]>;
  /** The texts of the platform beside the run: what each belongs to, and the text. */
  rawTexts(): Promise<readonly string[]>;
  ledger(identification: string): Promise<LedgerEntry | undefined>;
}

export class Killed extends Error {}

interface EngineOptions {
  readonly settings: SyncSettings;
  readonly source: Sync['source'];
  /** What the platform shows, if not what `beside` does. */
  readonly users?: Map<string, User>;
  /** Shares its store, clock and syncs, and the users if none are given. */
  readonly beside?: EngineScene;
}

/** Opens a store and a process with one sync, whose platform does as it is told. */
export async function openEngineScene({ settings, source, ...given }: EngineOptions): Promise<EngineScene> {
  const { beside } = given;
  const seals = [openSeal(sampleKey(1))];
  const store = beside?.store ?? (await openStore('sqlite::memory:', { folder: tmpdir(), seals }));
  if (beside === undefined) onTestFinished(() => store.close());
  const clock = beside?.clock ?? new FakeClock(someInstant);
  const users = given.users ?? beside?.users ?? new Map<string, User>();
  const leaders = beside?.leaders ?? new Map<string, Leaders>();
  const listed: string[] = [];
  const script = openScript();
  const calls = { find: 0, scan: 0, status: 0 };
  const asked: string[] = [];
  const places: CheckpointName[] = [];
  const events: ProgressEvent[] = [];
  const sent: string[][] = [];
  let spools = 0;
  let ids = 0;
  const delivery = (kind: Delivery['kind']): Delivery => ({
    kind,
    async submit(batch) {
      sent.push(batch.changes.map(({ identification }) => identification));
      const answer = await script.submit?.(batch);
      return (
        answer ?? (kind === 'leaders' ? takeLeaders(batch, script, leaders) : takeBatch(kind, batch, script, users))
      );
    },
  });
  const sync: Sync = {
    settings,
    source,
    mapping: compilePlainMapping(settings),
    ...configured(settings),
    platform: scriptedPlatform({ users, script, calls, asked, leaders, listed }),
    dialect: defaultDialect,
    limits: defaultLimits,
    fingerprint: 'f1',
    deliveries: {
      csv: delivery('csv'),
      direct: delivery('direct'),
      outbox: delivery('outbox'),
      leaders: delivery('leaders'),
    },
  };
  const syncs = (beside?.io.syncs ?? new Map()) as Map<string, Sync>;
  syncs.set(settings.name, sync);
  const log = memoryLogger();
  const io: EngineIo = {
    store,
    syncs,
    clock,
    logger: log,
    newId: (prefix) => `${prefix}_id${++ids}`,
    retention: { runs: 7_776_000_000, audit: 34_560_000_000, ledgerOfGone: 34_560_000_000 },
    openSpool() {
      const spool = openFileSpool(tmpdir());
      spools += 1;
      return {
        ...spool,
        close() {
          spools -= 1;
          spool.close();
        },
      };
    },
    checkpoint(place) {
      places.push(place);
      if (script.dieAt !== place) return;
      script.dieAt = undefined;
      throw new Killed(place);
    },
    progress: (event) => void events.push(event),
    countRequests: (_, work) => work(),
  };
  const told = { leaders, listed, sent, calls, asked, openSpools: () => spools, places, events };
  return { store, clock, io, sync, users, script, log, ...told, stopping: new AbortController() };
}

/** A run in phase delivering whose plan lies in a real store, and a platform that does as it is told. */
export async function openScene(options: SceneOptions): Promise<Scene> {
  const id = options.run ?? 'run_1';
  const settings: SyncSettings = { ...plainSettings, ...options.settings, settle: { ...settle, ...options.settle } };
  const { beside } = options;
  const scene = await openEngineScene({
    settings,
    source: undefined as never,
    users: usersBefore(options),
    ...(beside === undefined ? {} : { beside }),
  });
  const { store, clock, sync, io, stopping } = scene;
  const owned = await deliveringRun(store, { ...options, id, settings, now: clock.now() });
  const lost = new AbortController();
  const read = async (): Promise<Run> => {
    const run = await store.runs.get(id);
    if (run === undefined) throw new Error('the run of the scene is gone');
    return run;
  };
  const context = async (): Promise<RunContext> => {
    const run = { lease: owned.lease, run: await read() };
    return { owned: run, sync, signal: lost.signal, stopping: stopping.signal };
  };
  const step = async (): Promise<JobOutcome> => {
    const outcome = await advanceRun(await context(), io);
    // The run in an outcome is a copy of what the store has.
    return outcome.kind === 'next' ? { kind: 'next' } : outcome;
  };
  const changes = () => store.plans.page(id, { limit: 10_000 });
  return {
    ...scene,
    lost,
    context,
    step,
    async play(until = async () => false) {
      const from = clock.now();
      for (let steps = 0; steps < 500; steps++) {
        if (await until()) return clock.now() - from;
        const outcome = await step();
        if (outcome.kind === 'done') return clock.now() - from;
        if (outcome.kind === 'again') clock.jumpTo(clock.now() + outcome.afterMs);
      }
      throw new Error('the run does not end');
    },
    run: read,
    states: async () => Object.fromEntries((await changes()).map((one) => [one.identification, one.state])),
    reasons: async () => Object.fromEntries((await changes()).map((one) => [one.identification, one.stateReason])),
    batches: () => store.batches.ofRun(id),
    findings: async () => (await store.runs.findings(id)).map(({ code, message }) => `${code}: ${message}`),
    rawTexts: async () => (await store.rawTexts.ofRun(id)).map(({ about, text }) => `${about}: ${text}`),
    ledger: (identification) => store.ledger.get(settings.connection, identification),
  };
}

/** A platform that takes every change at once and answers every question. */
export function openScript(): Script {
  return {
    submit: undefined,
    lands: () => true,
    status: { kind: 'done', text: 'Processed' },
    find: () => undefined,
    list: () => undefined,
    pageSize: undefined,
    scanCost: undefined,
    scanError: undefined,
    dieAt: undefined,
  };
}

function usersBefore({ changes, users = [] }: SceneOptions): Map<string, User> {
  const before = changes.flatMap(({ identification, before }): User[] => {
    if (before === undefined) return [];
    const { userId, enabled, fields, lastUpdate = '' } = before;
    return [{ id: userId, identification, enabled, fields, lastUpdate, unreadable: [] }];
  });
  return new Map([...before, ...users].map((user) => [user.identification, user]));
}

interface RunToDeliver extends SceneOptions {
  readonly id: string;
  readonly settings: SyncSettings;
  readonly now: number;
}

async function deliveringRun(store: Store, options: RunToDeliver): Promise<OwnedRun> {
  const { id, settings, changes, kind = 'csv', now } = options;
  const names = changes.map(({ identification }) => identification);
  const owned = await openRun(store, { id, sync: settings.name, connection: settings.connection, now });
  await writePlan(store, { id, owned, sync: settings.name, madeAt: now }, changes);
  const context = { owned, sync: { settings } } as RunContext;
  const all = names.length === 0 ? [] : [names];
  const batches = (options.batches ?? all).map((identifications, i) => ({
    batch: newBatch(context, { number: i + 1, kind, size: identifications.length }),
    identifications,
  }));
  await store.batches.create(owned, batches);
  if (options.ledger !== undefined) await store.ledger.put(owned, options.ledger);
  await store.runs.update(owned, { phase: 'delivering', phaseAt: now, delivery: options.delivery ?? {} });
  return owned;
}

export async function takeBatch(
  kind: Delivery['kind'],
  { id, changes, onResult }: BatchToSubmit,
  script: Script,
  users: Map<string, User>,
): Promise<Submission> {
  if (kind === 'outbox') return { kind: 'exported', path: `outbox/${id}.csv` };
  for (const change of changes) {
    if (kind === 'direct') await onResult(change.identification, { kind: 'sending' });
    if (script.lands(change)) land(change, users, kind);
    if (kind === 'direct') await onResult(change.identification, { kind: 'accepted' });
  }
  return kind === 'direct' ? { kind } : { kind: 'file', fileId: `file of ${id}`, fileName: `${id}.csv` };
}

async function takeLeaders(
  { changes, onResult }: BatchToSubmit,
  { lands }: Script,
  leaders: Map<string, Leaders>,
): Promise<Submission> {
  for (const change of changes) {
    await onResult(change.identification, { kind: 'sending' });
    if (lands(change)) leaders.set(change.identification, leaderStates(change).to);
    await onResult(change.identification, { kind: 'accepted' });
  }
  return { kind: 'direct' };
}

/** The platform does what a change asks for. A row of a file enables the account, a call leaves it as it is. */
export function land(
  { identification, kind, after }: Change,
  users: Map<string, User>,
  route: Delivery['kind'] = 'csv',
): void {
  const user = users.get(identification);
  const isLeft = route === 'direct' && user?.enabled === false;
  if (kind === 'remove') users.delete(identification);
  else {
    users.set(identification, {
      id: user?.id ?? `9${identification}`,
      identification,
      enabled: kind !== 'disable' && !isLeft,
      fields: { ...user?.fields, ...after },
      unreadable: [],
      lastUpdate: '2026-11-21T12:00:01',
    });
  }
}

const neverCalled = (): never => {
  throw new Error('only a delivery writes');
};

export type Directory = Pick<Scene, 'users' | 'script' | 'calls'> & {
  readonly asked: string[];
  readonly leaders?: ReadonlyMap<string, Leaders>;
  readonly listed?: string[];
};

export function scriptedPlatform(directory: Directory): Platform {
  const { users, script, calls, asked, leaders, listed } = directory;
  return {
    async *scan() {
      calls.scan += 1;
      if (script.scanError !== undefined) throw script.scanError;
      const all = [...users.values()];
      for (const page of chunk(all, script.pageSize ?? all.length))
        yield { users: page, unread: [], total: all.length };
    },
    scanCost: () => script.scanCost,
    async find(identification) {
      calls.find += 1;
      asked.push(identification);
      const user = users.get(identification.trim());
      return (await script.find(identification)) ?? (user === undefined ? { found: false } : { found: true, user });
    },
    async status(fileId) {
      calls.status += 1;
      if (fileId === '') throw trouble('PLATFORM_REFUSED', 'never', 404);
      if (script.status instanceof Error) throw script.status;
      return script.status;
    },
    create: neverCalled,
    update: neverCalled,
    remove: neverCalled,
    rename: neverCalled,
    upload: neverCalled,
    async leaders(identification) {
      listed?.push(identification);
      const shown = leaders?.get(identification) ?? { main: undefined, secondary: [] };
      return script.list(identification) ?? { found: 'complete', leaders: shown };
    },
    lead: neverCalled,
    unlead: neverCalled,
  };
}

/** An error of the platform about a read. */
export function trouble(
  code: PlatformError['code'],
  retry: PlatformError['retry'] = 'backoff',
  status?: number,
): PlatformError {
  return new PlatformError('the platform is in trouble', {
    code,
    retry,
    effect: 'none',
    operation: 'GET /os-api/public-api/v1/users',
    ...(status === undefined ? {} : { status }),
  });
}

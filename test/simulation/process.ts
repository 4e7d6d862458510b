import { runJob } from '../../jobs/index.ts';
import type { CompiledMapping } from '../../src/core/person/mapping.ts';
import { buildFileRows } from '../../src/core/run/batch.ts';
import { defaultDialect, defaultLimits, type SyncSettings } from '../../src/core/run/settings.ts';
import { openDirect } from '../../src/delivery/direct.ts';
import { uploadRefusalOf } from '../../src/delivery/provisioning-file.ts';
import type { Delivery } from '../../src/ports/delivery.ts';
import { type Spool, silentLogger } from '../../src/ports/runtime.ts';
import type { Store } from '../../src/ports/store.ts';
import type { EngineIo, Sync } from '../../src/run/engine-io.ts';
import { openRun } from '../../src/run/request-run.ts';
import { driveRun } from '../../src/work/drive-run.ts';
import { configured } from '../run/plain-settings.ts';
import { type Community, rowsOf, type SimulatedPlatform } from './community.ts';
import type { Company } from './company.ts';
import type { Life, Scheduler } from './scheduler.ts';
import type { TokenDesk } from './token-desk.ts';

/** What was asked of the workers, and what they have come to the end of. */
export class Requests {
  #asked = 0;
  #done = 0;

  /** To be called after a request, or a decision, is stored. */
  ask(): void {
    this.#asked += 1;
  }

  /** A worker begins to look for work. It calls the returned function if there is none. */
  look(): () => void {
    const asked = this.#asked;
    return () => {
      this.#done = asked;
    };
  }

  get isDone(): boolean {
    return this.#done === this.#asked;
  }
}

export interface ProcessWorld {
  readonly scheduler: Scheduler;
  /** The product's own, in memory. Every process has it by `openEngine`. */
  readonly store: Store;
  readonly requests: Requests;
  readonly company: Company;
  readonly community: Community;
  readonly tokens: TokenDesk;
  readonly settings: SyncSettings;
  readonly mapping: CompiledMapping;
  readonly newId: (prefix: string) => string;
  /** Something that no process may ever throw. */
  readonly onSurprise: (error: unknown) => void;
}

/** The engine as one process has it: each of its calls may be the last thing it does. */
export function openEngine(life: Life, world: ProcessWorld): EngineIo {
  const { scheduler, settings, mapping, newId } = world;
  const own = storeFor(life, world);
  const platform = world.community.platformFor(life, world.tokens.openFor(life, own));
  const sync: Sync = {
    settings,
    source: world.company.sourceFor(life),
    mapping,
    ...configured(settings),
    platform,
    dialect: defaultDialect,
    limits: defaultLimits,
    fingerprint: 'f1',
    deliveries: {
      csv: rowsDelivery(platform),
      direct: callsDelivery(platform),
      outbox: noDelivery,
      leaders: noDelivery,
    },
  };
  return {
    store: own,
    syncs: new Map([[settings.name, sync]]),
    clock: scheduler.clockOf(life),
    logger: silentLogger,
    newId,
    openSpool: memorySpool,
    retention: { runs: 7_776_000_000, audit: 34_560_000_000, ledgerOfGone: 34_560_000_000 },
    checkpoint: () => {
      if (scheduler.chance(scheduler.faults.crash)) scheduler.kill(life);
    },
    progress: () => {},
    countRequests: (_, work) => work(),
  };
}

/** Works like a worker of a deployment: takes up what nobody drives, then what waits. Never ends by itself. */
export async function work(life: Life, world: ProcessWorld): Promise<void> {
  const { scheduler, store, settings, requests } = world;
  const engine = openEngine(life, world);
  const { signal } = new AbortController();
  const io = { engine, owner: life.name, signal, keepToken: async () => {}, runJob };
  for (;;) {
    await scheduler.sleep(life, 1000 + 8000 * scheduler.random());
    try {
      const findNothing = requests.look();
      const unfinished = await scheduler.during(store.runs.unfinished());
      for (const run of unfinished) await driveRun(run.id, io);
      const opened = await openRun(settings.name, engine);
      if (opened !== undefined) await driveRun(opened.run.id, io);
      else if (unfinished.length === 0) findNothing();
    } catch (error) {
      world.onSurprise(error);
    }
  }
}

/** As the CSV delivery, without the disk: rows made by core, understood by their header. */
function rowsDelivery(platform: SimulatedPlatform): Delivery {
  return {
    kind: 'csv',
    async submit({ id, changes }, signal) {
      const { header, rows } = buildFileRows(changes, defaultDialect);
      try {
        return { kind: 'file', fileId: await platform.uploadRows(id, rowsOf(header, [...rows]), signal), fileName: id };
      } catch (error) {
        return uploadRefusalOf(error);
      }
    },
  };
}

function callsDelivery(platform: SimulatedPlatform): Delivery {
  const direct = openDirect({ platform, dialect: defaultDialect, blacklist: false, outboxFolder: '' });
  return {
    kind: 'direct',
    submit: (batch, signal) => {
      platform.begin(batch.id);
      return direct.submit(batch, signal);
    },
  };
}

const noDelivery: Delivery = {
  kind: 'outbox',
  submit: () => Promise.reject(new RangeError('nothing goes to an outbox here')),
};

function memorySpool(): Spool {
  const texts: string[] = [];
  return { append: (text) => texts.push(text) - 1, read: (place) => texts[place] ?? '', close: () => {} };
}

type Call = (...args: readonly unknown[]) => Promise<unknown>;

/** The store as one process sees it: before and after every call it may end, stop, or somebody else has a turn. */
function storeFor(life: Life, { store, scheduler }: ProcessWorld): Store {
  const around = (of: object): object =>
    Object.fromEntries(
      Object.entries(of).map(([name, call]: [string, Call]) => {
        if (name === 'hashes' || name === 'all') return [name, call];
        return [
          name,
          async (...args: readonly unknown[]) => {
            await scheduler.pass(life);
            const result = await scheduler.during(call(...args));
            await scheduler.pass(life);
            return result;
          },
        ];
      }),
    );
  const parts = Object.entries(store).map(([name, part]) => {
    return [name, typeof part === 'object' ? around(part) : part];
  });
  return Object.fromEntries(parts) as Store;
}

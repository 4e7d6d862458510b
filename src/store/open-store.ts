import { resolve } from 'node:path';
import { RollcallError } from '../core/run/errors.ts';
import { onDemand } from '../core/run/on-demand.ts';
import type { Clock, Logger, Uptime } from '../ports/runtime.ts';
import type { Store } from '../ports/store.ts';
import type { StoreMigration } from '../ports/store-operations.ts';
import type { Seal } from '../ports/tokens.ts';
import { createAlerts } from './alerts.ts';
import { createAudit } from './audit/chain.ts';
import { createSigning } from './audit/signing.ts';
import { createBaselines } from './baselines.ts';
import { type Database, isPostgresUrl, type OpenDatabase } from './db/database.ts';
import { describeFault } from './db/errors.ts';
import { openFileProof } from './db/file-proof.ts';
import { checkKeys, type KeyRing, openKeyRing } from './db/key-ring.ts';
import { migrate } from './db/migrate.ts';
import { openSqlite } from './db/sqlite-dialect.ts';
import { openStoreClock, type StoreClock } from './db/store-clock.ts';
import { StoreProof } from './db/store-proof.ts';
import { createLeases, createTurns, takeLease } from './leases.ts';
import { createLeavers } from './leavers.ts';
import { createLedger } from './ledger.ts';
import { createMailedReports } from './mailed-reports.ts';
import { createLearned, createPauses, createRestores, createSyncNames } from './operations.ts';
import { createDirectories } from './people/directories.ts';
import { createRosters } from './people/rosters.ts';
import { createBatches } from './plans/batches.ts';
import { createDecisions } from './plans/decisions.ts';
import { createHolds } from './plans/holds.ts';
import { createPlans } from './plans/plans.ts';
import { createPreviews } from './previews.ts';
import { createPersonRecords } from './privacy/person-records.ts';
import { createSealing } from './privacy/sealing.ts';
import { createRawTexts, createReads } from './reads.ts';
import { createReports } from './reports.ts';
import { createRuns } from './runs.ts';
import { createStanding } from './standing.ts';
import { createSessions, createTokenStore } from './tokens.ts';
import { createTriggers } from './triggers.ts';

export interface StoreBase {
  /** Folder of the configuration file. Relative paths are resolved from it. */
  readonly folder: string;
  /** Maximum number of connections of a PostgreSQL store. Absent: the default of the configuration. */
  readonly connections?: number;
  /** Seals of personal data: the current one first, then former ones. None: it is stored as it is. */
  readonly seals?: readonly Seal[];
  /** Absent: the machine's clock is the store's, as it is, and no count is reused for a while. */
  readonly uptime?: Uptime;
}

export interface ClockBase {
  /** The machine's clock. */
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

export interface OpenedStore {
  readonly store: Store;
  readonly clock: StoreClock;
}

/**
 * Opens the store that `url` names and brings it to this version's tables. `sqlite:./path` is a file, created when it
 * does not exist; `sqlite::memory:` ends with the process; `postgres://user:password@host:port/database` can be shared by
 * several workers. Throws `CONFIG_INVALID` for any other url. Throws `STORE_INVALID` for a store that cannot be reached
 * or written, is damaged, belongs to another application, or was changed incompatibly by a newer version.
 */
export async function openStore(url: string, base: StoreBase): Promise<Store> {
  return (await openMigrated(url, base, async () => {})).store;
}

/** Opens the store as `openStore` does, and the clock that all its processes share. */
export function openStoreWithClock(url: string, base: StoreBase & ClockBase): Promise<OpenedStore> {
  return openMigrated(url, base, (db, place) => openStoreClock(db, { ...base, place }));
}

async function openMigrated<C>(
  url: string,
  base: StoreBase,
  openClock: (db: Database, place: string) => Promise<C>,
): Promise<{ store: Store; clock: C }> {
  const opened = await openDatabase(url, base);
  const { db, place } = opened;
  try {
    await migrate(db, place);
    await checkKeys(db, base.seals ?? []);
    return {
      store: createStore(opened, { keys: openKeyRing(base.seals ?? []), uptime: base.uptime }),
      clock: await openClock(db, place),
    };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

/** Brings the store to this version's tables and closes it again. Throws what `openStore` throws. */
export async function migrateStore(url: string, base: StoreBase): Promise<StoreMigration> {
  const { db, place } = await openDatabase(url, base);
  try {
    return await migrate(db, place);
  } finally {
    await db.destroy();
  }
}

/** Opens the database that `url` names, without its tables. */
export async function openDatabase(url: string, { folder, connections }: StoreBase): Promise<OpenDatabase> {
  if (isPostgresUrl(url)) return (await import('./db/postgres.ts')).openPostgres(url, folder, connections);
  const place = sqlitePath(url, folder);
  const db = await openSqlite(place);
  return place === ':memory:' ? { db, place } : { db, place, prove: await openFileProof(db, place) };
}

/** Returns the absolute path of a SQLite store, or `:memory:`. Throws `CONFIG_INVALID` for any other url. */
export function sqlitePath(url: string, folder: string): string {
  const path = url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : '';
  if (path === '') {
    // Only the scheme is shown, because the rest may contain a password.
    const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0] ?? 'no scheme';
    const message = `a store of the kind "${scheme}" is not supported. "store" can be sqlite:./path/to/file.db, relative to the configuration file, sqlite::memory:, or postgres://user:password@host:port/database.`;
    throw new RollcallError(message, { code: 'CONFIG_INVALID' });
  }
  return path === ':memory:' ? path : resolve(folder, path);
}

/** Returns the store over a database that has this version's tables. */
export function createStore(
  opened: OpenDatabase,
  { keys, uptime }: { readonly keys: KeyRing; readonly uptime: Uptime | undefined },
): Store {
  const { db } = opened;
  const proof = new StoreProof(opened);
  const leases = createLeases(db, proof);
  const parts = onDemand<Omit<Store, 'leases' | 'fault' | 'requireHere' | 'close'>>({
    turns: () => createTurns(db),
    triggers: () => createTriggers(db),
    runs: () => createRuns(db, keys),
    plans: () => createPlans(db, keys),
    batches: () => createBatches(db, keys),
    ledger: () => createLedger(db, keys),
    decisions: () => createDecisions(db),
    leavers: () => createLeavers(db),
    standing: () => createStanding(db),
    holds: () => createHolds(db),
    baselines: () => createBaselines(db, keys),
    reads: () => createReads(db, keys),
    rosters: () => createRosters(db, keys),
    rawTexts: () => createRawTexts(db, keys),
    people: () => createPersonRecords(db, keys),
    sealing: () => createSealing(db, keys),
    tokens: () => createTokenStore(db, proof),
    alerts: () => createAlerts(db),
    pauses: () => createPauses(db),
    learned: () => createLearned(db),
    syncNames: () => createSyncNames(db, keys),
    audit: () => createAudit(db),
    signing: () => createSigning(db, keys),
    restores: () => createRestores(db),
    reports: () => createReports(db, keys, uptime),
    sessions: () => createSessions(db),
    previews: () => createPreviews(db),
    mailedReports: () => createMailedReports(db),
    directories: () => createDirectories(db, keys),
  });
  return Object.assign(parts, {
    leases,
    async fault(now: number) {
      try {
        await proof.prove();
        await takeLease(db, { name: 'writable', owner: 'probe', ttlMs: 1 }, now);
        return undefined;
      } catch (error) {
        return describeFault(error);
      }
    },
    requireHere: () => proof.requireHere(),
    close: () => db.destroy(),
  });
}

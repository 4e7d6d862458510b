import { CompiledQuery } from 'kysely';
import { afterAll, beforeEach, describe } from 'vitest';
import type { Store } from '../../src/ports/store.ts';
import type { Seal } from '../../src/ports/tokens.ts';
import { isPostgres } from '../../src/store/db/differences.ts';
import { openKeyRing } from '../../src/store/db/key-ring.ts';
import { createStore, openDatabase } from '../../src/store/open-store.ts';
import { describeAlerts } from './store-alerts.ts';
import { describeBaselines } from './store-baselines.ts';
import { describeBatches } from './store-batches.ts';
import { describeDecisions, describeOldDecisions } from './store-decisions.ts';
import { describeDirectories } from './store-directories.ts';
import { describeHeldEnds } from './store-held-ends.ts';
import { describeHolds } from './store-holds.ts';
import { describeLeases } from './store-leases.ts';
import { describeLedger } from './store-ledger.ts';
import { migrateOpened, tablesOf } from './store-newer.ts';
import { describeOperations } from './store-operations.ts';
import { describePlans } from './store-plans.ts';
import { describePreviews } from './store-previews.ts';
import { describePrune } from './store-prune.ts';
import { describeRaces } from './store-races.ts';
import { describeRosters } from './store-rosters.ts';
import { describeRuns } from './store-runs.ts';
import { describeTokens } from './store-tokens.ts';
import { describeTurns } from './store-turns.ts';

type Suite = (current: () => Store) => void;

const suites = {
  leases: describeLeases,
  turns: describeTurns,
  'triggers and runs': describeRuns,
  plans: describePlans,
  batches: describeBatches,
  ledger: describeLedger,
  decisions: describeDecisions,
  'baselines and edits': describeBaselines,
  rosters: describeRosters,
  holds: describeHolds,
  'what became of held changes': describeHeldEnds,
  directories: describeDirectories,
  previews: describePreviews,
  'pauses, audit, keys and pages': describeOperations,
  tokens: describeTokens,
  alerts: describeAlerts,
  pruning: describePrune,
  'pruning decisions': describeOldDecisions,
  'asked from several sides at once': describeRaces,
} satisfies Readonly<Record<string, Suite>>;

type SuiteName = keyof typeof suites;

const everySuite = Object.keys(suites) as readonly SuiteName[];

/** What reads and writes a sealed column. */
export const touchedBySealing: readonly SuiteName[] = [
  'plans',
  'ledger',
  'baselines and edits',
  'directories',
  'tokens',
];

/**
 * Stores over one database, one after the other: each is empty at its beginning. A later version has added tables and columns
 * to the database. What works there works on the tables of this version, which all other tests use.
 */
export async function openInTurn(url: string, seals: readonly Seal[] = []): Promise<() => Promise<Store>> {
  const opened = await openDatabase(url, { folder: '.' });
  const { db } = opened;
  afterAll(() => db.destroy());
  await migrateOpened(opened);
  const deletes = (await tablesOf(db)).map((table) => `delete from ${table}`);
  // SQLite prepares one statement at a time.
  const statements = isPostgres(db) ? [deletes.join('; ')] : deletes;
  return async () => {
    for (const statement of statements) await db.executeQuery(CompiledQuery.raw(statement));
    return createStore(opened, { keys: openKeyRing(seals), uptime: undefined });
  };
}

/**
 * What every store keeps to, whatever the database. `open` gives an empty store; each test gets its own. The whole of it
 * runs once for each database; what differs otherwise runs the suites that it touches.
 */
export function describeStore(name: string, open: () => Promise<Store>, chosen = everySuite): void {
  describe(name, () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    for (const suite of chosen) describe(suite, () => suites[suite](() => store));
  });
}

import { afterEach, beforeEach, describe } from 'vitest';
import type { Store } from '../../src/ports/store.ts';
import { describeAlerts } from './store-alerts.ts';
import { describeBaselines } from './store-baselines.ts';
import { describeBatches } from './store-batches.ts';
import { describeDecisions, describeOldDecisions } from './store-decisions.ts';
import { describeDirectories } from './store-directories.ts';
import { describeHeldEnds } from './store-held-ends.ts';
import { describeHolds } from './store-holds.ts';
import { describeLeases } from './store-leases.ts';
import { describeLedger } from './store-ledger.ts';
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

/** What inserts into every table: a later version has added columns to each. The other suites insert by the same calls. */
export const touchedByAdditions: readonly SuiteName[] = [
  'turns',
  'batches',
  'ledger',
  'decisions',
  'baselines and edits',
  'rosters',
  'holds',
  'what became of held changes',
  'directories',
  'previews',
  'pauses, audit, keys and pages',
  'tokens',
  'alerts',
];

/**
 * What every store keeps to, whatever the database. `open` gives a new, empty store; each test gets its own, and the
 * suite closes it. The whole of it runs once for each database; what differs otherwise runs the suites that it touches.
 */
export function describeStore(name: string, open: () => Promise<Store>, chosen = everySuite): void {
  describe(name, () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());
    for (const suite of chosen) describe(suite, () => suites[suite](() => store));
  });
}

import { afterEach, beforeEach, describe } from 'vitest';
import type { Store } from '../../src/ports/store.ts';
import { describeAlerts } from './store-alerts.ts';
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

/**
 * What every store keeps to, whatever the database. `open` gives a new, empty store; each test gets its own, and the
 * suite closes it.
 */
export function describeStore(name: string, open: () => Promise<Store>): void {
  describe(name, () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());
    const current = (): Store => store;

    describe('leases', () => describeLeases(current));
    describe('turns', () => describeTurns(current));
    describe('triggers and runs', () => describeRuns(current));
    describe('plans', () => describePlans(current));
    describe('batches', () => describeBatches(current));
    describe('ledger', () => describeLedger(current));
    describe('decisions', () => describeDecisions(current));
    describe('rosters', () => describeRosters(current));
    describe('holds', () => describeHolds(current));
    describe('what became of held changes', () => describeHeldEnds(current));
    describe('directories', () => describeDirectories(current));
    describe('previews', () => describePreviews(current));
    describe('pauses, audit, keys and pages', () => describeOperations(current));
    describe('tokens', () => describeTokens(current));
    describe('alerts', () => describeAlerts(current));
    describe('pruning', () => describePrune(current));
    describe('pruning decisions', () => describeOldDecisions(current));
    describe('asked from several sides at once', () => describeRaces(current));
  });
}

import { beforeEach, describe } from 'vitest';
import { describeBatches } from '../contracts/store-batches.ts';
import { describeDecisions } from '../contracts/store-decisions.ts';
import { describeHolds } from '../contracts/store-holds.ts';
import { describeLeases } from '../contracts/store-leases.ts';
import { describeLedger } from '../contracts/store-ledger.ts';
import { describePlans } from '../contracts/store-plans.ts';
import { describeRuns } from '../contracts/store-runs.ts';
import { describeTokens } from '../contracts/store-tokens.ts';
import { describeTurns } from '../contracts/store-turns.ts';
import { memoryStore, type SimulatedStore } from './memory-store.ts';

describe('the store of the simulation', () => {
  let store: SimulatedStore;
  beforeEach(() => {
    store = memoryStore();
  });
  const current = (): SimulatedStore => store;
  describe('leases', () => describeLeases(current));
  describe('turns', () => describeTurns(current));
  describe('triggers and runs', () => describeRuns(current));
  describe('plans', () => describePlans(current));
  describe('batches', () => describeBatches(current));
  describe('ledger', () => describeLedger(current));
  describe('decisions', () => describeDecisions(current));
  describe('holds', () => describeHolds(current));
  describe('tokens', () => describeTokens(current));
});

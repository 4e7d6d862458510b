import { describe, expect, it } from 'vitest';
import type { DecisionRecord } from '../../../src/ports/store.ts';
import { isDecidedByOperator } from '../../../src/run/compare/expected-hand-overs.ts';
import { sampleChange } from '../../contracts/store-samples.ts';

const now = 1000;

describe('the decision of an operator about a change', () => {
  const change = sampleChange('ana', 'disable');
  const approved = { hash: change.hash, by: 'ops', state: 'approved', expiresAt: now + 1 } as const;
  const rejected = { hash: change.hash, by: 'ops', state: 'rejected' } as const;
  const about = (over: object) => over as DecisionRecord;

  it.each<{ name: string; known: readonly DecisionRecord[]; isDecided: boolean }>([
    { name: 'where there is none', known: [], isDecided: false },
    { name: 'is an approval', known: [about(approved)], isDecided: true },
    { name: 'is not a hold that waits', known: [about({ hash: change.hash, state: 'open' })], isDecided: false },
    { name: 'is not one that has ended', known: [about({ ...rejected, endedAt: 1 })], isDecided: false },
    { name: 'is not one about another change', known: [about({ ...rejected, hash: 'other' })], isDecided: false },
    { name: 'is an approval that no run took', known: [about({ ...approved, run: undefined })], isDecided: true },
    { name: 'is no approval that a run took', known: [about({ ...approved, run: 'run_1' })], isDecided: false },
    { name: 'is no approval that has expired', known: [about({ ...approved, expiresAt: now })], isDecided: false },
    { name: 'is no approval without an end', known: [about({ ...approved, expiresAt: undefined })], isDecided: false },
  ])('$name: $isDecided', ({ known, isDecided }) => {
    expect(isDecidedByOperator(change, known, now)).toBe(isDecided);
  });

  it('is also what a standing decision made of it', () => {
    expect(isDecidedByOperator({ ...change, verdict: { state: 'dropped', reason: 'no' } }, [], now)).toBe(true);
  });
});

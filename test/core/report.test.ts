import { describe, expect, it } from 'vitest';
import { certifySnapshot } from '../../src/core/plan/snapshot.ts';
import { chooseOutcome, countChanges, exitCodes, noStates, type RunEnd } from '../../src/core/run/report.ts';
import { noCounts } from '../../src/core/run/run.ts';

const end: RunEnd = {
  counts: noCounts,
  states: noStates,
  isCancelled: false,
  failure: undefined,
  facts: {},
};
const counts = (patch: Partial<typeof noCounts>) => ({ counts: { ...noCounts, ...patch } });

describe('the outcome of a run', () => {
  it.each([
    { name: 'nothing to do', patch: {}, outcome: 'nothing-to-do', exit: 0 },
    { name: 'all applied', patch: counts({ applied: 3 }), outcome: 'succeeded', exit: 0 },
    { name: 'unverified is a success with a finding', patch: counts({ unverified: 3 }), outcome: 'succeeded', exit: 0 },
    { name: 'something held', patch: counts({ applied: 3, held: 1 }), outcome: 'held', exit: 3 },
    {
      name: 'a doubted read waits for a person',
      patch: { ...counts({}), facts: { isReadDoubted: true } },
      outcome: 'held',
      exit: 3,
    },
    { name: 'partial before held', patch: counts({ held: 1, failed: 1 }), outcome: 'partial', exit: 4 },
    { name: 'an unknown outcome is partial', patch: counts({ unresolved: 1 }), outcome: 'partial', exit: 4 },
    {
      name: 'an incomplete read is never a success',
      patch: { ...counts({ applied: 3 }), facts: { sourceGaps: ['cut'] } },
      outcome: 'partial',
      exit: 4,
    },
    {
      name: 'an incomplete read never hides what waits',
      patch: { ...counts({ held: 3 }), facts: { sourceGaps: ['cut'] } },
      outcome: 'held',
      exit: 3,
    },
    {
      name: 'an incomplete read never hides a read that waits for a person',
      patch: { facts: { sourceGaps: ['cut'], isReadDoubted: true } },
      outcome: 'held',
      exit: 3,
    },
    {
      name: 'people who wait for an earlier change never hide what waits for a person',
      patch: { ...counts({ held: 1 }), facts: { blocked: { unresolved: 2 } } },
      outcome: 'held',
      exit: 3,
    },
    {
      name: 'people without access because of their records are partial',
      patch: { facts: { access: { keep: 0, lack: 1 } } },
      outcome: 'partial',
      exit: 4,
    },
    {
      name: 'people without access never hide what waits',
      patch: { ...counts({ held: 3 }), facts: { access: { keep: 1, lack: 0 } } },
      outcome: 'held',
      exit: 3,
    },
    {
      name: 'a named person whom the source does not know is partial',
      patch: { facts: { unknownPeople: 1 } },
      outcome: 'partial',
      exit: 4,
    },
    { name: 'failed before partial', patch: { ...counts({ failed: 1 }), failure: 'dead' }, outcome: 'failed', exit: 1 },
    { name: 'cancelled', patch: { isCancelled: true }, outcome: 'cancelled', exit: 1 },
    { name: 'exported', patch: { states: { ...noStates, exported: 2 } }, outcome: 'exported', exit: 0 },
  ] as const)('$name: $outcome', ({ patch, outcome, exit }) => {
    expect(chooseOutcome({ ...end, ...patch }).outcome).toBe(outcome);
    expect(exitCodes[outcome]).toBe(exit);
  });
});

describe('the reason of a run', () => {
  it.each([
    { patch: counts({ failed: 1 }), reason: '1 change failed' },
    { patch: counts({ failed: 12, unresolved: 1 }), reason: '12 changes failed, 1 change has an unknown outcome' },
    {
      patch: { ...counts({}), facts: { blocked: { unresolved: 1 } } },
      reason: '1 person waits until the outcome of an earlier change is known',
    },
    { patch: { facts: { unknownPeople: 1 } }, reason: 'the source does not know 1 named person' },
    { patch: counts({ held: 1 }), reason: '1 change waits for approval' },
    {
      patch: { ...counts({ held: 1 }), facts: { isReadDoubted: true, doubt: 'too many' } },
      reason: '1 change waits for approval; too many',
    },
    {
      patch: { facts: { isReadDoubted: true, doubt: 'too many' } },
      reason: 'too many: approve the run if the source is right',
    },
    {
      patch: { facts: { sourceGaps: ['cut'], doubt: 'too many' } },
      reason: 'the source was not read completely (cut); too many',
    },
    { patch: { states: { ...noStates, exported: 2 } }, reason: '2 changes were written to files' },
    { patch: { isCancelled: true, states: { ...noStates, dropped: 1 } }, reason: 'cancelled: 1 change not sent' },
    {
      patch: { isCancelled: true, ...counts({ unresolved: 25 }) },
      reason: 'cancelled: 25 changes have an unknown outcome',
    },
    {
      patch: { isCancelled: true, ...counts({ failed: 1 }), states: { ...noStates, dropped: 2 } },
      reason: 'cancelled: 1 change failed, 2 changes not sent',
    },
  ])('counts one and many alike: $reason', ({ patch, reason }) => {
    expect(chooseOutcome({ ...end, ...patch }).reason).toBe(reason);
  });
});

describe('all reasons of a run', () => {
  const trouble = { keep: 1, lack: 2, cause: 'left is no date; first at line 2' };

  it('are listed, the reason of the outcome first', () => {
    const facts = { sourceGaps: ['cut'], access: trouble, doubt: 'too many', isReadDoubted: true };
    const { reason, reasons } = chooseOutcome({ ...end, ...counts({ held: 2 }), facts });
    expect(reason).toBe('2 changes wait for approval; too many; the source was not read completely (cut)');
    expect(reasons).toEqual([
      '2 changes wait for approval',
      'too many',
      'the source was not read completely (cut)',
      '1 person keeps and 2 people lack access because of trouble with their records (left is no date; first at line 2)',
    ]);
  });

  it('tell a run with trouble in records alone from one that did not do its work', () => {
    const isSuccess = (facts: RunEnd['facts']): boolean => chooseOutcome({ ...end, facts }).isSuccess;
    expect(isSuccess({ access: trouble })).toBe(true);
    expect(isSuccess({ access: trouble, sourceGaps: ['cut'] })).toBe(false);
    expect(isSuccess({ isReadDoubted: true })).toBe(true);
  });
});

describe('what a read proves', () => {
  const complete = { complete: true, rows: 5, evidence: 'test', stamp: 's' } as const;

  it.each([
    {
      name: 'a complete full read: leavers and missing',
      kind: 'full',
      end: complete,
      unreadable: 0,
      leavers: true,
      missing: true,
    },
    {
      name: 'a complete delta: leavers only',
      kind: 'delta',
      end: complete,
      unreadable: 0,
      leavers: true,
      missing: false,
    },
    {
      name: 'a complete point read: leavers only',
      kind: 'point',
      end: complete,
      unreadable: 0,
      leavers: true,
      missing: false,
    },
    {
      name: 'a record that names nobody: leavers only',
      kind: 'full',
      end: complete,
      unreadable: 1,
      leavers: true,
      missing: false,
    },
    {
      name: 'an empty full read: nothing',
      kind: 'full',
      end: { ...complete, rows: 0 },
      unreadable: 0,
      leavers: false,
      missing: false,
    },
    {
      name: 'an incomplete read: nothing',
      kind: 'full',
      end: { complete: false, rows: 5, reasons: ['cut'] },
      unreadable: 0,
      leavers: false,
      missing: false,
    },
  ] as const)('$name', ({ kind, end: readEnd, unreadable, leavers, missing }) => {
    const snapshot = certifySnapshot({ kind, end: readEnd, unreadable, readAt: 1, runAt: undefined });
    expect([snapshot.leavers !== undefined, snapshot.missing !== undefined]).toEqual([leavers, missing]);
  });
});

it('the counts of a run are what was planned and how each change ended', () => {
  const kinds = { create: 1, update: 2, enable: 3, disable: 4, remove: 5, lead: 6, unlead: 7 };
  const classes = {
    creates: 1,
    updates: 2,
    emailChanges: 9,
    firstSight: 6,
    enables: 3,
    disables: 4,
    removes: 5,
    handOvers: 0,
    configuration: 0,
    leads: 0,
    unleads: 0,
  };
  const ends = { ...noStates, planned: 99, sent: 98, held: 7, applied: 8, failed: 10, unverified: 11, unresolved: 12 };
  expect(countChanges(kinds, classes, ends, 13)).toEqual({
    ...kinds,
    firstSight: 6,
    held: 7,
    applied: 8,
    failed: 10,
    unverified: 11,
    unresolved: 12,
    repeated: 13,
  });
});

import { describe, expect, it } from 'vitest';
import { type ChangeClass, changeClasses } from '../../src/core/plan/change.ts';
import { noPlan, type PlanFacts } from '../../src/core/run/facts.ts';
import { chooseOutcome, countChanges, exitCodes, noStates, type RunEnd } from '../../src/core/run/report.ts';
import { noCounts, type Outcome, traceIdsOf } from '../../src/core/run/run.ts';

const end: RunEnd = {
  counts: noCounts,
  states: noStates,
  isCancelled: false,
  failure: undefined,
  plan: noPlan,
};
type Classes = Record<ChangeClass, number>;
const found = (patch: Partial<PlanFacts>) => ({ plan: { ...noPlan, ...patch } });
const counts = (patch: Partial<typeof noCounts>) => ({ counts: { ...noCounts, ...patch } });

describe('the outcome of a run', () => {
  const gaps = found({ sourceGaps: ['cut'] });
  const lacking = found({ access: { keep: 0, lack: 1 } });

  it.each<[string, Partial<RunEnd>, Outcome]>([
    ['nothing to do', {}, 'nothing-to-do'],
    ['all applied', counts({ applied: 3 }), 'succeeded'],
    ['unverified is a success with a finding', counts({ unverified: 3 }), 'succeeded'],
    ['something held', counts({ applied: 3, held: 1 }), 'held'],
    ['a doubted read waits for a person', found({ isReadDoubted: true }), 'held'],
    ['partial before held', counts({ held: 1, failed: 1 }), 'partial'],
    ['an unknown outcome is partial', counts({ unresolved: 1 }), 'partial'],
    ['an incomplete read is never a success', { ...counts({ applied: 3 }), ...gaps }, 'partial'],
    ['an incomplete read never hides what waits', { ...counts({ held: 3 }), ...gaps }, 'held'],
    ['nor a read that waits for a person', found({ ...gaps.plan, isReadDoubted: true }), 'held'],
    ['nor do people who wait', { ...counts({ held: 1 }), ...found({ blocked: { unresolved: 2 } }) }, 'held'],
    ['people without access because of their records are partial', lacking, 'partial'],
    ['people without access never hide what waits', { ...counts({ held: 3 }), ...lacking }, 'held'],
    ['a named person whom the source does not know is partial', found({ unknownPeople: 1 }), 'partial'],
    ['failed before partial', { ...counts({ failed: 1 }), failure: 'dead' }, 'failed'],
    ['cancelled', { isCancelled: true }, 'cancelled'],
    ['exported', { states: { ...noStates, exported: 2 } }, 'exported'],
  ])('%s', (_, patch, outcome) => {
    expect(chooseOutcome({ ...end, ...patch }).outcome).toBe(outcome);
  });

  it('is the exit code of the command', () => {
    const done = { succeeded: 0, 'nothing-to-do': 0, exported: 0 };
    expect(exitCodes).toEqual({ ...done, failed: 1, cancelled: 1, held: 3, partial: 4 });
  });
});

describe('the reason of a run', () => {
  const doubted = found({ isReadDoubted: true, doubt: 'too many' });
  const dropped = (count: number) => ({ isCancelled: true, states: { ...noStates, dropped: count } });

  it.each<[string, Partial<RunEnd>]>([
    ['1 change failed', counts({ failed: 1 })],
    ['12 changes failed, 1 change has an unknown outcome', counts({ failed: 12, unresolved: 1 })],
    ['1 person waits until the outcome of an earlier change is known', found({ blocked: { unresolved: 1 } })],
    ['the source does not know 1 named person', found({ unknownPeople: 1 })],
    ['1 change needs approval', counts({ held: 1 })],
    ['1 change needs approval; too many', { ...counts({ held: 1 }), ...doubted }],
    ['too many: approve the run if the source is right', doubted],
    ['the source was not read completely (cut); too many', found({ sourceGaps: ['cut'], doubt: 'too many' })],
    ['2 changes were written to files', { states: { ...noStates, exported: 2 } }],
    [
      '1 person needs their status in lifecycle: 1 has no account yet',
      found({ access: { keep: 0, lack: 1 }, blocked: { 'status-unknown': 2 } }),
    ],
    ['cancelled: 1 change not sent', dropped(1)],
    ['cancelled: 0 changes not sent', dropped(0)],
    ['cancelled: 25 changes have an unknown outcome', { isCancelled: true, ...counts({ unresolved: 25 }) }],
    ['cancelled: 1 change failed, 2 changes not sent', { ...dropped(2), ...counts({ failed: 1 }) }],
  ])('counts one and many alike: %s', (reason, patch) => {
    expect(chooseOutcome({ ...end, ...patch }).reason).toBe(reason);
  });
});

describe('all reasons of a run', () => {
  const trouble = { keep: 1, lack: 2, cause: 'left is no date; first at line 2' };

  it('are listed, the reason of the outcome first', () => {
    const all = found({ sourceGaps: ['cut'], access: trouble, doubt: 'too many', isReadDoubted: true });
    const { reason, reasons } = chooseOutcome({ ...end, ...counts({ held: 2 }), ...all });
    expect(reason).toBe('2 changes need approval; too many; the source was not read completely (cut)');
    expect(reasons).toEqual([
      '2 changes need approval',
      'too many',
      'the source was not read completely (cut)',
      '3 people need a fix in HR: 2 have no account yet, 1 still has access (left is no date; first at line 2)',
    ]);
  });

  it('tell a run with trouble in records alone from one that did not do its work', () => {
    const isSuccess = (patch: Partial<PlanFacts>) => chooseOutcome({ ...end, ...found(patch) }).isSuccess;
    expect(isSuccess({ access: trouble })).toBe(true);
    expect(isSuccess({ access: trouble, sourceGaps: ['cut'] })).toBe(false);
    expect(isSuccess({ isReadDoubted: true })).toBe(true);
  });
});

it('the counts of a run are what was planned and how each change ended', () => {
  const kinds = { create: 1, update: 2, enable: 3, disable: 4, remove: 5, lead: 6, unlead: 7 };
  const classes = { ...(Object.fromEntries(changeClasses.map((name) => [name, 99])) as Classes), firstSight: 6 };
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

it('every process derives the same ids from a run, in the form of W3C Trace Context, and others from another run', () => {
  const { trace, span } = traceIdsOf('run_01');
  expect(trace).toMatch(/^(?!0{32})[\da-f]{32}$/);
  expect(span).toMatch(/^(?!0{16})[\da-f]{16}$/);
  // Fixed: two versions of the product work on one run.
  expect({ trace, span }).toEqual({ trace: '6a468893cd784e77ce4211da55b5382d', span: '88285fc81ac7e751' });
  expect(new Set(['run_01', 'run_02', 'run_03'].map((run) => traceIdsOf(run).trace)).size).toBe(3);
});

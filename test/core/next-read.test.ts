import { describe, expect, it } from 'vitest';
import { noPlan } from '../../src/core/run/facts.ts';
import {
  isClean,
  joinNamed,
  mostJoined,
  nextRead,
  type ReadFact,
  type ReadGrounds,
  type Watermark,
  watermarkAfter,
} from '../../src/core/run/next-read.ts';
import type { RunEnd } from '../../src/core/run/report.ts';
import { type ChangeState, noCounts } from '../../src/core/run/run.ts';

const now = Date.UTC(2026, 10, 21, 12);
const hourMs = 3_600_000;
const deltas = { fullEveryMs: 24 * hourMs, overlapMs: 600_000 };
const watermark: Watermark = { at: now - hourMs, fullAt: now - 5 * hourMs, fullRun: 'run_1', fingerprint: 'f1' };
const grounds: ReadGrounds = { deltas, canDelta: true, isFullRequested: false, watermark, fingerprint: 'f1', now };

describe('which read comes next', () => {
  it('is a delta from before the last clean read, with the overlap, where nothing speaks against it', () => {
    expect(nextRead(grounds)).toEqual({ kind: 'delta', since: now - hourMs - 600_000, from: watermark });
  });

  it('is a full one, without a word, where the sync has no deltas', () => {
    expect(nextRead({ ...grounds, deltas: undefined })).toEqual({ kind: 'full' });
  });

  it.each<[string, Partial<ReadGrounds>]>([
    ['a full read was requested', { isFullRequested: true }],
    ['the source cannot read only the changed employees with this configuration', { canDelta: false }],
    ['a delta needs an earlier full read, and none is known', { watermark: undefined }],
    ['the configuration has changed since the last full read', { fingerprint: 'f2' }],
    ['the clock was set back after the last full read', { now: watermark.at - 1 }],
    ['the next full read is due', { now: watermark.fullAt + 24 * hourMs }],
  ])('is a full one, because %s', (reason, over) => {
    expect(nextRead({ ...grounds, ...over })).toEqual({ kind: 'full', reason });
  });

  it('is still a delta in the last moment before a full one is due, and in the same moment as the last', () => {
    expect(nextRead({ ...grounds, now: watermark.fullAt + 24 * hourMs - 1 }).kind).toBe('delta');
    expect(nextRead({ ...grounds, now: watermark.at }).kind).toBe('delta');
  });
});

describe('the watermark after a run', () => {
  const full: ReadFact = { kind: 'full', at: now, fingerprint: 'f1' };
  const delta: ReadFact = { kind: 'delta', at: now, since: watermark.at, fingerprint: 'f1' };
  const fresh: Watermark = { at: now, fullAt: now, fullRun: 'run_2', fingerprint: 'f1' };
  const moved: Watermark = { ...watermark, at: now };

  it.each<[what: string, kind: ReadFact['kind'], isClean: boolean, after: Watermark | undefined]>([
    ['a full one', 'full', true, undefined],
    ['a delta', 'delta', true, undefined],
    ['a delta that left something undone', 'delta', false, undefined],
    ['named people', 'point', true, watermark],
  ])('is none where a run met two records of one person, unless it was about named people: %s', (...line) => {
    const [, kind, isClean, after] = line;
    expect(watermarkAfter(watermark, { id: 'run_2', read: { ...delta, kind }, isClean, needsFull: true })).toEqual(
      after,
    );
  });

  it.each<[string, ReadFact | undefined, boolean, [before: Watermark | undefined, after: Watermark | undefined]]>([
    ['a clean full read sets it', full, true, [undefined, fresh]],
    ['a clean full read sets it anew', full, true, [watermark, fresh]],
    ['a full read that left something undone takes it away', full, false, [watermark, undefined]],
    ['a clean delta moves it on, and not the full read that it rests on', delta, true, [watermark, moved]],
    ['a delta that left something undone leaves it', delta, false, [watermark, watermark]],
    ['a delta without one makes none', delta, true, [undefined, undefined]],
    ['a delta of another configuration leaves it', { ...delta, fingerprint: 'f0' }, true, [watermark, watermark]],
    ['a delta from before it leaves it', { ...delta, at: watermark.at - 1 }, true, [watermark, watermark]],
    ['a clean point read leaves it', { ...full, kind: 'point' }, true, [watermark, watermark]],
    ['a point read that left something undone leaves it', { ...full, kind: 'point' }, false, [watermark, watermark]],
    ['a run that read nothing leaves it', undefined, false, [watermark, watermark]],
  ])('%s', (_what, read, clean, [before, after]) => {
    expect(watermarkAfter(before, { id: 'run_2', read, isClean: clean, needsFull: false })).toEqual(after);
  });
});

describe('a run is clean', () => {
  const states: Readonly<Record<ChangeState, number>> = {
    planned: 0,
    held: 0,
    sent: 0,
    applied: 3,
    failed: 0,
    unverified: 0,
    unresolved: 0,
    exported: 0,
    dropped: 0,
  };
  const end: RunEnd = {
    counts: noCounts,
    states,
    isCancelled: false,
    failure: undefined,
    plan: noPlan,
  };

  it('when every change was applied, or rejected by a person', () => {
    expect(isClean(end)).toBe(true);
    expect(isClean({ ...end, states: { ...states, applied: 0 } })).toBe(true);
    expect(isClean({ ...end, states: { ...states, dropped: 2 }, plan: { ...noPlan, rejected: 2 } })).toBe(true);
  });

  it.each<[string, Partial<RunEnd>]>([
    ['it failed', { failure: 'no disk' }],
    ['it was cancelled', { isCancelled: true }],
    ['its read is doubted', { plan: { ...noPlan, isReadDoubted: true } }],
    ['its read has gaps', { plan: { ...noPlan, sourceGaps: ['the file was cut'] } }],
    ['people wait for an outcome', { plan: { ...noPlan, blocked: { unresolved: 1 } } }],
    ['people are postponed', { plan: { ...noPlan, postponed: 1 } }],
    [
      'changes were dropped that nobody rejected',
      { states: { ...states, dropped: 3 }, plan: { ...noPlan, rejected: 2 } },
    ],
    ...(['planned', 'held', 'sent', 'failed', 'unverified', 'unresolved', 'exported'] as const).map(
      (state): [string, Partial<RunEnd>] => [`a change is ${state}`, { states: { ...states, [state]: 1 } }],
    ),
  ])('not when %s', (_what, over) => {
    expect(isClean({ ...end, ...over })).toBe(false);
  });
});

const all = { scope: { kind: 'all' } } as const;
const named = (...identifications: string[]) => ({ scope: { kind: 'users', identifications } }) as const;
const many = (count: number, prefix: string) => named(...Array.from({ length: count }, (_, i) => `${prefix}${i}`));

describe('requests that wait, joined into one run', () => {
  it('are none when none waits', () => {
    expect(joinNamed([])).toEqual({ joined: [], identifications: [] });
  });

  it('name everybody once, in order', () => {
    const waiting = [named('A', 'B'), named('B', 'C', 'C')];
    expect(joinNamed(waiting)).toEqual({ joined: waiting, identifications: ['A', 'B', 'C'] });
  });

  it('are only the first one when that is about all people', () => {
    expect(joinNamed([all, named('A'), all])).toEqual({ joined: [all], identifications: [] });
  });

  it('leave a later one about all people for a run of its own', () => {
    const [first, last] = [named('A'), named('B')];
    expect(joinNamed([first, all, last])).toEqual({ joined: [first, last], identifications: ['A', 'B'] });
  });

  it('name as many people together as one request may, and no more', () => {
    const first = many(mostJoined - 1, 'a');
    const [fits, exceeds] = [named('b', 'a1'), named('c')];
    const { joined, identifications } = joinNamed([first, fits, exceeds, named('a1')]);
    expect(joined).toEqual([first, fits]);
    expect(identifications).toHaveLength(mostJoined);
  });

  it('contain the first one whatever its size', () => {
    const first = many(mostJoined + 1, 'a');
    const { joined, identifications } = joinNamed([first, named('a1'), named('b')]);
    expect(joined).toEqual([first]);
    expect(identifications).toHaveLength(mostJoined + 1);
  });
});

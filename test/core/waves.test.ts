import { describe, expect, it } from 'vitest';
import {
  afterAccepted,
  afterRefusal,
  afterTooLarge,
  connectionTrouble,
  endOf,
  firstPollMs,
  isFilePending,
  learnPace,
  mayBeProcessing,
  nextBatch,
  nextPollMs,
  nextProofMs,
  type ProofFacts,
  type RefusedFile,
  rowsLimit,
  type SentBatch,
  type UnsentBatch,
  whyProve,
} from '../../src/core/run/waves.ts';

const second = 1000;
const minute = 60 * second;
const file = (size: number) => ({ size });
const every = 20 * second;

/** A batch by its name: `w1` waits for others, `d1` disables, `p1` is a part; `pd1` is a part that disables. */
function unsent(name: string): UnsentBatch {
  return {
    id: name,
    parent: name.startsWith('p') ? 'b0' : undefined,
    isDisabling: name.includes('d'),
    dependsOnOthers: name.includes('w'),
  };
}

const sent = (over: Partial<SentBatch> = {}): SentBatch => ({
  id: 's1',
  state: 'sent',
  sentAt: 3,
  fileId: 'f',
  final: 'done',
  finalAt: 7,
  parent: undefined,
  ...over,
});

describe('a batch that was sent', () => {
  it.each<{ over: Partial<SentBatch>; isPending: boolean }>([
    { over: { fileId: undefined, final: undefined }, isPending: false },
    { over: { final: undefined }, isPending: true },
    { over: { final: 'failed' }, isPending: false },
    { over: { fileId: undefined, final: 'no-status' }, isPending: false },
  ])('with $over waits for a final status: $isPending', ({ over, isPending }) => {
    expect(isFilePending(sent(over))).toBe(isPending);
  });

  it('ended when the platform says so, else when it was sent', () => {
    expect([
      endOf(sent()),
      endOf(sent({ finalAt: undefined })),
      endOf(sent({ finalAt: undefined, sentAt: undefined })),
    ]).toEqual([7, 3, 0]);
  });

  it.each<{ overs: readonly Partial<SentBatch>[]; isOut?: boolean; may: boolean }>([
    { overs: [], may: false },
    { overs: [], isOut: true, may: true },
    { overs: [{}], may: false },
    { overs: [{ state: 'unresolved' }], may: true },
    { overs: [{ final: 'no-status' }], may: true },
    { overs: [{}, { state: 'unresolved' }], may: true },
  ])('as $overs, and one out: $isOut, may be processed now: $may', ({ overs, isOut, may }) => {
    expect(mayBeProcessing({ out: isOut === true ? sent() : undefined, unproven: overs.map(sent) })).toBe(may);
  });
});

describe('the next batch', () => {
  it.each<{ name: string; planned: readonly string[]; probe?: string; next: string | undefined }>([
    { name: 'none, where none is planned', planned: [], next: undefined },
    { name: 'the first one', planned: ['a1', 'a2'], next: 'a1' },
    { name: 'the first one, though it depends on others', planned: ['w1', 'a2'], next: 'w1' },
    { name: 'the first one, before a part of another', planned: ['a1', 'p2'], next: 'a1' },
    { name: 'the part that disables, before all others', planned: ['a1', 'p2', 'pd3'], next: 'pd3' },
    { name: 'not a later batch that disables and is no part', planned: ['a1', 'd2'], next: 'a1' },
    { name: 'a part, before one that depends on others', planned: ['w1', 'a2', 'p3'], next: 'p3' },
    { name: 'the first part, of two', planned: ['w1', 'p2', 'p3'], next: 'p2' },
    { name: 'the part that does not depend on others', planned: ['w1', 'pw2', 'p3'], next: 'p3' },
    { name: 'the first one, where each part depends on others', planned: ['w1', 'pw2'], next: 'w1' },
    { name: 'the probe, before all others', planned: ['a1', 'pd2', 'a3'], probe: 'a3', next: 'a3' },
    { name: 'the first one, where the probe was sent', planned: ['a1', 'a2'], probe: 's1', next: 'a1' },
  ])('is $name', ({ planned, probe, next }) => {
    expect(nextBatch(planned.map(unsent), probe)?.id).toBe(next);
  });
});

describe('a proof before more is sent', () => {
  const facts: ProofFacts = {
    unproven: [sent()],
    planned: [unsent('a2')],
    next: unsent('a2'),
    probe: undefined,
    isStopped: false,
    sinceMs: minute - 1,
    proofWithinMs: minute,
  };

  it.each<{ name: string; over: Partial<ProofFacts>; why: ReturnType<typeof whyProve> }>([
    { name: 'while more is to be sent', over: {}, why: undefined },
    { name: 'where nothing was sent', over: { unproven: [], next: undefined, isStopped: true }, why: undefined },
    { name: 'where nothing more is to be sent', over: { next: undefined, planned: [] }, why: 'nothing left' },
    { name: 'where nothing more may be sent', over: { isStopped: true }, why: 'nothing left' },
    { name: 'without an answer', over: { unproven: [sent({ state: 'unresolved' })] }, why: 'answer' },
    { name: 'of a file without a status', over: { unproven: [sent({ final: 'no-status' })] }, why: 'answer' },
    { name: 'of a later file that failed', over: { unproven: [sent(), sent({ final: 'failed' })] }, why: 'answer' },
    { name: 'of the probe', over: { probe: 's1' }, why: 'answer' },
    { name: 'of others than the probe', over: { probe: 's9' }, why: undefined },
    { name: 'after its time', over: { sinceMs: minute }, why: 'overdue' },
    { name: 'where the next one depends on others', over: { next: unsent('w2') }, why: 'dependence' },
  ])('is due $name: $why', ({ over, why }) => {
    expect(whyProve({ ...facts, ...over })).toBe(why);
  });

  it.each<{ first: string; planned: readonly (string | undefined)[]; isDue: boolean }>([
    { first: 'b0', planned: ['b0'], isDue: false },
    { first: 'b0', planned: [undefined, 'b0'], isDue: false },
    { first: 'b0', planned: ['b9'], isDue: true },
    { first: 'b0', planned: [undefined], isDue: true },
  ])('waits for the other half of a failed file: half of $first, planned of $planned', ({ first, planned, isDue }) => {
    const unproven = [sent({ final: 'failed', parent: first })];
    const reason = whyProve({ ...facts, unproven, planned: planned.map((parent) => ({ parent })) });
    expect(reason !== undefined).toBe(isDue);
  });
});

describe('the first poll of a file', () => {
  it.each([
    { size: 1, afterMs: second },
    { size: 250, afterMs: second },
    { size: 2500, afterMs: 10 * second },
    { size: 5000, afterMs: every },
    { size: 50_000, afterMs: every },
  ])('of $size rows waits for its share of settle.every while no file has ended', ({ size, afterMs }) => {
    expect(firstPollMs(file(size), every, undefined)).toBe(afterMs);
    expect(firstPollMs(file(size), every, { tooSoonMs: 9 * second })).toBe(afterMs);
  });

  it.each([
    { name: 'halfway between too soon and long enough', tookMs: 20, tooSoonMs: 10, afterMs: 15 * second },
    { name: 'at the known time when it is known well', tookMs: 13, tooSoonMs: 10, afterMs: 13 * second },
    { name: 'halfway when it is not quite known', tookMs: 13.1, tooSoonMs: 10, afterMs: 11.55 * second },
    { name: 'no sooner than a twentieth of settle.every', tookMs: 0.2, tooSoonMs: 0, afterMs: second },
    { name: 'no later than after a minute', tookMs: 600, tooSoonMs: 500, afterMs: minute },
  ])('is $name', ({ tookMs, tooSoonMs, afterMs }) => {
    const pace = { tookMs: tookMs * second, tooSoonMs: tooSoonMs * second };
    expect(firstPollMs(file(1), every, pace)).toBe(afterMs);
  });

  it('is no later than settle.every where that is more than a minute', () => {
    expect(firstPollMs(file(1), 2 * minute, { tookMs: 9 * minute, tooSoonMs: 8 * minute })).toBe(2 * minute);
  });
});

describe('the next poll of a file', () => {
  it.each([
    { name: 'at least a twentieth of settle.every', size: 1, passed: 0, afterMs: second },
    { name: 'at least the share of its rows', size: 2500, passed: second, afterMs: 10 * second },
    { name: 'at least settle.every for a large file', size: 9000, passed: second, afterMs: every },
    { name: 'a third of the time that has passed', size: 1, passed: 30 * second, afterMs: 10 * second },
    { name: 'at most a minute', size: 1, passed: 60 * minute, afterMs: minute },
  ])('waits $name', ({ size, passed, afterMs }) => {
    expect(nextPollMs(file(size), every, passed)).toBe(afterMs);
  });
});

it.each([
  { passed: 10 * second, afterMs: every },
  { passed: 60 * second, afterMs: 30 * second },
  { passed: 60 * minute, afterMs: minute },
])('the next proof waits for half of the time that has passed: $afterMs ms', ({ passed, afterMs }) => {
  expect(nextProofMs(every, passed)).toBe(afterMs);
});

describe('what a poll teaches', () => {
  it('while the file is pending is that it was too soon', () => {
    expect(learnPace(undefined, second, false)).toEqual({ tooSoonMs: second });
    expect(learnPace({ tookMs: 9, tooSoonMs: 5 }, second, false)).toEqual({ tookMs: 9, tooSoonMs: second });
  });

  it('when the file has ended is how long files take; the lower bound falls, so that faster files are found', () => {
    expect(learnPace(undefined, second, true)).toEqual({ tookMs: second, tooSoonMs: 0 });
    expect(learnPace({ tooSoonMs: 500 }, second, true)).toEqual({ tookMs: second, tooSoonMs: 450 });
    expect(learnPace({ tookMs: 9 * second, tooSoonMs: 8 * second }, second, true)).toEqual({
      tookMs: second,
      tooSoonMs: second,
    });
  });
});

const refused: RefusedFile = { size: 8, level: 'file', other: 'accepted', splitsLeft: 3 };

describe('after a refused file', () => {
  it.each<{ over: Partial<RefusedFile>; next: string }>([
    { over: {}, next: 'split' },
    { over: { splitsLeft: 0 }, next: 'split' },
    { over: { size: 1 }, next: 'fail' },
    { over: { level: 'half', other: 'none-yet' }, next: 'wait' },
    { over: { level: 'half', other: 'none-yet', size: 1 }, next: 'wait' },
    { over: { level: 'half', other: 'refused' }, next: 'fail-both' },
    { over: { level: 'half', other: 'refused', size: 1 }, next: 'fail-both' },
    { over: { level: 'half' }, next: 'split' },
    { over: { level: 'half', size: 1 }, next: 'fail' },
    { over: { level: 'half', splitsLeft: 0 }, next: 'fail' },
    { over: { level: 'part' }, next: 'split' },
    { over: { level: 'part', other: 'none-yet' }, next: 'split' },
    { over: { other: 'none-yet' }, next: 'split' },
    { over: { level: 'part', other: 'refused' }, next: 'split' },
    { over: { level: 'part', splitsLeft: 0 }, next: 'fail' },
    { over: { level: 'part', size: 1 }, next: 'fail' },
  ])('with $over the next is $next', ({ over, next }) => {
    expect(afterRefusal({ ...refused, ...over })).toBe(next);
  });
});

it.each([
  { refused: { count: 1 }, words: undefined },
  { refused: { count: 2 }, words: undefined },
  { refused: { count: 3 }, words: '3 files or changes in a row' },
  { refused: { count: 1, hasDisables: true }, words: undefined },
  { refused: { count: 2, hasDisables: true }, words: 'the file of disables and another one' },
] as const)('$refused in a row is trouble of the connection: $words', ({ refused, words }) => {
  const said = connectionTrouble(refused);
  if (words === undefined) expect(said).toBeUndefined();
  else expect(said).toContain(words);
});

describe('the size of files', () => {
  const day = 86_400_000;

  it('is not limited before one was too large', () => {
    expect(rowsLimit(undefined, 0)).toBeUndefined();
  });

  it('is that of the largest accepted file, and half of the refused one before there is any', () => {
    const refused = afterTooLarge(undefined, 1000, 0);
    expect(rowsLimit(refused, 0)).toBe(500);
    const less = afterTooLarge(refused, 500, 0);
    expect(rowsLimit(less, 0)).toBe(250);
    const accepted = afterAccepted(less, 250);
    expect([rowsLimit(accepted, 0), afterAccepted(accepted, 100)]).toEqual([250, accepted]);
    expect(afterAccepted(accepted, 700)).toBe(accepted);
  });

  it('that was accepted and is refused later counts no more', () => {
    const known = afterAccepted(afterTooLarge(undefined, 1000, 0), 500);
    expect(afterTooLarge(known, 400, 0)).toEqual({ accepted: 0, tooLarge: 400, at: 0 });
    expect(afterTooLarge(known, 800, 1)).toEqual({ accepted: 500, tooLarge: 800, at: 1 });
    expect(afterTooLarge(known, 2000, 1)).toEqual({ accepted: 500, tooLarge: 1000, at: 1 });
    expect(rowsLimit(afterTooLarge(known, 400, 0), 0)).toBe(200);
    expect(rowsLimit({ accepted: 0, tooLarge: 1, at: 0 }, 0)).toBe(1);
  });

  it('is forgotten after 30 days, when the platform may accept more', () => {
    const known = afterAccepted(afterTooLarge(undefined, 1000, 0), 500);
    expect(rowsLimit(known, 29 * day)).toBe(500);
    expect(rowsLimit(known, 30 * day)).toBeUndefined();
    expect(afterTooLarge(known, 2000, 31 * day)).toEqual({ accepted: 0, tooLarge: 2000, at: 31 * day });
  });
});

import { describe, expect, it } from 'vitest';
import type { Batch } from '../../../src/ports/store.ts';
import { firstPollMs, learnPace, nextPollMs, nextProofMs } from '../../../src/run/deliver/file-pace.ts';
import { minute, second } from '../run-in-store.ts';

const file = (size: number): Batch => ({ size }) as Batch;
const every = 20 * second;

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

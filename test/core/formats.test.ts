import { expect, it, test } from 'vitest';
import {
  ageOf,
  durationWithin,
  firstOf,
  formatCount,
  formatDuration,
  formatInstant,
  formatMinute,
  formatTime,
  lengthOf,
  parseDuration,
  shellWord,
} from '../../src/core/run/formats.ts';

test.each([
  ['5s', 5000],
  ['30m', 1_800_000],
  ['24h', 86_400_000],
  ['30d', 2_592_000_000],
  ['250ms', 250],
  ['0s', 0],
  ['123456789s', 123_456_789_000],
  ['1234567890s', undefined],
  ['x5s', undefined],
  ['5sx', undefined],
  ['5', undefined],
  ['s', undefined],
  ['-5s', undefined],
  ['1.5h', undefined],
  ['5 s', undefined],
  ['5S', undefined],
  ['1h30m', undefined],
  ['', undefined],
])('the duration %j is %s ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each([
  [0, '0 seconds'],
  [1_400, '1 second'],
  [-7_000, '7 seconds'],
  [119_499, '119 seconds'],
  [119_500, '2 minutes'],
  [180_000, '3 minutes'],
  [-7_169_000, '119 minutes'],
  [7_170_000, '2 hours'],
  [90_000_000, '25 hours'],
])('%s ms are told as %s', (ms, told) => {
  expect(lengthOf(ms)).toBe(told);
});

test.each([
  [0, '0 ms'],
  [-5, '0 ms'],
  [350.4, '350 ms'],
  [12_999, '12 s'],
  [60_000, '1 min'],
  [185_000, '3 min 5 s'],
  [3_600_000 * 5 + 59_000, '5 h'],
  [86_400_000 * 2 + 3_600_000 * 4 + 59_000, '2 d 4 h'],
])('%d ms is told as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test.each([
  [0, '0 batches'],
  [1, '1 batch'],
  [1_234_567, '1,234,567 batches'],
])('%d batches are told as %s', (count, text) => {
  expect(formatCount(count, 'batch', 'batches')).toBe(text);
});

test.each([
  [-5, '0 s'],
  [119_000, '119 s'],
  [120_000, '2 min'],
  [7_200_000, '2 h'],
  [93_600_000, '26 h'],
  [259_200_000, '3 d'],
])('the age of %d ms is told as %s', (ms, text) => {
  expect(ageOf(ms)).toBe(text);
});

it('an instant is written in UTC, to the second or to the minute', () => {
  const at = Date.UTC(2026, 10, 21, 19, 30, 5, 999);
  expect(formatInstant(at)).toBe('2026-11-21 19:30:05 UTC');
  expect(formatMinute(at)).toBe('2026-11-21 19:30 UTC');
});

it('a setting reads a duration within its bounds, both included', () => {
  const { read, sentence } = durationWithin('5s', '2m');
  expect(['5s', '120s', '4999ms', '121s', 'x'].map(read)).toEqual([5000, 120_000, undefined, undefined, undefined]);
  expect(sentence).toContain('from 5s to 2m');
});

it('a near instant is its time, a list says how many follow, and a word is quoted for a shell where it must be', () => {
  expect(formatTime(Date.UTC(2026, 10, 21, 19, 30, 5))).toBe('19:30:05 UTC');
  expect([firstOf(['a'], 1), firstOf(['a'], 3)]).toEqual([['a'], ['a', '… and 2 more']]);
  expect(['E1', "O'Neil x", ''].map(shellWord)).toEqual(['E1', "'O'\\''Neil x'", "''"]);
});

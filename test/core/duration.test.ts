import { expect, test } from 'vitest';
import { lengthOf, parseDuration } from '../../src/core/run/duration.ts';

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

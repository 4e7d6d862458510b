import { expect, test } from 'vitest';
import { formatCount, formatDuration } from '../../src/cli/terminal.ts';
import { formatInstant } from '../../src/core/run/instant.ts';

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

test('an instant is told in UTC, and says so', () => {
  expect(formatInstant(Date.UTC(2026, 10, 21, 19, 30, 5, 999))).toBe('2026-11-21 19:30:05 UTC');
});

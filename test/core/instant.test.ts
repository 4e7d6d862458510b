import { expect, it } from 'vitest';
import { formatInstant } from '../../src/core/run/instant.ts';

it('an instant is written to the second, in UTC', () => {
  expect(formatInstant(Date.UTC(2026, 10, 21, 19, 30, 5, 999))).toBe('2026-11-21 19:30:05 UTC');
});

import { describe, expect, it } from 'vitest';
import { clockSpan } from '../../src/core/clock-jump.ts';

const hourMs = 3_600_000;
const now = 1000 * hourMs;

describe('clockSpan', () => {
  it('is the real time without jumps, and after jumps back, so that waits are never shorter', () => {
    expect(clockSpan(24 * hourMs, now, [])).toBe(24 * hourMs);
    expect(clockSpan(24 * hourMs, now, [{ before: now, after: now - 5 * hourMs }])).toBe(24 * hourMs);
  });

  it('adds a jump forward that lies within it', () => {
    const jump = { before: now - 26 * hourMs, after: now - hourMs };
    expect(clockSpan(24 * hourMs, now, [jump])).toBe(49 * hourMs);
    expect(clockSpan(hourMs, now, [jump])).toBe(hourMs);
    expect(clockSpan(hourMs + 1, now, [jump])).toBe(26 * hourMs + 1);
  });

  it('reaches through one jump to the one before, whatever their order', () => {
    const jumps = [
      { before: now - 50 * hourMs, after: now - 27 * hourMs },
      { before: now - 26 * hourMs, after: now - hourMs },
    ];
    expect(clockSpan(24 * hourMs, now, jumps)).toBe((24 + 25 + 23) * hourMs);
    expect(clockSpan(24 * hourMs, now, jumps.toReversed())).toBe((24 + 25 + 23) * hourMs);
  });
});

import { describe, expect, it } from 'vitest';
import { clockSpan, longestAge } from '../../src/core/guard/clock-jump.ts';

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

describe('longestAge', () => {
  it('is what the clock says without jumps', () => {
    expect(longestAge(now - hourMs, now, [])).toBe(hourMs);
  });

  it('leaves out a jump forward since then, and none before', () => {
    const jump = { before: now - 30 * hourMs, after: now - hourMs };
    expect(longestAge(now - 31 * hourMs, now, [jump])).toBe(2 * hourMs);
    expect(longestAge(now - 30 * hourMs, now, [jump])).toBe(hourMs);
    expect(longestAge(now - 30 * hourMs + 1, now, [jump])).toBe(30 * hourMs - 1);
    expect(longestAge(now - hourMs, now, [jump])).toBe(hourMs);
  });

  it('adds a jump back, also where it is not known whether something is from before it', () => {
    const jump = { before: now + hourMs, after: now - 4 * hourMs };
    expect(longestAge(now - hourMs, now, [jump])).toBe(6 * hourMs);
    expect(longestAge(now - 10 * hourMs, now, [jump])).toBe(15 * hourMs);
    expect(longestAge(now + 2 * hourMs, now, [jump])).toBe(-2 * hourMs);
  });

  it('ignores a jump to a time that has not come', () => {
    expect(longestAge(now - hourMs, now, [{ before: now, after: now + 1 }])).toBe(hourMs);
  });
});

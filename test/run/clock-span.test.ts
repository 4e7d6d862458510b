import { describe, expect, it } from 'vitest';
import type { ClockJump } from '../../src/core/guard/clock-jump.ts';
import type { Clock } from '../../src/ports/runtime.ts';
import { jumpFindings, rulesOn } from '../../src/run/clock-span.ts';
import { fixedClock, someInstant as now } from '../support/fake-clock.ts';
import { plainSettings } from './plain-settings.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const jump = (agoMs: number, byMs: number): ClockJump => ({ before: now - agoMs - byMs, after: now - agoMs });
const clockWith = (...jumps: readonly ClockJump[]): Clock => ({ ...fixedClock(now), jumps: () => jumps });

describe('the rules of a plan', () => {
  const clock = clockWith(jump(minute, day));

  it('wait longer by the time that the clock skipped, and keep everything else', () => {
    const missing = { afterReads: 3, minAgeMs: hour };
    const remove = { afterMs: 2 * hour, blacklist: true };
    expect(rulesOn(clock, { ...plainSettings, missing, remove })).toEqual({
      ...plainSettings,
      missing: { afterReads: 3, minAgeMs: hour + day },
      remove: { afterMs: 2 * hour + day, blacklist: true },
    });
  });

  it('that never disable for an absence and never remove stay so', () => {
    const rules = { ...plainSettings, missing: 'never', remove: 'never' } as const;
    expect(rulesOn(clock, rules)).toEqual(rules);
  });
});

describe('a jump of the clock', () => {
  const what = (jumped: ClockJump) => jumpFindings(clockWith(jumped)).map(({ message }) => message.split('. ')[0]);

  it('is reported with its length, direction and time, and with what to check', () => {
    expect(jumpFindings(clockWith(jump(hour, 2 * hour), jump(2 * hour, -5 * minute)))).toEqual([
      {
        code: 'clock-jumped',
        message:
          'the clock of the store jumped 2 hours forward at 2026-11-21T11:00:00.000Z. Decisions that depend on an age ignore the jump. Check its time service',
      },
      expect.objectContaining({
        message: expect.stringMatching(/^the clock of the store jumped 5 minutes back at 2026-11-21T10:00:00.000Z/),
      }),
    ]);
  });

  it.each([
    ['now', 0, 1],
    ['one millisecond less than a day ago', day - 1, 1],
    ['a day ago', day, 0],
    ['at a time that the clock has not reached again', -1, 0],
  ])('%s: %d ms ago is reported %d times', (_, ago, count) => {
    expect(what(jump(ago, hour))).toHaveLength(count);
  });
});

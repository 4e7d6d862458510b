import { describe, expect, it } from 'vitest';
import { caughtUpAt, oldestSuccess } from '../../../src/watch/alerts/freshness.ts';
import { openSchedule } from '../../../src/work/schedule.ts';

const at = (text: string) => Date.parse(`${text}:00Z`);
const shown = (instant: number | undefined) =>
  instant === undefined ? undefined : new Date(instant).toISOString().slice(0, 16);
const scheduled = (cron: string, timezone = 'UTC') =>
  oldestSuccess({ freshnessMs: undefined, schedule: openSchedule(cron, timezone) });

describe('the last success must be as new as', () => {
  it.each([
    ['the fourth-newest slot', '*/15 * * * *', '2026-11-21T12:07', '2026-11-21T11:15'],
    ['the fourth-newest slot, at the very minute of one', '*/15 * * * *', '2026-11-21T12:15', '2026-11-21T11:30'],
    ['nights and weekends allow', '0 8 * * 1-5', '2026-11-23T09:00', '2026-11-18T08:00'],
    ['a daily sync allows', '30 2 * * *', '2026-11-21T12:00', '2026-11-18T02:30'],
  ])('%s: %s at %s', (_, cron, now, oldest) => {
    expect(shown(scheduled(cron)(at(now)))).toBe(oldest);
  });

  it('the zone of the schedule says', () => {
    expect(shown(scheduled('0 8 * * *', 'America/Montevideo')(at('2026-11-21T10:59')))).toBe('2026-11-17T11:00');
    expect(shown(scheduled('0 8 * * *', 'America/Montevideo')(at('2026-11-21T11:00')))).toBe('2026-11-18T11:00');
  });

  it('`freshness` says, before any schedule', () => {
    const oldest = oldestSuccess({ freshnessMs: 3_600_000, schedule: openSchedule('*/15 * * * *', 'UTC') });
    expect(shown(oldest(at('2026-11-21T12:07')))).toBe('2026-11-21T11:07');
  });

  it('nothing, without a schedule', () => {
    expect(oldestSuccess({ freshnessMs: undefined, schedule: undefined })(at('2026-11-21T12:07'))).toBeUndefined();
  });
});

it('moves on with time as one asked anew, over gaps too', () => {
  const cron = '*/20 7-9 * * *';
  const going = scheduled(cron);
  const minutes = ['06:50', '07:00', '07:07', '07:21', '07:59', '08:30', '09:41'];
  for (const now of ['21', '22'].flatMap((day) => minutes.map((time) => at(`2026-11-${day}T${time}`)))) {
    expect(shown(going(now))).toBe(shown(scheduled(cron)(now)));
  }
});

describe('after the clock was put', () => {
  const [now, hour] = [Date.UTC(2026, 10, 29, 7), 3_600_000];

  it.each([
    ['forward, a sync may be late for five minutes', now - 60_000, true],
    ['forward, and five minutes have passed, it may not', now - 300_000, false],
    ['back, it may not', now - 60_000, false],
  ])('%s', (what, after, isLateExcused) => {
    const before = what.startsWith('back') ? after + hour : after - hour;
    expect(now < caughtUpAt([now - hour, now], [{ before, after }], now)).toBe(isLateExcused);
  });
});

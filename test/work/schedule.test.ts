import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openSchedule, openWindows } from '../../src/work/schedule.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

function slots(cron: string, zone: string, from: string, to: string): string[] {
  const schedule = openSchedule(cron, zone);
  const found: string[] = [];
  let upTo = Date.parse(to);
  for (;;) {
    const slot = schedule.newestSlot(Date.parse(from), upTo);
    if (slot === undefined) return found.reverse();
    found.push(new Date(slot).toISOString().replace(':00.000Z', 'Z'));
    upTo = slot - minuteMs;
  }
}

describe('a schedule', () => {
  it.each([
    ['0 * * * *', 'UTC', '2026-03-08T12:00Z', '2026-03-08T13:00Z'],
    ['0 * * * *', 'UTC', '2026-03-08T11:59:59Z', '2026-03-08T12:00Z'],
    ['30 9 * * *', 'America/Montevideo', '2026-03-08T12:30Z', '2026-03-09T12:30Z'],
    ['0 0 1 * *', 'UTC', '2026-03-08T00:00Z', '2026-04-01T00:00Z'],
    ['0 0 29 2 *', 'UTC', '2026-03-08T00:00Z', '2028-02-29T00:00Z'],
  ])('of %s in %s after %s comes next at %s', (cron, zone, after, expected) => {
    const slot = openSchedule(cron, zone).nextSlot(Date.parse(after));
    expect(slot).toBe(expected === undefined ? undefined : Date.parse(expected));
  });

  it.each([
    ['a zone without summer time', '30 9 * * *', 'America/Montevideo', ['2026-03-08T12:30Z', '2026-03-09T12:30Z']],
    ['only on weekdays', '0 8 * * 1-5', 'Europe/Berlin', ['2026-03-09T07:00Z']],
    ['by name of the day', '0 8 * * MON', 'UTC', ['2026-03-09T08:00Z']],
    ['a zone of a quarter hour', '0 0 * * *', 'Asia/Kathmandu', ['2026-03-08T18:15Z', '2026-03-09T18:15Z']],
    ['more than one hour', '0 6,18 9 3 *', 'UTC', ['2026-03-09T06:00Z', '2026-03-09T18:00Z']],
    ['a day that did not come', '0 0 29 2 *', 'UTC', []],
  ])('means the wall clock of its zone: %s', (_name, cron, zone, expected) => {
    expect(slots(cron, zone, '2026-03-08T00:00Z', '2026-03-09T23:00Z')).toEqual(expected);
  });

  it('brings the slots of an hour that is jumped over as one, right after the jump', () => {
    // New York, 8 March 2026: 01:59 is followed by 03:00, which is 07:00 UTC.
    expect(slots('30 2 * * *', 'America/New_York', '2026-03-07T00:00Z', '2026-03-09T12:00Z')).toEqual([
      '2026-03-07T07:30Z',
      '2026-03-08T07:00Z',
      '2026-03-09T06:30Z',
    ]);
    expect(slots('*/15 2 8 3 *', 'America/New_York', '2026-03-07T00:00Z', '2026-03-09T12:00Z')).toEqual([
      '2026-03-08T07:00Z',
    ]);
    expect(slots('0 * * * *', 'America/New_York', '2026-03-08T05:30Z', '2026-03-08T09:00Z')).toEqual([
      '2026-03-08T06:00Z',
      '2026-03-08T07:00Z',
      '2026-03-08T08:00Z',
      '2026-03-08T09:00Z',
    ]);
  });

  it('brings the slots of an hour that comes twice once, unless they are those of every hour', () => {
    // New York, 1 November 2026: 01:59 EDT is followed by 01:00 EST, which is 06:00 UTC.
    const on = (cron: string) => slots(cron, 'America/New_York', '2026-11-01T00:00Z', '2026-11-01T08:00Z');
    expect(on('30 1 * * *')).toEqual(['2026-11-01T05:30Z']);
    expect(on('0,30 1-2 * * *').slice(1)).toEqual(['2026-11-01T05:30Z', '2026-11-01T07:00Z', '2026-11-01T07:30Z']);
    expect(on('30 */1 * * *').slice(-4)).toEqual([4, 5, 6, 7].map((hour) => `2026-11-01T0${hour}:30Z`));
    expect(on('0 * * * *').slice(-4)).toEqual([5, 6, 7, 8].map((hour) => `2026-11-01T0${hour}:00Z`));
  });

  it.each([
    ['0 3 1,15 * 0', ['2026-11-01', '2026-11-08', '2026-11-15', '2026-11-22', '2026-11-29', '2026-12-01']],
    ['0 3 1,15 * *', ['2026-11-01', '2026-11-15', '2026-12-01']],
    ['0 3 ? * MON', ['2026-11-02', '2026-11-09', '2026-11-16', '2026-11-23', '2026-11-30']],
    ['0 3 31 * 1', ['2026-11-02', '2026-11-09', '2026-11-16', '2026-11-23', '2026-11-30']],
  ])('means a day of the month or of the week where both are given: %s', (cron, days) => {
    expect(slots(cron, 'UTC', '2026-11-01T00:00Z', '2026-12-01T12:00Z').map((at) => at.slice(0, 10))).toEqual(days);
  });

  it('counts half an hour of summer time as half an hour', () => {
    // Lord Howe, 4 October 2026: 01:59 is followed by 02:30, which is 15:30 UTC on the 3rd.
    expect(slots('15 2 4 10 *', 'Australia/Lord_Howe', '2026-10-03T00:00Z', '2026-10-04T23:00Z')).toEqual([
      '2026-10-03T15:30Z',
    ]);
  });

  it('finds nothing between two slots, and a slot at its very minute', () => {
    const { newestSlot } = openSchedule('0 12 * * *', 'UTC');
    const noon = Date.parse('2026-11-21T12:00Z');
    expect(newestSlot(noon - dayMs, noon - 1)).toBeUndefined();
    expect(newestSlot(noon - dayMs, noon)).toBe(noon);
    expect(newestSlot(noon - 1, noon + 30_000)).toBe(noon);
    expect(newestSlot(noon, noon + minuteMs)).toBeUndefined();
  });

  it('finds nothing when the clock was put back', () => {
    const { newestSlot } = openSchedule('* * * * *', 'UTC');
    const now = Date.parse('2026-11-21T12:00Z');
    expect(newestSlot(now + dayMs, now)).toBeUndefined();
  });

  it('looks back a month and some days at most', () => {
    const { newestSlot } = openSchedule('0 0 1 11 *', 'UTC');
    const first = Date.parse('2026-11-01T00:00Z');
    expect(newestSlot(first - 30 * dayMs, first + 35 * dayMs - minuteMs)).toBe(first);
    expect(newestSlot(first - 30 * dayMs, first + 35 * dayMs)).toBeUndefined();
  });
});

describe('a window', () => {
  const weekend = { cron: '0 18 * * 5', timezone: 'America/New_York', forMs: 60 * 3_600_000 };
  const ends = (now: string, window = weekend) => {
    const until = openWindows(window)(Date.parse(now));
    return until === undefined ? undefined : new Date(until).toISOString().replace(':00.000Z', 'Z');
  };

  it('lasts from a slot until its time has passed on the wall clock, also where that changes', () => {
    // Friday 18:00 is 23:00 UTC in winter. The clock changes on 8 March and on 1 November 2026.
    expect(ends('2026-01-16T22:59Z')).toBeUndefined();
    expect(ends('2026-01-16T23:00Z')).toBe('2026-01-19T11:00Z');
    expect(ends('2026-01-19T10:59Z')).toBe('2026-01-19T11:00Z');
    expect(ends('2026-01-19T11:00Z')).toBeUndefined();
    expect([ends('2026-03-08T12:00Z'), ends('2026-03-09T10:00Z')]).toEqual(['2026-03-09T10:00Z', undefined]);
    expect([ends('2026-11-02T10:59Z'), ends('2026-11-02T11:00Z')]).toEqual(['2026-11-02T11:00Z', undefined]);
  });

  it('of several that overlap ends with the last one', () => {
    const daily = { cron: '0 20 * * *', timezone: 'UTC', forMs: 10 * 3_600_000 };
    expect(ends('2026-11-21T05:00Z', daily)).toBe('2026-11-21T06:00Z');
    expect(ends('2026-11-21T12:00Z', daily)).toBeUndefined();
    expect(ends('2026-11-21T12:00Z', { ...daily, forMs: 30 * 3_600_000 })).toBe('2026-11-22T02:00Z');
  });
});

describe('the newest slot', () => {
  const zones = [
    'UTC',
    'America/Montevideo',
    'America/New_York',
    'Europe/Berlin',
    'Asia/Kolkata',
    'Australia/Lord_Howe',
  ];
  const field = (limit: number, from = 0) =>
    fc.oneof(fc.constant(undefined), fc.array(fc.integer({ min: from, max: limit }), { minLength: 1, maxLength: 4 }));

  it('is what looking at every minute finds', () => {
    const property = fc.property(
      fc.record({ minute: field(59), hour: field(23), day: field(6) }),
      fc.constantFrom(...zones),
      fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) }),
      fc.integer({ min: 0, max: 2 * 1440 }),
      ({ minute, hour, day }, zone, upTo, back) => {
        const cron = `${text(minute)} ${text(hour)} * * ${text(day)}`;
        const after = upTo - back * minuteMs;
        const fits = (wall: Wall): boolean =>
          (minute?.includes(wall.minute) ?? true) &&
          (hour?.includes(wall.hour) ?? true) &&
          (day?.includes(wall.day) ?? true);
        expect(openSchedule(cron, zone).newestSlot(after, upTo)).toBe(
          naively({ fits, hasHours: hour !== undefined }, zone, after, upTo),
        );
      },
    );
    fc.assert(property, { numRuns: 60 });
  });
});

interface Wall {
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

const text = (values: readonly number[] | undefined): string => values?.join(',') ?? '*';
const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** Every minute, newest first, with its wall time as the zone's own calendar writes it, and those that were skipped. */
function naively(
  { fits, hasHours }: { readonly fits: (wall: Wall) => boolean; readonly hasHours: boolean },
  zone: string,
  after: number,
  upTo: number,
): number | undefined {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
  });
  const wallAt = (at: number): Wall => {
    const [, name = '', hour, minute] = /^(\w+),? (\d+):(\d+)$/.exec(format.format(at)) ?? [];
    return { day: days.indexOf(name), hour: Number(hour), minute: Number(minute) };
  };
  const minuteOfWeek = ({ day, hour, minute }: Wall): number => (day * 24 + hour) * 60 + minute;
  for (let at = Math.floor(upTo / minuteMs) * minuteMs; at > after; at -= minuteMs) {
    const wall = wallAt(at);
    const backMinutes = (minuteOfWeek(wallAt(at - 180 * minuteMs)) - minuteOfWeek(wall) + 180 + 10_080) % 10_080;
    const isRepeated =
      backMinutes > 0 && backMinutes <= 180 && minuteOfWeek(wallAt(at - backMinutes * minuteMs)) === minuteOfWeek(wall);
    if (fits(wall) && !(hasHours && isRepeated)) return at;
    const skipped = (minuteOfWeek(wall) - minuteOfWeek(wallAt(at - minuteMs)) - 1 + 10_080) % 10_080;
    for (let n = 1; n <= (skipped > 180 ? 0 : skipped); n += 1) {
      const of = (minuteOfWeek(wall) - n + 10_080) % 10_080;
      if (fits({ day: Math.floor(of / 1440), hour: Math.floor(of / 60) % 24, minute: of % 60 })) return at;
    }
  }
  return undefined;
}

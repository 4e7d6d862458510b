import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileDateFormat, dateProblem, dayRule, otherOrder } from '../../src/core/person/plain-date.ts';
import { createZoneDays } from '../../src/core/person/time-zone.ts';

describe('a date format', () => {
  it.each([
    ['yyyy-MM-dd', '2024-02-29', '2024-02-29'],
    ['dd/MM/yyyy', '01/03/2019', '2019-03-01'],
    ['d/M/yyyy', '1/3/2019', '2019-03-01'],
    ['d/M/yyyy', '31/12/2019', '2019-12-31'],
    ['dd.MM.yyyy', '01.02.2020', '2020-02-01'],
    ['yyyyMMdd', '20191231', '2019-12-31'],
    ['dd MMM yyyy', '05 Sep 2020', '2020-09-05'],
    ['dd MMM yyyy', '05 SEPT 2020', '2020-09-05'],
    ['MMMM d, yyyy', 'march 7, 2021', '2021-03-07'],
    ["yyyy-MM-dd'T'HH:mm:ss", '2021-03-07T23:59:59', '2021-03-07'],
    ['HH:mm dd/MM/yyyy', '23:59 07/03/2021', '2021-03-07'],
    ["d 'de' MMMM yyyy", '7 de march 2021', '2021-03-07'],
    ["yyyy-MM-dd'", "2021-03-07'", '2021-03-07'],
    ['yyyy-MM-dd', '2100-06-30', '2100-06-30'],
    ['yyyy-MM-dd', '1900-01-02', '1900-01-02'],
    ['yyyy-MM-dd', '1900-02-01', '1900-02-01'],
    ["yyyy-MM-dd'T'HH:mm:ss.SSS'Z'", '2021-03-07T00:00:00.000Z', '2021-03-07'],
  ])('%s reads %s', (pattern, text, expected) => {
    expect(compileDateFormat(pattern).parse(text)).toBe(expected);
  });

  it.each([
    ['yyyy-MM-dd', '1900-02-29', 'a century is no leap year'],
    ['yyyy-MM-dd', '1899-12-32', 'no day 32'],
    ['yyyy-MM-dd', '1753-01-02', 'before 1900'],
    ['yyyy-MM-dd', '1899-12-29', 'before 1900'],
    ['dd/MM/yyyy', '31/12/0027', 'a year without its century'],
    ['dd/MM/yyyy', '31/12/1026', 'a slip of the key'],
    ['yyyy-MM-dd', '2206-12-31', 'a slip of the key'],
    ['yyyy-MM-dd', '2023-1-1', 'digits missing'],
    ['yyyy-MM-dd', '2023-01-01x', 'text after it'],
    ['yyyy-MM-dd', '45306', 'a spreadsheet serial number'],
    ['dd/MM/yyyy', '12/31/2020', 'the American order'],
    ['dd.MM.yyyy', '01/02/2020', 'other separators'],
    ["yyyy-MM-dd'T'HH:mm:ss", '2021-03-07T24:00:00', 'no hour 24'],
    ['dd MMM yyyy', '05 Foo 2020', 'no such month'],
  ])('%s does not read %s: %s', (pattern, text) => {
    expect(compileDateFormat(pattern).parse(text)).toBeUndefined();
  });

  it.each([
    ['yyyy-MM-dd', '0000-00-00'],
    ['yyyy-MM-dd', '0001-01-01'],
    ['yyyy-MM-dd', '1753-01-01'],
    ['yyyy-MM-dd', '1899-12-30'],
    ['yyyy-MM-dd', '1899-12-31'],
    ['yyyy-MM-dd', '1900-01-00'],
    ['yyyy-MM-dd', '1900-01-01'],
    ['yyyy-MM-dd', '1601-01-01'],
    ['yyyy-MM-dd', '2099-12-31'],
    ['yyyy-MM-dd', '2100-01-01'],
    ['yyyy-MM-dd', '2999-12-31'],
    ['yyyy-MM-dd', '3000-01-01'],
    ['yyyy-MM-dd', '4712-12-31'],
    ['yyyy-MM-dd', '9999-12-31'],
    ['dd/MM/yyyy', '31/12/9999'],
    ['yyyy-MM-dd', '9999-99-99'],
  ])('%s takes %s for no date', (pattern, text) => {
    expect(compileDateFormat(pattern).parse(text)).toBe('');
  });

  it.each([
    ['', /names the year 0 times/],
    ['yyyy-MM-dd dd', /names the day 2 times/],
    ['yyyy-MM-ddTHH', /T is not known/],
  ])('%s is refused', (pattern, reason) => {
    expect(() => compileDateFormat(pattern)).toThrow(reason);
  });

  it.each([
    ["yyyy-MM-dd'T'HH:mm:ssXXX", '2026-11-21T00:00:00+01:00', '2026-11-21', '2026-11-20'],
    ["yyyy-MM-dd'T'HH:mm:ssXXX", '2026-11-21T00:00:00Z', '2026-11-21', '2026-11-20'],
    ["yyyy-MM-dd'T'HH:mm:ssXXX", '2026-11-21T01:30:00Z', '2026-11-20', '2026-11-20'],
    ["yyyy-MM-dd'T'HH:mm:ss.SSSXX", '2026-11-21T23:30:00.000-0500', '2026-11-22', '2026-11-22'],
    ["yyyy-MM-dd'T'HH:mmX", '2026-11-21T04:00+00', '2026-11-21', '2026-11-21'],
    ['MM/dd/yyyy hh:mm a Z', '11/21/2026 12:05 AM +0000', '2026-11-20', '2026-11-20'],
    ['MM/dd/yyyy hh:mm a Z', '11/21/2026 12:05 pm +0000', '2026-11-21', '2026-11-21'],
    ['epoch-seconds', '1795219200', '2026-11-21', '2026-11-20'],
    ['epoch-seconds', '1795224600', '2026-11-20', '2026-11-20'],
    ['epoch-ms', '1795224600000', '2026-11-20', '2026-11-20'],
    ['epoch-ms', '-86400000', '1969-12-31', '1969-12-30'],
    ['filetime', '134396928000000000', '2026-11-21', '2026-11-20'],
    ['json-date', '/Date(1795224600000+0200)/', '2026-11-20', '2026-11-20'],
    ['yyyy-MM-ddXXX', '2026-11-21Z', '2026-11-21', '2026-11-20'],
  ])('%s reads %s as a day three hours behind UTC', (pattern, text, byDefault, always) => {
    const behind = (at: number) => new Date(at - 3 * 3_600_000).toISOString().slice(0, 10);
    const { parse } = compileDateFormat(pattern);
    expect([parse(text, dayRule('auto', behind)), parse(text, dayRule('local', behind))]).toEqual([byDefault, always]);
    expect(
      parse(
        text,
        dayRule('written', () => 'never asked'),
      ),
    ).toMatch(/^(2026-11-21|1969-12-31)$/);
  });

  it.each([
    ['epoch-seconds', '0', ''],
    ['epoch-ms', '0', ''],
    ['filetime', '0', ''],
    ['filetime', '9223372036854775807', ''],
    ['json-date', '1795224600000', undefined],
    ['sheet-days', '46347', '2026-11-21'],
    ['sheet-days', '46347.75', '2026-11-21'],
    ['sheet-days', '0', ''],
    ['sheet-days', '21/11/2026', undefined],
    ['yyyy-MM-ddXXX', '2026-03-31-08:00', '2026-03-31'],
    ['yyyy-MM-ddXXX', '2026-03-31', undefined],
    ['epoch-seconds', '253402214400', ''],
    ["yyyy-MM-dd'T'HH:mm:ssXXX", '9999-12-31T23:59:59Z', ''],
    ['epoch-seconds', 'soon', undefined],
    ['epoch-ms', '999999999999999', undefined],
    ["yyyy-MM-dd'T'HH:mm:ssXXX", '2026-11-21T25:00:00Z', undefined],
    ["yyyy-MM-dd'T'HH:mm:ssXXX", '2026-11-21T10:00:00', undefined],
  ])('%s takes %s for %s', (pattern, text, expected) => {
    expect(compileDateFormat(pattern).parse(text)).toBe(expected);
  });

  it.each([['yyyy-MM-dd hh:mm', /hh and a belong together/]])(
    '%s is refused, as it names no instant',
    (pattern, reason) => {
      expect(() => compileDateFormat(pattern)).toThrow(reason);
    },
  );

  it('reads back every day that it can be written as', () => {
    const day = fc.date({ min: new Date('1901-01-01'), max: new Date('2098-12-31'), noInvalidDate: true });
    const european = compileDateFormat('dd/MM/yyyy');

    fc.assert(
      fc.property(day, (date) => {
        const iso = date.toISOString().slice(0, 10);
        const [year, month, dayOfMonth] = iso.split('-');
        expect(european.parse(`${dayOfMonth}/${month}/${year}`)).toBe(iso);
      }),
    );
  });

  describe('of an instant', () => {
    const instant = fc.integer({ min: Date.parse('1901-01-02'), max: Date.parse('2098-12-30') });
    const offset = fc.integer({ min: -14 * 60, max: 14 * 60 });
    const zone = fc.constantFrom('UTC', 'America/Montevideo', 'Asia/Kathmandu', 'Pacific/Kiritimati', 'Europe/Madrid');
    const pad = (value: number, width = 2) => String(Math.abs(value)).padStart(width, '0');
    /** The clock at `at` on the other side of `minutes`, in ISO 8601 without its zone. */
    const clock = (at: number, minutes: number) => new Date(at + minutes * 60_000).toISOString().slice(0, -1);
    const zoneText = (minutes: number, colon: string) =>
      `${minutes < 0 ? '-' : '+'}${pad(Math.trunc(minutes / 60))}${colon}${pad(minutes % 60)}`;

    it.each([
      ["yyyy-MM-dd'T'HH:mm:ss.SSSXXX", (at: number, minutes: number) => clock(at, minutes) + zoneText(minutes, ':')],
      ["yyyy-MM-dd'T'HH:mm:ss.SSSXX", (at: number, minutes: number) => clock(at, minutes) + zoneText(minutes, '')],
      [
        'yyyy-MM-dd HH:mm:ss Z',
        (at: number, minutes: number) =>
          `${clock(at, minutes).slice(0, 19).replace('T', ' ')} ${zoneText(minutes, '')}`,
      ],
      ['epoch-ms', (at: number) => String(at)],
      ['epoch-seconds', (at: number) => String(Math.floor(at / 1000))],
    ])('%s is one day of the employee, however the instant is written', (pattern, write) => {
      const format = compileDateFormat(pattern);
      const zones = createZoneDays();
      fc.assert(
        fc.property(instant, offset, zone, (at, minutes, name) => {
          fc.pre(Math.floor(at / 1000) !== 0);
          const day = zones.today(name, at);
          expect(
            format.parse(
              write(at, minutes),
              dayRule('local', (moment) => zones.today(name, moment)),
            ),
          ).toBe(day);
        }),
      );
    });

    it('is the date as written at midnight of any zone, unless local is configured', () => {
      const format = compileDateFormat("yyyy-MM-dd'T'HH:mm:ssXXX");
      fc.assert(
        fc.property(instant, offset, fc.boolean(), (at, minutes, isWritten) => {
          const date = new Date(at).toISOString().slice(0, 10);
          const rule = dayRule(isWritten ? 'written' : 'auto', () => 'another day');
          expect(format.parse(`${date}T00:00:00${zoneText(minutes, ':')}`, rule)).toBe(date);
        }),
      );
    });

    it('never throws, whatever the text is', () => {
      const formats = ["yyyy-MM-dd'T'HH:mm:ss.SSSXXX", 'epoch-seconds', 'epoch-ms'].map((pattern) =>
        compileDateFormat(pattern),
      );
      const text = fc.oneof(fc.string(), fc.stringMatching(/^[-\dT:.Z+]{1,40}$/));
      fc.assert(
        fc.property(text, (any) => {
          for (const format of formats) expect(format.parse(any) ?? '').toMatch(/^(\d{4}-\d\d-\d\d)?$/);
        }),
      );
    });
  });

  it('agrees with the calendar on which days exist', () => {
    const format = compileDateFormat('yyyy-M-d');
    const numbers = [
      fc.integer({ min: 1901, max: 2098 }),
      fc.integer({ min: 0, max: 13 }),
      fc.integer({ min: 0, max: 32 }),
    ];

    fc.assert(
      fc.property(
        ...(numbers as [fc.Arbitrary<number>, fc.Arbitrary<number>, fc.Arbitrary<number>]),
        (year, month, day) => {
          const date = new Date(Date.UTC(year, month - 1, day));
          const exists = date.getUTCDate() === day && date.getUTCMonth() === month - 1;
          expect(format.parse(`${year}-${month}-${day}`) !== undefined).toBe(exists);
        },
      ),
    );
  });
});

it.each([
  ['45306', /spreadsheet's day number instead of a date in the format dd\/MM\/yyyy/],
  ['45306.75', /spreadsheet's day number/],
  ['12345', /^is not a date in the format dd\/MM\/yyyy$/],
  ['450306', /^is not a date/],
  ['2024-01-15', /^is not a date/],
])('the problem with %s as a date is told without it', (text, message) => {
  const problem = dateProblem(text, compileDateFormat('dd/MM/yyyy'));
  expect(problem).toMatch(message);
  expect(problem).not.toContain(text);
});

it.each([
  ['2026-11-21T22:30:00Z', "yyyy-MM-dd'T'HH:mm:ssXXX"],
  ['2026-11-21T22:30:00.000+0000', "yyyy-MM-dd'T'HH:mm:ss.SSSXX"],
  ['2026-11-21 22:30', 'yyyy-MM-dd HH:mm'],
  ['2026-11-21-05:00', 'yyyy-MM-ddXXX'],
  ['1795300200', 'epoch-seconds'],
  ['1795300200000', 'epoch-ms'],
])('of %s the problem names the format that reads it', (text, fits) => {
  expect(dateProblem(text, compileDateFormat('yyyy-MM-dd'))).toContain(`the format ${fits}`);
  expect(compileDateFormat(fits).parse(text)).toBe('2026-11-21');
});

it.each(['17953002000001', '21795300200000', '179530020', '2026-11-21T22:30Zx', 'x2026-11-21 22:30'])(
  'of %s no format is named',
  (text) => {
    expect(dateProblem(text, compileDateFormat('yyyy-MM-dd'))).toBe('is not a date in the format yyyy-MM-dd');
  },
);

it.each([
  ['2026-03-04', '2026-04-03'],
  ['2026-03-12', '2026-12-03'],
  ['2026-03-13', undefined],
  ['2026-03-03', undefined],
])('%s with day and month exchanged is %s', (date, other) => {
  expect(otherOrder(date)).toBe(other);
});

it.each([
  ['yyyy-mm-dd', 'names the month 0 times, expected once; mm is minutes, MM is months'],
  ['yyyy-dd', 'names the month 0 times, expected once'],
  ['yyyy-MM-MM-dd mm', 'names the month 2 times, expected once'],
  ['yyyy-MM-DD', 'DD is not known (days are dd); the letters'],
  ['YYYY-MM-dd', 'YYYY is not known (years are yyyy); the letters'],
  ['yyyy-MM-dd Q', 'Q is not known; the letters'],
  ['yy-MM-dd', 'yy is a two-digit year'],
])('the format %s is refused: %s', (format, message) => {
  expect(() => compileDateFormat(format)).toThrow(message);
});

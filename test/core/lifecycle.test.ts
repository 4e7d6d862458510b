import { describe, expect, it } from 'vitest';
import { createExpressions } from '../../src/config/expressions.ts';
import type { FieldValues } from '../../src/core/person/fields.ts';
import { compileLifecycle } from '../../src/core/person/lifecycle.ts';
import type { Standing } from '../../src/core/person/person.ts';
import { Refusal } from '../../src/core/run/refusal.ts';
import type { LeavesBy, LifecycleSettings } from '../../src/core/run/settings.ts';

const settings: LifecycleSettings = {
  status: 'status',
  active: ['active', 'On Leave'],
  leaver: ['terminated'],
  hireDate: 'hired',
  leaveDate: 'left',
  dateFormat: undefined,
  leavesBy: undefined,
  timezone: 'tz',
};

/** Noon in UTC: the same day from UTC-11 to UTC+11. */
const noon = Date.UTC(2026, 10, 21, 12);
const yesterday = '2026-11-20';
const today = '2026-11-21';
const tomorrow = '2026-11-22';

function judge(fields: Record<string, unknown>, now = noon, changed: Partial<LifecycleSettings> = {}) {
  return compileLifecycle({ ...settings, ...changed }).judge({ tz: 'UTC', ...fields }, now);
}

describe('the standing of an employee', () => {
  const table: readonly [string, Record<string, unknown>, Standing][] = [
    ['an active status without dates', { status: 'active' }, 'active'],
    ['case and spaces around a status', { status: ' ON LEAVE ' }, 'active'],
    ['a leaver status without dates', { status: 'Terminated' }, 'leaver'],
    ['a blank status', { status: '' }, 'unknown'],
    ['a status of spaces', { status: '  ' }, 'unknown'],
    ['a status that is not visible', {}, 'unknown'],
    ['a status in neither list', { status: 'suspended' }, 'unknown'],
    ['a status in neither list with a passed leave date', { status: 'suspended', left: yesterday }, 'unknown'],
    ['a status that is a list', { status: ['active'] }, 'unknown'],
    ['hired tomorrow', { status: 'active', hired: tomorrow }, 'future'],
    ['hired today', { status: 'active', hired: today }, 'active'],
    ['hired yesterday', { status: 'active', hired: yesterday }, 'active'],
    ['leaving tomorrow', { status: 'active', left: tomorrow }, 'active'],
    ['last day of work today', { status: 'active', left: today }, 'active'],
    ['last day of work yesterday', { status: 'active', left: yesterday }, 'leaver'],
    ['a leaver status with the last day of work today', { status: 'terminated', left: today }, 'active'],
    ['a leaver status with a leave date to come', { status: 'terminated', left: '2027-01-31' }, 'active'],
    ['a leaver status with a passed leave date', { status: 'terminated', left: yesterday }, 'leaver'],
    [
      'a leaver status for somebody who comes and goes later',
      { status: 'terminated', hired: tomorrow, left: '2027-01-31' },
      'future',
    ],
    ['a leaver status and hired again', { status: 'terminated', hired: today, left: yesterday }, 'leaver'],
    ['hired again after leaving', { status: 'active', hired: '2026-06-01', left: '2025-12-31' }, 'active'],
    ['left, and hired again from tomorrow', { status: 'active', hired: tomorrow, left: '2025-12-31' }, 'leaver'],
    ['leaving today, and hired again from tomorrow', { status: 'active', hired: tomorrow, left: today }, 'future'],
    ['hired and left the same day', { status: 'active', hired: yesterday, left: yesterday }, 'leaver'],
    ['a leave date that stands for none', { status: 'active', left: '9999-12-31' }, 'active'],
    ['a leave date of zeros', { status: 'active', left: '0000-00-00' }, 'active'],
    ['dates that are null', { status: 'active', hired: null, left: null }, 'active'],
    ['a line break inside a status', { status: 'On\n Leave' }, 'active'],
  ];

  it.each(table)('%s', (_, fields, expected) => {
    expect(judge(fields)).toMatchObject({ standing: expected });
  });

  it('comes from the dates alone when no status is configured', () => {
    const byDates = { status: undefined };

    expect(judge({ left: yesterday }, noon, byDates)).toMatchObject({ standing: 'leaver' });
    expect(judge({ status: 'terminated' }, noon, byDates)).toMatchObject({ standing: 'active' });
  });

  it('is active for everyone without settings', () => {
    expect(compileLifecycle(undefined).judge({}, noon)).toMatchObject({ standing: 'active' });
  });

  it('says why', () => {
    expect(judge({ status: 'Terminated' })).toMatchObject({ reason: 'status is "terminated"' });
    expect(judge({ status: 'active', left: yesterday })).toMatchObject({
      reason: 'the last day of work has passed',
      leaves: yesterday,
      leavesByDate: true,
    });
  });

  it.each([
    ['ACTIVÉ.', 'status is "active"'],
    ['"active"', 'status is "active"'],
    ['01.0', 'status is "1"'],
    ['1.0x', 'status has a value that is in neither active nor leaver (a word, 4 characters)'],
    ['on hold', 'status has a value that is in neither active nor leaver (2 words, 7 characters)'],
    ['12', 'status has a value that is in neither active nor leaver (a number of 2 digits)'],
    [' ', 'status is blank'],
  ])('of the status %s: %s', (status, reason) => {
    expect(judge({ status }, noon, { active: ['active', '1'] }).reason).toBe(reason);
  });

  it.each([
    ['2026-03-12', { hires: '2026-03-12', hiresLater: true }],
    ['2026-03-10', { hires: '2026-03-10' }],
    ['2025-03-12', { hires: '2025-03-12' }],
    ['', {}],
  ])('of a person hired on %s is told with the day, and whether the other order is still to come', (hired, told) => {
    const { standing: _, reason: __, ...rest } = judge({ status: 'active', hired });
    expect(rest).toEqual(told);
  });

  it.each([
    [['2020-01-01'], 'not-text'],
    ['soon', 'not-a-date'],
    ['2626-01-01', 'far-date'],
  ])('of a person who leaves on %j has trouble: %s', (leaves, kind) => {
    expect(judge({ status: 'active', left: leaves })).toMatchObject({ standing: 'active', troubles: [{ kind }] });
    const gone = judge({ status: 'terminated', left: leaves }, noon, { leavesBy: 'date' });
    expect(gone.standing).toBe(kind === 'far-date' ? 'active' : 'leaver');
  });

  it('is the same for a status that comes again', () => {
    const lifecycle = compileLifecycle(settings);
    const standings = ['active', 'terminated', 'active', 'terminated', 'odd', 'odd'].map(
      (status) => lifecycle.judge({ tz: 'UTC', status }, noon).standing,
    );
    expect(standings).toEqual(['active', 'leaver', 'active', 'leaver', 'unknown', 'unknown']);
  });
});

describe('the derived status of a person who has not begun', () => {
  const status = 'rollcallStatus';

  it.each<[Record<string, unknown>, Standing]>([
    [{}, 'future'],
    [{ hired: tomorrow }, 'future'],
    [{ hired: yesterday, left: '2025-12-31' }, 'future'],
    [{ hired: tomorrow, left: yesterday }, 'leaver'],
    [{ left: yesterday }, 'leaver'],
  ])('is no unknown word: %j', (fields, expected) => {
    expect(judge({ [status]: 'prehire', ...fields }, noon, { status })).toMatchObject({ standing: expected });
  });

  it('has the meaning that a list gives it, and none in a column of HR', () => {
    const early = { status, active: ['active', 'prehire'] };
    expect(judge({ [status]: 'prehire' }, noon, early)).toMatchObject({ standing: 'active' });
    expect(judge({ status: 'prehire' })).toMatchObject({ standing: 'unknown' });
    expect(judge({ [status]: 'unknown' }, noon, { status })).toMatchObject({ standing: 'unknown' });
  });
});

describe('a last day of work that other cells of the row contradict', () => {
  const judgeMapped = (
    fields: Record<string, unknown>,
    mapped: FieldValues,
    changed: Partial<LifecycleSettings> = {},
  ) => compileLifecycle({ ...settings, ...changed }).judge({ tz: 'UTC', ...fields }, noon, [], mapped);
  const byEntry = { hireDate: undefined };
  const refused = { standing: 'active', troubles: [{ field: 'leaveDate', column: 'left', kind: 'not-a-date' }] };

  it.each(['1969-12-31', '1900-01-02', '1904-01-01'])('is unreadable: %s', (left) => {
    expect(judge({ status: 'active', hired: '2020-03-04', left })).toMatchObject(refused);
    expect(judgeMapped({ status: 'active', left }, { orgEntryDate: '2020-03-04' }, byEntry)).toMatchObject(refused);
    expect(judgeMapped({ status: 'active', left }, { birthDate: '1990-01-02' }, byEntry)).toMatchObject(refused);
    expect(judgeMapped({ status: 'terminated', left }, { birthDate: '1990-01-02' })).toMatchObject({
      standing: 'leaver',
    });
  });

  it('may be the last day of an earlier employment', () => {
    const again = { status: 'active', left: '2020-06-30' };
    const mapped = { birthDate: '1990-01-02', orgEntryDate: '2024-03-01' };
    const reason = 'hired again after the last day of work';
    expect(judgeMapped(again, mapped, byEntry)).toEqual({ standing: 'active', reason, leaves: '2020-06-30' });
    expect(judgeMapped(again, { ...mapped, orgEntryDate: tomorrow }, byEntry)).toMatchObject({ standing: 'leaver' });
    expect(judgeMapped(again, { ...mapped, orgEntryDate: '2019-01-01' }, byEntry)).toMatchObject({
      standing: 'leaver',
    });
  });

  it.each([
    ['2004-01-01', 'active'],
    ['2004-01-02', 'leaver'],
  ])('is one before the age of work: %s', (left, standing) => {
    expect(judgeMapped({ status: 'active', left }, { birthDate: '1990-01-02' }, byEntry)).toMatchObject({ standing });
  });
});

describe('when status and leave date disagree', () => {
  const terminated = 'terminated';
  const table: readonly [string, string, LeavesBy | undefined, Standing][] = [
    [terminated, tomorrow, undefined, 'active'],
    [terminated, tomorrow, 'status', 'leaver'],
    [terminated, tomorrow, 'date', 'active'],
    [terminated, tomorrow, 'first', 'leaver'],
    [terminated, tomorrow, 'last', 'active'],
    [terminated, yesterday, 'status', 'leaver'],
    [terminated, yesterday, 'last', 'leaver'],
    [terminated, '', 'date', 'leaver'],
    [terminated, '', 'last', 'leaver'],
    ['active', yesterday, undefined, 'leaver'],
    ['active', yesterday, 'status', 'active'],
    ['active', yesterday, 'date', 'leaver'],
    ['active', yesterday, 'first', 'leaver'],
    ['active', yesterday, 'last', 'active'],
    ['active', tomorrow, 'first', 'active'],
    ['active', '', 'date', 'active'],
  ];

  it.each(table)('status %s and last day "%s" with leavesBy %s: %s', (status, left, leavesBy, expected) => {
    expect(judge({ status, left }, noon, { leavesBy })).toMatchObject({ standing: expected });
  });

  it('no account comes back by a leave date alone, unless leavesBy says so', () => {
    const fields = { status: 'Terminated', left: tomorrow };

    expect(judge(fields)).toMatchObject({
      standing: 'active',
      refusesStart: 'status is "terminated", and lifecycle.leavesBy is not set',
    });
    expect(judge(fields, noon, { leavesBy: 'date' })).not.toHaveProperty('refusesStart');
    expect(judge({ status: 'active', left: tomorrow })).not.toHaveProperty('refusesStart');
  });

  it.each<LeavesBy>(['status', 'first'])('%s says that the date was not asked', (leavesBy) => {
    expect(judge({ status: terminated, left: tomorrow }, noon, { leavesBy })).toMatchObject({
      reason: 'status is "terminated", although the last day of work has not passed',
    });
  });

  it('a stale leave date of a person who was hired again says nothing', () => {
    const again = { left: '2025-12-31', hired: '2026-06-01' };

    expect(judge({ status: 'active', ...again }, noon, { leavesBy: 'first' })).toMatchObject({ standing: 'active' });
    expect(judge({ status: terminated, ...again }, noon, { leavesBy: 'date' })).toMatchObject({ standing: 'leaver' });
  });

  it('both must be configured', () => {
    expect(() => compileLifecycle({ ...settings, leaveDate: undefined, leavesBy: 'first' })).toThrow(/both/);
    expect(() => compileLifecycle({ ...settings, status: undefined, leavesBy: 'date' })).toThrow(/both/);
  });
});

describe('a date that cannot be read', () => {
  const unreadable = '31/12/2026';
  const reason = 'is not a date in the format yyyy-MM-dd';

  it.each([
    ['hired', 'hireDate'],
    ['left', 'leaveDate'],
  ])('in %s forbids to create and to enable, and is told without its value', (column, field) => {
    expect(judge({ status: 'active', [column]: unreadable })).toEqual({
      standing: 'active',
      reason: 'status is "active"',
      troubles: [{ field, column, kind: 'not-a-date', reason }],
      refusesStart: `${column} ${reason}`,
    });
  });

  it.each([...['hired', 'left'].map((column) => ({ [column]: unreadable })), { hired: {}, left: ['x'] }])(
    'keeps no leaver by status: %j',
    (cells) => {
      for (const leavesBy of [undefined, 'status', 'date', 'first', 'last'] as const) {
        expect(judge({ status: 'terminated', ...cells }, noon, { leavesBy })).toMatchObject({ standing: 'leaver' });
      }
    },
  );

  it('leaves the standing unknown where a past leave date might be stale', () => {
    expect(judge({ status: 'active', hired: unreadable, left: yesterday })).toMatchObject({
      standing: 'unknown',
      reason: expect.stringContaining('hired cannot be read'),
    });
    expect(judge({ status: 'terminated', hired: unreadable, left: yesterday })).toMatchObject({ standing: 'leaver' });
    const leavesBy = 'status';
    expect(judge({ status: 'active', hired: unreadable, left: yesterday }, noon, { leavesBy })).toMatchObject({
      standing: 'active',
    });
  });
});

describe('a time zone that does not exist', () => {
  const tz = 'Mars/Olympus';
  const troubles = [{ field: 'timezone', column: 'tz', kind: 'no-such-time-zone', reason: 'is not a time zone' }];

  it('does not matter while every zone on earth agrees', () => {
    expect(judge({ status: 'terminated', tz })).toMatchObject({ standing: 'leaver', troubles });
    const active = judge({ status: 'active', tz });
    expect(active).toMatchObject({ standing: 'active', troubles });
    expect(active).not.toHaveProperty('refusesStart');
  });
});

describe('today', () => {
  /** Last day of work 21 November: a leaver from the 22nd of the employee's own calendar. */
  const leaves = { status: 'active', left: today };

  it.each([
    ['Pacific/Kiritimati', '2026-11-21T09:59:59Z', 'active'],
    ['Pacific/Kiritimati', '2026-11-21T10:00:00Z', 'leaver'],
    ['UTC', '2026-11-21T23:59:59Z', 'active'],
    ['UTC', '2026-11-22T00:00:00Z', 'leaver'],
    ['Pacific/Pago_Pago', '2026-11-22T10:59:59Z', 'active'],
    ['Pacific/Pago_Pago', '2026-11-22T11:00:00Z', 'leaver'],
    ['Asia/Kathmandu', '2026-11-21T18:14:59Z', 'active'],
    ['Asia/Kathmandu', '2026-11-21T18:15:00Z', 'leaver'],
  ])('in %s at %s makes the person %s', (tz, instant, expected) => {
    expect(judge({ ...leaves, tz }, Date.parse(instant))).toMatchObject({ standing: expected });
  });

  it.each([
    ['before the clocks go forward', '2026-03-08', '2026-03-09T03:59:59Z', 'active'],
    ['after the clocks went forward', '2026-03-08', '2026-03-09T04:00:00Z', 'leaver'],
    ['before midnight on the long day', '2026-11-01', '2026-11-02T04:59:59Z', 'active'],
    ['after midnight on the long day', '2026-11-01', '2026-11-02T05:00:00Z', 'leaver'],
  ])('follows summer time: %s', (_, left, instant, expected) => {
    expect(judge({ status: 'active', left, tz: 'America/New_York' }, Date.parse(instant))).toMatchObject({
      standing: expected,
    });
  });

  it('is taken in the zone of the settings when they name one', () => {
    for (const timezone of ['Pacific/Kiritimati', 'Line Islands Standard Time']) {
      expect(judge(leaves, Date.parse('2026-11-21T10:00:00Z'), { timezone })).toMatchObject({ standing: 'leaver' });
    }
  });

  it('is taken in UTC when there is no zone at all', () => {
    expect(judge(leaves, Date.parse('2026-11-21T23:59:00Z'), { timezone: undefined })).toMatchObject({
      standing: 'active',
    });
  });

  it('does not matter for a blank zone while every zone on earth agrees', () => {
    expect(judge({ ...leaves, tz: '' }, Date.parse('2026-11-21T05:00:00Z'))).toMatchObject({ standing: 'active' });
    expect(judge({ ...leaves, tz: '' }, Date.parse('2026-11-23T12:00:00Z'))).toMatchObject({ standing: 'leaver' });
    expect(judge({ status: 'terminated', tz: '' })).toMatchObject({ standing: 'leaver' });
  });

  it('takes a zone that is not visible for a blank one, and one that is no text too, with trouble', () => {
    expect(judge({ status: 'terminated', tz: undefined })).toMatchObject({ standing: 'leaver' });
    expect(judge({ ...leaves, tz: undefined }, Date.parse('2026-11-21T12:00:00Z'))).toMatchObject({
      standing: 'unknown',
    });
    expect(judge({ status: 'terminated', tz: ['UTC'] })).toMatchObject({
      standing: 'leaver',
      troubles: [{ field: 'timezone', kind: 'not-text' }],
    });
  });

  it('leaves the standing unknown for a blank zone when the zones disagree', () => {
    expect(judge({ ...leaves, tz: '' }, Date.parse('2026-11-21T12:00:00Z'))).toMatchObject({ standing: 'unknown' });
  });

  it('moves on when the same mapping is used on a later day', () => {
    const lifecycle = compileLifecycle(settings);
    const fields = { ...leaves, tz: 'UTC' };

    expect(lifecycle.judge(fields, noon)).toMatchObject({ standing: 'active' });
    expect(lifecycle.judge(fields, noon + 24 * 3_600_000)).toMatchObject({ standing: 'leaver' });
  });
});

describe('dates with a time and a zone', () => {
  const instants = { dateFormat: "yyyy-MM-dd'T'HH:mm:ssXXX" };

  it.each([
    ['the employee’s last day ended in Montevideo', 'America/Montevideo', '2026-11-21T01:00:00Z', 'leaver'],
    ['the same moment is today in Madrid', 'Europe/Madrid', '2026-11-21T01:00:00Z', 'active'],
    ['Windows has its own name of the zone', 'Montevideo Standard Time', '2026-11-21T01:00:00Z', 'leaver'],
    ['midnight is the date as written', 'America/Montevideo', '2026-11-21T00:00:00Z', 'active'],
    ['yesterday as written in another zone', 'UTC', '2026-11-20T23:30:00-05:00', 'active'],
  ])('%s', (_, tz, left, standing) => {
    expect(judge({ status: 'active', tz, left }, noon, instants)).toMatchObject({ standing });
  });

  it('are days of the zone, or days as written, where that is configured', () => {
    const midnight = { status: 'active', tz: 'America/Montevideo', left: '2026-11-21T00:00:00Z' };
    expect(judge(midnight, noon, { ...instants, dateTimes: 'local' })).toMatchObject({ standing: 'leaver' });
    const late = { ...midnight, left: '2026-11-21T01:00:00Z' };
    expect(judge(late, noon, { ...instants, dateTimes: 'written' })).toMatchObject({ standing: 'active' });
  });

  it('are unreadable without a zone, unless they are one day in every zone', () => {
    const reason = 'is a different day in some time zones, and the time zone is not known (lifecycle.timezone)';
    expect(judge({ status: 'active', tz: '', left: '2026-10-01T15:00:00Z' }, noon, instants)).toMatchObject({
      standing: 'active',
      troubles: [{ field: 'leaveDate', reason }],
      refusesStart: `left ${reason}`,
    });
    const written = judge({ status: 'active', tz: '', left: '2026-10-01T00:00:00Z' }, noon, instants);
    expect(written).toEqual({
      standing: 'leaver',
      reason: 'the last day of work has passed',
      leaves: '2026-10-01',
      leavesByDate: true,
      leavesIn: 'Etc/GMT+12',
    });
  });

  it('may be in two formats', () => {
    const formats = { dateFormat: 'sheet-days', leaveDateFormat: 'dd.MM.yyyy' };
    const verdict = judge({ status: 'active', hired: '46000', left: '20.11.2026' }, noon, formats);
    expect(verdict).toMatchObject({ standing: 'leaver', hires: '2025-12-09', leaves: yesterday });
  });

  it('may be numbers since 1970', () => {
    const left = Date.UTC(2026, 10, 20, 15) / 1000;
    expect(judge({ status: 'active', left }, noon, { dateFormat: 'epoch-seconds' })).toMatchObject({
      standing: 'leaver',
    });
  });
});

describe('expressions', () => {
  const expressions = createExpressions();
  const lifecycle = compileLifecycle(
    {
      ...settings,
      status: { expression: "ended ? 'terminated' : 'active'" },
      leaveDate: { expression: 'contracts[-1].until' },
      timezone: { expression: "site = 'MVD' ? 'America/Montevideo' : ''" },
    },
    expressions,
  );
  const judgeComputed = async (fields: Record<string, unknown>, failed?: Refusal) => {
    const computed = await Promise.all(lifecycle.expressions.map((one) => failed ?? one.evaluate(fields)));
    return lifecycle.judge(fields, noon, computed);
  };

  it('give status, dates and zone', async () => {
    const contracts = [{ until: '2020-01-31' }, { until: yesterday }];
    expect(await judgeComputed({ ended: false, contracts, site: 'MVD' })).toMatchObject({ standing: 'leaver' });
    expect(await judgeComputed({ ended: false, contracts: [{ until: today }], site: 'MVD' })).toMatchObject({
      standing: 'active',
    });
    expect(await judgeComputed({ ended: true, site: 'MVD' })).toEqual({
      standing: 'leaver',
      reason: 'lifecycle.status is "terminated"',
    });
    expect(lifecycle.reads).toEqual(['ended', 'hired', 'contracts', 'site']);
  });
});

describe('lifecycle settings', () => {
  it('name the fields that they read, a fixed zone left out', () => {
    expect(compileLifecycle(undefined).reads).toEqual([]);
    expect(compileLifecycle(settings).reads).toEqual(['status', 'hired', 'left', 'tz']);
    expect(compileLifecycle({ ...settings, timezone: 'Europe/Berlin' }).reads).toEqual(['status', 'hired', 'left']);
  });
});

describe('what a lifecycle reads', () => {
  it('is nothing without settings, and dates are days in UTC', () => {
    const { reads, readers, expressions, dayOf } = compileLifecycle(undefined);
    expect({ reads, readers, expressions }).toEqual({ reads: [], readers: [], expressions: [] });
    expect(dayOf({}, [])({ at: noon, written: 'x' } as never)).toBe(today);
  });

  it.each([
    ['a status', { status: { expression: 'state' } }, 'unknown'],
    ['a hire date', { hireDate: { expression: 'hired' } }, 'active'],
  ] as const)('may be an expression that fails: %s', (_, changed, expected) => {
    const failed = new Refusal('expression-failed', 'the expression failed');
    const lifecycle = compileLifecycle({ ...settings, timezone: 'UTC', ...changed }, createExpressions());
    const verdict = lifecycle.judge({ status: 'active' }, noon, [failed]);
    expect(verdict).toMatchObject({ standing: expected });
    expect(`${verdict.reason} ${JSON.stringify(verdict.troubles ?? [])}`).toContain('the expression failed');
  });

  it('tells a status that is not visible from one that is not understood', () => {
    expect(judge({})).toMatchObject({ reason: 'status is not visible' });
    expect(judge({ status: ['active'] }).reason).toMatch(/^status /);
    expect(judge({ status: ['active'] }).reason).not.toContain('undefined');
  });

  it('says whether a zone is blank or does not exist where it decides', () => {
    const atEdge = (tz: string) => judge({ status: 'active', left: yesterday, tz }, Date.UTC(2026, 10, 21, 1)).reason;
    expect(atEdge('')).toContain('tz is blank');
    expect(atEdge('Mars/Olympus')).toContain('tz does not exist');
  });
});

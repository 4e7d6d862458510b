import { describe, expect, it } from 'vitest';
import { compileLifecycle } from '../../src/core/lifecycle.ts';
import type { Standing } from '../../src/core/person.ts';
import type { LifecycleSettings } from '../../src/core/settings.ts';

const settings: LifecycleSettings = {
  status: 'status',
  active: ['active', 'On Leave'],
  leaver: ['terminated'],
  hireDate: 'hired',
  leaveDate: 'left',
  dateFormat: undefined,
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
    ['hired again from tomorrow', { status: 'active', hired: tomorrow, left: '2025-12-31' }, 'future'],
    ['hired and left the same day', { status: 'active', hired: yesterday, left: yesterday }, 'leaver'],
    ['a leave date that stands for none', { status: 'active', left: '9999-12-31' }, 'active'],
    ['a leave date of zeros', { status: 'active', left: '0000-00-00' }, 'active'],
    ['dates that are null', { status: 'active', hired: null, left: null }, 'active'],
    ['a zone that does not exist', { status: 'active', tz: 'Mars/Olympus' }, 'unknown'],
  ];

  it.each(table)('%s', (_, fields, expected) => {
    expect(judge(fields)).toMatchObject({ kind: 'standing', standing: expected });
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
    expect(judge({ status: 'Terminated' })).toMatchObject({ reason: 'status "Terminated" is in leaver' });
    expect(judge({ status: 'active', left: yesterday })).toMatchObject({
      reason: 'the last day of work was 2026-11-20, today is 2026-11-21',
    });
    expect(judge({ status: 'active', tz: 'Mars/Olympus' })).toMatchObject({
      reason: 'the time zone in tz does not exist',
    });
  });

  it('says that a blank status is blank', () => {
    expect(judge({ status: ' ' })).toMatchObject({ reason: 'status is blank' });
  });

  it('needs no leave date and no hire date to be configured', () => {
    expect(judge({ status: 'terminated' }, noon, { leaveDate: undefined })).toMatchObject({ standing: 'leaver' });
    expect(judge({ status: 'active' }, noon, { hireDate: undefined })).toMatchObject({ standing: 'active' });
  });

  it('is the same for a status that comes again', () => {
    const lifecycle = compileLifecycle(settings);
    const standings = ['active', 'terminated', 'active', 'terminated', 'odd', 'odd'].map((status) =>
      lifecycle.judge({ tz: 'UTC', status }, noon),
    );
    expect(standings.map((verdict) => 'standing' in verdict && verdict.standing)).toEqual([
      'active',
      'leaver',
      'active',
      'leaver',
      'unknown',
      'unknown',
    ]);
  });

  it.each(['hired', 'left'])('rejects a row whose %s date is no plain value', (column) => {
    expect(judge({ status: 'active', [column]: [today] })).toEqual({
      kind: 'rejected',
      column,
      reason: 'is a list, expected plain text',
    });
  });

  it.each(['hired', 'left'])(
    'rejects a row whose %s date cannot be understood, without telling the value',
    (column) => {
      const verdict = judge({ status: 'active', [column]: '31/12/2026' });

      expect(verdict).toEqual({ kind: 'rejected', column, reason: 'is not a date in the format yyyy-MM-dd' });
    },
  );
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
    const inKiribati = { timezone: 'Pacific/Kiritimati' };

    expect(judge(leaves, Date.parse('2026-11-21T10:00:00Z'), inKiribati)).toMatchObject({ standing: 'leaver' });
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

  it('takes a zone that is not visible for a blank one, and one that is no text for one that does not exist', () => {
    expect(judge({ status: 'terminated', tz: undefined })).toMatchObject({ standing: 'leaver' });
    expect(judge({ ...leaves, tz: undefined }, Date.parse('2026-11-21T12:00:00Z'))).toMatchObject({
      standing: 'unknown',
    });
    expect(judge({ status: 'terminated', tz: ['UTC'] })).toMatchObject({ standing: 'unknown' });
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

describe('lifecycle settings', () => {
  it('name the fields that they read, a fixed zone left out', () => {
    expect(compileLifecycle(undefined).reads).toEqual([]);
    expect(compileLifecycle(settings).reads).toEqual(['status', 'hired', 'left', 'tz']);
    expect(compileLifecycle({ ...settings, timezone: 'Europe/Berlin' }).reads).toEqual(['status', 'hired', 'left']);
  });

  it('are refused when a status is in both lists', () => {
    expect(() => compileLifecycle({ ...settings, leaver: ['ACTIVE '] })).toThrow(/both active and leaver/);
  });
});

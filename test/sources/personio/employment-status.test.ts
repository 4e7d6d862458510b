import { describe, expect, it } from 'vitest';
import { employmentStatus } from '../../../src/sources/personio/status.ts';
import { noNames } from '../../../src/sources/personio/v2/list.ts';
import { primaryEmployment, toPerson } from '../../../src/sources/personio/v2/to-person.ts';

const today = '2026-11-21';

describe('the status of an employment in Personio', () => {
  it.each([
    ['active', '2020-01-01', null, 'active'],
    ['ACTIVE', '2026-11-21', null, 'active'],
    ['active', '2026-11-22', null, 'prehire'],
    ['leave', '2020-01-01', null, 'leave'],
    ['onboarding', '2020-01-01', null, 'prehire'],
    ['inactive', '2020-01-01', '2026-12-31', 'terminated'],
    ['active', '2020-01-01', '2026-11-21', 'active'],
    ['active', '2020-01-01', '2026-11-20', 'terminated'],
    ['LEAVE', undefined, '2026-11-20', 'unknown'],
    ['active', null, '2020-11-20', 'unknown'],
    ['active', '2026-01-01', '2025-12-31', 'active'],
    ['retired', '2020-01-01', '2025-12-31', 'unknown'],
    [null, '2020-01-01', null, 'unknown'],
    [undefined, '2020-01-01', null, undefined],
  ])('%s from %s to %s is %s', (status, hired, left, expected) => {
    expect(employmentStatus({ status, hired, left }, today)).toBe(expected);
  });
});

const from = (status: string, start: string) => ({ status, employment_start_date: start });

describe('the employment that counts', () => {
  it.each([
    ['the one in force', [from('ONBOARDING', '2027-01-01'), from('ACTIVE', '2020-01-01')], 1],
    ['the one on leave, not the one that ended', [from('INACTIVE', '2024-01-01'), from('LEAVE', '2020-01-01')], 1],
    ['the later of two in force', [from('ACTIVE', '2020-01-01'), from('ACTIVE', '2022-01-01')], 1],
    ['the one to come, not the one that ended', [from('INACTIVE', '2020-01-01'), from('ONBOARDING', '2027-01-01')], 1],
    ['the last that ended', [from('INACTIVE', '2020-01-01'), from('INACTIVE', '2024-01-01')], 1],
    ['the first of two alike', [from('ACTIVE', '2020-01-01'), from('ACTIVE', '2020-01-01')], 0],
  ])('is %s', (_, employments, expected) => {
    expect(primaryEmployment(employments, today)).toBe(employments[expected]);
  });
});

describe('the status of a person with employments', () => {
  const status = (person: string | undefined, employments: readonly Readonly<Record<string, unknown>>[]) =>
    toPerson(
      { id: '1', ...(person === undefined ? {} : { status: person }) },
      { kind: 'read', list: employments, names: noNames },
      today,
    ).rollcallStatus;

  it.each([
    ['ACTIVE', [from('LEAVE', '2020-01-01')], 'leave'],
    ['ACTIVE', [from('ONBOARDING', '2027-01-01'), from('INACTIVE', '2020-01-01')], 'prehire'],
    ['INACTIVE', [from('INACTIVE', '2020-01-01')], 'terminated'],
    ['ACTIVE', [from('INACTIVE', '2020-01-01')], 'unknown'],
    ['INACTIVE', [from('ACTIVE', '2020-01-01')], 'unknown'],
    ['INACTIVE', [], 'terminated'],
    ['ACTIVE', [], 'unknown'],
    [undefined, [from('ACTIVE', '2020-01-01')], 'active'],
    ['ACTIVE', [{ id: '7' }], 'active'],
  ])('%s with %j is %s', (person, employments, expected) => {
    expect(status(person, employments)).toBe(expected);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tidy } from '../../../src/sources/successfactors/odata.ts';
import {
  chooseEmployment,
  type EmploymentFacts,
  employmentStatus,
  inEffect,
  userStatus,
} from '../../../src/sources/successfactors/to-person.ts';

const today = '2026-11-21';
const someone: EmploymentFacts = {
  code: 'A',
  activeEmployments: '1',
  startDate: '2019-03-04',
  endDate: null,
  isHome: true,
  hasBegun: false,
};

describe('where a person stands', () => {
  it.each([
    { is: 'active', facts: {} },
    { is: 'active', facts: { activeEmployments: undefined } },
    { is: 'prehire', facts: { startDate: '2026-11-22' } },
    { is: 'terminated', facts: { startDate: '2026-11-22', hasBegun: true } },
    { is: 'leave', facts: { code: 'U' } },
    { is: 'leave', facts: { code: 'p' } },
    { is: 'leave', facts: { code: 'D' } },
    { is: 'suspended', facts: { code: 'S' } },
    { is: 'suspended', facts: { code: 'F' } },
    { is: 'terminated', facts: { activeEmployments: '0' } },
    { is: 'terminated', facts: { activeEmployments: 0, code: '4610' } },
    { is: 'terminated', facts: { code: 'T', endDate: '2026-11-20' } },
    { is: 'terminated', facts: { code: 'R', endDate: '2020-01-31', activeEmployments: undefined } },
    { is: 'unknown', facts: { code: 'T' } },
    { is: 'unknown', facts: { code: 'T', endDate: '2026-11-21' } },
    { is: 'unknown', facts: { code: 'T', endDate: '2026-11-20', isHome: false } },
    { is: 'unknown', facts: { code: '4606' } },
    { is: 'unknown', facts: { code: undefined } },
  ] as const)('$facts is $is', ({ is, facts }) => {
    expect(employmentStatus({ ...someone, ...facts }, today)).toBe(is);
  });

  it.each([
    ['t', '2019-01-01', 'active'],
    ['F', '2019-01-01', 'terminated'],
    ['f', '2027-01-01', 'prehire'],
    ['x', undefined, 'unknown'],
    [undefined, undefined, 'unknown'],
  ])('a user with status %s, hired %s, is %s', (status, hired, is) => {
    expect(userStatus(status, hired, today)).toBe(is);
  });
});

describe('of several employments', () => {
  const old = { userId: 'old', startDate: '2010-01-01', endDate: '2015-12-31', assignmentClass: 'ST' };
  const now = { userId: 'now', startDate: '2020-01-01', endDate: null, assignmentClass: 'ST' };
  const second = { userId: 'second', startDate: '2024-01-01', endDate: '2027-12-31', assignmentClass: 'ST' };
  const next = { userId: 'next', startDate: '2027-01-01', endDate: null };
  const abroad = { userId: 'abroad', startDate: '2025-01-01', endDate: null, assignmentClass: 'GA' };

  it.each([
    { of: [old, now, abroad], is: 'now' },
    { of: [now, second, old], is: 'second' },
    { of: [old, next], is: 'next' },
    { of: [now, next], is: 'now' },
    { of: [old], is: 'old' },
    { of: [abroad], is: 'abroad' },
    { of: [], is: undefined },
  ])('$is stands for the person', ({ of, is }) => {
    fc.assert(
      fc.property(fc.shuffledSubarray(of, { minLength: of.length }), (shuffled) => {
        expect(chooseEmployment(shuffled, today)?.userId).toBe(is);
      }),
    );
  });

  it('of the changes of one day the last one holds', () => {
    const changes = ['1', '10', '9'].map((seqNumber) => ({ seqNumber, startDate: '2026-01-01', endDate: null }));
    expect(inEffect(changes, today)).toMatchObject({ seqNumber: '10' });
  });
});

it('dates are calendar dates in UTC, moments are instants, the end of time is none', () => {
  expect(
    tidy({
      plain: '/Date(1577404800000)/',
      before1970: '/Date(-309312000000)/',
      moment: '/Date(1577485482000+0000)/',
      open: '/Date(253402214400000)/',
      text: 'Date(1)',
      wrong: '/Date(99999999999999999)/',
      nav: { __deferred: { uri: 'x' } },
      list: { results: [{ __metadata: {}, a: '/Date(0)/' }] },
      none: null,
    }),
  ).toEqual({
    plain: '2019-12-27',
    before1970: '1960-03-14',
    moment: '2019-12-27T22:24:42.000Z',
    open: null,
    text: 'Date(1)',
    wrong: null,
    list: [{ a: '1970-01-01' }],
    none: null,
  });
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type EmploymentFacts, employmentStatus, readBoolean } from '../../../src/sources/workday/status.ts';

const today = '2026-11-21';
const someone: EmploymentFacts = {
  active: true,
  terminated: false,
  onLeave: false,
  hireDate: '2019-03-04',
  terminationDate: null,
};

it.each([
  { is: 'active', facts: {} },
  { is: 'leave', facts: { onLeave: true } },
  { is: 'prehire', facts: { active: false, hireDate: '2026-11-22' } },
  { is: 'unknown', facts: { active: false } },
  { is: 'unknown', facts: { active: false, hireDate: '2026-11-21' } },
  { is: 'terminated', facts: { active: false, terminated: true } },
  { is: 'terminated', facts: { active: false, terminated: true, onLeave: true } },
  { is: 'unknown', facts: { terminated: true } },
  { is: 'terminated', facts: { active: false, terminated: undefined, terminationDate: '2026-11-20' } },
  { is: 'active', facts: { terminationDate: '2026-11-21' } },
  { is: 'active', facts: { terminationDate: '2020-01-31', hireDate: '2024-05-01' } },
  // The last day is that of a former employment (the column may hold the original hire date), or of a lapsed fixed term.
  { is: 'unknown', facts: { terminationDate: '2020-01-31' } },
  { is: 'unknown', facts: { terminationDate: '2020-01-31', hireDate: undefined } },
  { is: 'terminated', facts: { active: undefined, terminated: undefined, terminationDate: '2020-01-31' } },
  { is: 'unknown', facts: { active: undefined, terminated: undefined, onLeave: undefined, hireDate: null } },
] as const)('$facts is $is', ({ is, facts }) => {
  expect(employmentStatus({ ...someone, ...facts }, today)).toBe(is);
});

it('nobody is terminated without a word or a past date that says so', () => {
  const maybe = fc.constantFrom(true, false, null, undefined);
  const date = fc.constantFrom('2019-01-01', '2026-11-20', '2026-11-21', '2027-01-01', null, undefined, 'soon');
  const facts = fc.record({ active: maybe, terminated: maybe, onLeave: maybe, hireDate: date, terminationDate: date });
  fc.assert(
    fc.property(facts, (given) => {
      if (given.active === true) expect(employmentStatus(given, today)).not.toBe('terminated');
      if (employmentStatus(given, today) !== 'terminated') return;
      const hasPastDate = typeof given.terminationDate === 'string' && given.terminationDate < today;
      expect(given.terminated === true || hasPastDate).toBe(true);
    }),
  );
});

it.each([
  ['1', true],
  ['true', true],
  ['Yes', true],
  ['0', false],
  ['false', false],
  ['', null],
  ['maybe', null],
  [null, null],
  [undefined, undefined],
] as const)('%j is read as %j', (written, meant) => {
  expect(readBoolean(written)).toBe(meant);
});

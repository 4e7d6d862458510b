import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileStatusMap, employeeStatus } from '../../../src/sources/bamboohr/to-person.ts';

const map = compileStatusMap({ 'Maternity Leave': 'leave', Garden: 'suspended', Terminated: 'terminated' });
const today = '2026-11-21';

it.each<[facts: readonly [unknown, unknown, unknown, unknown], is: string | undefined]>([
  [['Active', 'Full-Time', '2021-03-01', null], 'active'],
  [['active', ' maternity leave ', '2021-03-01', null], 'leave'],
  [['Active', 'Garden', '2021-03-01', '2026-12-31'], 'suspended'],
  // The day of leaving is planned, and a report shows the status that belongs to it already.
  [['Active', 'Terminated', '2021-03-01', '2026-12-31'], 'active'],
  [['Active', undefined, undefined, undefined], 'active'],
  [['Inactive', 'Full-Time', '2027-01-04', null], 'prehire'],
  [['Active', 'Full-Time', '2027-01-04', null], 'prehire'],
  [['Inactive', 'Full-Time', '2027-01-04', '2026-10-31'], 'terminated'],
  [['Inactive', 'Terminated', '2027-01-04', null], 'terminated'],
  [['Inactive', 'Terminated', '2021-03-01', null], 'terminated'],
  [['Inactive', null, '2021-03-01', '2026-11-21'], 'terminated'],
  [['Inactive', null, '2021-03-01', '2026-11-22'], 'unknown'],
  [['Inactive', null, null, null], 'unknown'],
  [['Inactive', undefined, undefined, undefined], 'unknown'],
  [['Inactive', null, '2021-03-01', 'June'], 'unknown'],
  [[null, 'Terminated', '2021-03-01', '2025-01-01'], 'unknown'],
  [[undefined, 'Terminated', '2021-03-01', '2025-01-01'], undefined],
])('status, employment status, hired, left: %j is %s', ([status, employmentStatus, hireDate, terminationDate], is) => {
  expect(employeeStatus({ status, employmentStatus, hireDate, terminationDate }, map, today)).toBe(is);
});

it('nobody is terminated who is not Inactive, whatever else is said', () => {
  const date = fc.constantFrom(null, undefined, '', '2020-01-01', '2026-11-21', '2030-01-01', 'soon');
  const employment = fc.constantFrom(null, undefined, 'Terminated', 'Full-Time', 'Garden');
  const status = fc
    .oneof(fc.constantFrom('Active', null, undefined), fc.string())
    .filter((text) => !/^\s*inactive\s*$/i.test(text ?? ''));
  fc.assert(
    fc.property(status, employment, date, date, (status, employmentStatus, hireDate, terminationDate) => {
      expect(employeeStatus({ status, employmentStatus, hireDate, terminationDate }, map, today)).not.toBe(
        'terminated',
      );
    }),
  );
});

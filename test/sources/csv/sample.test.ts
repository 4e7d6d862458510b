import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createExpressions } from '../../../src/config/expressions.ts';
import { compileMapping } from '../../../src/core/person/mapping.ts';
import type { FieldOrigin, FieldRule } from '../../../src/core/run/settings.ts';
import { openSource } from '../../../src/sources/registry.ts';
import { readWhole } from '../../contracts/source.ts';
import { sourceBase } from '../../support/source-base.ts';

const folder = fileURLToPath(new URL('../../../src/sources/csv/sample', import.meta.url));

function rule(origin: FieldOrigin, more: Partial<Omit<FieldRule, keyof FieldOrigin>> = {}): FieldRule {
  return { transform: [], format: undefined, whenEmpty: 'keep', ...more, ...origin } as FieldRule;
}

const from = (path: string, more: Partial<Omit<FieldRule, keyof FieldOrigin>> = {}) =>
  rule({ kind: 'from', path }, more);

it('the sample file is read whole and mapped as the configuration of the design says', async () => {
  const mapping = compileMapping(
    {
      identification: from('employee_id'),
      fields: {
        firstName: from('first_name'),
        lastName: from('last_name'),
        email: from('work_email', { transform: ['trim', 'lowercase'] }),
        orgEntryDate: from('hire_date', { format: 'dd/MM/yyyy' }),
        seniority: rule({ kind: 'expression', expression: "$number(level) > 5 ? 'Senior' : 'Junior'" }),
        account: rule({ kind: 'value', value: 'Acme UY' }),
        phoneNumber: from('phone', { whenEmpty: 'clear' }),
        customField1: from('cost_center'),
      },
    },
    {
      status: 'status',
      active: ['active', 'leave'],
      leaver: ['terminated'],
      hireDate: 'hire_date',
      leaveDate: 'end_date',
      dateFormat: 'dd/MM/yyyy',
      leavesBy: undefined,
      timezone: 'tz',
    },
    { scope: "country = 'UY' and type != 'contractor'" },
    { expressions: createExpressions() },
  );

  const { pages, end } = await readWhole(openSource({ kind: 'csv', path: 'employees.csv' }, sourceBase(folder)));
  const mapped = pages.flatMap(({ records }) => records.map((record) => mapping.map(record, Date.UTC(2026, 10, 21))));

  expect(end).toMatchObject({ complete: true, rows: 5 });
  expect(
    mapped.map((person) => ('standing' in person ? `${person.identification} ${person.standing}` : person)),
  ).toEqual(['00101 active', '00102 active', '00103 active', '00104 leaver', '00105 active']);
  expect(mapped.map((person) => 'isInScope' in person && person.isInScope)).toEqual([true, true, true, true, false]);
  expect(mapped[1]).toMatchObject({
    fields: {
      email: 'jose.nunez@example.com',
      firstName: 'José',
      orgEntryDate: '2021-09-15',
      phoneNumber: '',
      seniority: 'Junior',
      account: 'Acme UY',
      customField1: 'CC-100',
    },
  });
});

import { expect, it } from 'vitest';
import { differencesOf } from '../../src/core/plan/change.ts';

const before = { userId: '1', enabled: true, fields: { firstName: 'Ana', lastName: 'Díaz', area: 'Sales' } };

it('shows each changed field with both values, and empty ones as empty', () => {
  expect(
    differencesOf({
      kind: 'update',
      before,
      after: { firstName: 'Anna', lastName: 'Díaz', area: '', office: '3B' },
      changed: ['firstName', 'area', 'office'],
    }),
  ).toEqual([
    { field: 'firstName', before: 'Ana', after: 'Anna' },
    { field: 'area', before: 'Sales', after: '' },
    { field: 'office', before: '', after: '3B' },
  ]);
});

it('does not call a field empty that the platform does not return', () => {
  expect(differencesOf({ kind: 'update', before, after: { job: 'Pilot' }, changed: ['job'] })).toEqual([
    { field: 'job', before: undefined, after: 'Pilot' },
  ]);
});

it('shows every field with a value of a create, and a field without a new value as empty', () => {
  const create = { kind: 'create', before: undefined, after: { firstName: 'Ana', area: '' }, changed: [] } as const;
  expect(differencesOf(create)).toEqual([{ field: 'firstName', before: '', after: 'Ana' }]);
  expect(differencesOf({ ...create, kind: 'disable', changed: ['area', 'office'] })).toEqual([
    { field: 'area', before: '', after: '' },
    { field: 'office', before: '', after: '' },
  ]);
});
